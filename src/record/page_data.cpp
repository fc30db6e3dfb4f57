#include "record/page_data.hpp"

#include "record/page_instant.hpp"
#include "record/sampling.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAlignment = 8;  // [bytes] of every array
constexpr std::uint64_t kMostContactPoints = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kContactsAtOnce = 16'384;
constexpr std::size_t kEventsAtOnce = 65'536;
constexpr std::uint64_t kEventBytes = 24;            // of one event in the page, encoded
constexpr std::uint64_t kMostShownEvents = 200'000;  // more is unreadable

/// What the instants that are left out of a page do to those that are kept.
enum class Reduction { kLast, kLargest, kSum };

Reduction reduction_of(const std::string& scalar) {
  for (const char* name : {"penetration", "residual", "joint_error", "iterations", "impact_iterations"}) {
    if (scalar == name) return Reduction::kLargest;
  }
  for (const char* name : {"external_work", "step_seconds", "steps", "impacts", "lineality", "new_contacts",
                           "lost_contacts", "triggers_in", "triggers_out"}) {
    if (scalar == name) return Reduction::kSum;
  }
  return Reduction::kLast;
}

template <class Visit>
void for_each_scalar_column(Visit&& visit) {
  for (const auto& column : kRealColumns) visit(std::string(column.name), std::size_t{1});
  for (const auto& column : kVectorColumns) visit(std::string(column.name), std::size_t{3});
  for (const auto& column : kCountColumns) visit(std::string(column.name), std::size_t{1});
}

/// One array of the page.
struct PageArray {
  std::string name;
  const char* type;
  std::size_t element_bytes;
  std::vector<std::uint64_t> shape;
  std::function<void(Base64Writer&)> write;

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t product = element_bytes;
    for (const std::uint64_t extent : shape) product *= extent;
    return product;
  }
};

std::vector<PageArray> list_arrays(const Recording& recording, const PagePlan& plan);

std::uint64_t align(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Bytes of the finished page that the arrays take.
std::uint64_t encoded_bytes(const Recording& recording, const PagePlan& plan) {
  std::uint64_t bytes = 0;
  for (const PageArray& array : list_arrays(recording, plan)) bytes += align(array.bytes());
  return (bytes + 2) / 3 * 4;
}

PagePlan plan_instants(const Recording& recording, std::size_t count, bool has_velocities, std::size_t budget) {
  PagePlan plan;
  plan.instants = spread_instants(recording.instants(), count);
  plan.has_velocities = has_velocities;
  // Events come out of a tenth of the budget.
  const std::uint64_t events = recording.event_count();
  const std::uint64_t room = std::clamp<std::uint64_t>(budget / 10 / kEventBytes, 1, kMostShownEvents);
  plan.event_stride = std::max<std::uint64_t>(1, (events + room - 1) / room);
  plan.events = (events + plan.event_stride - 1) / plan.event_stride;
  plan.contact_first.reserve(plan.instants.size());
  std::uint64_t total = 0;
  for (const std::size_t k : plan.instants) {
    const std::vector<std::uint64_t> range = recording.contact_offsets(k, 1);
    total += range[1] - range[0];
    if (total > kMostContactPoints) throw std::runtime_error(recording.path() + ": too many contact points for a page");
    plan.contact_first.push_back(range[0]);
    plan.contact_offset.push_back(static_cast<std::uint32_t>(total));
  }
  return plan;
}

/// How many instants certainly do not fit together, contacts left aside: keeps the work of planning within the budget.
std::size_t most_instants(const Recording& recording, std::size_t budget) {
  const std::uint64_t bodies = recording.body_count();
  const std::uint64_t least = 20 * bodies + (bodies + 7) / 8 + 8 * (kRealColumns.size() + kCountColumns.size());
  return std::max<std::size_t>(2, static_cast<std::size_t>(budget * 3 / 4 / least + 1));
}

template <class T, class Convert>
void write_rows(const Recording& recording, const std::string& name, const PagePlan& plan, Base64Writer& out,
                Convert&& convert) {
  std::vector<T> row;
  for_each_row(recording, name, plan.instants, [&](std::span<const double> values, std::size_t) {
    row.clear();
    for (const double value : values) row.push_back(convert(value));
    out.write_values<T>(row);
  });
}

float to_float(double value) { return static_cast<float>(value); }

void write_asleep(const Recording& recording, const PagePlan& plan, Base64Writer& out) {
  std::vector<std::uint8_t> bits((recording.body_count() + 7) / 8);
  for_each_row(recording, "asleep", plan.instants, [&](std::span<const double> values, std::size_t) {
    std::fill(bits.begin(), bits.end(), std::uint8_t{0});
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] != 0) bits[k / 8] = static_cast<std::uint8_t>(bits[k / 8] | (1U << (k % 8)));
    }
    out.write_values<std::uint8_t>(bits);
  });
}

