#include "time_control/soft_step/pack_contacts.hpp"

#include "math/refill.hpp"
#include "math/tangents.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

constexpr float kFar = 1e10f;  // [m] gap of a point that is not there

std::int32_t claim_slot(const BodyArrays& bodies, std::uint32_t body, SoftWorkspace& soft) {
  if (bodies.kind[body] == BodyKind::kFixed) return 0;
  std::int32_t& slot = soft.slot_of[body];
  if (slot == 0) {
    slot = static_cast<std::int32_t>(soft.body_of.size());
    soft.body_of.push_back(body);
  }
  return slot;
}

void store(const Vec3& value, Lane (&lanes)[3], std::size_t lane) {
  for (int k = 0; k < 3; ++k) lanes[k][lane] = static_cast<float>(value[k]);
}

void store(const Mat3& m, Lane (&lanes)[6], std::size_t lane) {
  const double values[6] = {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  for (int k = 0; k < 6; ++k) lanes[k][lane] = static_cast<float>(values[k]);
}

/// A contact as a damped spring, in impulses over a substep of length h [Catto11, p. 43].
struct Softness {
  double bias_rate, mass_scale, impulse_scale;
};

Softness make_softness(double frequency, double damping, double h) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double a1 = 2 * damping + h * omega;
  const double a2 = h * omega * a1;
  const double a3 = 1 / (1 + a2);
  return {omega / a1, a2 * a3, a3};
}

/// The two bodies of a manifold and what an impulse does to them.
struct Pair {
  const BodyInverseMass& a;
  const BodyInverseMass& b;
  Vec3 position_a, position_b;

  /// Velocity along `to` at the arms per impulse along `from`.
  [[nodiscard]] double response(const Vec3& from, const Vec3& to, const Vec3& arm_a, const Vec3& arm_b) const {
    return to.dot(a.linear.cwiseProduct(from) + (a.angular * arm_a.cross(from)).cross(arm_a) +
                  b.linear.cwiseProduct(from) + (b.angular * arm_b.cross(from)).cross(arm_b));
  }
};

double invert(double value) { return value > 0 ? 1 / value : 0; }

class Packer {
 public:
  Packer(const World& world, const SoftStepOptions& options, double h, StepWorkspace& scratch)
      : world_(world), options_(options), scratch_(scratch), soft_(scratch.soft) {
    // Stiffer than that, pyramids never come to rest: a sweep per substep does not converge that fast.
    const double frequency = std::min(options.frequency, 1 / (7 * h));
    between_ = make_softness(frequency, options.damping, h);
    // What is held by the ground may be stiffer.
    grounded_ = make_softness(2 * frequency, options.damping, h);
    share_ = 1.0 / options.substeps;
  }

