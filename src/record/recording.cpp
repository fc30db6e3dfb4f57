#include "record/recording.hpp"

#include "record/json_shape.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::uint64_t kMostContacts = 100'000'000;          // of one instant; more is a damaged number
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;  // of one checkpoint
constexpr std::size_t kMostReportBytes = std::size_t{1} << 31;
constexpr std::size_t kMostEvents = std::size_t{1} << 32;
constexpr std::size_t kBlock = 65536;  // rows read at once while looking for the end

}  // namespace

Recording::Recording(const std::string& path) : file_(Hdf5File::open(path)), head_(read_head(file_)) {
  open_arrays();
  check_shapes();
  count_instants();
  const std::size_t report_bytes = array("report").rows();
  if (report_bytes > kMostReportBytes) throw std::runtime_error(path + ": /report is impossibly large");
  report_ = read_bytes("report", 0, report_bytes);
}

void Recording::open_arrays() {
  const Instant model;
  const auto open = [this](const std::string& name) { arrays_.push_back(file_.open_array(name)); };
  for_each_body_array(model, [&](const char* name, const auto&, std::size_t) { open(name); });
  for_each_contact_array(model, [&](const char* name, const auto&, std::size_t) { open(name); });
  for_each_scalar(
      model, [&](const char* group, const char* name, const auto*, std::size_t) { open(std::string(group) + name); });
  for (const char* name :
       {"time", "digest", "contacts/offset", "events/time", "events/kind", "events/body_a", "events/body_b",
        "checkpoints/bytes", "checkpoints/offset", "checkpoints/step", "checkpoints/instant", "report"}) {
    open(name);
  }
  if (sensor_columns() > 0) open("sensors/value");
}

const Hdf5Array& Recording::array(const std::string& name) const {
  for (const Hdf5Array& candidate : arrays_) {
    if (candidate.name() == name) return candidate;
  }
  throw std::out_of_range(path() + ": a recording has no array /" + name);
}

void Recording::check_shapes() const {
  const auto expect = [this](const std::string& name, std::vector<hsize_t> row) {
    const std::vector<hsize_t>& shape = array(name).shape();
    if (shape.size() != row.size() + 1 || !std::equal(row.begin(), row.end(), shape.begin() + 1)) {
      throw std::runtime_error(path() + ": /" + name + " has another shape than a recording's");
    }
  };
  const auto row = [](std::size_t width) {
    return width == 1 ? std::vector<hsize_t>{} : std::vector<hsize_t>{static_cast<hsize_t>(width)};
  };
  const Instant model;
  for_each_body_array(model, [&](const char* name, const auto&, std::size_t width) {
    std::vector<hsize_t> shape = row(width);
    shape.insert(shape.begin(), static_cast<hsize_t>(body_count()));
    expect(name, shape);
  });
  for_each_contact_array(model, [&](const char* name, const auto&, std::size_t width) { expect(name, row(width)); });
  for_each_scalar(model, [&](const char* group, const char* name, const auto*, std::size_t width) {
    expect(std::string(group) + name, row(width));
  });
  for (const char* name :
       {"time", "digest", "contacts/offset", "events/time", "events/kind", "events/body_a", "events/body_b",
        "checkpoints/bytes", "checkpoints/offset", "checkpoints/step", "checkpoints/instant", "report"}) {
    expect(name, {});
  }
  if (sensor_columns() > 0) expect("sensors/value", {static_cast<hsize_t>(sensor_columns())});
}

