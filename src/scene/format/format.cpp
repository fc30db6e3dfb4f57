#include "scene/format/format.hpp"

#include "methods/method_spec.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr double kMostCopies = 1'000'000;

std::vector<Field> law_fields() {
  return {
      {"friction", not_negative(), "Coulomb's coefficient µ.", false, "0.5"},
      {"restitution", number_in(0, 1),
       "Share of the approach speed that comes back; the report names the law that reads it.", false, "0"},
      {"rolling_friction", not_negative("m"), "Torque that resists rolling, per normal force.", false, "0"},
      {"torsional_friction", not_negative("m"), "Torque that resists spinning about the normal, per normal force.",
       false, "0"},
      {"stiffness", not_negative("N/m"), "Of compliant contact; 0 is rigid.", false, "0"},
      {"damping", not_negative("N s/m"), "Of compliant contact.", false, "0"},
      {"anisotropy", vector(2, "", {0}),
       "Friction along the body's x and y axes, where it depends on the direction; `friction` then holds along z. Of a "
       "pair: along the axes of the body of the first material."},
  };
}

Spec quaternion() {
  Spec spec = vector(4);
  spec.is_direction = true;
  return spec;
}

Spec material_spec() { return mapping("a material", law_fields()); }

Spec pair_spec() {
  std::vector<Field> fields = {{"between", list(text(), 2, 2), "Names of the two materials.", true}};
  for (Field field : law_fields()) {
    field.standard = "mixed";
    fields.push_back(std::move(field));
  }
  fields.back().standard.clear();
  return mapping("a pair of materials", std::move(fields));
}

std::vector<Field> motion_fields() {
  return {
      {"velocity", vector(3, "m/s"), "Of the centre of mass.", false, "[0, 0, 0]"},
      {"spin", vector(3, "rad/s"), "Angular velocity in world axes.", false, "[0, 0, 0]"},
      {"force", vector(3, "N"), "Constant, world axes, at the centre of mass.", false, "[0, 0, 0]"},
      {"torque", vector(3, "N m"), "Constant, world axes.", false, "[0, 0, 0]"},
  };
}

Spec body_spec() {
  Spec lock = list(word({"x", "y", "z", "rx", "ry", "rz"}), 0, 6);
  lock.is_unique = true;
  const Spec partial = mapping("a partial rotation", {{"partial", direction(), "The axis, in body axes.", true}});
  std::vector<Field> fields = {
      {"name", text(), "Unique among bodies.", true},
      {"kind", word({"dynamic", "fixed", "scripted"}),
       "Scripted bodies are moved by a script and infinitely heavy to others.", false, "dynamic"},
      {"shape", either({word({"none"}), reference("shape")}),
       "One key that names the kind, with its measures; `none` for a body that touches nothing, which needs mass and "
       "inertia.",
       true},
      {"parent", text(),
       "Name of a body further up: position and orientation are in its frame at the start. Without it they are in the "
       "world's."},
      {"mass", positive("kg"), "Mass; or give density."},
      {"density", positive("kg/m³"), "Density; or give mass.", false, "1000"},
      {"inertia", either({vector(3, "kg m²"), list(vector(3, "kg m²"), 3, 3)}),
       "About the centre of mass, body axes: three principal moments or a symmetric matrix. It follows from the shape "
       "unless given."},
      {"center", vector(3, "m"), "Centre of mass in the body's frame, where the shape's own is not meant."},
  };
  for (auto&& part : {pose_fields(), motion_fields()}) fields.insert(fields.end(), part.begin(), part.end());
  constexpr double kAllBits = 4294967295;
  const Spec collision = mapping(
      "a collision filter", {{"group", integer_in(0, kAllBits), "Bits that stand for what the body is.", false, "1"},
                             {"mask", integer_in(0, kAllBits),
                              "Bits of the groups it meets. A pair collides if the group of one shares a "
                              "bit with the mask of the other.",
                              false, "1"}});
  const std::vector<Field> rest = {
      {"material", text(), "Name of a material.", false, "default"},
      {"lock", std::move(lock),
       "Degrees of freedom the body does not have: translation along, rotation about world axes.", false, "[]"},
      {"rotation", either({word({"finite", "infinitesimal"}), partial}),
       "How the orientation follows the spin over a step; `{partial: axis}` turns exactly about one body axis.", false,
       "finite"},
      {"group", text(), "Name for `rules`.", false, "the body's name"},
      {"collision", collision, "Which bodies it collides with."},
      {"color", color(), "Red, green, blue and opacity, from 0 to 1."},
      {"visual", list(reference("visual")), "What it looks like, where that is not its shape.", false, "[]"},
      {"repeat", repeat_spec(), "Many bodies from one entry: a lattice, a ring or a curve; indices from 0."},
  };
  fields.insert(fields.end(), rest.begin(), rest.end());
  return mapping("a body", std::move(fields), {{{"mass", "density"}}, orientation_alternatives()});
}

