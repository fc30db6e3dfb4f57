// Families of scenes with joints.
#include "soak/draft.hpp"

#include <fmt/format.h>

namespace achilles::program::soak {
namespace {

/// A drive by force, speed or position, constant or in time.
Json draw_drive(Draft& draft, double unit, double range) {
  Random& random = draft.random;
  const double time = draft.size / draft.speed;  // [s] of a fall by the size
  const auto target = [&](double most) {
    const double value = round_to_digits(random.uniform(-1, 1) * most);
    return random.chance(0.5) ? Json(value) : Json{{0, 0}, {round_to_digits(5 * time), value}};
  };
  const double stiffness = round_to_digits(unit / range * random.log_uniform(1, 100));
  const double damping = round_to_digits(0.2 * stiffness * time);
  const double roll = random.unit();
  if (roll < 0.3) return {{"force", target(0.5 * unit)}};
  Json drive;
  if (roll < 0.6) {
    drive = {{"speed", target(range / time)}, {"damping", damping}};
  } else {
    drive = {{"position", target(0.5 * range)}, {"stiffness", stiffness}, {"damping", damping}};
  }
  if (random.chance(0.5)) drive["max_force"] = round_to_digits(unit * random.log_uniform(0.3, 10));
  return drive;
}

/// Limits, motor, spring, drive, armature and friction along a free axis; `unit` [N m] or [N] is what the weight of the
/// parts needs.
Json draw_axis(Draft& draft, const Vec3& axis, double unit, double range, bool is_turning) {
  Random& random = draft.random;
  Json drive{{"axis", to_json(axis)}};
  if (random.chance(0.3)) {
    drive["limits"] = {-round_to_digits(random.uniform(0.1, 1) * range),
                       round_to_digits(random.uniform(0.1, 1) * range)};
  }
  const double roll = random.unit();
  const double most = round_to_digits(unit * random.log_uniform(0.1, 10));
  const char* const name = is_turning ? "max_torque" : "max_force";
  if (roll < 0.2) {
    const double rate = draft.speed / draft.size * range;
    drive["motor"] = {{"speed", round_to_digits(random.uniform(-2, 2) * rate)}, {name, most}};
  } else if (roll < 0.3) {
    drive["motor"] = {{"position", round_to_digits(random.uniform(-0.5, 0.5) * range)}, {name, most}};
  } else if (roll < 0.5) {
    const double stiffness = unit / range * random.log_uniform(0.1, 100);
    const double time = draft.size / draft.speed;  // [s] of a fall by the size
    drive["spring"] = {{"stiffness", round_to_digits(stiffness)},
                       {"damping", random.chance(0.5) ? 0 : round_to_digits(0.1 * stiffness * time)},
                       {"rest", random.chance(0.5) ? 0 : round_to_digits(random.uniform(-0.3, 0.3) * range)}};
  } else if (roll < 0.6) {
    drive["drive"] = draw_drive(draft, unit, range);
  }
  if (random.chance(0.05)) {
    // What turns or moves with the axis as fast as the parts do.
    const double inertia = unit / 9.81 * (is_turning ? draft.size : 1);
    drive["armature"] = round_to_digits(inertia * random.log_uniform(0.01, 1));
  }
  if (random.chance(0.2)) drive["friction"] = round_to_digits(0.1 * unit);
  return drive;
}

/// How far a limb along a direction may swing, and twist.
Json draw_cone(Random& random, const Vec3& along) {
  Json cone{{"axis", to_json(along)}};
  const double swing = round_to_digits(random.uniform(0.2, 2));
  if (random.chance(0.5)) {
    cone["swing"] = swing;
  } else {
    cone["swing"] = {swing, round_to_digits(swing * random.uniform(0.3, 1))};
    cone["side"] = to_json(Vec3(along.unitOrthogonal()));
  }
  if (random.chance(0.5))
    cone["twist"] = {-round_to_digits(random.uniform(0.1, 2)), round_to_digits(random.uniform(0.1, 2))};
  return cone;
}

/// A joint of any kind at a place, with what can act along its axes. `load` [kg] hangs on it.
Json draw_joint(Draft& draft, const std::string& kind, const Vec3& at, const Vec3& along, double load) {
  Random& random = draft.random;
  Json joint{{"kind", kind}, {"at", to_json(at)}};
  const double force = load * 9.81, torque = force * draft.size;
  const Vec3 across = along.unitOrthogonal();
  if (kind == "hinge") {
    joint.update(draw_axis(draft, across, torque, 1, true));
  } else if (kind == "slider") {
    joint.update(draw_axis(draft, along, force, draft.size, false));
  } else if (kind == "planar") {
    joint["axis"] = to_json(across);
  } else if (kind == "universal" || kind == "hinge2") {
    joint["axes"] = {draw_axis(draft, across, torque, 1, true), draw_axis(draft, along.cross(across), torque, 1, true)};
  } else if (kind == "distance") {
    joint["at_second"] = to_json(Vec3(at + 0.1 * draft.size * along));
  }
  if (kind == "ball" && random.chance(0.3)) joint["cone"] = draw_cone(random, along);
  if (random.chance(0.1)) {
    const double compliance = round_to_digits(random.log_uniform(1e-4, 1e-1) * draft.size / force);
    joint["compliance"] = compliance;
    if (random.chance(0.5)) {
      joint["compliance_damping"] =
          round_to_digits(random.log_uniform(1e-2, 1) / compliance * draft.size / draft.speed);
    }
  }
  return joint;
}

void add_joint(Draft& draft, Json joint, const std::string& first, const std::string& second) {
  Json named{{"name", fmt::format("joint{}", draft.joints.size())}, {"between", {first, second}}};
  named.update(joint);
  draft.joints.push_back(named);
}

void add_anchor(Draft& draft, const std::string& name, const Vec3& at) {
  draft.bodies.push_back({{"name", name},
                          {"kind", "fixed"},
                          {"shape", {{"sphere", {{"radius", round_to_digits(0.05 * draft.size)}}}}},
                          {"position", to_json(at)}});
}

double draw_density(Random& random) { return round_to_digits(1000 * random.log_uniform(0.01, 100)); }

}  // namespace

void draw_chain(Draft& draft) {
  Random& random = draft.random;
  const double size = draft.size;
  const int count = random.integer(1, 15);
  const Vec3 along = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 0.2)).normalized();
  const std::string kind = random.pick({"ball", "ball", "hinge", "hinge", "universal", "fixed", "distance"});
  const Vec3 edges(round_to_digits(0.2 * size), round_to_digits(0.2 * size), round_to_digits(size));
  const Json link{{"box", {{"size", to_json(edges)}}}};
  const double mass = 1000 * edges.prod();
  const Vec3 top(0, 0, 2 * (count + 1) * size);
  const bool is_free = random.chance(0.1);
  if (!is_free) add_anchor(draft, "anchor", top);
  const Quat q = Quat::FromTwoVectors(Vec3::UnitZ(), along);
  for (int k = 0; k < count; ++k) {
    const std::string name = fmt::format("link{}", k);
    Json& body = add_body(draft, name, link, top + (k + 0.5) * size * along);
    body["orientation"] = to_json(q);
    if (k > 0 || !is_free) {
      const std::string before = k == 0 ? "anchor" : fmt::format("link{}", k - 1);
      add_joint(draft, draw_joint(draft, kind, top + k * size * along, along, mass * (count - k)), before, name);
    }
  }
  if (random.chance(0.5)) {
    const double radius = round_to_digits(0.5 * size);
    const Vec3 end = top + count * size * along;
    Json& body = add_body(draft, "weight", {{"sphere", {{"radius", radius}}}}, end + radius * along);
    body["mass"] = round_to_digits(mass * random.log_uniform(0.1, 1000));
    add_joint(draft, draw_joint(draft, "ball", end, along, mass), fmt::format("link{}", count - 1), "weight");
  }
}

