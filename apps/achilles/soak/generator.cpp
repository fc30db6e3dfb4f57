#include "soak/generator.hpp"

#include "soak/draft.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace achilles::program::soak {
namespace {

struct Family {
  const char* name;
  double weight;
  void (*draw)(Draft&);
};

constexpr Family kFamilies[] = {{"single", 18, draw_single},    {"stack", 16, draw_stack},
                                {"wall", 7, draw_wall},         {"pyramid", 5, draw_pyramid},
                                {"pile", 14, draw_pile},        {"crowd", 6, draw_crowd},
                                {"sweep", 4, draw_sweep},       {"turntable", 4, draw_turntable},
                                {"dominoes", 4, draw_dominoes}, {"chain", 8, draw_chain},
                                {"bridge", 5, draw_bridge},     {"mechanism", 6, draw_mechanism},
                                {"car", 3, draw_car},           {"tree", 5, draw_tree}};

const Family& draw_family(Random& random) {
  double total = 0;
  for (const Family& family : kFamilies) total += family.weight;
  double roll = random.uniform(0, total);
  for (const Family& family : kFamilies) {
    roll -= family.weight;
    if (roll < 0) return family;
  }
  return kFamilies[0];
}

Json draw_material(Random& random) {
  Json material;
  const double roll = random.unit();
  material["friction"] = roll < 0.15 ? 0 : round_to_digits(roll < 0.9 ? random.uniform(0.05, 1) : random.uniform(1, 3));
  const double bounce = random.unit();
  material["restitution"] = bounce < 0.6 ? 0 : bounce < 0.85 ? round_to_digits(random.unit()) : 1;
  return material;
}

Json draw_materials(Draft& draft) {
  Random& random = draft.random;
  Json materials{{"default", draw_material(random)}};
  Json& common = materials["default"];
  if (random.chance(0.06)) common["rolling_friction"] = round_to_digits(draft.size * random.log_uniform(1e-3, 0.1));
  if (random.chance(0.06)) common["torsional_friction"] = round_to_digits(draft.size * random.log_uniform(1e-3, 0.1));
  if (random.chance(0.06)) {
    // A typical body at rest sinks by this share of its size.
    const double weight = 1000 * std::pow(draft.size, 3) * draft.gravity;
    const double stiffness = weight / (draft.size * random.log_uniform(1e-5, 1e-2));
    common["stiffness"] = round_to_digits(stiffness);
    if (random.chance(0.7)) {
      common["damping"] = round_to_digits(stiffness * draft.size / draft.speed * random.log_uniform(1e-3, 0.1));
    }
  }
  if (random.chance(0.03)) common["anisotropy"] = {round_to_digits(random.unit()), round_to_digits(random.unit())};
  if (!random.chance(0.25)) return materials;
  materials["other"] = draw_material(random);
  if (random.chance(0.5)) {
    Json pair{{"between", {"default", "other"}}};
    pair.update(draw_material(random));
    materials["pairs"] = Json::array({pair});
  }
  for (Json& body : draft.bodies) {
    if (random.chance(0.4)) body["material"] = "other";
  }
  return materials;
}

bool is_dynamic(const Json& body) { return !body.contains("kind"); }

/// Two hinges that turn together.
void couple_hinges(Draft& draft, Json& scene) {
  Json names = Json::array();
  for (const Json& joint : draft.joints) {
    if (joint["kind"] == "hinge" && names.size() < 2) names.push_back(joint["name"]);
  }
  if (names.size() < 2) return;
  const double ratio = round_to_digits((draft.random.chance(0.5) ? 1 : -1) * draft.random.log_uniform(0.3, 3));
  scene["couplings"] = Json::array({{{"name", "gear"}, {"joints", names}, {"ratio", ratio}}});
}

/// What few scenes have: forces, locks, other ways to turn, rules, triggers, couplings.
void add_rarities(Draft& draft, Json& scene) {
  Random& random = draft.random;
  const double weight = 1000 * std::pow(draft.size, 3) * 9.81;  // [N] of a typical body
  const bool has_forces = random.chance(0.06), has_locks = random.chance(0.04), turns_otherwise = random.chance(0.03);
  for (Json& body : draft.bodies) {
    if (!is_dynamic(body) || !random.chance(0.4)) continue;
    if (has_forces) body["force"] = to_json(Vec3(weight * random.uniform(0, 1) * random.direction()));
    if (has_forces && random.chance(0.5)) {
      body["torque"] = to_json(Vec3(weight * draft.size * random.uniform(0, 0.2) * random.direction()));
    }
    if (has_locks) body["lock"] = Json::array({random.pick({"x", "y", "z", "rx", "ry", "rz"})});
    if (turns_otherwise) body["rotation"] = "infinitesimal";
  }
  const std::string last = draft.bodies.back()["name"];
  if (random.chance(0.03) && is_dynamic(draft.bodies.back())) {
    scene["rules"] = Json::array({{{"ignore", {last, draft.bodies.front()["name"]}}}});
  }
  if (random.chance(0.1)) couple_hinges(draft, scene);
  if (random.chance(0.04)) {
    const Json box{{"box", {{"size", to_json(Vec3(Vec3::Constant(3 * draft.size)))}}}};
    scene["triggers"] = Json::array({{{"name", "gate"}, {"shape", box}}});
  }
}

/// Steps are a fraction of the time in which a body falls by its size; the cost of a run is bounded.
Json draw_time(Draft& draft) {
  Random& random = draft.random;
  const double fall = draft.size / draft.speed;  // [s]
  const double step = round_to_digits(fall * random.log_uniform(0.003, 0.06), 3);
  const double bodies = static_cast<double>(draft.bodies.size());
  const double steps = std::min(random.log_uniform(50, 500), 5000 / bodies);
  return {{"step", step}, {"duration", round_to_digits(step * std::round(std::max(30.0, steps)), 6)}};
}

}  // namespace

GeneratedScene generate_scene(std::uint64_t seed, std::uint64_t index) {
  Draft draft(Random(seed ^ (0xd1342543de82ef95ULL * (index + 1))).next());
  Random& random = draft.random;
  const Family& family = draw_family(random);
  draft.size = round_to_digits(random.chance(0.6) ? random.log_uniform(0.1, 2) : random.log_uniform(1e-3, 100), 2);
  if (random.chance(0.1)) draft.gravity = round_to_digits(random.log_uniform(1, 30), 3);
  draft.speed = std::sqrt(draft.gravity * draft.size);
  family.draw(draft);

  Json scene{{"achilles", 1}, {"name", "soak " + std::string(family.name)}};
  scene["gravity"] = to_json(Vec3(0, 0, -draft.gravity));
  if (draft.gravity > 0 && random.chance(0.05)) {
    scene["gravity"] = to_json(Vec3(0.3 * draft.gravity * random.unit(), 0, -draft.gravity));
  }
  scene["time"] = draw_time(draft);
  scene["materials"] = draw_materials(draft);
  add_rarities(draft, scene);
  scene["bodies"] = draft.bodies;
  if (!draft.joints.empty()) scene["joints"] = draft.joints;
  if (!draft.scripts.empty()) scene["scripts"] = draft.scripts;
  return {family.name, scene};
}

}  // namespace achilles::program::soak
