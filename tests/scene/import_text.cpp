#include "scene/import_text.hpp"

#include "scene/dump_scene.hpp"

#include <algorithm>
#include <stdexcept>

namespace achilles {
namespace {

template <typename List>
const auto& find_named(const List& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  if (found == list.end()) throw std::out_of_range("there is nothing named " + name);
  return *found;
}

}  // namespace

std::string import_errors_of(const std::string& text, const ImportOptions& options) {
  try {
    (void)import_robot_text(text, "test.xml", options);
    return {};
  } catch (const SceneError& error) {
    std::string all;
    for (const Diagnostic& diagnostic : error.diagnostics()) all += diagnostic.text() + "\n";
    return all;
  }
}

std::string import_warnings_of(const Scene& scene) {
  std::string all;
  for (const Diagnostic& warning : scene.warnings) all += warning.text() + "\n";
  return all;
}

const BodyDescription& body_of(const Scene& scene, const std::string& name) { return find_named(scene.bodies, name); }
const JointDescription& joint_of(const Scene& scene, const std::string& name) { return find_named(scene.joints, name); }

TotalMass total_mass_of(const Scene& scene, const Vec3& about) {
  TotalMass total;
  for (const BodyDescription& body : scene.bodies) {
    if (body.kind != BodyKind::kDynamic) continue;
    const double mass = body.mass.value();
    const Vec3 center = body.pose.p + body.pose.q * body.center.value_or(Vec3::Zero());
    const Mat3 R = body.pose.q.toRotationMatrix();
    const Vec3 d = center - about;
    total.mass += mass;
    total.center += mass * center;
    total.inertia +=
        R * body.inertia.value() * R.transpose() + mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  total.center /= total.mass;
  return total;
}

std::string round_trip_difference(const Scene& scene) {
  const std::string first = first_difference(dump_scene(scene), dump_scene(parse_scene(scene.text, scene.file)));
  if (!first.empty()) return first;
  const Scene moved = parse_scene(move_scene_text(scene, "somewhere/else"), "somewhere/else/scene.yaml");
  return scene.bodies.size() == moved.bodies.size() ? std::string() : "the moved scene has other bodies";
}

}  // namespace achilles
