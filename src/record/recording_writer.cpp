#include "record/recording_writer.hpp"

#include "record/head.hpp"
#include "record/recording.hpp"
#include "record/run_report.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::size_t kCopiedEvents = 65'536;
constexpr std::size_t kSmallChunk = 4096;                    // [bytes] for arrays with one number per instant
constexpr std::size_t kTimeChunk = 65536;                    // [bytes] as long as no commit is due by the clock
constexpr std::uint64_t kMetadata = std::uint64_t{1} << 18;  // [bytes] of indices that one commit may add, generously

/// Marks the recorder as broken unless the writing that it covers comes to its end.
class Attempt {
 public:
  explicit Attempt(bool& is_broken) : is_broken_(is_broken) { is_broken_ = true; }
  void succeed() { is_broken_ = false; }

 private:
  bool& is_broken_;
};

/// New and vanished touches come from the contacts of the step.
std::optional<RecordedEvent> to_recorded(const ContactEvent& event) {
  switch (event.kind) {
    case EventKind::kTriggerIn:
      return RecordedEvent{event.time, RecordedKind::kTriggerIn, event.second, event.first};
    case EventKind::kTriggerOut:
      return RecordedEvent{event.time, RecordedKind::kTriggerOut, event.second, event.first};
    case EventKind::kNewProximity:
      return RecordedEvent{event.time, RecordedKind::kNewProximity, event.first, event.second};
    case EventKind::kVanishedProximity:
      return RecordedEvent{event.time, RecordedKind::kVanishedProximity, event.first, event.second};
    case EventKind::kTimer:
      return RecordedEvent{event.time, RecordedKind::kTimer, kNoBody, event.first};
    case EventKind::kPersistentTouch:
      return RecordedEvent{event.time, RecordedKind::kPersistentContact, event.first, event.second};
    case EventKind::kPersistentProximity:
      return RecordedEvent{event.time, RecordedKind::kPersistentProximity, event.first, event.second};
    default:
      return std::nullopt;
  }
}

}  // namespace

/// The arrays in the order in which they are written: what others refer to comes first, /time last.
struct RecordingWriter::Arrays {
  std::vector<GrowingArray> per_contact, per_body, per_instant, sensors;  // of the last none or one
  GrowingArray contact_offset, digest, time;
  GrowingArray event_time, event_kind, event_a, event_b;
  GrowingArray checkpoint_bytes, checkpoint_offset, checkpoint_step, checkpoint_instant;
  GrowingArray report;

  Arrays(const Hdf5File& file, hsize_t bodies, hsize_t columns, int compression);

  template <class Visit>
  void for_each(Visit&& visit) {
    for (auto* list : {&per_contact, &per_body, &per_instant, &sensors}) {
      for (GrowingArray& array : *list) visit(array);
    }
    for (GrowingArray* array :
         {&contact_offset, &digest, &event_time, &event_kind, &event_a, &event_b, &checkpoint_bytes, &checkpoint_step,
          &checkpoint_instant, &checkpoint_offset, &report, &time}) {
      visit(*array);
    }
  }
};

RecordingWriter::Arrays::Arrays(const Hdf5File& file, hsize_t bodies, hsize_t columns, int compression)
    : contact_offset(file, "contacts/offset", ElementType::kUint64, {}, {kSmallChunk, compression, false}),
      digest(file, "digest", ElementType::kUint64, {}, {kSmallChunk, compression, false}),
      time(file, "time", ElementType::kFloat64, {}, {kTimeChunk, compression, true}),
      event_time(file, "events/time", ElementType::kFloat64, {}, {kSmallChunk, compression, false}),
      event_kind(file, "events/kind", ElementType::kUint8, {}, {kSmallChunk, compression, false}),
      event_a(file, "events/body_a", ElementType::kUint32, {}, {kSmallChunk, compression, false}),
      event_b(file, "events/body_b", ElementType::kUint32, {}, {kSmallChunk, compression, false}),
      checkpoint_bytes(file, "checkpoints/bytes", ElementType::kUint8, {}, {65536, compression, false}),
      checkpoint_offset(file, "checkpoints/offset", ElementType::kUint64, {}, {kSmallChunk, compression, false}),
      checkpoint_step(file, "checkpoints/step", ElementType::kInt64, {}, {kSmallChunk, compression, false}),
      checkpoint_instant(file, "checkpoints/instant", ElementType::kUint64, {}, {kSmallChunk, compression, false}),
      report(file, "report", ElementType::kUint8, {}, {kSmallChunk, compression, false}) {
  GrowingArrayOptions options;
  options.compression = compression;
  const auto row = [](std::size_t width) {
    return width == 1 ? std::vector<hsize_t>{} : std::vector<hsize_t>{static_cast<hsize_t>(width)};
  };
  const Instant model;
  for_each_contact_array(model, [&](const char* name, const auto& array, std::size_t width) {
    using Element = typename std::decay_t<decltype(array)>::value_type;
    per_contact.emplace_back(file, name, element_type<Element>(), row(width), options);
  });
  for_each_body_array(model, [&](const char* name, const auto& array, std::size_t width) {
    using Element = typename std::decay_t<decltype(array)>::value_type;
    std::vector<hsize_t> shape = row(width);
    shape.insert(shape.begin(), bodies);
    per_body.emplace_back(file, name, element_type<Element>(), shape, options);
  });
  if (columns > 0) sensors.emplace_back(file, "sensors/value", ElementType::kFloat64, std::vector{columns}, options);
  options.chunk_bytes = kSmallChunk;
  for_each_scalar(model, [&](const char* group, const char* name, const auto* value, std::size_t width) {
    using Element = std::decay_t<decltype(*value)>;
    per_instant.emplace_back(file, std::string(group) + name, element_type<Element>(), row(width), options);
  });
}