  void pack(std::uint32_t index, ContactLanes& c, std::size_t lane) {
    const SoftManifold& manifold = soft_.manifolds[index];
    const Contact& contact = scratch_.contacts.contacts[manifold.contact];
    const Pair pair{scratch_.inverse_mass[contact.body_a], scratch_.inverse_mass[contact.body_b],
                    world_.bodies.position[contact.body_a], world_.bodies.position[contact.body_b]};
    const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                                 scratch_.colliders[contact.collider_b].material);
    pack_pair(contact, pair, law, c, lane);
    const Vec3 normal = scratch_.contacts.points[manifold.first].normal;
    const auto [t1, t2] = make_tangents(normal);
    store(normal, c.normal, lane);
    store(t1, c.tangent[0], lane);
    store(t2, c.tangent[1], lane);
    pack_points(manifold, contact, pair, normal, c, lane);
    pack_friction(manifold, pair, normal, law, c, lane);
  }

 private:
  void pack_pair(const Contact& contact, const Pair& pair, const ContactLaw& law, ContactLanes& c, std::size_t lane) {
    const bool moves_a = scratch_.movable[contact.body_a] != 0, moves_b = scratch_.movable[contact.body_b] != 0;
    c.slot_a[lane] = soft_.slot_of[contact.body_a];
    c.slot_b[lane] = soft_.slot_of[contact.body_b];
    c.writes_a[lane] = moves_a ? c.slot_a[lane] : 0;
    c.writes_b[lane] = moves_b ? c.slot_b[lane] : 0;
    store(pair.a.linear, c.inverse_mass_a, lane);
    store(pair.b.linear, c.inverse_mass_b, lane);
    store(pair.a.angular, c.inverse_inertia_a, lane);
    store(pair.b.angular, c.inverse_inertia_b, lane);
    const Softness& softness = moves_a && moves_b ? between_ : grounded_;
    c.bias_rate[lane] = static_cast<float>(softness.bias_rate);
    c.mass_scale[lane] = static_cast<float>(softness.mass_scale);
    c.impulse_scale[lane] = static_cast<float>(softness.impulse_scale);
    c.friction[lane] = static_cast<float>(law.friction);
    c.restitution[lane] = static_cast<float>(law.restitution);
  }

  void pack_points(const SoftManifold& manifold, const Contact& contact, const Pair& pair, const Vec3& normal,
                   ContactLanes& c, std::size_t lane) {
    tangent_warm_ = Vec3::Zero();
    twist_warm_ = 0;
    const Vec3 center = center_of(manifold);
    for (std::size_t k = 0; k < manifold.count; ++k) {
      const ContactPoint& point = scratch_.contacts.points[manifold.first + k];
      const Vec3 arm_a = point.position - pair.position_a, arm_b = point.position - pair.position_b;
      ContactLanes::Point& to = c.points[k];
      store(arm_a, to.arm_a, lane);
      store(arm_b, to.arm_b, lane);
      to.gap[lane] = static_cast<float>(point.gap);
      to.normal_mass[lane] = static_cast<float>(invert(pair.response(normal, normal, arm_a, arm_b)));
      const BodyVelocity &u_a = scratch_.velocity_before[contact.body_a],
                         &u_b = scratch_.velocity_before[contact.body_b];
      to.approach[lane] =
          static_cast<float>(normal.dot(u_b.linear + u_b.angular.cross(arm_b) - u_a.linear - u_a.angular.cross(arm_a)));
      if (!options_.warm_start) continue;
      const CachedPoint* cached =
          find_cached_point(world_.contact_cache, scratch_.matches[manifold.contact], point.feature,
                            contact_place(world_.bodies, contact, point.position), options_.margin);
      if (cached == nullptr) continue;
      const Vec3 impulse = share_ * cached->impulse;
      const double along = normal.dot(impulse);
      to.impulse[lane] = static_cast<float>(std::max(along, 0.0));
      tangent_warm_ += impulse - along * normal;
      twist_warm_ += normal.dot((point.position - center).cross(impulse));
    }
  }

  [[nodiscard]] Vec3 center_of(const SoftManifold& manifold) const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < manifold.count; ++k) sum += scratch_.contacts.points[manifold.first + k].position;
    return sum / static_cast<double>(manifold.count);
  }

  void pack_friction(const SoftManifold& manifold, const Pair& pair, const Vec3& normal, const ContactLaw& law,
                     ContactLanes& c, std::size_t lane) {
    const auto points = std::span(scratch_.contacts.points).subspan(manifold.first, manifold.count);
    const Vec3 center = center_of(manifold);
    double lever = 0;
    for (const ContactPoint& point : points) lever += (point.position - center).norm();
    lever /= static_cast<double>(points.size());
    const Vec3 arm_a = center - pair.position_a, arm_b = center - pair.position_b;
    store(arm_a, c.center_a, lane);
    store(arm_b, c.center_b, lane);
    const auto [t1, t2] = make_tangents(normal);
    const double k11 = pair.response(t1, t1, arm_a, arm_b), k22 = pair.response(t2, t2, arm_a, arm_b);
    const double k12 = pair.response(t1, t2, arm_a, arm_b);
    const double determinant = k11 * k22 - k12 * k12;
    // Bodies with locked axes may not slide along one of the tangents, or at all.
    const bool regular = determinant > 1e-9 * k11 * k22;
    const double masses[3] = {regular ? k22 / determinant : invert(k11), regular ? k11 / determinant : invert(k22),
                              regular ? -k12 / determinant : 0};
    for (int k = 0; k < 3; ++k) c.tangent_mass[k][lane] = static_cast<float>(masses[k]);
    c.twist_mass[lane] = static_cast<float>(invert(normal.dot((pair.a.angular + pair.b.angular) * normal)));
    // The patch resists turning like a ring of its mean radius.
    c.twist_reach[lane] = static_cast<float>(law.friction * lever + law.torsional_friction);
    c.twist_impulse[lane] = static_cast<float>(twist_warm_);
    c.tangent_impulse[0][lane] = static_cast<float>(t1.dot(tangent_warm_));
    c.tangent_impulse[1][lane] = static_cast<float>(t2.dot(tangent_warm_));
  }

  const World& world_;
  const SoftStepOptions& options_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  Softness between_{}, grounded_{};
  double share_ = 1;  // of a step's impulse in a substep
  // Friction of the last step, of the manifold that is being packed.
  Vec3 tangent_warm_ = Vec3::Zero();  // [N s]
  double twist_warm_ = 0;             // [N m s] about the normal
};

