#include "soak/friction_judge.hpp"

#include "constraint/friction_ellipse.hpp"

#include <fmt/format.h>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace achilles::program::soak {
namespace {

constexpr double kConeShare = 0.01;   // of P by which the cones may be left
constexpr double kSlideShare = 0.1;   // of µ P by which sliding friction may differ from it
constexpr double kOneWay = 0.999;     // cosine between directions of sliding before and after
constexpr double kRounding = 1e-5;    // of momenta
constexpr double kSlidingSteps = 20;  // slower than what friction takes in as many steps, a slide may end within one

/// The unit generator of a cone that descends steepest along r.
Vec3 find_generator(const ForceCone& cone, const Vec3& r) {
  if (!cone.sliding.isZero(0)) return (cone.normal - cone.friction * cone.sliding).normalized();
  const Vec3 side = r - r.dot(cone.normal) * cone.normal;
  const double length = side.norm();
  if (!(length > 0)) return cone.normal;
  return (cone.normal + cone.friction / length * side).normalized();
}

/// Least squares over at most three generators with weights that are not negative: from feasible `weights` of those
/// that are there and 0 for the last one. Drops generators whose weight becomes 0.
void refit(std::vector<Vec3>& generators, std::vector<double>& weights, const Vec3& impulse) {
  while (!generators.empty()) {
    const auto count = static_cast<Eigen::Index>(generators.size());
    Eigen::Matrix3Xd columns(3, count);
    for (Eigen::Index k = 0; k < count; ++k) columns.col(k) = generators[static_cast<std::size_t>(k)];
    const Eigen::VectorXd target = columns.colPivHouseholderQr().solve(impulse);
    double part = 1;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double goal = target[static_cast<Eigen::Index>(k)];
      if (goal <= 0) part = std::min(part, weights[k] / (weights[k] - goal));
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      weights[k] += part * (target[static_cast<Eigen::Index>(k)] - weights[k]);
    }
    if (part >= 1) return;
    const double least = *std::min_element(weights.begin(), weights.end());
    for (std::size_t k = weights.size(); k-- > 0;) {
      if (weights[k] > std::max(0.0, least)) continue;
      weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(k));
      generators.erase(generators.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

}  // namespace

double measure_distance_from_cones(std::span<const ForceCone> cones, const Vec3& impulse) {
  constexpr int kMostPasses = 200;
  constexpr double kExact = 1e-9;  // of the impulse
  std::vector<Vec3> generators;
  std::vector<double> weights;
  Vec3 r = impulse;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Vec3 best = Vec3::Zero();
    double descent = kExact * impulse.norm();
    for (const ForceCone& cone : cones) {
      const Vec3 generator = find_generator(cone, r);
      if (generator.dot(r) > descent) {
        descent = generator.dot(r);
        best = generator;
      }
    }
    if (best.isZero(0)) break;
    generators.push_back(best);
    weights.push_back(0);
    refit(generators, weights, impulse);
    r = impulse;
    for (std::size_t k = 0; k < weights.size(); ++k) r -= weights[k] * generators[k];
  }
  return r.norm();
}

FrictionJudge::FrictionJudge(const World& world, double step, bool are_contacts_known)
    : step_(step), are_contacts_known_(are_contacts_known), is_free_(world.bodies.size(), 1) {
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    if (!world.bodies.is_movable(k) || world.bodies.locks[k].bits != 0) is_free_[k] = 0;
  }
  for (const WorldJoint& joint : world.joints) is_free_[joint.body_a] = is_free_[joint.body_b] = 0;
}

FrictionFault FrictionJudge::see(const Instant& instant, const World& world, const ContactSet& overlaps) {
  const std::size_t count = world.bodies.size();
  gather_overlaps(world, overlaps);
  touches_.assign(count, {});
  for (std::size_t k = 0; k < instant.contact_count(); ++k) {
    const ContactRecord contact = instant.contact(k);
    add(world, contact.body_a, contact.body_b, contact.normal, contact.position, touches_);
  }
  FrictionFault worst;
  const bool is_one_step = has_before_ && instant.scalars.steps == 1;
  for (std::uint32_t k = 0; is_one_step && k < count; ++k) {
    const bool is_unknown = !are_contacts_known_ && (is_crowded_[k] != 0 || was_crowded_[k] != 0);
    if (is_free_[k] == 0 || is_unknown || touches_[k].empty() || world.bodies.asleep[k] != 0 || was_asleep_[k] != 0) {
      continue;
    }
    FrictionFault fault = examine(world, k);
    if (fault.excess > worst.excess) worst = std::move(fault);
  }
  before_ = world.bodies.velocity;
  before_position_ = world.bodies.position;
  was_asleep_.assign(world.bodies.asleep.begin(), world.bodies.asleep.end());
  has_before_ = true;
  return worst;
}

