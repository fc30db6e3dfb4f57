// Joints that tests write in code.
#pragma once

#include "support/scenes.hpp"

#include <string>
#include <vector>

namespace achilles::testing {

/// A fixed body to hang things on.
inline BodyDescription make_anchor(const Vec3& at = Vec3::Zero()) {
  BodyDescription anchor = make_body("anchor", {Sphere{0.01}}, at);
  anchor.kind = BodyKind::kFixed;
  return anchor;
}

inline JointDescription make_joint(JointKind kind, const std::string& first, const std::string& second, const Vec3& at,
                                   const std::vector<Vec3>& axes = {}) {
  JointDescription joint;
  joint.name = first + "-" + second;
  joint.kind = kind;
  joint.first = first;
  joint.second = second;
  joint.at = at;
  for (const Vec3& axis : axes) {
    joint.axes.emplace_back();
    joint.axes.back().axis = axis;
  }
  return joint;
}

/// A bob of radius 0.05 a metre beside the anchor at the origin that it hangs on.
inline void hang_bob(Scene& scene) {
  scene.bodies = {make_anchor(), make_body("bob", {Sphere{0.05}}, Vec3(1, 0, 0))};
  scene.joints = {make_joint(JointKind::kBall, "anchor", "bob", Vec3::Zero())};
}

}  // namespace achilles::testing