/// visit(rows) for the contact points of all instants of the plan, `names` side by side.
template <class Visit>
void for_each_contact_block(const Recording& recording, const std::string& name, const PagePlan& plan, Visit&& visit) {
  const std::size_t width = recording.row_size(name);
  std::vector<double> block;
  for (std::size_t t = 0; t < plan.instants.size(); ++t) {
    const std::size_t count = plan.contact_offset[t + 1] - plan.contact_offset[t];
    for (std::size_t at = 0; at < count; at += kContactsAtOnce) {
      const std::size_t taken = std::min(kContactsAtOnce, count - at);
      block.resize(taken * width);
      recording.read_rows(name, plan.contact_first[t] + at, taken, block);
      visit(std::span<const double>(block));
    }
  }
}

void write_contact_floats(const Recording& recording, const std::string& name, const PagePlan& plan,
                          Base64Writer& out) {
  std::vector<float> row;
  for_each_contact_block(recording, name, plan, [&](std::span<const double> values) {
    row.clear();
    for (const double value : values) row.push_back(to_float(value));
    out.write_values<float>(row);
  });
}

void write_contact_bodies(const Recording& recording, const PagePlan& plan, Base64Writer& out) {
  std::vector<std::uint32_t> pairs;
  for (std::size_t t = 0; t < plan.instants.size(); ++t) {
    const std::size_t count = plan.contact_offset[t + 1] - plan.contact_offset[t];
    std::vector<double> a(count), b(count);
    recording.read_rows("contacts/body_a", plan.contact_first[t], count, a);
    recording.read_rows("contacts/body_b", plan.contact_first[t], count, b);
    pairs.clear();
    for (std::size_t k = 0; k < count; ++k) {
      if (std::max(a[k], b[k]) >= static_cast<double>(recording.body_count())) {
        throw std::runtime_error(recording.path() + ": a contact of instant " + std::to_string(plan.instants[t]) +
                                 " names a body that there is not");
      }
      pairs.push_back(static_cast<std::uint32_t>(a[k]));
      pairs.push_back(static_cast<std::uint32_t>(b[k]));
    }
    out.write_values<std::uint32_t>(pairs);
  }
}

/// Every instant is looked at, also those that are left out: a peak between two kept ones must not vanish.
void write_scalar(const Recording& recording, const std::string& name, const PagePlan& plan, Base64Writer& out) {
  const Reduction reduction = reduction_of(name);
  const std::string array = "scalars/" + name;
  if (reduction == Reduction::kLast) {
    write_rows<double>(recording, array, plan, out, [](double value) { return value; });
    return;
  }
  constexpr std::size_t kAtOnce = 65'536;
  std::vector<double> block;
  std::size_t next = 0;
  double kept = 0;
  for (const std::size_t last : plan.instants) {
    while (next <= last) {
      block.resize(std::min(kAtOnce, last + 1 - next));
      recording.read_rows(array, next, block.size(), block);
      for (const double value : block) {
        if (reduction == Reduction::kSum) {
          kept += value;
        } else {
          keep_maximum(kept, value);
        }
      }
      next += block.size();
    }
    out.write_values<double>(std::span(&kept, 1));
    kept = 0;
  }
}

/// visit(event) for the events of the plan.
template <class Visit>
void for_each_event(const Recording& recording, const PagePlan& plan, Visit&& visit) {
  std::vector<RecordedEvent> block;
  const std::uint64_t total = recording.event_count();
  for (std::uint64_t first = 0; first < total; first += kEventsAtOnce) {
    recording.read_events(first, std::min<std::uint64_t>(kEventsAtOnce, total - first), block);
    for (std::uint64_t k = 0; k < block.size(); ++k) {
      if ((first + k) % plan.event_stride == 0) visit(block[k]);
    }
  }
}

/// One array of events: `get` takes what it holds from an event.
template <class T, class Get>
PageArray make_event_array(const Recording& recording, const PagePlan& plan, const char* name, const char* type,
                           std::vector<std::uint64_t> shape, Get get) {
  return {name, type, sizeof(T), std::move(shape), [&recording, &plan, get](Base64Writer& out) {
            for_each_event(recording, plan, [&](const RecordedEvent& event) {
              const auto values = get(event);
              out.write_values<T>(std::span<const T>(values));
            });
          }};
}

void list_event_arrays(const Recording& recording, const PagePlan& plan, std::vector<PageArray>& arrays) {
  if (plan.events == 0) return;
  arrays.push_back(make_event_array<double>(recording, plan, "event_time", "float64", {plan.events},
                                            [](const RecordedEvent& e) { return std::array{e.time}; }));
  arrays.push_back(make_event_array<std::uint8_t>(
      recording, plan, "event_kind", "uint8", {plan.events},
      [](const RecordedEvent& e) { return std::array{static_cast<std::uint8_t>(e.kind)}; }));
  arrays.push_back(make_event_array<std::uint32_t>(recording, plan, "event_body", "uint32", {plan.events, 2},
                                                   [](const RecordedEvent& e) {
                                                     return std::array{e.body_a, e.body_b};
                                                   }));
}