/// No contact in any lane.
ContactLanes make_empty_lanes() {
  ContactLanes empty{};
  for (ContactLanes::Point& point : empty.points) std::fill(std::begin(point.gap), std::end(point.gap), kFar);
  return empty;
}

}  // namespace

void list_manifolds(const World& world, StepWorkspace& scratch) {
  SoftWorkspace& soft = scratch.soft;
  soft.manifolds.clear();
  soft.edges.clear();
  soft.body_of.assign(1, 0);
  refill(soft.slot_of, world.bodies.size(), std::int32_t{0});
  for (std::uint32_t index = 0; index < scratch.contacts.contacts.size(); ++index) {
    const Contact& contact = scratch.contacts.contacts[index];
    if (scratch.movable[contact.body_a] == 0 && scratch.movable[contact.body_b] == 0) continue;
    claim_slot(world.bodies, contact.body_a, soft);
    claim_slot(world.bodies, contact.body_b, soft);
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const Vec3& normal = scratch.contacts.points[p].normal;
      const bool joins = p > contact.first && soft.manifolds.back().count < kPointsPerManifold &&
                         normal.dot(scratch.contacts.points[soft.manifolds.back().first].normal) > 1 - 1e-9;
      if (joins) {
        ++soft.manifolds.back().count;
      } else {
        soft.manifolds.push_back({index, p, 1});
        soft.edges.push_back({contact.body_a, contact.body_b});
      }
    }
  }
  color_edges(soft.edges, scratch.movable, soft.coloring);
}

void pack_contacts(const World& world, const SoftStepOptions& options, double h, StepWorkspace& scratch) {
  static const ContactLanes empty = make_empty_lanes();
  SoftWorkspace& soft = scratch.soft;
  const Coloring& coloring = soft.coloring;
  soft.start.clear();
  soft.lane_of.resize(soft.manifolds.size());
  std::uint32_t count = 0;
  for (std::size_t color = 0; color <= coloring.colors(); ++color) {
    soft.start.push_back(count);
    const std::span<const std::uint32_t> edges = coloring.edges_of(color);
    const bool overflow = color == coloring.colors();
    for (std::size_t k = 0; k < edges.size(); ++k) {
      soft.lane_of[edges[k]] = static_cast<std::uint32_t>(count * kLanes + (overflow ? k * kLanes : k));
    }
    count += static_cast<std::uint32_t>(overflow ? edges.size() : (edges.size() + kLanes - 1) / kLanes);
  }
  soft.start.push_back(count);
  refill(soft.lanes, count, empty);
  constexpr std::size_t kBlock = 256;
  scratch.runner.run(soft.manifolds.size(), kBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    Packer packer(world, options, h, scratch);
    for (std::size_t m = first; m < last; ++m) {
      const std::uint32_t where = soft.lane_of[m];
      packer.pack(static_cast<std::uint32_t>(m), soft.lanes[where / kLanes], where % kLanes);
    }
  });
}

}  // namespace achilles
