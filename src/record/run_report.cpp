#include "record/run_report.hpp"

#include "record/head.hpp"
#include "record/layout.hpp"
#include "record/output_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

/// The text with bytes that are not UTF-8 replaced by U+FFFD: JSON knows no others.
std::string to_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

/// Collects the complaints that arise while the object is built.
class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& warnings) : warnings_(warnings) {}

  Json operator()(const std::string& key, double value) {
    if (std::isfinite(value)) return value;
    warnings_.push_back(key + " is not finite");
    return nullptr;
  }
  Json operator()(const std::string& key, const Vec3& v) {
    return Json::array({(*this)(key + "[0]", v.x()), (*this)(key + "[1]", v.y()), (*this)(key + "[2]", v.z())});
  }
  Json operator()(const std::string& key, const Quat& q) {
    return Json::array({(*this)(key + "[0]", q.w()), (*this)(key + "[1]", q.x()), (*this)(key + "[2]", q.y()),
                        (*this)(key + "[3]", q.z())});
  }

 private:
  std::vector<std::string>& warnings_;
};

Json bodies_to_json(const RunReport& report, Numbers& number, std::vector<std::string>& warnings) {
  Json bodies = Json::object();
  // An ordered object finds its keys by walking: with many bodies names are looked up here instead.
  std::map<std::string, int> seen;
  auto& entries = bodies.get_ref<Json::object_t&>();
  entries.reserve(report.bodies.size());
  for (const RunReport::Body& body : report.bodies) {
    std::string name = to_utf8(body.name);
    while (seen[name]++ > 0) {
      warnings.push_back("several bodies are named \"" + name + "\" in JSON");
      name += " (" + std::to_string(seen[name]) + ")";
    }
    const std::string key = "bodies." + name;
    Json entry = {{"position", number(key + ".position", body.pose.p)},
                  {"orientation", number(key + ".orientation", body.pose.q)},
                  {"velocity", number(key + ".velocity", body.velocity.linear)},
                  {"spin", number(key + ".spin", body.velocity.angular)},
                  {"asleep", body.asleep}};
    entries.emplace_back(name, std::move(entry));
  }
  return bodies;
}

}  // namespace

void ReportBuilder::begin(const World& world, const Scene& scene) {
  *this = ReportBuilder{};
  start_ = std::chrono::steady_clock::now();
  start_time_ = world.time;
  const MethodNames names = resolve_method_names(scene.method);
  report_.scene = scene.name;
  report_.method = names.method;
  report_.impact = names.impact;
  report_.solver = names.solver;
  report_.energy.initial = energy_.measure(world).total();
  balance_.begin(world);
  limits_.begin(world, scene);
  for (const Diagnostic& warning : scene.warnings) report_.warnings.push_back(warning.text());
}

void ReportBuilder::after_step(const World& world, const StepReport& step) {
  RunReport& r = report_;
  r.steps += 1;
  contact_sum_ += step.contacts;
  iteration_sum_ += step.iterations;
  r.contacts_max = std::max(r.contacts_max, step.contacts);
  r.iterations_max = std::max(r.iterations_max, step.iterations);
  r.impacts += step.impacts;
  r.impact_iterations_max = std::max(r.impact_iterations_max, step.impact_iterations);
  r.lineality += step.lineality;
  keep_maximum(r.impact_estimate_max, step.impact_estimate);
  r.hastened_impacts += step.hastened_impacts;
  r.unpointed_impacts += step.unpointed_impacts;
  r.triggers_in += step.triggers_in;
  r.triggers_out += step.triggers_out;
  r.costs += step.costs;
  external_work_ += step.external_work;
  keep_maximum(most_work_, std::abs(external_work_));
  const double gain = energy_.measure(world).total() - r.energy.initial - external_work_;
  keep_maximum(r.energy.max_gain, gain);
  keep_maximum(r.residual_max, step.residual);
  keep_maximum(r.joint_error_max, step.joint_error);
  if (step.stopped && !r.stopped) r.stopped = step.stopped;
}

/// As the log of a recording has them: what rests and trembles touches once, whatever the method's own memory holds.
void ReportBuilder::count(const RecordedEvent& event) {
  if (event.kind == RecordedKind::kNewContact) ++report_.new_contacts;
  if (event.kind == RecordedKind::kLostContact) ++report_.lost_contacts;
}

void ReportBuilder::contacts(const World& world, std::span<const ContactRecord> records) {
  if (!report_.stopped) {
    touch_events_.clear();
    touches_.see(world, records, touch_events_);
    for (const RecordedEvent& event : touch_events_) count(event);
  }
  has_balance_ = true;
  balance_.see(world, records);
  limits_.see(world, records);
  for (const ContactRecord& record : records) {
    const double impulse = record.impulse.norm();
    if (!(impulse > 0)) continue;
    PairSums& sums = pairs_[std::minmax(record.body_a, record.body_b)];
    ++sums.count;
    sums.impulse += impulse;
    sums.peak = std::max(sums.peak, impulse);
  }
}

