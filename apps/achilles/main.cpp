// The command line.
#include "commands.hpp"
#include "number_check.hpp"
#include "terminal.hpp"

#include "platform/system.hpp"

#include <achilles/error.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
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
  add_import_options(command, scene.import);
}

/// What was requested: the arguments of every command, and the command that was chosen.
struct Request {
  RunArguments run;
  SceneArguments check;
  PlaceArguments place;
  CompareArguments compare;
  SolveArguments solve;
  ReproduceArguments reproduce;
  std::string recording;             // of export and replay
  std::vector<std::string> outputs;  // of export
  std::optional<double> megabytes;   // of export
  int threads = 1;                   // of replay
  std::string name;                  // of what is listed
  std::function<int()> chosen;
};

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads,-t", threads, "Threads; the result does not depend on it")->check(CLI::Range(1, 1024));
}

void describe_run(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene");
  RunArguments& arguments = request.run;
  CLI::Option* scene =
      command->add_option("SCENE", arguments.scene.file, "Scene file (YAML), or a robot file (URDF, MJCF, SDF)");
  add_scene_options(*command, arguments.scene);
  command->add_option("--duration,-d", arguments.duration, "Simulated time [s]")->check(number_from(false, "s"));
  add_threads(*command, arguments.threads);
  command->add_option("--record,-r", arguments.record, "Record the run to this file (HDF5)");
  command->add_option("--csv", arguments.csv, "Write all states as comma-separated values");
  command->add_option("--every", arguments.every, "Time between recorded instants [s]; default about 1/60")
      ->check(number_from(true, "s"));
  command
      ->add_option("--checkpoint", arguments.checkpoint,
                   "Wall time between saved worlds in the recording, from which it can be resumed [s]; default 30")
      ->check(number_from(false, "s"));
  command->add_flag("--durable", arguments.durable, "Wait for the disk about every second, not at saved worlds only");
  command->add_option("--report", arguments.report, "Write the report of the run (JSON)");
  command->add_flag("--profile", arguments.profile, "Print where the time of the steps went");
  command->add_option("--trace", arguments.trace, "Write every stage of every step for a trace viewer (JSON)");
  command->add_flag("--quiet,-q", arguments.quiet, "Print nothing but errors");
  CLI::Option* resume = command->add_option("--resume", arguments.resume, "Continue an interrupted recording instead");
  resume->excludes(scene)->excludes("--method")->excludes("--set")->excludes("--record");
  command->callback([&request] {
    if (request.run.scene.file.empty() && request.run.resume.empty()) {
      throw CLI::RequiredError("SCENE, or --resume with a recording");
    }
    request.chosen = [&request] { return run(request.run); };
  });
}

void describe_check(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("check", "Look for errors in a scene; nothing runs");
  command->add_option("SCENE", request.check.file, "Scene file (YAML), or a robot file (URDF, MJCF, SDF)")->required();
  add_scene_options(*command, request.check);
  command->callback([&request] { request.chosen = [&request] { return check(request.check); }; });
}

void describe_place(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("place", "Drag bodies to where they shall be and write the scene anew");
  PlaceArguments& arguments = request.place;
  command->add_option("SCENE", arguments.scene.file, "Scene file (YAML), or a robot file (URDF, MJCF, SDF)")
      ->required();
  add_scene_options(*command, arguments.scene);
  command
      ->add_option("--pull,-p", arguments.pulls,
                   "Where a body shall go, without inertia, pushing what is in its way; @[px,py,pz] pulls by that "
                   "point of it, two points align it")
      ->type_name("BODY=[x,y,z]")
      ->required();
  command->add_option("--output,-o", arguments.output, "Scene file to write, beside SCENE")->required();
  command->callback([&request] { request.chosen = [&request] { return place(request.place); }; });
}

void describe_compare(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand("compare", "Run a scene under several methods and compare them");
  CompareArguments& arguments = request.compare;
  command->add_option("SCENE", arguments.scene.file, "Scene file (YAML), or a robot file (URDF, MJCF, SDF)")
      ->required();
  command->add_option("--methods", arguments.methods, "Methods, separated by commas; or: all")->required();
  command->add_option("--set,-s", arguments.scene.sets, "Any key of the scene")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--duration,-d", arguments.duration, "Simulated time [s]")->check(number_from(false, "s"));
  add_import_options(*command, arguments.scene.import);
  add_threads(*command, arguments.threads);
  command->add_option("--report", arguments.report, "Folder for recordings, reports and pages");
  command->callback([&request] { request.chosen = [&request] { return compare(request.compare); }; });
}

void describe_solve(CLI::App& app, Request& request) {
  CLI::App* command = app.add_subcommand(
      "solve", "Solve a problem of the frictional-contact library (FCLIB), or a collection of problems");
  SolveArguments& arguments = request.solve;
  command->add_option("PROBLEM", arguments.file, "Problem file (HDF5)")->required();
  command->add_option("--solver", arguments.solver,
                      "Solver (see: achilles solvers), or for a collection: all; default newton");
  command->add_option("--set,-s", arguments.sets, "Option of the solver, e.g. tolerance=1e-8")
      ->type_name("OPTION=VALUE")
      ->expected(1)
      ->take_all();
  command->add_option("--report", arguments.report, "Write residuals, iterations and reactions (JSON)");
  command->callback([&request] { request.chosen = [&request] { return solve_problem(request.solve); }; });
}