RecordingWriter::RecordingWriter(const std::string& path, const World& world, const Scene& scene,
                                 const RecordingWriterOptions& options)
    : file_(Hdf5File::create(path)), flush_seconds_(options.flush_seconds), wait_(options.wait) {
  RecordingHead head = make_head(world, scene, options.threads, options.overrides, options.sensors);
  head.every = options.every;
  columns_ = head.robots.columns.size();
  write_head(file_, head);
  write_files(file_, scene.files, head.files);
  digest_ = head_digest(head);
  for (const char* group : {"contacts", "scalars", "events", "checkpoints"}) file_.make_group(group);
  arrays_ = std::make_unique<Arrays>(file_, world.bodies.size(), columns_, options.compression);
  for (std::uint32_t k = 0; k < world.bodies.size(); ++k) bodies_.push_back(world.handle_of(k));

  const QuietHdf5 quiet;
  if (H5Fstart_swmr_write(file_.id()) < 0) file_.fail("begin the recording");
  superblock_ = std::make_unique<OpenSuperblock>(path);
  arrays_->contact_offset.append(&contact_count_, 1);
  arrays_->checkpoint_offset.append(&checkpoint_bytes_, 1);
  commit();
}

RecordingWriter::~RecordingWriter() {
  if (arrays_ == nullptr || is_broken_) return;
  try {
    close();
  } catch (const std::exception&) {
    // What was committed before is in the file; a destructor cannot report the error.
  }
}

void RecordingWriter::check_open() const {
  if (arrays_ == nullptr) throw std::runtime_error(path() + ": the recording is finished");
  if (is_broken_) throw std::runtime_error(path() + ": the recording ended with an earlier error");
}

void RecordingWriter::after_step(const World& world, const StepReport& report, double step_seconds,
                                 std::span<const ContactRecord> contacts, std::span<const ContactEvent> events) {
  add_step(report, step_seconds, pending_);
  if (report.stopped) {
    event({report.stopped->time, RecordedKind::kStop, kNoBody, kNoBody});
    return;
  }
  events_.clear();
  touches_.see(world, contacts, events_);
  for (const RecordedEvent& one : events_) {
    ++(one.kind == RecordedKind::kNewContact ? pending_.new_contacts : pending_.lost_contacts);
  }
  for (const ContactEvent& one : events) {
    if (const std::optional<RecordedEvent> recorded = to_recorded(one)) events_.push_back(*recorded);
  }
  for (const RecordedEvent& one : events_) event(one);
}

void RecordingWriter::instant(const World& world, std::span<const ContactRecord> contacts, double penetration,
                              std::span<const double> sensors) {
  check_bodies(world);
  instant_.sensors.assign(sensors.begin(), sensors.end());
  instant_.sensors.resize(columns_, std::numeric_limits<double>::quiet_NaN());
  instant_.scalars = pending_;
  instant_.scalars.penetration = penetration;
  gather(world, contacts, instant_);
  pending_ = Scalars{};
  append(instant_);
}

void RecordingWriter::check_bodies(const World& world) const {
  bool is_same = world.bodies.size() == bodies_.size();
  for (std::uint32_t k = 0; is_same && k < bodies_.size(); ++k) is_same = world.handle_of(k) == bodies_[k];
  if (!is_same) {
    throw std::runtime_error(path() + ": a recording keeps the bodies it began with (" +
                             std::to_string(bodies_.size()) + "), but the world's have changed; there are now " +
                             std::to_string(world.bodies.size()));
  }
}