void ReportBuilder::begin_sensors(std::span<const SensorInfo> sensors, std::span<const double> values) {
  report_.sensors.clear();
  for (const SensorInfo& info : sensors) {
    RunReport::Sensor sensor{info.name, {}};
    for (std::size_t k = 0; k < info.columns.size(); ++k) {
      const double value = values[info.first + k];
      sensor.columns.push_back(
          {std::string(info.columns[k].name), std::string(info.columns[k].unit), value, value, value});
    }
    report_.sensors.push_back(std::move(sensor));
  }
}

void ReportBuilder::sensors(std::span<const double> values) {
  std::size_t at = 0;
  for (RunReport::Sensor& sensor : report_.sensors) {
    for (RunReport::SensorColumn& column : sensor.columns) {
      if (at == values.size()) return;
      column.last = values[at++];
      keep_maximum(column.max, column.last);
      if (!(column.last >= column.min) && column.min == column.min) column.min = column.last;
    }
  }
}

void ReportBuilder::instant(const World&, double penetration) {
  if (!has_depth_) limits_.set_start_depth(penetration);
  has_depth_ = true;
  keep_maximum(report_.penetration.max, penetration);
  report_.penetration.final = penetration;
}

void ReportBuilder::take_earlier(const Scalars& instant, bool is_first) {
  RunReport& r = report_;
  const double energy = instant.energy_kinetic + instant.energy_potential;
  if (is_first) r.energy.initial = energy;
  earlier_seconds_ += instant.step_seconds;
  r.steps += instant.steps;
  contact_sum_ += static_cast<double>(instant.contacts * instant.steps);
  iteration_sum_ += static_cast<double>(instant.iterations * instant.steps);
  r.contacts_max = std::max(r.contacts_max, static_cast<int>(instant.contacts));
  r.iterations_max = std::max(r.iterations_max, static_cast<int>(instant.iterations));
  r.impacts += instant.impacts;
  r.impact_iterations_max = std::max(r.impact_iterations_max, static_cast<int>(instant.impact_iterations));
  r.lineality += instant.lineality;
  r.triggers_in += instant.triggers_in;
  r.triggers_out += instant.triggers_out;
  external_work_ += instant.external_work;
  keep_maximum(most_work_, std::abs(external_work_));
  keep_maximum(r.energy.max_gain, energy - r.energy.initial - external_work_);
  keep_maximum(r.residual_max, instant.residual);
  keep_maximum(r.joint_error_max, instant.joint_error);
  if (is_first) limits_.set_start_depth(instant.penetration);
  has_depth_ = true;
  keep_maximum(r.penetration.max, instant.penetration);
  r.penetration.final = instant.penetration;
}

void ReportBuilder::take_earlier(const RecordedEvent& event) {
  touches_.take(event);
  count(event);
}

void ReportBuilder::warn(std::string warning) { report_.warnings.push_back(std::move(warning)); }

RunReport ReportBuilder::finish(const World& world) const {
  return finish(world, std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count());
}

namespace {

/// What impacts did that their law does not promise.
void warn_of_impacts(RunReport& report) {
  if (report.hastened_impacts > 0) {
    report.warnings.push_back("impact: reflections one at a time took too long in " +
                              std::to_string(report.hastened_impacts) +
                              " impacts, which were ended by reflections of all contacts at once");
  }
  if (report.unpointed_impacts > 0) {
    report.warnings.push_back("impact: the friction cones of " + std::to_string(report.unpointed_impacts) +
                              " impacts are not pointed together: nothing guarantees that coupled friction ends");
  }
}

}  // namespace

RunReport ReportBuilder::finish(const World& world, double wall_seconds) const {
  RunReport report = report_;
  warn_of_impacts(report);
  report.time = world.time;
  report.wall_seconds = earlier_seconds_ + wall_seconds;
  report.real_time_factor = report.wall_seconds > 0 ? (world.time - start_time_) / report.wall_seconds : 0;
  report.energy.kinetic = world.kinetic_energy();
  report.energy.potential = world.potential_energy();
  report.energy.final = report.energy.kinetic + report.energy.potential;
  report.momentum.linear = world.linear_momentum();
  report.momentum.angular = world.angular_momentum();
  if (has_balance_) {
    report.momentum.linear_error = balance_.linear();
    report.momentum.angular_error = balance_.angular();
  }
  for (std::string& warning : limits_.list(report, most_work_)) report.warnings.push_back(std::move(warning));
  const double steps = static_cast<double>(std::max<std::int64_t>(report.steps, 1));
  report.contacts_mean = contact_sum_ / steps;
  report.iterations_mean = iteration_sum_ / steps;
  for (const auto& [bodies, sums] : pairs_) {
    report.pairs.push_back(
        {world.names[bodies.first], world.names[bodies.second], sums.count, sums.impulse, sums.peak});
  }
  std::stable_sort(report.pairs.begin(), report.pairs.end(),
                   [](const PairStatistics& a, const PairStatistics& b) { return a.impulse > b.impulse; });
  report.bodies.resize(world.bodies.size());
  for (std::size_t k = 0; k < report.bodies.size(); ++k) {
    report.bodies[k] = {world.names[k], world.bodies.frame(k), world.bodies.velocity[k], world.bodies.asleep[k] != 0};
  }
  return report;
}

