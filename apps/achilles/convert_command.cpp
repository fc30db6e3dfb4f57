// Robot files: what they are read with, and writing them as scenes.
#include "commands.hpp"
#include "load.hpp"
#include "outputs.hpp"

#include "record/output_file.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace achilles::program {
namespace {

struct ConvertArguments {
  SceneArguments scene;
  std::string output;
};

std::pair<std::string, std::string> split_pair(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0 && equals + 1 < text.size()) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  throw CLI::ValidationError(option, fmt::format("'{}' is not of the form NAME=VALUE", text));
}

double parse_position(const std::string& text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value)) return value;
  throw CLI::ValidationError("--start", fmt::format("'{}' is no number", text));
}

int convert(const ConvertArguments& arguments) {
  namespace fs = std::filesystem;
  const Scene scene = load(arguments.scene);
  const NamedFile output{"OUTPUT", arguments.output};
  check_outputs(list_inputs(scene), {&output, 1});
  print_warnings(scene);
  replace_file(arguments.output, move_scene_text(scene, fs::path(arguments.output).parent_path().string()));
  fmt::print("{}: {} bodies, {} joints, {} couplings, {} sensors; {} warnings\n", arguments.output, scene.bodies.size(),
             scene.joints.size(), scene.couplings.size(), scene.sensors.size(), scene.warnings.size());
  return kDone;
}

}  // namespace

void add_import_options(CLI::App& command, ImportOptions& options) {
  const std::string group = "Robot files";
  const std::map<std::string, ImportOptions::Base> bases{{"auto", ImportOptions::Base::kAuto},
                                                         {"free", ImportOptions::Base::kFree},
                                                         {"fixed", ImportOptions::Base::kFixed}};
  const std::map<std::string, ImportOptions::Meshes> meshes{{"hull", ImportOptions::Meshes::kHull},
                                                            {"decompose", ImportOptions::Meshes::kDecompose},
                                                            {"distance-map", ImportOptions::Meshes::kDistanceMap}};
  command.add_flag("--strict", options.strict, "What is not supported in a robot file is an error")->group(group);
  command
      .add_option_function<std::string>(
          "--base", [&options, bases](const std::string& word) { options.base = bases.at(word); },
          "Whether a robot without a joint to the ground may move; auto: as its format states")
      ->check(CLI::IsMember({"auto", "free", "fixed"}))
      ->group(group);
  command
      .add_option_function<std::string>(
          "--meshes", [&options, meshes](const std::string& word) { options.meshes = meshes.at(word); },
          "What meshes collide as; default hull")
      ->check(CLI::IsMember({"hull", "decompose", "distance-map"}))
      ->group(group);
  command
      .add_option("--mesh-error", options.mesh_error,
                  "Of a decomposition, and spacing of the samples of a distance map [m]; default 0.002")
      ->check(CLI::PositiveNumber)
      ->group(group);
  command.add_flag("--keep-fixed", options.keep_fixed, "Bodies held by fixed joints stay bodies of their own")
      ->group(group);
  command.add_flag("--self-collision", options.self_collision, "Links of a URDF robot collide with each other")
      ->group(group);
  command
      .add_flag_callback(
          "--no-ground", [&options] { options.ground = false; }, "No plane under a free robot whose file has no ground")
      ->group(group);
  command
      .add_option("--hold", options.hold_stiffness,
                  "Stiffness of a drive that keeps each joint where it starts [N m/rad] or [N/m]")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command.add_option("--hold-damping", options.hold_damping, "Its damping [N m s/rad] or [N s/m]")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command.add_option("--keyframe", options.keyframe, "Of MJCF, to start from; none: the model as it is written")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--start",
          [&options](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              const auto [name, value] = split_pair("--start", word);
              options.start[name] = parse_position(value);
            }
          },
          "Position of a joint to start from [rad] or [m]")
      ->type_name("JOINT=POSITION")
      ->expected(1)
      ->take_all()
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--package",
          [&options](const std::vector<std::string>& words) {
            for (const std::string& word : words) options.packages.insert(split_pair("--package", word));
          },
          "What package://NAME/ means")
      ->type_name("NAME=FOLDER")
      ->expected(1)
      ->take_all()
      ->group(group);
  const std::vector<std::string> words(std::begin(kLeftOutWords), std::end(kLeftOutWords));
  command
      .add_option_function<std::vector<std::string>>(
          "--leave-out",
          [&options](const std::vector<std::string>& left) { options.leave_out.insert(left.begin(), left.end()); },
          fmt::format("For a method that lacks it: {}", fmt::join(words, ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(words))
      ->take_all()
      ->group(group);
}

void describe_convert(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* command = app.add_subcommand("convert", "Write a robot file (URDF, MJCF, SDF) as a scene (YAML)");
  const auto arguments = std::make_shared<ConvertArguments>();
  command->add_option("ROBOT", arguments->scene.file, "Robot file, or a scene")->required();
  command->add_option("OUTPUT", arguments->output, "Scene file to write; mesh files are named from its folder")
      ->required();
  command->add_option("--set,-s", arguments->scene.sets, "Any key of the scene")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  add_import_options(*command, arguments->scene.import);
  command->callback([arguments, &chosen] { chosen = [arguments] { return convert(*arguments); }; });
}

}  // namespace achilles::program
