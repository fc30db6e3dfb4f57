// The keys of couplings, sensors and what is seen.
#include "scene/format/format.hpp"

#include <utility>

namespace achilles::scene_file {
namespace {

Field axis_index() {
  return {"axis", integer_in(0, 1), "Which free axis of the joint, for those that have two.", false, "0"};
}

}  // namespace

Spec coupling_spec() {
  const Spec term = mapping("a term", {{"joint", text(), "Name of a joint with a free axis.", true},
                                       axis_index(),
                                       {"coefficient", number(), "Factor of its position.", true}});
  return mapping("a coupling",
                 {{"name", text(), "Unique among couplings.", true},
                  {"joints", list(text(), 2, 2),
                   "Follower and leader: position of the first = ratio · position of the second + offset."},
                  {"ratio", number(), "Of `joints`.", false, "1"},
                  {"terms", list(term, 1), "The sum of coefficient · position is kept at the offset."},
                  {"offset", number("rad or m"), "Positions count from the start.", false, "0"}},
                 {{{"joints", "terms"}, true}});
}

Spec sensor_spec() {
  Spec spec;
  spec.kind = Spec::Kind::kTagged;
  spec.name = "a sensor";
  spec.tag = "kind";
  spec.fields = {{"name", text(), "Unique among sensors.", true}};
  const std::vector<Field> of_joint = {{"joint", text(), "Name of a joint with a free axis.", true}, axis_index()};
  const Field body{"body", text(), "Name of the body.", true};
  std::vector<Field> placed = {body};
  for (Field& field : pose_fields()) placed.push_back(std::move(field));
  placed[1].meaning = "Of the sensor in the body's frame.";
  std::vector<Field> ray = placed;
  ray.push_back({"direction", direction(), "In the sensor's axes.", false, "[1, 0, 0]"});
  ray.push_back({"range", positive("m"), "Where it sees nothing up to there, it reads that.", false, "10"});
  const std::vector<Alternatives> turned = {orientation_alternatives()};
  spec.variants = {
      {"joint_position", "Along the axis [rad] or [m], 0 at the start.", of_joint},
      {"joint_velocity", "[rad/s] or [m/s]", of_joint},
      {"joint_torque", "What motor or drive do along the axis [N m] or [N].", of_joint},
      {"imu",
       "Proper acceleration [m/s²] and angular rate [rad/s] in the sensor's axes: at rest it reads g upwards, in free "
       "fall 0.",
       placed, turned},
      {"contact_force", "Sum of the contact forces on the body [N], world axes.", {body}},
      {"touch", "Sum of the normal contact forces on the body [N].", {body}},
      {"frame",
       "Position [m], orientation (w, x, y, z), velocity [m/s] and angular velocity [rad/s] of the sensor in the "
       "world.",
       placed, turned},
      {"distance_ray", "Distance to the next other body along a ray [m].", ray, turned},
  };
  return spec;
}

Spec visual_spec() {
  std::vector<Field> fields = {{"shape", reference("shape"), "What is seen; it neither collides nor weighs.", true}};
  for (Field& field : pose_fields()) fields.push_back(std::move(field));
  fields[1].meaning = "Of the part in the body's frame.";
  fields.push_back({"color", color(), "Red, green, blue and opacity, from 0 to 1.", false, "the body's"});
  return mapping("a visual", std::move(fields), {orientation_alternatives()});
}

}  // namespace achilles::scene_file