// /time is written last and holds NaN where it is not written yet: its leading numbers are the instants that are whole.
// In a complete recording it would be so for all rows, so that a shorter array there means that it was cut.
void Recording::count_instants() {
  const Hdf5Array& time = array("time");
  std::vector<double> block;
  bool is_end = false;
  while (!is_end && instants_ < time.rows()) {
    block.resize(std::min(kBlock, time.rows() - instants_));
    time.read<double>(instants_, block.size(), block);
    const auto end = std::find_if(block.begin(), block.end(), [](double t) { return !std::isfinite(t); });
    instants_ += static_cast<std::size_t>(end - block.begin());
    is_end = end != block.end();
  }
  const auto need = [this](const std::string& name, std::size_t rows) {
    if (array(name).rows() < rows) {
      throw std::runtime_error(path() + ": /" + name + " is shorter than /time: the file was changed");
    }
  };
  const Instant model;
  for_each_body_array(model, [&](const char* name, const auto&, std::size_t) { need(name, instants_); });
  for_each_scalar(model, [&](const char* group, const char* name, const auto*, std::size_t) {
    need(std::string(group) + name, instants_);
  });
  need("digest", instants_);
  if (sensor_columns() > 0) need("sensors/value", instants_);
  if (instants_ > 0) need("contacts/offset", instants_ + 1);  // a run that failed at its start has not even the first
}

Scene Recording::scene() const {
  return parse_scene(head_.scene_text, head_.scene_file, {}, read_files(file_, head_.files));
}

Shape Recording::shape(std::size_t index) const {
  nlohmann::ordered_json value = nlohmann::ordered_json::parse(head_.shapes.at(index), nullptr, false);
  if (value.is_discarded()) throw std::runtime_error(path() + ": shape " + std::to_string(index) + " is not JSON");
  try {
    return shape_from_json(value);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path() + ": " + error.what());
  }
}

double Recording::time(std::size_t instant) const {
  double value = 0;
  read_rows("time", instant, 1, std::span(&value, 1));
  return value;
}

void Recording::read_rows(const std::string& name, std::size_t first, std::size_t count, std::span<double> out) const {
  array(name).read<double>(first, count, out);
}

std::size_t Recording::row_size(const std::string& name) const { return array(name).row_size(); }

std::vector<std::uint64_t> Recording::contact_offsets(std::size_t first, std::size_t count) const {
  std::vector<std::uint64_t> offsets(count + 1);
  array("contacts/offset").read<std::uint64_t>(first, count + 1, offsets);
  const std::uint64_t rows = array("contacts/gap").rows();
  for (std::size_t k = 0; k < count; ++k) {
    if (offsets[k + 1] < offsets[k] || offsets[k + 1] - offsets[k] > kMostContacts || offsets[k + 1] > rows) {
      throw std::runtime_error(path() + ": /contacts/offset is not a table of contact points at instant " +
                               std::to_string(first + k));
    }
  }
  return offsets;
}

void Recording::read(std::size_t instant, Instant& out) const {
  if (instant >= instants_) {
    throw std::out_of_range(path() + ": instant " + std::to_string(instant) + " of " + std::to_string(instants_));
  }
  const std::vector<std::uint64_t> offsets = contact_offsets(instant, 1);
  const std::size_t points = offsets[1] - offsets[0];
  out.resize(body_count(), points);
  out.time = time(instant);
  for_each_body_array(out, [&](const char* name, auto& values, std::size_t) {
    using Element = typename std::decay_t<decltype(values)>::value_type;
    array(name).read<Element>(instant, 1, values);
  });
  for_each_contact_array(out, [&](const char* name, auto& values, std::size_t) {
    using Element = typename std::decay_t<decltype(values)>::value_type;
    array(name).read<Element>(offsets[0], points, values);
  });
  for_each_scalar(out, [&](const char* group, const char* name, auto* value, std::size_t width) {
    using Element = std::decay_t<decltype(*value)>;
    array(std::string(group) + name).read<Element>(instant, 1, std::span<Element>(value, width));
  });
  out.sensors.resize(sensor_columns());
  if (sensor_columns() > 0) array("sensors/value").read<double>(instant, 1, out.sensors);
  for (const auto* side : {&out.contact_a, &out.contact_b}) {
    for (const std::uint32_t body : *side) {
      if (body >= body_count()) {
        throw std::runtime_error(path() + ": a contact of instant " + std::to_string(instant) +
                                 " names a body that there is not");
      }
    }
  }
}

