#include "collision/contact/reuse.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kShareOfRadius = 0.01;

bool is_worth_keeping(const Geometry& geometry) {
  return !std::holds_alternative<SphereGeometry>(geometry.kind) &&
         !std::holds_alternative<PlaneGeometry>(geometry.kind);
}

/// The larger geometry is the reference: the motion of the smaller one in its frame is what matters.
bool reference_is_b(const Collider& a, const Collider& b) { return b.geometry->radius > a.geometry->radius; }

void store(const Vec3& x, double (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] = x[k];
}
Vec3 load(const double (&from)[3]) { return {from[0], from[1], from[2]}; }

}  // namespace

double manifold_reuse_distance(const Collider& a, const Collider& b, double distance) {
  if (!is_worth_keeping(*a.geometry) || !is_worth_keeping(*b.geometry)) return 0;
  return std::min(distance, kShareOfRadius * std::min(a.geometry->radius, b.geometry->radius));
}

bool still_holds(const KeptManifold& kept, const Collider& a, const Collider& b, double limit) {
  const bool swapped = reference_is_b(a, b);
  const Collider &reference = swapped ? b : a, &other = swapped ? a : b;
  const double farther = std::max(0.0, a.reach + b.reach - kept.reach);
  const Vec3 p = reference.X_WG.to_local(other.X_WG.p);
  const double moved = (p - load(kept.p)).norm() + farther;
  if (!(moved <= limit)) return false;
  const Mat3 R = reference.X_WG.R.transpose() * other.X_WG.R;
  double squared = 0;
  for (int k = 0; k < 9; ++k) {
    const double change = R.data()[k] - static_cast<double>(kept.R[k]);
    squared += change * change;
  }
  // |R − R₀| = √8 sin(θ/2), and the farthest point goes 2 r sin(θ/2).
  return moved + std::sqrt(0.5 * squared) * other.geometry->radius <= limit;
}

void place_kept(std::span<const KeptPoint> points, const Collider& a, const Collider& b, ContactPoint* to) {
  for (const KeptPoint& point : points) {
    const Vec3 x_A = a.X_WG * load(point.on_a), x_B = b.X_WG * load(point.on_b);
    const Vec3 normal = (point.reference_is_b != 0 ? b : a).X_WG.R * load(point.normal);
    *to++ = {0.5 * (x_A + x_B), normal, normal.dot(x_B - x_A), point.feature};
  }
}

KeptManifold keep(const Contact& contact, std::span<const ContactPoint> points, const Collider& a, const Collider& b,
                  std::size_t number, KeptPoint* to) {
  const bool swapped = reference_is_b(a, b);
  const Collider &reference = swapped ? b : a, &other = swapped ? a : b;
  KeptManifold kept;
  kept.collider_a = contact.collider_a;
  kept.collider_b = contact.collider_b;
  kept.first = static_cast<std::uint32_t>(number);
  kept.count = static_cast<std::uint32_t>(points.size());
  kept.reach = a.reach + b.reach;
  store(reference.X_WG.to_local(other.X_WG.p), kept.p);
  const Mat3 R = reference.X_WG.R.transpose() * other.X_WG.R;
  for (int k = 0; k < 9; ++k) kept.R[k] = static_cast<float>(R.data()[k]);
  for (const ContactPoint& point : points) {
    const Vec3 half = 0.5 * point.gap * point.normal;
    store(a.X_WG.to_local(point.position - half), to->on_a);
    store(b.X_WG.to_local(point.position + half), to->on_b);
    store(reference.X_WG.R.transpose() * point.normal, to->normal);
    to->feature = point.feature;
    to->reference_is_b = swapped ? 1 : 0;
    ++to;
  }
  return kept;
}

}  // namespace achilles