Spec script_spec() {
  const Spec path =
      mapping("a path", {{"space", list(vector(3, "m"), 2), "Points of the curve in space.", true},
                         {"speed", list(vector(2), 2), "Pairs [time in s, arc length in m], times rising.", true}});
  return mapping("a script", {{"body", text(), "Name of a scripted body.", true},
                              {"path", path, "Where the body goes and when."},
                              {"turn", list(tuple({number("s"), quaternion()}), 1),
                               "Pairs [time in s, orientation as w, x, y, z], times rising."}});
}

Spec trigger_spec() {
  std::vector<Field> fields = {{"name", text(), "Unique among triggers.", true},
                               {"shape", reference("shape"), "The volume.", true}};
  for (Field& field : pose_fields()) fields.push_back(std::move(field));
  return mapping("a trigger", std::move(fields), {orientation_alternatives()});
}

Spec rule_spec() {
  return mapping("a rule", {{"ignore", list(text(), 2, 2),
                             "Two groups or bodies that do not collide; twice the same: not among themselves.", true}});
}

Spec root_spec() {
  const Spec events =
      mapping("the events", {{"touching", positive("m"), "Bodies nearer than this touch.", false, "0.0001"},
                             {"proximity", positive("m"), "Bodies nearer than this are near.", false, "0.01"},
                             {"persistent", boolean(), "Whether contacts that persist are reported.", false, "false"},
                             {"timers", list(positive("s")), "Periods of timers.", false, "[]"}});
  const Spec time = mapping("the time", {{"step", positive("s"), "Length of a step.", false, "0.01"},
                                         {"duration", not_negative("s"), "Simulated time.", false, "10"}});
  return mapping(
      "a scene",
      {{"achilles", integer_in(kFormatVersion, kFormatVersion), "Version of the format.", true},
       {"name", text(), "Shown in reports."},
       {"source", text(), "Where the scene comes from; shown in reports."},
       {"gravity", vector(3, "m/s²"), "Acceleration of everything that can move.", false, "[0, 0, -9.81]"},
       {"time", time, "Step and duration."},
       {"method", reference("method"), "How the world is advanced: a name, or a mapping with the name and options.",
        false, MethodDescription{}.name},
       {"planar", word({"xy", "xz", "yz"}),
        "Motion in this plane and rotation about its normal only: locks the rest on every body."},
       {"materials",
        dictionary("each a material", reference("material"),
                   {{"pairs", list(reference("pair")), "Laws between two materials, instead of mixing."}}),
        "Materials by name. `default` is the one of bodies that name none; its values stand in where another material "
        "leaves a key out."},
       {"bodies", named_list("name", reference("body")), "What there is."},
       {"joints", named_list("name", reference("joint")), "What holds bodies together."},
       {"couplings", named_list("name", reference("coupling")), "Gears, mimic joints, fixed tendons."},
       {"sensors", named_list("name", reference("sensor")), "What is measured after every step."},
       {"scripts", named_list("body", reference("script")), "How scripted bodies move."},
       {"triggers", named_list("name", reference("trigger")), "Volumes that report what enters and leaves."},
       {"rules", list(reference("rule")), "Which bodies do not collide."},
       {"events", events,
        "Looks for all events of contact after every step; `{}` for the defaults. Touches and triggers are recorded "
        "anyway."}});
}

