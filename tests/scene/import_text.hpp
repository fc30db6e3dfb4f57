// Robot files written in a test, and what the reader says about them.
#pragma once

#include <achilles/import.hpp>
#include <achilles/scene.hpp>

#include <string>
#include <vector>

namespace achilles {

/// All that is wrong with a robot file, one message per line; empty when it can be used.
[[nodiscard]] std::string import_errors_of(const std::string& text, const ImportOptions& options = {});
/// All warnings of a robot file, one per line.
[[nodiscard]] std::string import_warnings_of(const Scene& scene);

/// The body, joint or coupling of that name. Throws std::out_of_range when there is none.
[[nodiscard]] const BodyDescription& body_of(const Scene& scene, const std::string& name);
[[nodiscard]] const JointDescription& joint_of(const Scene& scene, const std::string& name);

/// Mass of all bodies that can move, their common centre, and their inertia about a point, world axes.
struct TotalMass {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the point asked for
};
[[nodiscard]] TotalMass total_mass_of(const Scene& scene, const Vec3& about = Vec3::Zero());

/// Whether the scene reads the same again from its own text, also when that is written for another folder; what
/// differs.
[[nodiscard]] std::string round_trip_difference(const Scene& scene);

}  // namespace achilles
