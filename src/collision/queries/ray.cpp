#include "collision/queries/ray.hpp"

#include "geometry/distance_map_geometry.hpp"
#include "geometry/heightfield_geometry.hpp"
#include "geometry/mesh_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The part of a line that lies in a convex set: from t = enter, where the surface has the normal, to t = leave.
struct Chord {
  double enter = -kInfinity;
  double leave = kInfinity;
  Vec3 normal = Vec3::Zero();

  [[nodiscard]] bool is_empty() const { return !(enter <= leave); }
};

Chord no_chord() { return {kInfinity, -kInfinity, Vec3::Zero()}; }

/// Keeps what lies where normal·x ≤ offset.
void clip(const Vec3& origin, const Vec3& direction, const Vec3& normal, double offset, Chord& chord) {
  const double speed = normal.dot(direction);
  const double room = offset - normal.dot(origin);
  if (speed == 0) {
    if (room < 0) chord = no_chord();
  } else if (speed > 0) {
    chord.leave = std::min(chord.leave, room / speed);
  } else if (room / speed > chord.enter) {
    chord.enter = room / speed;
    chord.normal = normal;
  }
}

/// Where a t² + 2 b t + c ≤ 0 for a > 0.
Chord solve_between_roots(double a, double b, double c) {
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return no_chord();
  const double root = std::sqrt(discriminant);
  // The larger root in magnitude has no cancellation; the other one follows from their product.
  const double q = b > 0 ? -(b + root) : root - b;
  if (q == 0) return {0, 0, Vec3::Zero()};
  return b > 0 ? Chord{q / a, c / q, Vec3::Zero()} : Chord{c / q, q / a, Vec3::Zero()};
}

Chord chord_of_ball(const Vec3& o, const Vec3& d, const Vec3& center, double radius) {
  const Vec3 r = o - center;
  Chord chord = solve_between_roots(1, r.dot(d), r.squaredNorm() - radius * radius);
  if (!chord.is_empty()) chord.normal = (r + chord.enter * d).normalized();
  return chord;
}

/// The infinite cylinder about z.
Chord chord_of_tube(const Vec3& o, const Vec3& d, double radius) {
  const Vec2 across = d.head<2>();
  const double c = o.head<2>().squaredNorm() - radius * radius;
  if (across.squaredNorm() == 0) return c <= 0 ? Chord{} : no_chord();
  Chord chord = solve_between_roots(across.squaredNorm(), o.head<2>().dot(across), c);
  if (!chord.is_empty()) {
    chord.normal << o.head<2>() + chord.enter * across, 0;
    chord.normal.normalize();
  }
  return chord;
}

/// One nappe of the infinite cone with its apex at the origin: |x, y| ≤ slope z', z' = −z ≥ 0.
Chord chord_of_nappe(const Vec3& o, const Vec3& d, double slope) {
  const double slope2 = slope * slope;
  const double a = d.head<2>().squaredNorm() - slope2 * d.z() * d.z();
  const double b = o.head<2>().dot(d.head<2>()) - slope2 * o.z() * d.z();
  const double c = o.head<2>().squaredNorm() - slope2 * o.z() * o.z();
  Chord chord;
  if (a > 0) {
    chord = solve_between_roots(a, b, c);
    if (chord.is_empty() || o.z() + 0.5 * (chord.enter + chord.leave) * d.z() > 0) return no_chord();
  } else {
    // Steeper than the cone: inside one nappe before the first root and inside the other after the second.
    const double root = std::sqrt(std::max(0.0, b * b - a * c));
    const double q = b > 0 ? -(b + root) : root - b;
    const bool single = a == 0 || q == 0;
    const double t1 = q == 0 ? 0 : c / q;
    const double t2 = single ? t1 : q / a;
    if (d.z() < 0) {
      chord.enter = std::max(t1, t2);
    } else {
      chord.leave = std::min(t1, t2);
    }
  }
  if (std::isfinite(chord.enter)) {
    const Vec3 x = o + chord.enter * d;
    const Vec3 gradient(x.x(), x.y(), -slope2 * x.z());
    chord.normal = gradient.squaredNorm() > 0 ? Vec3(gradient.normalized()) : Vec3(Vec3::UnitZ());
  }
  return chord;
}

/// The chord of a line o + t d, |d| = 1, in a bounded solid in its own frame.
struct ChordFinder {
  Vec3 o, d;

