#include "live/live_recording.hpp"

#include "platform/system.hpp"
#include "record/recording.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace achilles::live {
namespace {

constexpr std::uint64_t kSegments = 8;  // that the limit is divided into: what goes at once is an eighth of it

void remove_file(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace

void LiveRecording::restart(const World& world, const Scene& scene, const RecordingWriterOptions& options) {
  while (!segments_.empty()) remove_oldest();
  const std::string former = recorder_ != nullptr ? recorder_->path() : "";
  recorder_.reset();
  if (!former.empty()) remove_file(former);
  scene_ = scene;
  options_ = options;
  options_.wait = DiskWait::kNever;  // segments go with the run
  start_segment(world);
}

void LiveRecording::start_segment(const World& world) {
  recorder_ =
      std::make_unique<RecordingWriter>(folder_.file(fmt::format("live{}.h5", count_++)), world, scene_, options_);
}

void LiveRecording::after_step(const World& world, const StepReport& report, double step_seconds,
                               std::span<const ContactRecord> contacts, std::span<const ContactEvent> events) {
  recorder_->after_step(world, report, step_seconds, contacts, events);
}

void LiveRecording::add_instant(const Simulation& simulation, double penetration) {
  const World& world = simulation.world();
  recorder_->instant(world, simulation.contacts(), penetration, simulation.sensor_values());
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(recorder_->path(), error);
  if (error) return;
  // A file has a size before it holds anything: what counts is by how much it has grown.
  if (recorder_->instants() == 1) bytes_at_start_ = bytes;
  if (bytes <= bytes_at_start_ + most_bytes_ / kSegments) return;
  finish_segment(world);
  start_segment(world);
}

void LiveRecording::finish_segment(const World& world) {
  Segment segment{recorder_->path(), 0, world.time};
  recorder_->finish(RunReport{});
  recorder_.reset();
  segment.bytes = std::filesystem::file_size(segment.path);
  segments_.push_back(std::move(segment));
  std::uint64_t bytes = 0;
  for (const Segment& one : segments_) bytes += one.bytes;
  while (bytes > most_bytes_ - most_bytes_ / kSegments) {
    bytes -= segments_.front().bytes;
    remove_oldest();
  }
}

void LiveRecording::remove_oldest() {
  remove_file(segments_.front().path);
  segments_.pop_front();
}

void LiveRecording::save(const World& world, const RunReport& report, const std::string& path) {
  finish_segment(world);
  start_segment(world);
  const std::string whole = folder_.file("save.h5");
  {
    RecordingWriter out(whole, world, scene_, options_);
    for (const Segment& segment : segments_) {
      const Recording recording(segment.path);
      out.append_instants(recording, recording.instants(), segment.end);
    }
    out.append_checkpoint(world);
    out.finish(report);
  }
  const std::string beside = path + ".new";
  std::error_code error;
  std::filesystem::copy_file(whole, beside, std::filesystem::copy_options::overwrite_existing, error);
  remove_file(whole);
  if (!error && !platform::put_in_place(beside, path)) error.assign(errno, std::generic_category());
  if (!error) return;
  remove_file(beside);
  throw std::runtime_error(fmt::format("{} cannot be written: {}", path, error.message()));
}

}  // namespace achilles::live