void describe_reproduce(CLI::App& app, Request& request) {
  CLI::App* command =
      app.add_subcommand("reproduce", "Run the papers' experiments and put the papers' figures beside ours");
  ReproduceArguments& arguments = request.reproduce;
  command->add_option("WHAT", arguments.wanted,
                      "all, drumwright, mirtich, vouga, erleben, anitescu, or single experiments, e.g. V4 D2");
  command->add_option("--report", arguments.report, "Folder for a page with plots and stills, and the recordings");
  command->add_option("--markdown", arguments.markdown, "Write the table to this file");
  command->add_option("--scenes", arguments.scenes, "Folder of the papers' scenes, when not beside the program");
  command->add_flag("--full", arguments.full, "As long as in the papers or longer, however long it takes");
  command->callback([&request] { request.chosen = [&request] { return reproduce_papers(request.reproduce); }; });
}

void describe_recordings(CLI::App& app, Request& request) {
  CLI::App* command =
      app.add_subcommand("export", "Turn a recording into a page that plays anywhere, glTF, numbers, or its report");
  command->add_option("RECORDING", request.recording, "Recording (HDF5)")->required();
  command->add_option("OUTPUT", request.outputs, "OUT.html, OUT.glb, OUT.csv or OUT.json, one or more")->required();
  command
      ->add_option("--size", request.megabytes,
                   "Of the data in OUT.html or OUT.glb at most [MB]; longer recordings are thinned out evenly in time; "
                   "default 60 and 200")
      ->check(CLI::Range(0.001, 2000.0));
  command->callback([&request] {
    request.chosen = [&request] { return export_recording(request.recording, request.outputs, request.megabytes); };
  });

  command = app.add_subcommand("replay", "Run a recording again and name the first instant that differs");
  command->add_option("RECORDING", request.recording, "Recording (HDF5)")->required();
  add_threads(*command, request.threads);
  command->callback([&request] { request.chosen = [&request] { return replay(request.recording, request.threads); }; });

  command = app.add_subcommand("events", "List what touched, parted and entered triggers in a recording");
  command->add_option("RECORDING", request.recording, "Recording (HDF5)")->required();
  command->callback([&request] { request.chosen = [&request] { return list_events(request.recording); }; });
}

void describe_lists(CLI::App& app, Request& request) {
  const auto add_list = [&app, &request](const char* word, const char* help, int (*list)(const std::string&)) {
    CLI::App* command = app.add_subcommand(word, help);
    command->add_option("NAME", request.name, "Describe this one in detail");
    command->callback([&request, list] { request.chosen = [&request, list] { return list(request.name); }; });
  };
  add_list("methods", "List the methods, or the options of one", list_methods);
  add_list("shapes", "List the shapes, or the keys of one", list_shapes);
  add_list("joints", "List the joints, or the keys of one", list_joints);
  add_list("solvers", "List the complementarity solvers, or the options of one", list_solvers);
  app.add_subcommand("impacts", "List the impact laws")->callback([&request] { request.chosen = list_impacts; });
  app.add_subcommand("schema", "Print the JSON Schema of the scene format, for editors")->callback([&request] {
    request.chosen = print_schema;
  });
}

/// Every command of the program.
void describe_commands(CLI::App& app, Request& request) {
  describe_run(app, request);
  describe_check(app, request);
  describe_place(app, request);
  describe_compare(app, request);
  describe_reproduce(app, request);
  describe_solve(app, request);
  describe_recordings(app, request);
  describe_convert(app, request.chosen);
  describe_render(app, request.chosen);
  describe_graph(app, request.chosen);
  describe_certify(app, request.chosen);
  describe_view(app, request.chosen);
  describe_soak(app, request.chosen);
  describe_studies(app, request.chosen);
  describe_lists(app, request);
  describe_manual(app, request.chosen);
}

/// Where nothing may be thrown, in destructors of JSON trees for example, running out of memory ends the program, with
/// the message of everywhere. A recording keeps what was committed.
[[noreturn]] void end_at_once() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    std::fputs("achilles: error: ended for an unknown reason\n", stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("achilles: error: out of memory\n", stderr);
    std::_Exit(kFailed);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "achilles: error: %s\n", error.what());
  } catch (...) {
    std::fputs("achilles: error: ended for an unknown reason\n", stderr);
  }
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Achilles: rigid bodies in contact.\nTry: achilles run scenes/gallery/first.yaml --record run.h5 && "
      "achilles export run.h5 run.html");
  app.name("achilles");
  app.set_version_flag("--version", std::string(achilles::version()));
  app.require_subcommand(1);
  Request request;
  describe_commands(app, request);
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
  achilles::platform::report_file_limits();
  std::set_terminate(end_at_once);
  try {
    const int status = request.chosen();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "achilles: error: cannot write to the standard output: {}\n", std::strerror(errno));
    return kFailed;
  } catch (const achilles::SceneError& error) {
    fmt::print(stderr, "{}\n", show_lines(error.what()));
    return kBadInput;
  } catch (const BadInput& error) {
    fmt::print(stderr, "achilles: error: {}\n", show_lines(error.what()));
    return kBadInput;
  } catch (const std::bad_alloc&) {
    std::fputs("achilles: error: out of memory\n", stderr);
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "achilles: error: {}\n", show_lines(error.what()));
    return kFailed;
  }
}
