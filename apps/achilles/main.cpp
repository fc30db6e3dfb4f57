// The command line.
#include "commands.hpp"

#include <achilles/error.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <string>

namespace {

using namespace achilles::program;

void add_scene_options(CLI::App& command, SceneArguments& scene) {
  command.add_option("--method,-m", scene.method, "Method in place of the scene's (see: achilles methods)");
  command
      .add_option("--set,-s", scene.sets, "Any key of the scene, e.g. time.step=0.001 or bodies.left.velocity=[5,0,0]")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
}

/// Everything the program can be asked for. `chosen` becomes the command that was.
void describe_commands(CLI::App& app, std::function<int()>& chosen, RunArguments& run_arguments,
                       SceneArguments& check_arguments, CompareArguments& compare_arguments,
                       SolveArguments& solve_arguments, std::string& recording, std::vector<std::string>& outputs,
                       int& threads, std::string& name) {
  CLI::App* run_command = app.add_subcommand("run", "Simulate a scene");
  CLI::Option* scene = run_command->add_option("SCENE", run_arguments.scene.file, "Scene file (YAML)");
  add_scene_options(*run_command, run_arguments.scene);
  run_command->add_option("--duration,-d", run_arguments.duration, "Simulated time [s]")->check(CLI::NonNegativeNumber);
  run_command->add_option("--threads,-t", run_arguments.threads, "Threads; the result does not depend on it")
      ->check(CLI::Range(1, 1024));
  run_command->add_option("--record,-r", run_arguments.record, "Record the run to this file (HDF5)");
  run_command->add_option("--csv", run_arguments.csv, "Write all states as comma-separated values");
  run_command->add_option("--every", run_arguments.every, "Time between recorded instants [s]; default about 1/60")
      ->check(CLI::PositiveNumber);
  run_command->add_option("--report", run_arguments.report, "Write what the run says of itself (JSON)");
  run_command->add_flag("--quiet,-q", run_arguments.quiet, "Print nothing but errors");
  CLI::Option* resume =
      run_command->add_option("--resume", run_arguments.resume, "Continue an interrupted recording instead");
  resume->excludes(scene)->excludes("--method")->excludes("--set")->excludes("--record");
  run_command->callback([&] {
    if (run_arguments.scene.file.empty() && run_arguments.resume.empty()) {
      throw CLI::RequiredError("SCENE, or --resume with a recording");
    }
    chosen = [&] { return run(run_arguments); };
  });

  CLI::App* check_command = app.add_subcommand("check", "Look for errors in a scene; nothing runs");
  check_command->add_option("SCENE", check_arguments.file, "Scene file (YAML)")->required();
  add_scene_options(*check_command, check_arguments);
  check_command->callback([&] { chosen = [&] { return check(check_arguments); }; });

  CLI::App* compare_command = app.add_subcommand("compare", "Run a scene under several methods and compare them");
  compare_command->add_option("SCENE", compare_arguments.scene.file, "Scene file (YAML)")->required();
  compare_command->add_option("--methods", compare_arguments.methods, "Methods, separated by commas; or: all")
      ->required();
  compare_command->add_option("--set,-s", compare_arguments.scene.sets, "Any key of the scene")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  compare_command->add_option("--duration,-d", compare_arguments.duration, "Simulated time [s]")
      ->check(CLI::NonNegativeNumber);
  compare_command->add_option("--threads,-t", compare_arguments.threads, "Threads")->check(CLI::Range(1, 1024));
  compare_command->add_option("--report", compare_arguments.report, "Folder for recordings, reports and pages");
  compare_command->callback([&] { chosen = [&] { return compare(compare_arguments); }; });

  CLI::App* solve_command = app.add_subcommand("solve", "Solve a problem of the frictional-contact library (FCLIB)");
  solve_command->add_option("PROBLEM", solve_arguments.file, "Problem file (HDF5)")->required();
  solve_command->add_option("--solver", solve_arguments.solver, "Solver (see: achilles solvers); default newton");
  solve_command->add_option("--set,-s", solve_arguments.sets, "Option of the solver, e.g. tolerance=1e-8")
      ->type_name("OPTION=VALUE")
      ->expected(1)
      ->take_all();
  solve_command->add_option("--report", solve_arguments.report, "Write residuals, iterations and reactions (JSON)");
  solve_command->callback([&] { chosen = [&] { return solve_problem(solve_arguments); }; });

  CLI::App* export_command =
      app.add_subcommand("export", "Turn a recording into a page that plays anywhere, or numbers");
  export_command->add_option("RECORDING", recording, "Recording (HDF5)")->required();
  export_command->add_option("OUTPUT", outputs, "OUT.html or OUT.csv, one or more")->required();
  export_command->callback([&] { chosen = [&] { return export_recording(recording, outputs); }; });

  CLI::App* replay_command =
      app.add_subcommand("replay", "Run a recording again and name the first instant that differs");
  replay_command->add_option("RECORDING", recording, "Recording (HDF5)")->required();
  replay_command->add_option("--threads,-t", threads, "Threads")->check(CLI::Range(1, 1024));
  replay_command->callback([&] { chosen = [&] { return replay(recording, threads); }; });

  const auto add_list = [&](const char* word, const char* help, int (*list)(const std::string&)) {
    CLI::App* command = app.add_subcommand(word, help);
    command->add_option("NAME", name, "Say more about this one");
    command->callback([&chosen, &name, list] { chosen = [&name, list] { return list(name); }; });
  };
  add_list("methods", "List the methods, or the options of one", list_methods);
  add_list("shapes", "List the shapes, or the keys of one", list_shapes);
  add_list("joints", "List the joints, or the keys of one", list_joints);
  add_list("solvers", "List the complementarity solvers, or the options of one", list_solvers);
  app.add_subcommand("impacts", "List the impact laws")->callback([&] { chosen = list_impacts; });
  app.add_subcommand("schema", "Print the JSON Schema of the scene format, for editors")->callback([&] {
    chosen = print_schema;
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Achilles: rigid bodies in contact.\nTry: achilles run scenes/gallery/first.yaml --record run.h5 && "
      "achilles export run.h5 run.html");
  app.name("achilles");
  app.set_version_flag("--version", std::string(achilles::version()));
  app.require_subcommand(1);
  RunArguments run_arguments;
  SceneArguments check_arguments;
  CompareArguments compare_arguments;
  SolveArguments solve_arguments;
  std::string recording, name;
  std::vector<std::string> outputs;
  int threads = 1;
  std::function<int()> chosen;
  describe_commands(app, chosen, run_arguments, check_arguments, compare_arguments, solve_arguments, recording, outputs,
                    threads, name);
  const std::string first = argc > 1 ? argv[1] : "";
  const auto known = app.get_subcommands([&first](const CLI::App* command) { return command->get_name() == first; });
  if (!first.empty() && first.front() != '-' && known.empty()) {
    fmt::print(stderr, "achilles: error: there is no command '{}'; 'achilles --help' lists them\n", first);
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  try {
    return chosen();
  } catch (const achilles::SceneError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const BadInput& error) {
    fmt::print(stderr, "achilles: error: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "achilles: error: {}\n", error.what());
    return kFailed;
  }
}