std::vector<PageArray> list_arrays(const Recording& recording, const PagePlan& plan) {
  const std::uint64_t instants = plan.instants.size();
  const std::uint64_t bodies = recording.body_count();
  const std::uint64_t points = plan.contact_offset.back();
  std::vector<PageArray> arrays;
  const auto add_floats = [&](const std::string& name) {
    arrays.push_back({name, "float32", 4, {instants, bodies, 3}, [&recording, &plan, name](Base64Writer& out) {
                        write_rows<float>(recording, name, plan, out, to_float);
                      }});
  };
  const auto add_contact = [&](const std::string& name, std::vector<std::uint64_t> shape) {
    arrays.push_back({"contact_" + name, "float32", 4, std::move(shape), [&recording, &plan, name](Base64Writer& out) {
                        write_contact_floats(recording, "contacts/" + name, plan, out);
                      }});
  };
  arrays.push_back({"time", "float64", 8, {instants}, [&](Base64Writer& out) {
                      write_rows<double>(recording, "time", plan, out, [](double value) { return value; });
                    }});
  add_floats("position");
  arrays.push_back({"orientation", "int16", 2, {instants, bodies, 4}, [&](Base64Writer& out) {
                      write_rows<std::int16_t>(recording, "orientation", plan, out, to_fraction);
                    }});
  arrays.push_back({"asleep", "uint8", 1, {instants, (bodies + 7) / 8}, [&](Base64Writer& out) {
                      write_asleep(recording, plan, out);
                    }});
  if (plan.has_velocities) {
    add_floats("velocity");
    add_floats("spin");
  }
  arrays.push_back({"contact_offset", "uint32", 4, {instants + 1}, [&](Base64Writer& out) {
                      out.write_values<std::uint32_t>(plan.contact_offset);
                    }});
  arrays.push_back({"contact_body", "uint32", 4, {points, 2}, [&](Base64Writer& out) {
                      write_contact_bodies(recording, plan, out);
                    }});
  add_contact("position", {points, 3});
  add_contact("normal", {points, 3});
  add_contact("gap", {points});
  add_contact("impulse", {points, 3});
  for_each_scalar_column([&](const std::string& name, std::size_t width) {
    const std::vector<std::uint64_t> shape =
        width == 1 ? std::vector{instants} : std::vector{instants, std::uint64_t{3}};
    arrays.push_back({name, "float64", 8, shape,
                      [&recording, &plan, name](Base64Writer& out) { write_scalar(recording, name, plan, out); }});
  });
  if (recording.sensor_columns() > 0) {
    arrays.push_back(
        {"sensor", "float64", 8, {instants, std::uint64_t{recording.sensor_columns()}}, [&](Base64Writer& out) {
           write_rows<double>(recording, "sensors/value", plan, out, [](double value) { return value; });
         }});
  }
  list_event_arrays(recording, plan, arrays);
  return arrays;
}

}  // namespace

PagePlan plan_page(const Recording& recording, std::size_t budget) {
  const std::size_t total = recording.instants();
  std::size_t count = std::min(total, most_instants(recording, budget));
  PagePlan plan = plan_instants(recording, count, true, budget);
  if (count == total && encoded_bytes(recording, plan) <= budget) return plan;
  plan.has_velocities = false;
  std::uint64_t bytes = encoded_bytes(recording, plan);
  while (bytes > budget && count > 2) {
    // Contacts are not spread evenly over the instants, so that the share that fits is only nearly the share requested.
    const double share = 0.99 * static_cast<double>(budget) / static_cast<double>(bytes);
    count = std::clamp<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(count)), 2, count - 1);
    plan = plan_instants(recording, count, false, budget);
    bytes = encoded_bytes(recording, plan);
  }
  plan.is_over_budget = bytes > budget;
  return plan;
}

nlohmann::ordered_json describe_arrays(const Recording& recording, const PagePlan& plan) {
  Json list = Json::array();
  std::uint64_t offset = 0;
  for (const PageArray& array : list_arrays(recording, plan)) {
    list.push_back({{"name", array.name},
                    {"dtype", array.type},
                    {"shape", array.shape},
                    {"offset", offset},
                    {"bytes", array.bytes()}});
    offset += align(array.bytes());
  }
  return list;
}

void write_arrays(const Recording& recording, const PagePlan& plan, Base64Writer& out) {
  for (const PageArray& array : list_arrays(recording, plan)) {
    const std::uint64_t start = out.bytes();
    array.write(out);
    if (out.bytes() - start != array.bytes()) throw std::logic_error("the array " + array.name + " has another size");
    out.pad(kAlignment);
  }
  out.finish();
}

}  // namespace achilles
