// The contact graph of a scene at an instant.
#include "commands.hpp"
#include "load.hpp"
#include "number_check.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

#include "record/output_file.hpp"

#include <achilles/contact_graph.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace achilles::program {
namespace {

struct GraphArguments {
  SceneArguments scene;
  double at = 0;
  std::string output;
};

template <class List>
std::string count_kinds(const List& list) {
  std::map<std::string, int> counts;
  for (const auto& item : list) ++counts[to_string(item.kind)];
  std::string text;
  for (const auto& [kind, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text.empty() ? "none" : text;
}

int write_graph(const GraphArguments& arguments) {
  const Scene scene = load(arguments.scene);
  const NamedFile output{"--output", arguments.output};
  check_outputs(list_inputs(scene), {&output, 1});
  Simulation simulation(scene);
  simulation.watch_events(scene.events ? scene.events->options : EventOptions{});
  do {
    const StepReport report = simulation.step();
    if (!report.stopped) continue;
    fmt::print(stderr, "achilles: stopped at {:.6g} s: {}\n", report.stopped->time, report.stopped->message);
    return kStopped;
  } while (simulation.world().time < arguments.at - 0.5 * simulation.step_length());
  const ContactGraph graph = make_contact_graph(simulation.world(), simulation.contacts());
  fmt::print("at {:.6g} s, islands: {}\n  nodes  {}\n  edges  {}\n", simulation.world().time, graph.islands,
             count_kinds(graph.nodes), count_kinds(graph.edges));
  if (arguments.output.empty()) return kDone;
  replace_file(arguments.output, write_dot(graph));
  announce_file(arguments.output);
  return kDone;
}

}  // namespace

void describe_graph(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* command = app.add_subcommand("graph", "Simulate a scene to an instant and show its contact graph there");
  const auto arguments = std::make_shared<GraphArguments>();
  command->add_option("SCENE", arguments->scene.file, "Scene file (YAML)")->required();
  command->add_option("--method,-m", arguments->scene.method, "Method in place of the scene's (see: achilles methods)");
  command->add_option("--set,-s", arguments->scene.sets, "Any key of the scene")->type_name("PATH=VALUE")->take_all();
  command->add_option("--at", arguments->at, "Time [s]; default after the first step")->check(number_from(false, "s"));
  command->add_option("--output,-o", arguments->output, "Graph to write, for Graphviz (.dot)");
  command->callback([arguments, &chosen] { chosen = [arguments] { return write_graph(*arguments); }; });
}

}  // namespace achilles::program