void RecordingWriter::append(const Instant& instant) {
  check_open();
  Attempt attempt(is_broken_);
  std::uint64_t bytes = 0;
  for_each_contact_array(
      instant, [&bytes](const char*, const auto& array, std::size_t) { bytes += array.size() * sizeof(array[0]); });
  cover(bytes);
  auto contact_array = arrays_->per_contact.begin();
  for_each_contact_array(instant, [&](const char*, const auto& array, std::size_t width) {
    (contact_array++)->append(array.data(), array.size() / width);
  });
  auto body_array = arrays_->per_body.begin();
  for_each_body_array(instant,
                      [&](const char*, const auto& array, std::size_t) { (body_array++)->append(array.data(), 1); });
  auto scalar = arrays_->per_instant.begin();
  for_each_scalar(instant,
                  [&](const char*, const char*, const auto* value, std::size_t) { (scalar++)->append(value, 1); });
  for (GrowingArray& array : arrays_->sensors) array.append(instant.sensors.data(), 1);
  contact_count_ += instant.contact_count();
  arrays_->contact_offset.append(&contact_count_, 1);
  digest_ = chain_digest(digest_, instant);
  arrays_->digest.append(&digest_, 1);

  // The last free row of /time's chunk would be written by itself: all else must be in the file before. Chunks that are
  // seen before they are full stay uncompressed, so that this should be rare beside the commits by the clock.
  const bool is_chunk_full = arrays_->time.room() == 1;
  const auto now = std::chrono::steady_clock::now();
  const bool is_due = std::chrono::duration<double>(now - last_commit_).count() >= flush_seconds_;
  if (is_chunk_full) {
    arrays_->for_each([this](GrowingArray& array) {
      if (&array != &arrays_->time) array.publish();
    });
  }
  arrays_->time.append(&instant.time, 1);
  if (is_chunk_full || is_due) publish();
  attempt.succeed();
}

void RecordingWriter::event(const RecordedEvent& event) {
  check_open();
  Attempt attempt(is_broken_);
  cover(0);
  const auto kind = static_cast<std::uint8_t>(event.kind);
  arrays_->event_kind.append(&kind, 1);
  arrays_->event_a.append(&event.body_a, 1);
  arrays_->event_b.append(&event.body_b, 1);
  arrays_->event_time.append(&event.time, 1);
  attempt.succeed();
}

void RecordingWriter::append_checkpoint(const World& world) {
  check_open();
  std::ostringstream stream;
  stream.exceptions(std::ios::badbit);  // memory that runs out is reported as such
  world.save(stream);
  const std::string bytes = stream.str();
  Attempt attempt(is_broken_);
  cover(bytes.size());
  const std::uint64_t count = instants();
  checkpoint_bytes_ += bytes.size();
  arrays_->checkpoint_bytes.append(bytes.data(), bytes.size());
  arrays_->checkpoint_step.append(&world.step_index, 1);
  arrays_->checkpoint_instant.append(&count, 1);
  arrays_->checkpoint_offset.append(&checkpoint_bytes_, 1);
  publish();
  if (wait_ != DiskWait::kNever) superblock_->sync();
  attempt.succeed();
}

void RecordingWriter::append_instants(const Recording& recording, std::size_t count, double end) {
  if (recording.body_count() != bodies_.size()) {
    throw std::runtime_error(path() + ": cannot continue " + recording.path() + ", which has other bodies");
  }
  for (std::size_t k = 0; k < count; ++k) {
    recording.read(k, instant_);
    instant_.sensors.resize(columns_, std::numeric_limits<double>::quiet_NaN());
    append(instant_);
  }
  for (std::size_t first = 0; first < recording.event_count(); first += kCopiedEvents) {
    recording.read_events(first, std::min(kCopiedEvents, recording.event_count() - first), events_);
    for (const RecordedEvent& one : events_) {
      if (one.time > end || one.kind == RecordedKind::kStop) continue;
      event(one);
      touches_.take(one);
    }
  }
}

/// Each array may write a chunk or two before the next look at the length of the file.
void RecordingWriter::cover(std::uint64_t bytes) {
  std::uint64_t chunks = 0;
  arrays_->for_each([&chunks](const GrowingArray& array) { chunks += array.chunk_bytes(); });
  hsize_t size = 0;
  const QuietHdf5 quiet;
  if (H5Fget_filesize(file_.id(), &size) < 0) file_.fail("measure the recording");
  const std::uint64_t step = 2 * (chunks + bytes) + kMetadata;
  superblock_->cover(size + step, 2 * step);
}

void RecordingWriter::commit() {
  check_open();
  Attempt attempt(is_broken_);
  publish();
  attempt.succeed();
}

void RecordingWriter::publish() {
  cover(0);
  arrays_->for_each([](GrowingArray& array) { array.publish(); });
  if (wait_ == DiskWait::kCommits) superblock_->sync();
  last_commit_ = std::chrono::steady_clock::now();
}

void RecordingWriter::finish(const RunReport& report) {
  check_open();
  Attempt attempt(is_broken_);
  const std::string text = to_json(report).dump();
  cover(text.size());
  arrays_->report.append(text.data(), text.size());
  close();
  attempt.succeed();
}

void RecordingWriter::close() {
  arrays_->for_each([](GrowingArray& array) { array.finish(); });
  arrays_.reset();
  file_.close();
  superblock_->finish();
  if (wait_ != DiskWait::kNever) superblock_->sync();
}

std::uint64_t RecordingWriter::instants() const { return arrays_ == nullptr ? 0 : arrays_->time.rows(); }

}  // namespace achilles