  Chord operator()(const SphereGeometry& sphere) const { return chord_of_ball(o, d, Vec3::Zero(), sphere.radius); }
  Chord operator()(const BoxGeometry& box) const {
    Chord chord;
    for (Eigen::Index k = 0; k < 3; ++k) {
      clip(o, d, Vec3::Unit(k), box.half[k], chord);
      clip(o, d, -Vec3::Unit(k), box.half[k], chord);
    }
    return chord;
  }
  Chord operator()(const CapsuleGeometry& capsule) const {
    const Vec3 end(0, 0, capsule.half_length);
    Chord middle = chord_of_tube(o, d, capsule.radius);
    clip(o, d, Vec3::UnitZ(), capsule.half_length, middle);
    clip(o, d, -Vec3::UnitZ(), capsule.half_length, middle);
    // A line meets a convex set in one piece: what the three parts have of it joins up.
    Chord chord = no_chord();
    for (const Chord& part :
         {chord_of_ball(o, d, end, capsule.radius), chord_of_ball(o, d, -end, capsule.radius), middle}) {
      if (part.is_empty()) continue;
      if (part.enter < chord.enter) {
        chord.enter = part.enter;
        chord.normal = part.normal;
      }
      chord.leave = std::max(chord.leave, part.leave);
    }
    return chord;
  }
  Chord operator()(const CylinderGeometry& cylinder) const {
    Chord chord = chord_of_tube(o, d, cylinder.radius);
    clip(o, d, Vec3::UnitZ(), cylinder.half_height, chord);
    clip(o, d, -Vec3::UnitZ(), cylinder.half_height, chord);
    return chord;
  }
  Chord operator()(const ConeGeometry& cone) const {
    const Vec3 from_apex = o - Vec3(0, 0, cone.half_height);
    Chord chord = chord_of_nappe(from_apex, d, 0.5 * cone.radius / cone.half_height);
    clip(o, d, -Vec3::UnitZ(), cone.half_height, chord);
    return chord;
  }
  Chord operator()(const PlaneGeometry& plane) const {
    Chord chord;
    clip(o, d, plane.normal, plane.offset, chord);
    return chord;
  }
  Chord operator()(const std::shared_ptr<const HullGeometry>& hull) const {
    Chord chord;
    for (std::size_t f = 0; f < hull->face_normals.size() && !chord.is_empty(); ++f) {
      clip(o, d, hull->face_normals[f], hull->face_offsets[f], chord);
    }
    return chord;
  }
  template <class Surface>
  Chord operator()(const Surface&) const {
    throw std::logic_error("ray cast: a surface has no chord");
  }
};

template <class Surface>
std::optional<RayContact> meet_surface(const Surface& surface, const Vec3& o, const Vec3& d, double limit) {
  const std::optional<RayHit> hit = cast_ray(surface, Ray{o, d}, limit);
  if (!hit || hit->t > limit) return std::nullopt;
  const Vec3 normal = surface.triangle(hit->triangle).normal;
  return RayContact{hit->t, normal.dot(d) > 0 ? Vec3(-normal) : normal};
}

}  // namespace

std::optional<RayContact> intersect_ray(const Geometry& geometry, const Transform& X_WG, const QueryRay& ray_W) {
  const Vec3 o = X_WG.to_local(ray_W.origin);
  const Vec3 d = X_WG.R.transpose() * ray_W.direction;
  std::optional<RayContact> found;
  if (const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&geometry.kind)) {
    found = meet_surface(**mesh, o, d, ray_W.limit);
  } else if (const auto* field = std::get_if<std::shared_ptr<const HeightfieldGeometry>>(&geometry.kind)) {
    found = meet_surface(**field, o, d, ray_W.limit);
  } else if (const auto* map = std::get_if<std::shared_ptr<const DistanceMapGeometry>>(&geometry.kind)) {
    found = meet_surface((*map)->mesh, o, d, ray_W.limit);
  } else {
    const double ahead = std::isfinite(geometry.radius) ? -o.dot(d) : 0;
    const Chord chord = std::visit(ChordFinder{o + ahead * d, d}, geometry.kind);
    const double enter = chord.enter + ahead;
    if (!chord.is_empty() && chord.leave + ahead >= 0 && enter <= ray_W.limit) {
      found = enter >= 0 ? RayContact{enter, chord.normal} : RayContact{0, -d};
    }
  }
  if (found) found->normal = X_WG.R * found->normal;
  return found;
}

}  // namespace achilles
