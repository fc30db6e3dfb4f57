#include "scene/format/format.hpp"

#include "time_control/method.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace achilles::scene_file {
namespace {

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
      {"anisotropy", vector(2, "", {0}), "Friction along the body's x and y axes, where it depends on direction."},
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

Spec repeat_spec() {
  Spec count = vector(3, "", {1});
  count.is_integral = true;
  return mapping(
      "a repetition",
      {{"count", std::move(count), "How many along x, y and z.", true},
       {"spacing", vector(3, "m"), "From one to the next along x, y and z (world axes).", true},
       {"stagger", vector(3, "m"),
        "Moves every other row, as in a brick wall: a body is moved by this where the sum of its indices along "
        "the axes that stagger leaves alone is odd.",
        false, "[0, 0, 0]"}});
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
      {"shape", reference("shape"), "One key that names the kind, with its measures.", true},
      {"mass", positive("kg"), "Mass; or give density."},
      {"density", positive("kg/m³"), "Density; or give mass.", false, "1000"},
      {"inertia", either({vector(3, "kg m²"), list(vector(3, "kg m²"), 3, 3)}),
       "About the centre of mass, body axes: three principal moments or a symmetric matrix. It follows from the shape "
       "unless given."},
      {"center", vector(3, "m"), "Centre of mass in the body's frame, where the shape's own is not meant."},
  };
  for (auto&& part : {pose_fields(), motion_fields()}) fields.insert(fields.end(), part.begin(), part.end());
  const std::vector<Field> rest = {
      {"material", text(), "Name of a material.", false, "default"},
      {"lock", std::move(lock),
       "Degrees of freedom the body does not have: translation along, rotation about world axes.", false, "[]"},
      {"rotation", either({word({"finite", "infinitesimal"}), partial}),
       "How the orientation follows the spin over a step; `{partial: axis}` turns exactly about one body axis.", false,
       "finite"},
      {"group", text(), "Name for `rules`.", false, "the body's name"},
      {"repeat", repeat_spec(), "Makes a lattice of bodies named name[i,j,k], indices from 0."},
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
                             {"persistent", boolean(), "Whether what only goes on is told, too.", false, "false"},
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
        false, "lcp-fixed"},
       {"planar", word({"xy", "xz", "yz"}),
        "Motion in this plane and rotation about its normal only: locks the rest on every body."},
       {"materials",
        dictionary("each a material", reference("material"),
                   {{"pairs", list(reference("pair")), "Laws between two materials, instead of mixing."}}),
        "Materials by name. `default` is the one of bodies that name none; its values stand in where another material "
        "leaves a key out."},
       {"bodies", named_list("name", reference("body")), "What there is."},
       {"joints", named_list("name", reference("joint")), "What holds bodies together."},
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
                        {"rule", rule_spec()}};
  format.root = root_spec();
  return format;
}

}  // namespace

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
