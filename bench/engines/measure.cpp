#include "engines/measure.hpp"

#include "collision/detect.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

namespace achilles::bench {
namespace {

/// Pairs of bodies that a joint lets pass through each other.
std::vector<IgnoredPair> list_joined(const Scene& scene) {
  std::unordered_map<std::string, std::uint32_t> index;
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) index[scene.bodies[i].name] = i;
  std::vector<IgnoredPair> joined;
  for (const JointDescription& joint : scene.joints) {
    const std::uint32_t a = index.at(joint.first), b = index.at(joint.second);
    if (!joint.collide) joined.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(joined.begin(), joined.end());
  return joined;
}

void measure_depth(const Scene& scene, const Engine& engine, Measured& result) {
  std::vector<std::vector<GeometryPiece>> pieces;
  std::vector<Collider> colliders;
  for (const BodyDescription& body : scene.bodies) pieces.push_back(make_geometry(body.shape));
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    for (const GeometryPiece& piece : pieces[i]) {
      colliders.push_back({piece.geometry.get(), to_transform(engine.pose(i)) * to_transform(piece.pose), i, 0,
                           scene.bodies[i].kind == BodyKind::kDynamic});
    }
  }
  const std::vector<IgnoredPair> joined = list_joined(scene);
  DetectWorkspace scratch;
  ContactSet contacts;
  detect_contacts(colliders, joined, DetectOptions{}, scratch, contacts);
  std::size_t count = 0;
  for (const Contact& contact : contacts.contacts) {
    const Collider &a = colliders[contact.collider_a], &b = colliders[contact.collider_b];
    const double depth = -compute_signed_distance(*a.geometry, a.X_WG, *b.geometry, b.X_WG).distance;
    if (!(depth > 0)) continue;
    result.mean_depth += depth;
    result.max_depth = std::max(result.max_depth, depth);
    ++count;
  }
  if (count > 0) result.mean_depth /= static_cast<double>(count);
}

}  // namespace

Measured measure(const Scene& scene, Engine& engine) {
  std::vector<Vec3> before;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) before.push_back(engine.pose(i).p);
  engine.step();
  Measured result;
  int movable = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].kind != BodyKind::kDynamic) continue;
    const Vec3 p = engine.pose(i).p;
    result.finite = result.finite && p.allFinite();
    result.drift = std::max(result.drift, (p - scene.bodies[i].pose.p).norm());
    result.height += p.z();
    result.energy += 0.5 * ((p - before[i]) / scene.step).squaredNorm();
    ++movable;
  }
  result.height /= std::max(movable, 1);
  result.energy /= std::max(movable, 1);
  if (result.finite) measure_depth(scene, engine, result);
  return result;
}

}  // namespace achilles::bench
