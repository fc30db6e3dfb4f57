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
};
constexpr AxisUnits kTurning{"rad", "rad/s", "N m", "max_torque"};
constexpr AxisUnits kSliding{"m", "m/s", "N", "max_force"};

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
          {"motor", motor, "Drives the axis."},
          {"friction", not_negative(load), "Resists motion along the axis.", false, "0"},
          {"spring", spring, "Pulls towards a rest position."}};
}

std::vector<Field> with(const Field& first, const std::vector<Field>& rest) {
  std::vector<Field> all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Spec joint_axis_spec() { return mapping("an axis of a joint", axis_fields(kTurning)); }

Spec joint_spec() {
  Spec spec;
  spec.kind = Spec::Kind::kTagged;
  spec.name = "a joint";
  spec.tag = "kind";
  spec.fields = {
      {"name", text(), "Unique among joints.", true},
      {"between", list(text(), 2, 2), "Names of the two bodies.", true},
      {"compliance", not_negative("m/N"), "Softness of the joint itself.", false, "0"},
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
      {"ball", "A point in common.", {at}},
      {"hinge", "A point and an axis in common.", with(at, axis_fields(kTurning))},
      {"slider", "Motion along an axis, no rotation.", with(optional_at, axis_fields(kSliding))},
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
