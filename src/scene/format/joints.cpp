// The keys of joints.
#include "scene/format/format.hpp"

#include <utility>

namespace achilles::scene_file {
namespace {

struct AxisUnits {
  const char* position;
  const char* speed;
  const char* load;
  const char* load_key;
  const char* inertia;
};
constexpr AxisUnits kTurning{"rad", "rad/s", "N m", "max_torque", "kg m²"};
constexpr AxisUnits kSliding{"m", "m/s", "N", "max_force", "kg"};

/// A number, or pairs of a time and a number.
Spec schedule(const char* unit) { return either({number(unit), list(tuple({number("s"), number(unit)}), 1)}); }

Spec drive_spec(const AxisUnits& units) {
  const std::string load = units.load;
  return mapping(
      "a drive",
      {{"force", schedule(units.load), "Force or torque along the axis; or give speed or position."},
       {"speed", schedule(units.speed), "Speed it follows by damping · (speed − that of the axis)."},
       {"position", schedule(units.position),
        "Position it follows by stiffness · (position − that of the axis) + damping · (its rate − that of the axis). "
        "Pairs [time, value] are joined by straight lines."},
       {"stiffness", not_negative(load + "/" + units.position), "Gain of a position.", false, "0"},
       {"damping", not_negative(load + "/(" + units.speed + ")"), "Gain of a speed or of the rate of a position.",
        false, "0"},
       {"max_force", not_negative(load), "The most it can do; no limit unless given."},
       {"max_rate", positive("1/s of the target"), "How fast the target is followed, from 0 at the start."}},
      {{{"force", "speed", "position"}, true}});
}

std::vector<Field> axis_fields(const AxisUnits& units) {
  const std::string load = units.load;
  const Spec motor = mapping("a motor",
                             {{"speed", number(units.speed), "Speed it tries to hold; or give position."},
                              {"position", number(units.position), "Position it tries to hold; or give speed."},
                              {units.load_key, not_negative(load), "The most it can do.", true}},
                             {{{"speed", "position"}, true}});
  const Spec spring =
      mapping("a spring", {{"stiffness", not_negative(load + "/" + units.position), "Of the spring.", true},
                           {"damping", not_negative(load + "/(" + units.speed + ")"), "Of the damper.", false, "0"},
                           {"rest", number(units.position), "Where the spring pulls to.", false, "0"}});
  return {{"axis", direction(), "World axes, at the start.", true},
          {"limits", vector(2, units.position), "Lower and upper end, 0 is the start."},
          {"motor", motor, "Drives the axis as hard as it takes, up to its limit."},
          {"drive", drive_spec(units), "Drives the axis by gains, or by a force."},
          {"armature", not_negative(units.inertia), "Inertia of a rotor that turns with the axis.", false, "0"},
          {"friction", not_negative(load), "Resists motion along the axis.", false, "0"},
          {"spring", spring, "Pulls towards a rest position."}};
}

std::vector<Field> with(const Field& first, const std::vector<Field>& rest) {
  std::vector<Field> all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Spec cone_spec() {
  return mapping("a reach cone",
                 {{"axis", direction(), "Of the cone, which the first body carries; world axes, at the start.", true},
                  {"limb", direction(), "Axis of the second body that stays in the cone.", false, "that of the cone"},
                  {"side", direction(), "In which the first half-angle counts."},
                  {"swing", either({positive("rad"), vector(2, "rad")}),
                   "Half-angle of the cone, or two of an elliptic one.", true},
                  {"twist", vector(2, "rad"), "Lower and upper end of the turn about the limb, 0 is the start."}});
}

Alternatives motor_or_drive() { return {{"motor", "drive"}, false}; }

}  // namespace

Spec joint_axis_spec() { return mapping("an axis of a joint", axis_fields(kTurning), {motor_or_drive()}); }

Spec joint_spec() {
  Spec second = vector(3);
  second.is_integral = true;
  Spec spec;
  spec.kind = Spec::Kind::kTagged;
  spec.name = "a joint";
  spec.tag = "kind";
  spec.fields = {
      {"name", text(), "Unique among joints.", true},
      {"between", list(text(), 2, 2), "Names of the two bodies; `world` is the ground, which needs no body.", true},
      {"frame", text(), "Name of a body in whose frame at the start anchors and axes are written.", false, "world"},
      {"compliance", not_negative("m/N"), "Softness of the joint itself.", false, "0"},
      {"compliance_damping", not_negative("N s/m"), "Of the same rows as the compliance, which it needs.", false, "0"},
      {"repeat", repeat_spec(),
       "Makes copies, as of bodies, with `at` in the place of `position`; axes turn along. A body of `between` that is "
       "repeated, too, lends the copy with the same indices."},
      {"second", std::move(second),
       "Added to the indices of the second body of each copy: [1, 0, 0] joins each body to the next. Copies whose "
       "second body would lie beyond the last are left out.",
       false, "[0, 0, 0]"},
      {"collide", boolean(), "Whether the two bodies collide with each other.", false, "false"},
  };
  const Field at{"at", vector(3, "m"), "Anchor, in world coordinates at the start.", true};
  Field optional_at = at;
  optional_at.required = false;
  optional_at.standard = "[0, 0, 0]";
  const Field axes{"axes", list(reference("joint_axis"), 2, 2), "The two axes, of the first and of the second body.",
                   true};
  const Field normal{"axis", direction(), "Normal of the plane, world axes, at the start.", true};
  spec.variants = {
      {"ball",
       "A point in common.",
       {at,
        {"cone", cone_spec(), "How far the second body may swing and twist; the coordinates 0 and 1 of the joint."}}},
      {"hinge", "A point and an axis in common.", with(at, axis_fields(kTurning)), {motor_or_drive()}},
      {"slider", "Motion along an axis, no rotation.", with(optional_at, axis_fields(kSliding)), {motor_or_drive()}},
      {"hinge2", "Two hinges in a row, as of a steered wheel.", {at, axes}},
      {"universal", "Two crossed hinges, as of a drive shaft.", {at, axes}},
      {"fixed", "No motion.", {optional_at}},
      {"planar", "Motion in a plane, rotation about its normal.", {optional_at, normal}},
      {"distance",
       "Two points at a constant distance.",
       {at,
        {"at_second", vector(3, "m"), "Anchor on the second body, in world coordinates at the start.", true},
        {"length", positive("m"), "The distance kept.", false, "that of the start"}}},
  };
  return spec;
}

}  // namespace achilles::scene_file
