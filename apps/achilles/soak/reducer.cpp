#include "soak/reducer.hpp"

#include "soak/draft.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace achilles::program::soak {
namespace {

/// Removes joints, scripts and rules that name bodies that are gone.
void drop_orphans(Json& scene) {
  std::set<std::string> names;
  for (const Json& body : scene["bodies"]) names.insert(body["name"].get<std::string>());
  const auto keep_known = [&](const char* list, const char* key) {
    if (!scene.contains(list)) return;
    Json kept = Json::array();
    for (const Json& item : scene[list]) {
      const Json& named = item[key];
      bool is_known = true;
      if (named.is_string()) is_known = names.count(named) > 0;
      for (const Json& name : named.is_array() ? named : Json::array()) is_known = is_known && names.count(name) > 0;
      if (is_known) kept.push_back(item);
    }
    scene[list] = kept;
    if (kept.empty()) scene.erase(list);
  };
  keep_known("joints", "between");
  keep_known("scripts", "body");
  keep_known("rules", "ignore");
}

/// Rounds every number to two digits, but for those that lists of points and orientations need together.
void round_numbers(Json& value) {
  if (value.is_number_float()) value = round_to_digits(value.get<double>(), 2);
  if (!value.is_structured()) return;
  for (auto& [key, item] : value.items()) {
    if (key != "orientation" && key != "points" && key != "axis_angle" && key != "time") round_numbers(item);
  }
}

class Reducer {
 public:
  Reducer(Trial trial, std::string kind, const ReduceOptions& options)
      : best_(std::move(trial)), kind_(std::move(kind)), options_(options) {}

  Trial run() {
    shorten();
    attempt(best_.scene, Json::object());
    drop_items("bodies");
    drop_items("joints");
    for (const char* key : {"scripts", "triggers", "rules", "name"}) drop_key(key);
    drop_materials();
    simplify_bodies();
    simplify_joints();
    Json scene = best_.scene;
    round_numbers(scene);
    attempt(scene);
    shorten();
    return best_;
  }

 private:
  bool attempt(const Json& scene) { return attempt(scene, best_.options); }

  bool attempt(Json scene, const Json& method_options) {
    drop_orphans(scene);
    if ((scene == best_.scene && method_options == best_.options) || scene["bodies"].empty()) return false;
    if (trials_ >= options_.most_trials || seconds_ >= options_.most_seconds) return false;
    const Outcome outcome = run_trial({scene, best_.method, {}, method_options}, options_.trial);
    ++trials_;
    seconds_ += outcome.seconds;
    const auto at = std::find_if(outcome.defects.begin(), outcome.defects.end(),
                                 [this](const Defect& defect) { return defect.kind == kind_; });
    if (at == outcome.defects.end()) return false;
    best_.scene = std::move(scene);
    best_.options = method_options;
    time_ = at->time;
    return true;
  }

  /// Ends the run soon after the defect appears.
  void shorten() {
    Json scene = best_.scene;
    const double step = scene["time"]["step"], duration = scene["time"]["duration"];
    const double end = time_ > 0 ? step * (std::ceil(time_ / step) + 2) : 0.5 * duration;
    if (end >= duration) return;
    scene["time"]["duration"] = round_to_digits(end, 6);
    attempt(scene);
  }

  /// Halves, quarters, ... of a list, down to single items.
  void drop_items(const char* list) {
    if (!best_.scene.contains(list)) return;
    for (std::size_t chunk = std::max<std::size_t>(1, best_.scene[list].size() / 2);; chunk /= 2) {
      for (std::size_t first = 0; best_.scene.contains(list) && first < best_.scene[list].size();) {
        Json scene = best_.scene;
        Json& items = scene[list];
        const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
        items.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(chunk, items.size() - first)));
        if (items.empty()) scene.erase(list);
        if (!scene.contains("bodies") || !attempt(scene)) first += chunk;
      }
      if (chunk <= 1) return;
    }
  }

  void drop_key(const char* key) {
    Json scene = best_.scene;
    if (scene.erase(key) > 0) attempt(scene);
  }

  void drop_materials() {
    Json scene = best_.scene;
    for (Json& body : scene["bodies"]) body.erase("material");
    for (const char* key : {"other", "pairs"}) scene["materials"].erase(key);
    attempt(scene);
    for (const auto& [key, value] : Json(best_.scene["materials"]["default"]).items()) {
      scene = best_.scene;
      scene["materials"]["default"].erase(key);
      if (key == "restitution" || key == "friction") scene["materials"]["default"][key] = 0;
      attempt(scene);
    }
  }

  void simplify_bodies() {
    // Of all bodies at once first: that is often possible and saves many trials.
    for (const char* key :
         {"orientation", "spin", "velocity", "density", "mass", "force", "torque", "lock", "rotation"}) {
      Json scene = best_.scene;
      bool is_changed = false;
      for (Json& body : scene["bodies"]) is_changed = body.erase(key) > 0 || is_changed;
      if (!is_changed || attempt(scene)) continue;
      for (std::size_t k = 0; k < best_.scene["bodies"].size(); ++k) {
        scene = best_.scene;
        if (scene["bodies"][k].erase(key) > 0) attempt(scene);
      }
    }
  }

  void simplify_joints() {
    if (!best_.scene.contains("joints")) return;
    for (const char* key :
         {"limits", "motor", "spring", "friction", "compliance", "collide", "cone", "compliance_damping"}) {
      Json scene = best_.scene;
      bool is_changed = false;
      for (Json& joint : scene["joints"]) {
        is_changed = joint.erase(key) > 0 || is_changed;
        if (!joint.contains("axes")) continue;
        for (Json& axis : joint["axes"]) is_changed = axis.erase(key) > 0 || is_changed;
      }
      if (is_changed) attempt(scene);
    }
  }

  Trial best_;
  std::string kind_;
  ReduceOptions options_;
  int trials_ = 0;
  double seconds_ = 0;  // [s] spent
  double time_ = 0;     // [s] at which the defect appears in the best so far
};

}  // namespace

Trial reduce(const Trial& trial, const std::string& kind, const ReduceOptions& options) {
  return Reducer(trial, kind, options).run();
}

}  // namespace achilles::program::soak
