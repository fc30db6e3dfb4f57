// Pictures and videos of a recording, without a display.
#include "commands.hpp"
#include "number_check.hpp"
#include "outputs.hpp"
#include "recording_file.hpp"
#include "terminal.hpp"

#include "record/render.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>

namespace achilles::program {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct RenderArguments {
  std::string recording;
  std::string picture, video;
  std::optional<double> at;                  // [s]
  std::string size;                          // WIDTHxHEIGHT
  std::vector<double> eye, target;           // three numbers each [m]
  double angle = Camera{}.height / kDegree;  // [degrees]
  VideoOptions video_options;
};

/// The two numbers of WIDTHxHEIGHT [pixels].
void read_size(const std::string& text, RenderOptions& options) {
  if (text.empty()) return;
  char end = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%c", &options.width, &options.height, &end) != 2 || options.width < 1 ||
      options.height < 1 || options.width > 16384 || options.height > 16384) {
    throw BadInput(
        fmt::format("--size {}: expected WIDTHxHEIGHT, each between 1 and 16384 pixels, e.g. 960x540", text));
  }
}

std::optional<Camera> make_camera(const RenderArguments& arguments) {
  if (arguments.eye.empty() && arguments.target.empty()) return std::nullopt;
  if (arguments.eye.empty()) throw BadInput("--target needs --eye: from where to look");
  Camera camera;
  camera.eye = Vec3(arguments.eye[0], arguments.eye[1], arguments.eye[2]);
  if (!arguments.target.empty()) {
    camera.target = Vec3(arguments.target[0], arguments.target[1], arguments.target[2]);
  }
  if (!((camera.target - camera.eye).norm() > 0)) throw BadInput("--eye and --target are the same place");
  camera.height = arguments.angle * kDegree;
  return camera;
}

int render(const RenderArguments& arguments) {
  if (arguments.picture.empty() && arguments.video.empty()) {
    throw BadInput("render needs -o PICTURE.png, --video VIDEO.mp4|.gif|.png, or both");
  }
  if (!arguments.picture.empty() && std::filesystem::path(arguments.picture).extension() != ".png") {
    throw BadInput(fmt::format("{}: pictures end in .png", arguments.picture));
  }
  if (!arguments.video.empty() && !is_video_name(arguments.video)) {
    throw BadInput(fmt::format("{}: videos end in .mp4, .gif, .png or .apng", arguments.video));
  }
  const NamedFile outputs[] = {{"--output", arguments.picture}, {"--video", arguments.video}};
  check_outputs({{"the recording", arguments.recording}}, outputs);
  VideoOptions options = arguments.video_options;
  read_size(arguments.size, options.picture);
  options.picture.camera = make_camera(arguments);
  const Recording recording = open_recording(arguments.recording);
  if (recording.instants() == 0) throw BadInput(arguments.recording + ": there is no instant to draw");
  const double first = recording.time(0);
  const double last = recording.time(recording.instants() - 1);
  const double rounding = 1e-9 * std::max(1.0, std::abs(last));
  if (arguments.at && !(*arguments.at >= first - rounding && *arguments.at <= last + rounding)) {
    throw BadInput(fmt::format("--at {:g}: the recording runs from {:g} s to {:g} s", *arguments.at, first, last));
  }
  if (options.start.value_or(first) > options.end.value_or(last)) {
    throw BadInput(fmt::format("--from and --to: the recording runs from {:g} s to {:g} s", first, last));
  }
  if (!arguments.picture.empty()) {
    render_png(recording, arguments.at.value_or(last), arguments.picture, options.picture);
    announce_file(arguments.picture);
  }
  if (!arguments.video.empty()) {
    render_video(recording, arguments.video, options);
    announce_file(arguments.video);
  }
  return kDone;
}

}  // namespace

void describe_render(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<RenderArguments>();
  CLI::App* command = app.add_subcommand("render", "Draw a picture or a video of a recording; no display needed");
  command->add_option("RECORDING", arguments->recording, "Recording (HDF5)")->required();
  command->add_option("--output,-o", arguments->picture, "Picture to write (PNG)");
  command->add_option("--at", arguments->at, "Time of the picture [s]; default the end");
  command->add_option("--video", arguments->video, "Video to write: .mp4 (needs ffmpeg), .gif, or .png (animated)");
  command->add_option("--size", arguments->size, "WIDTHxHEIGHT in pixels; default 960x540");
  command->add_option("--eye", arguments->eye, "Where the camera stands: x,y,z [m]; default: everything in view")
      ->delimiter(',')
      ->expected(3);
  command->add_option("--target", arguments->target, "What it looks at: x,y,z [m]; default 0,0,0")
      ->delimiter(',')
      ->expected(3);
  command->add_option("--angle", arguments->angle, "Of view, from the upper to the lower edge [degrees]; default 40")
      ->check(CLI::Range(1.0, 150.0));
  VideoOptions& video = arguments->video_options;
  command->add_option("--rate", video.rate, "Frames per second of the video; default 25")->check(CLI::Range(1, 100));
  command->add_option("--speed", video.speed, "Simulated seconds per second of the video; default 1")
      ->check(number_from(true));
  command->add_option("--from", video.start, "Where the video starts [s]; default the start");
  command->add_option("--to", video.end, "Where the video ends [s]; default the end");
  command->callback([arguments, &chosen] { chosen = [arguments] { return render(*arguments); }; });
}

}  // namespace achilles::program
