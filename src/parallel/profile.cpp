#include <achilles/profile.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace achilles {
namespace {

template <class Entry>
Entry& find_or_add(std::vector<Entry>& entries, std::string_view name) {
  const auto place = std::find_if(entries.begin(), entries.end(), [&](const Entry& one) { return one.name == name; });
  if (place != entries.end()) return *place;
  entries.emplace_back();
  entries.back().name = name;
  return entries.back();
}

}  // namespace

void Profile::begin_step() {
  ++steps_;
  last_ = Clock::now();
}

void Profile::mark(std::string_view stage) {
  const Clock::time_point now = Clock::now();
  const double length = std::chrono::duration<double>(now - last_).count();
  Stage& entry = find_or_add(stages_, stage);
  entry.seconds += length;
  ++entry.calls;
  if (tracing_) {
    spans_.push_back({static_cast<std::size_t>(&entry - stages_.data()),
                      std::chrono::duration<double>(last_ - origin_).count(), length});
  }
  last_ = now;
}

void Profile::count(std::string_view what, double value) {
  Counter& entry = find_or_add(counters_, what);
  entry.sum += value;
  entry.largest = std::max(entry.largest, value);
  ++entry.steps;
}

std::string Profile::write_trace() const {
  std::string text = "{\"traceEvents\": [\n";
  for (std::size_t k = 0; k < spans_.size(); ++k) {
    text += fmt::format(R"({{"name": "{}", "ph": "X", "pid": 1, "tid": 1, "ts": {:.3f}, "dur": {:.3f}}}{})",
                        stages_[spans_[k].stage].name, 1e6 * spans_[k].start, 1e6 * spans_[k].length,
                        k + 1 < spans_.size() ? ",\n" : "\n");
  }
  return text + "]}\n";
}

}  // namespace achilles