void draw_bridge(Draft& draft) {
  Random& random = draft.random;
  const double size = draft.size;
  const int count = random.integer(3, 20);
  const Vec3 edges(round_to_digits(0.95 * size), round_to_digits(2 * size), round_to_digits(0.2 * size));
  const std::string kind = random.pick({"hinge", "ball", "hinge2", "universal"});
  const double mass = 1000 * edges.prod();
  add_anchor(draft, "left", Vec3::Zero());
  add_anchor(draft, "right", Vec3(count * size, 0, 0));
  std::string before = "left";
  for (int k = 0; k < count; ++k) {
    const std::string name = fmt::format("plank{}", k);
    add_body(draft, name, {{"box", {{"size", to_json(edges)}}}}, {(k + 0.5) * size, 0, 0});
    Json joint{{"kind", kind}, {"at", to_json(Vec3(k * size, 0, 0))}};
    if (kind == "hinge") joint["axis"] = {0, 1, 0};
    if (kind == "hinge2" || kind == "universal") joint["axes"] = {{{"axis", {0, 1, 0}}}, {{"axis", {0, 0, 1}}}};
    add_joint(draft, joint, before, name);
    before = name;
  }
  add_joint(draft, {{"kind", "ball"}, {"at", to_json(Vec3(count * size, 0, 0))}}, before, "right");
  if (random.chance(0.7)) {
    const DrawnShape load = draw_shape(random, size);
    Json& body = add_body(draft, "load", load.json, {0.5 * count * size, 0, 1.5 * size});
    body["mass"] = round_to_digits(mass * random.log_uniform(0.1, 1000));
  }
}