Format make_format() {
  Format format;
  format.definitions = {{"shape", shape_spec()},   {"compound_part", compound_part_spec()},
                        {"joint", joint_spec()},   {"joint_axis", joint_axis_spec()},
                        {"method", method_spec()}, {"material", material_spec()},
                        {"pair", pair_spec()},     {"body", body_spec()},
                        {"script", script_spec()}, {"trigger", trigger_spec()},
                        {"rule", rule_spec()},     {"coupling", coupling_spec()},
                        {"sensor", sensor_spec()}, {"visual", visual_spec()}};
  format.root = root_spec();
  return format;
}

}  // namespace

Spec repeat_spec() {
  Spec count = vector(3, "", {1});
  count.is_integral = true;
  const Spec ring =
      mapping("a ring", {{"count", integer_in(1, kMostCopies), "How many.", true},
                         {"radius", not_negative("m"), "Of the circle about `position` on which they stand.", true},
                         {"plane", word({"xy", "xz", "yz"}),
                          "Plane of the circle. It starts on the first axis, towards the second.", false, "xy"},
                         {"step", number("rad"), "From one to the next.", false, "a full turn / count"},
                         {"turn", boolean(), "Whether each is turned with the circle.", false, "true"}});
  const Spec curve = mapping(
      "a curve",
      {{"through", list(vector(3, "m"), 2), "Points of the curve, relative to `position`: a cubic spline.", true},
       {"count", integer_in(1, kMostCopies), "How many, from end to end; or give spacing."},
       {"spacing", positive("m"), "From one to the next along the curve; or give count."},
       {"turn", boolean(), "Whether each is turned so that its x axis points along the curve.", false, "true"}},
      {{{"count", "spacing"}, true}});
  return mapping(
      "a repetition",
      {{"count", std::move(count), "A lattice: how many along x, y and z; copies are named name[i,j,k]."},
       {"spacing", vector(3, "m"), "Of a lattice: from one to the next along x, y and z (world axes)."},
       {"stagger", vector(3, "m"),
        "Of a lattice: moves every other row, as in a brick wall: a body is moved by this where the sum of its indices "
        "along the axes that stagger leaves alone is odd.",
        false, "[0, 0, 0]"},
       {"ring", ring, "A ring: copies name[i] on a circle."},
       {"curve", curve, "A curve: copies name[i] along it."}},
      {{{"count", "ring", "curve"}, true}});
}

Spec color() { return vector(4, "", {0, 1}); }

std::vector<Field> pose_fields() {
  std::vector<Field> orders;
  for (const char* order : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}) {
    orders.push_back({order, vector(3, "rad"),
                      fmt::format("R = R{}(a) R{}(b) R{}(c) for [a, b, c].", order[0], order[1], order[2])});
  }
  const std::vector<std::string> names = names_of(orders);
  const Spec euler = mapping("Euler angles", std::move(orders), {{names, true}});
  const Spec axis_angle = mapping("a rotation", {{"axis", direction(), "Axis of the rotation.", true},
                                                 {"angle", number("rad"), "Angle, right-handed.", true}});
  return {{"position", vector(3, "m"), "Of the frame the shape is written in.", false, "[0, 0, 0]"},
          {"orientation", quaternion(), "Unit quaternion w, x, y, z.", false, "[1, 0, 0, 0]"},
          {"euler", euler, "Orientation as three turns about body axes, one after the other."},
          {"axis_angle", axis_angle, "Orientation as one turn."}};
}

Alternatives orientation_alternatives() { return {{"orientation", "euler", "axis_angle"}, false}; }

const Format& scene_format() {
  static const Format format = make_format();
  return format;
}

}  // namespace achilles::scene_file
