#include "manual/command_line.hpp"

#include "methods/method_spec.hpp"
#include "scene/format/format.hpp"
#include "solver/solver.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace achilles::program {
namespace {

/// By the name of an option or positional; NAME is what the command lists.
WordKind find_kind(const std::string& command, const std::string& name) {
  static const std::map<std::string, WordKind> kinds{
      {"--method", WordKind::kMethod},     {"--methods", WordKind::kMethods},   {"--solver", WordKind::kSolver},
      {"SCENE", WordKind::kScene},         {"RECORDING", WordKind::kRecording}, {"methods NAME", WordKind::kMethod},
      {"solvers NAME", WordKind::kSolver}, {"shapes NAME", WordKind::kShape},   {"joints NAME", WordKind::kJoint},
      {"--resume", WordKind::kRecording}};
  for (const std::string& key : {name, command + " " + name}) {
    if (const auto found = kinds.find(key); found != kinds.end()) return found->second;
  }
  return WordKind::kFile;
}

OptionText read_option(const std::string& command, const CLI::Option& option) {
  OptionText text;
  text.meaning = option.get_description();
  text.required = option.get_required();
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  const bool is_flag = option.get_items_expected_max() == 0;
  const std::string type = option.get_type_name();
  if (text.names.empty()) {
    text.value = option.get_name(true);
    text.kind = find_kind(command, text.value);
  } else if (!is_flag) {
    text.value = type.substr(0, type.find(':'));  // the range that follows is in messages
    text.kind = text.value == "TEXT" ? find_kind(command, text.names.front()) : WordKind::kAny;
  }
  return text;
}

}  // namespace

std::vector<CommandText> read_command_line(const CLI::App& app) {
  std::vector<CommandText> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandText text{command->get_name(), command->get_description(), {}, {}};
    for (const CLI::Option* option : command->get_options()) {
      OptionText read = read_option(text.name, *option);
      (read.names.empty() ? text.positionals : text.options).push_back(std::move(read));
    }
    commands.push_back(std::move(text));
  }
  return commands;
}

std::vector<std::string> list_words(WordKind kind) {
  std::vector<std::string> words;
  if (kind == WordKind::kMethod || kind == WordKind::kMethods) {
    for (const MethodSpec& method : method_specs()) words.emplace_back(method.name);
  }
  if (kind == WordKind::kMethods) words.emplace_back("all");
  if (kind == WordKind::kSolver) {
    for (const SolverInfo& solver : solver_infos()) words.emplace_back(solver.name);
  }
  if (kind == WordKind::kShape) {
    for (const scene_file::Field& shape : scene_file::shape_spec().fields) words.push_back(shape.name);
  }
  if (kind == WordKind::kJoint) {
    for (const scene_file::Variant& joint : scene_file::joint_spec().variants) words.push_back(joint.word);
  }
  return words;
}

}  // namespace achilles::program