void draw_mechanism(Draft& draft) {
  // Pairs of bodies on joints of every kind, on a base that stands still or falls.
  Random& random = draft.random;
  const double size = draft.size;
  const bool is_fixed = random.chance(0.7);
  if (!is_fixed || random.chance(0.3)) add_support(draft, 10 * size, true);
  const double height = 3 * size;
  Json base{{"name", "base"}, {"shape", {{"box", {{"size", to_json(Vec3(4 * size, size, 0.5 * size))}}}}}};
  base["position"] = to_json(Vec3(0, 0, height));
  if (is_fixed) base["kind"] = "fixed";
  draft.bodies.push_back(base);
  const int count = random.integer(1, 4);
  for (int k = 0; k < count; ++k) {
    const DrawnShape shape = draw_box(random, size, 3);
    const std::string name = fmt::format("part{}", k);
    const Vec3 at((k - 1.5) * size, (k % 2 == 0 ? 0.6 : -0.6) * size, height);
    const Vec3 along = Vec3(random.uniform(-0.5, 0.5), at.y(), random.uniform(-0.5, 0.5)).normalized();
    Json& body = add_body(draft, name, shape.json, at + 1.2 * size * along);
    body["density"] = draw_density(random);
    const std::string kind =
        random.pick({"ball", "hinge", "slider", "hinge2", "universal", "fixed", "planar", "distance"});
    const double mass = body["density"].get<double>() * 8 * shape.half.prod();
    add_joint(draft, draw_joint(draft, kind, at, along, mass), "base", name);
    if (random.chance(0.3)) draft.joints.back()["collide"] = true;
  }
}

void draw_car(Draft& draft) {
  Random& random = draft.random;
  const double size = draft.size;
  add_support(draft, 40 * size, true);
  const double radius = round_to_digits(random.uniform(0.3, 0.5) * size);
  const Vec3 edges(4 * size, 2 * size, 0.6 * size);
  Json& chassis = add_body(draft, "chassis", {{"box", {{"size", to_json(edges)}}}}, {0, 0, 1.2 * radius + 0.3 * size});
  const double mass = 1000 * edges.prod() * random.log_uniform(0.1, 10);
  chassis["mass"] = round_to_digits(mass);
  const std::string kind = random.pick({"hinge", "hinge2"});
  const double torque = round_to_digits(mass * 9.81 * radius * random.log_uniform(0.01, 0.3));
  const double soft = random.chance(0.6) ? round_to_digits(0.2 * radius / (0.25 * mass * 9.81)) : 0;
  for (int k = 0; k < 4; ++k) {
    const std::string name = fmt::format("wheel{}", k);
    const Vec3 at((k < 2 ? 1.5 : -1.5) * size, (k % 2 == 0 ? 1.3 : -1.3) * size, radius);
    Json& wheel =
        add_body(draft, name, {{"cylinder", {{"radius", radius}, {"height", round_to_digits(0.4 * size)}}}}, at);
    wheel["axis_angle"] = {{"axis", {1, 0, 0}}, {"angle", 1.5707963267948966}};
    wheel["mass"] = round_to_digits(mass * random.log_uniform(0.01, 0.1));
    const Json motor{{"speed", round_to_digits(draft.speed / radius)}, {"max_torque", torque}};
    Json joint{{"kind", kind}, {"at", to_json(at)}};
    if (kind == "hinge") {
      joint["axis"] = {0, 1, 0};
      if (k >= 2) joint["motor"] = motor;
    } else {
      Json steer{{"axis", {0, 0, 1}}, {"limits", {0, 0}}}, roll{{"axis", {0, 1, 0}}};
      if (k >= 2) roll["motor"] = motor;
      joint["axes"] = {steer, roll};
      if (soft > 0) joint["compliance"] = soft;
    }
    add_joint(draft, joint, "chassis", name);
  }
}

void draw_tree(Draft& draft) {
  // Limbs that hang on limbs, as of a ragdoll or a mobile, thrown or falling.
  Random& random = draft.random;
  const double size = draft.size;
  const bool is_hanging = random.chance(0.4);
  if (!is_hanging) add_support(draft, 15 * size, true);
  const double height = is_hanging ? 0 : 6 * size;
  std::vector<Vec3> places{{0, 0, height}};
  const auto add_limb = [&](int k, const Vec3& at) {
    const double radius = round_to_digits(random.uniform(0.1, 0.2) * size);
    Json& body = add_body(draft, fmt::format("limb{}", k),
                          {{"capsule", {{"radius", radius}, {"length", round_to_digits(0.6 * size)}}}}, at);
    if (random.chance(0.3)) body["density"] = draw_density(random);
  };
  add_limb(0, places[0]);
  if (is_hanging) {
    add_anchor(draft, "anchor", places[0] + Vec3(0, 0, size));
    add_joint(draft, {{"kind", "ball"}, {"at", to_json(Vec3(places[0] + Vec3(0, 0, size)))}}, "anchor", "limb0");
  }
  const int count = random.integer(2, 12);
  for (int k = 1; k < count; ++k) {
    const int parent = random.integer(0, k - 1);
    const Vec3 along = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 0)).normalized();
    places.push_back(places[static_cast<std::size_t>(parent)] + 1.1 * size * along);
    add_limb(k, places.back());
    const std::string kind = random.pick({"ball", "hinge", "universal"});
    const Vec3 at = places.back() - 0.5 * size * along;
    add_joint(draft, draw_joint(draft, kind, at, along, 30 * size * size * size), fmt::format("limb{}", parent),
              fmt::format("limb{}", k));
  }
}

}  // namespace achilles::program::soak