void FrictionJudge::gather_overlaps(const World& world, const ContactSet& overlaps) {
  const std::size_t count = world.bodies.size();
  overlaps_before_ = std::move(overlaps_);
  was_crowded_ = std::move(is_crowded_);
  overlaps_before_.resize(count);
  was_crowded_.resize(count, 0);
  overlaps_.assign(count, {});
  is_crowded_.assign(count, 0);
  for (const Contact& contact : overlaps.contacts) {
    if (world.bodies.kind[contact.body_a] != BodyKind::kFixed) is_crowded_[contact.body_b] = 1;
    if (world.bodies.kind[contact.body_b] != BodyKind::kFixed) is_crowded_[contact.body_a] = 1;
    for (const ContactPoint& point : overlaps.points_of(contact)) {
      add(world, contact.body_a, contact.body_b, point.normal, point.position, overlaps_);
    }
  }
}

/// `normal` from a to b.
void FrictionJudge::add(const World& world, std::uint32_t a, std::uint32_t b, const Vec3& normal, const Vec3& point,
                        Touches& touches) const {
  const std::uint32_t of_a = world.body_material[a], of_b = world.body_material[b];
  const DirectionalFriction* const directional = world.materials.directional_friction(of_a, of_b);
  double friction = world.materials.law(of_a, of_b).friction;
  if (directional != nullptr) {
    friction = compute_friction_ellipse(*directional, world.bodies.orientation[a], world.bodies.orientation[b], normal)
                   .largest();
  }
  if (is_free_[b] != 0) touches[b].push_back({a, normal, point, friction, directional != nullptr});
  if (is_free_[a] != 0) touches[a].push_back({b, -normal, point, friction, directional != nullptr});
}

/// The direction along which a point slides on what it touches before and after the step; zero where it does not, or
/// not fast enough.
Vec3 FrictionJudge::find_sliding(const World& world, std::uint32_t body, const Touch& touch) const {
  if (touch.is_directional) return Vec3::Zero();
  const double least = kSlidingSteps * touch.friction * step_ * world.gravity.norm() + 1e-6;  // [m/s]
  Vec3 direction = Vec3::Zero();
  for (const bool is_after : {false, true}) {
    const auto speed_of = [&](std::uint32_t k) -> Vec3 {
      const BodyVelocity& u = is_after ? world.bodies.velocity[k] : before_[k];
      return u.linear + u.angular.cross(touch.point - (is_after ? world.bodies.position[k] : before_position_[k]));
    };
    const Vec3 v = speed_of(body) - speed_of(touch.other);
    const Vec3 slip = v - v.dot(touch.normal) * touch.normal;
    if (slip.norm() < least) return Vec3::Zero();
    const Vec3 now = slip.normalized();
    if (is_after && direction.dot(now) < kOneWay) return Vec3::Zero();
    direction = now;
  }
  return direction;
}

FrictionFault FrictionJudge::examine(const World& world, std::uint32_t body) {
  const BodyArrays& bodies = world.bodies;
  const double mass = bodies.mass[body];
  const Vec3& v = bodies.velocity[body].linear;
  const Vec3 given = step_ * (mass * world.gravity + bodies.constant_force[body]);  // [N s]
  const Vec3 impulse = mass * (v - before_[body].linear) - given;
  const double rounding = kRounding * (mass * (v.norm() + before_[body].linear.norm()) + given.norm());
  double friction = 0;
  bool does_slide = false;
  cones_.clear();
  for (const Touches* touches : {&touches_, &overlaps_, &overlaps_before_}) {
    for (const Touch& touch : (*touches)[body]) {
      friction = std::max(friction, touch.friction);
      cones_.push_back({touch.normal, touch.friction, find_sliding(world, body, touch)});
      does_slide = does_slide || !cones_.back().sliding.isZero(0);
    }
  }
  const auto judge = [&](double share, const char* law) {
    const double off = measure_distance_from_cones(cones_, impulse);
    const FrictionFault fault{off / (share * impulse.norm() + rounding), ""};
    return fault.excess > 1
               ? FrictionFault{fault.excess,
                               fmt::format("'{}' receives {:.4g} N s, {:.3g} N s outside of what {} at "
                                           "its {} contact points allows with friction {:g}",
                                           world.names[body], impulse.norm(), off, law, cones_.size(), friction)}
               : fault;
  };
  FrictionFault sliding;
  if (does_slide) sliding = judge(std::max(kConeShare, kSlideShare * friction), "friction against the motion");
  for (ForceCone& cone : cones_) cone.sliding.setZero();
  FrictionFault sticking = judge(kConeShare, "Coulomb's cone");
  return sliding.excess > sticking.excess ? sliding : sticking;
}

}  // namespace achilles::program::soak
