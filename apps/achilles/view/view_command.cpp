// The page of a scene or a recording, served to browsers on this machine.
#include "commands.hpp"
#include "live/live_run.hpp"
#include "live/scratch_folder.hpp"
#include "live/server.hpp"
#include "load.hpp"
#include "recording_file.hpp"
#include "terminal.hpp"

#include "record/page.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace achilles::program {
namespace {

struct ViewArguments {
  SceneArguments scene;  // its file may be a recording
  int port = 0;
  int threads = 1;
  std::string save;
  double history = 256;
  bool runs = false;
};

bool is_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(8, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == std::string("\x89HDF\r\n\x1a\n", 8);
}

std::shared_ptr<const std::string> page_of(const std::string& recording_path) {
  const Recording recording = open_recording(recording_path);
  const live::ScratchFolder folder;
  const std::string name = folder.file("page.html");
  export_page(recording, name);
  std::ifstream stream(name, std::ios::binary);
  auto page = std::make_shared<std::string>(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  return page;
}

void serve(live::ViewServer& server, const std::string& what) {
  fmt::print("{} is at http://127.0.0.1:{}/ - Ctrl-C ends it\n", what, server.port());
  std::fflush(stdout);
  server.run([] {
    if (!is_interrupted()) return true;
    end_within_a_second();
    return false;
  });
}

int view(const ViewArguments& arguments) {
  catch_interrupts();
  const std::string& file = arguments.scene.file;
  if (is_recording(file)) {
    if (!arguments.scene.method.empty() || !arguments.scene.sets.empty()) {
      throw BadInput("--method and --set are for scenes: a recording is as it is");
    }
    live::ViewServer server(static_cast<std::uint16_t>(arguments.port), nullptr, page_of(file));
    serve(server, file);
    return kDone;
  }
  const Scene scene = load(arguments.scene);
  print_warnings(scene);
  live::LiveOptions options;
  options.threads = arguments.threads;
  options.runs = arguments.runs;
  options.history_bytes = static_cast<std::uint64_t>(arguments.history * (1 << 20));
  options.save_path =
      arguments.save.empty() ? std::filesystem::path(file).stem().string() + "-live.h5" : arguments.save;
  live::LiveRun live(scene, options);
  live::ViewServer server(static_cast<std::uint16_t>(arguments.port), &live, nullptr);
  serve(server, scene.name.empty() ? file : scene.name);
  return kDone;
}

}  // namespace

void describe_view(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App* command = app.add_subcommand("view", "Play a recording, or run a scene live, in a browser on this machine");
  command
      ->add_option("WHAT", arguments->scene.file, "Scene file (YAML), robot file (URDF, MJCF, SDF) or recording (HDF5)")
      ->required();
  command->add_option("--method,-m", arguments->scene.method, "Method in place of the scene's (see: achilles methods)");
  command->add_option("--set,-s", arguments->scene.sets, "Any key of the scene, e.g. time.step=0.001")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  add_import_options(*command, arguments->scene.import);
  command->add_option("--port,-p", arguments->port, "Port on 127.0.0.1; default any that is free")
      ->check(CLI::Range(0, 65535));
  command->add_option("--threads,-t", arguments->threads, "Threads")->check(CLI::Range(1, 1024));
  command->add_option("--save", arguments->save, "What the page's save button writes; default SCENE-live.h5");
  command
      ->add_option("--history", arguments->history, "What the save button finds at most, the latest [MB]; default 256")
      ->type_name("MB")
      ->check(CLI::Range(1.0, 1e6));
  command->add_flag("--run", arguments->runs, "Run at once instead of waiting for the page");
  command->callback([arguments, &chosen] { chosen = [arguments] { return view(*arguments); }; });
}

}  // namespace achilles::program