namespace {

/// The pairs with the largest impulses.
Json pairs_to_json(const RunReport& r, Numbers& number) {
  constexpr std::size_t kMost = 100;
  Json pairs = Json::array();
  for (std::size_t k = 0; k < std::min(kMost, r.pairs.size()); ++k) {
    const PairStatistics& pair = r.pairs[k];
    pairs.push_back({{"between", {to_utf8(pair.body_a), to_utf8(pair.body_b)}},
                     {"count", pair.count},
                     {"impulse", number("pairs.impulse", pair.impulse)},
                     {"peak", number("pairs.peak", pair.peak)}});
  }
  return pairs;
}

Json sensors_to_json(const RunReport& r, Numbers& number) {
  Json sensors = Json::object();
  for (const RunReport::Sensor& sensor : r.sensors) {
    Json& columns = sensors[to_utf8(sensor.name)] = Json::object();
    for (const RunReport::SensorColumn& column : sensor.columns) {
      const std::string key = "sensors." + sensor.name + "." + column.name;
      columns[column.name] = {{"unit", column.unit},
                              {"last", number(key + ".last", column.last)},
                              {"min", number(key + ".min", column.min)},
                              {"max", number(key + ".max", column.max)}};
    }
  }
  return sensors;
}

}  // namespace

Json to_json(const RunReport& r) {
  std::vector<std::string> warnings = r.warnings;
  Numbers number(warnings);
  Json json;
  json["scene"] = to_utf8(r.scene);
  json["method"] = to_utf8(r.method);
  json["impact"] = to_utf8(r.impact);
  json["solver"] = to_utf8(r.solver);
  json["steps"] = r.steps;
  json["time"] = number("time", r.time);
  json["wall_seconds"] = number("wall_seconds", r.wall_seconds);
  json["real_time_factor"] = number("real_time_factor", r.real_time_factor);
  json["energy"] = {{"initial", number("energy.initial", r.energy.initial)},
                    {"final", number("energy.final", r.energy.final)},
                    {"kinetic", number("energy.kinetic", r.energy.kinetic)},
                    {"potential", number("energy.potential", r.energy.potential)},
                    {"max_gain", number("energy.max_gain", r.energy.max_gain)}};
  json["momentum"] = {{"linear", number("momentum.linear", r.momentum.linear)},
                      {"angular", number("momentum.angular", r.momentum.angular)},
                      {"linear_error", nullptr},
                      {"angular_error", nullptr}};
  if (r.momentum.linear_error) json["momentum"]["linear_error"] = *r.momentum.linear_error;
  if (r.momentum.angular_error) json["momentum"]["angular_error"] = *r.momentum.angular_error;
  json["penetration"] = {{"max", number("penetration.max", r.penetration.max)},
                         {"final", number("penetration.final", r.penetration.final)}};
  json["joint_error"] = {{"max", number("joint_error.max", r.joint_error_max)}};
  json["contacts"] = {{"max", r.contacts_max}, {"mean", number("contacts.mean", r.contacts_mean)}};
  json["solver_stats"] = {{"iterations_max", r.iterations_max},
                          {"iterations_mean", number("solver_stats.iterations_mean", r.iterations_mean)},
                          {"residual_max", number("solver_stats.residual_max", r.residual_max)}};
  json["impacts"] = {{"count", r.impacts},
                     {"iterations_max", r.impact_iterations_max},
                     {"lineality", r.lineality},
                     {"expected_max", number("impacts.expected_max", r.impact_estimate_max)},
                     {"hastened", r.hastened_impacts},
                     {"friction_unpointed", r.unpointed_impacts}};
  json["events"] = {{"new_contact", r.new_contacts},
                    {"lost_contact", r.lost_contacts},
                    {"trigger_in", r.triggers_in},
                    {"trigger_out", r.triggers_out}};
  json["costs"] = {{"events", r.costs.events},
                   {"toi_calls", r.costs.toi_calls},
                   {"distance_calls", r.costs.distance_calls},
                   {"resting_skipped", r.costs.resting_skipped},
                   {"energy_removed", number("costs.energy_removed", r.costs.energy_removed)},
                   {"energy_added", number("costs.energy_added", r.costs.energy_added)}};
  json["pairs"] = pairs_to_json(r, number);
  json["warnings"] = Json::array();
  json["stopped"] = nullptr;
  if (r.stopped) {
    json["stopped"] = {{"reason", to_utf8(r.stopped->reason)},
                       {"time", number("stopped.time", r.stopped->time)},
                       {"message", to_utf8(r.stopped->message)}};
  }
  if (!r.sensors.empty()) json["sensors"] = sensors_to_json(r, number);
  json["bodies"] = bodies_to_json(r, number, warnings);
  for (const std::string& warning : warnings) json["warnings"].push_back(to_utf8(warning));
  return json;
}

void write_report(const RunReport& report, const std::string& path) {
  replace_file(path, to_json(report).dump(2) + "\n");
}

}  // namespace achilles