std::size_t Recording::event_count() const {
  // The four arrays are written one after the other: a kill may leave the first longer than the last.
  std::size_t count = kMostEvents;
  for (const char* name : {"events/time", "events/kind", "events/body_a", "events/body_b"}) {
    count = std::min(count, array(name).rows());
  }
  return count;
}

void Recording::read_events(std::size_t first, std::size_t count, std::vector<RecordedEvent>& out) const {
  std::vector<double> time(count);
  std::vector<std::uint8_t> kind(count);
  std::vector<std::uint32_t> a(count), b(count);
  array("events/time").read<double>(first, count, time);
  array("events/kind").read<std::uint8_t>(first, count, kind);
  array("events/body_a").read<std::uint32_t>(first, count, a);
  array("events/body_b").read<std::uint32_t>(first, count, b);
  out.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (kind[k] > static_cast<std::uint8_t>(RecordedKind::kPersistentProximity)) {
      throw std::runtime_error(path() + ": event " + std::to_string(first + k) + " is of no known kind");
    }
    out[k] = {time[k], static_cast<RecordedKind>(kind[k]), a[k], b[k]};
  }
}

std::vector<RecordedEvent> Recording::events() const {
  std::vector<RecordedEvent> events;
  read_events(0, event_count(), events);
  return events;
}

std::optional<std::size_t> Recording::find_first_altered() const {
  std::uint64_t digest = head_digest(head_);
  try {
    (void)read_files(file_, head_.files);
  } catch (const std::runtime_error&) {
    return 0;
  }
  Instant instant;
  for (std::size_t k = 0; k < instants_; ++k) {
    read(k, instant);
    digest = chain_digest(digest, instant);
    std::uint64_t recorded = 0;
    array("digest").read<std::uint64_t>(k, 1, std::span(&recorded, 1));
    if (digest != recorded) return k;
  }
  return std::nullopt;
}

std::string Recording::read_bytes(const std::string& name, std::size_t first, std::size_t count) const {
  std::string bytes(count, '\0');
  array(name).read<std::uint8_t>(first, count, {reinterpret_cast<std::uint8_t*>(bytes.data()), count});
  return bytes;
}

std::size_t Recording::checkpoint_rows() const {
  return std::min({array("checkpoints/offset").rows(), array("checkpoints/step").rows() + 1,
                   array("checkpoints/instant").rows() + 1});
}

std::optional<Checkpoint> Recording::read_checkpoint(std::size_t k) const {
  std::array<std::uint64_t, 2> range{};
  array("checkpoints/offset").read<std::uint64_t>(k - 1, 2, range);
  std::uint64_t instants = 0;
  array("checkpoints/instant").read<std::uint64_t>(k - 1, 1, std::span(&instants, 1));
  if (range[0] >= range[1] || range[1] - range[0] > kMostBytes || range[1] > array("checkpoints/bytes").rows() ||
      instants > instants_) {
    return std::nullopt;  // not whole when the run was cut off
  }
  try {
    std::istringstream stream(read_bytes("checkpoints/bytes", range[0], range[1] - range[0]));
    return Checkpoint{World::load(stream), instants};
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::optional<Checkpoint> Recording::last_checkpoint() const {
  for (std::size_t k = checkpoint_rows(); k-- > 1;) {
    if (std::optional<Checkpoint> found = read_checkpoint(k)) return found;  // else the one before it may be whole
  }
  return std::nullopt;
}

std::optional<Checkpoint> Recording::first_checkpoint() const {
  if (checkpoint_rows() < 2) return std::nullopt;
  std::optional<Checkpoint> found = read_checkpoint(1);
  return found && found->world.step_index == 0 ? std::move(found) : std::nullopt;
}

}  // namespace achilles
