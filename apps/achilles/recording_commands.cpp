// What can be done with a recording.
#include "commands.hpp"
#include "load.hpp"
#include "outputs.hpp"
#include "recording_file.hpp"
#include "terminal.hpp"

#include <achilles/run.hpp>

#include "record/csv.hpp"
#include "record/gltf.hpp"
#include "record/output_file.hpp"
#include "record/page.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>

namespace achilles::program {
namespace {

constexpr const char* kKinds[] = {
    "touch", "parting", "enters trigger", "leaves trigger", "impact",    "stop",
    "near",  "away",    "timer",          "touch lasts",    "near lasts"};  // RecordedKind

std::string describe(const RecordedEvent& event, const RecordingHead& head, const Scene& scene) {
  const auto name = [&](const auto& list, std::uint32_t index) {
    return index < list.size() ? show_text(list[index].name) : std::string();
  };
  switch (event.kind) {
    case RecordedKind::kTimer:
      return fmt::format("{}", event.body_b);
    case RecordedKind::kTriggerIn:
    case RecordedKind::kTriggerOut:
      return fmt::format("{}, {}", name(scene.triggers, event.body_b), name(head.bodies, event.body_a));
    case RecordedKind::kStop:
      return "";
    default:
      return fmt::format("{}, {}", name(head.bodies, event.body_a), name(head.bodies, event.body_b));
  }
}

/// The report that the run ended with.
void export_report(const Recording& recording, const std::string& path) {
  if (!recording.is_complete()) {
    throw BadInput(fmt::format("{}: the run was cut off before it made its report", recording.path()));
  }
  const auto report = nlohmann::ordered_json::parse(recording.report(), nullptr, false);
  if (report.is_discarded()) throw BadInput(fmt::format("{}: its report is damaged", recording.path()));
  replace_file(path, report.dump(2) + "\n");
}

}  // namespace

int export_recording(const std::string& recording_path, const std::vector<std::string>& outputs,
                     std::optional<double> megabytes) {
  for (const std::string& output : outputs) {
    const std::string extension = std::filesystem::path(output).extension().string();
    if (extension != ".csv" && extension != ".html" && extension != ".glb" && extension != ".json") {
      throw BadInput(fmt::format("{}: exports end in .html, .glb, .csv or .json", output));
    }
  }
  std::vector<NamedFile> written;
  for (const std::string& output : outputs) written.push_back({"export", output});
  check_outputs({{"the recording", recording_path}}, written);
  const Recording recording = open_recording(recording_path);
  PageOptions page;
  GltfOptions gltf;
  if (megabytes) page.budget = gltf.budget = static_cast<std::size_t>(1e6 * *megabytes);
  for (const std::string& output : outputs) {
    const std::filesystem::path extension = std::filesystem::path(output).extension();
    if (extension == ".csv") {
      export_csv(recording, output);
    } else if (extension == ".json") {
      export_report(recording, output);
    } else if (extension == ".glb") {
      export_gltf(recording, output, gltf);
    } else {
      export_page(recording, output, page);
    }
    announce_file(output);
  }
  return kDone;
}

int replay(const std::string& recording_path, int threads) {
  print_warnings(open_recording(recording_path).scene());
  catch_interrupts();
  ProgressBar bar;
  const ReplayResult result = replay_recording(recording_path, threads, [&bar](const RunProgress& progress) {
    bar.show(progress);
    return !is_interrupted();
  });
  bar.clear();
  if (is_interrupted()) {
    fmt::print(stderr, "achilles: interrupted after {} instants\n", result.instants);
    return kFailed;
  }
  if (result.first_difference) {
    const ReplayResult::Difference& difference = *result.first_difference;
    fmt::print("{}: instant {} (at {:g} s) differs: body '{}' is {:.3g} m from where it was recorded\n", recording_path,
               difference.instant, difference.time, show_text(difference.body), difference.distance);
    return kFailed;
  }
  fmt::print("{}: {} instants, the same bits\n", recording_path, result.instants);
  return kDone;
}

int list_events(const std::string& recording_path) {
  const Recording recording = open_recording(recording_path);
  const Scene scene = recording.scene();
  std::map<RecordedKind, int> counts;
  for (const RecordedEvent& event : recording.events()) {
    fmt::print("{:.6f}  {:14}  {}\n", event.time, kKinds[static_cast<std::size_t>(event.kind)],
               describe(event, recording.head(), scene));
    ++counts[event.kind];
  }
  for (const auto& [kind, count] : counts) {
    fmt::print(stderr, "{} x {}\n", count, kKinds[static_cast<std::size_t>(kind)]);
  }
  return kDone;
}

}  // namespace achilles::program
