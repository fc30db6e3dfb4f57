#include "soak/friction_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace achilles::program::soak {
namespace {

constexpr double kSameNormal = 1e-6;
constexpr double kConeShare = 0.01;  // of µ P_n by which the cone may be left
constexpr double kSlideShare = 0.1;  // of µ P_n by which sliding friction may differ from it

}  // namespace

FrictionJudge::FrictionJudge(const World& world, double step) : step_(step), is_free_(world.bodies.size(), 1) {
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    const bool is_pushed = !world.bodies.constant_force[k].isZero(0) || !world.bodies.constant_torque[k].isZero(0);
    if (!world.bodies.is_movable(k) || is_pushed || world.bodies.locks[k].bits != 0) is_free_[k] = 0;
  }
  for (const WorldJoint& joint : world.joints) is_free_[joint.body_a] = is_free_[joint.body_b] = 0;
}

SlidingFault FrictionJudge::see(const Instant& instant, const World& world, const ContactSet& overlaps) {
  SlidingFault worst;
  gather(instant, world);
  // Springs push what overlaps at the start of a step, and are not all recorded.
  was_crowded_ = is_crowded_;
  was_crowded_.resize(world.bodies.size(), 0);
  is_crowded_.assign(world.bodies.size(), 0);
  for (const Contact& contact : overlaps.contacts) {
    if (world.bodies.kind[contact.body_a] != BodyKind::kFixed) is_crowded_[contact.body_b] = 1;
    if (world.bodies.kind[contact.body_b] != BodyKind::kFixed) is_crowded_[contact.body_a] = 1;
  }
  const bool is_one_step = has_before_ && instant.scalars.steps == 1;
  for (std::uint32_t k = 0; is_one_step && k < touches_.size(); ++k) {
    if (is_free_[k] == 0 || is_crowded_[k] != 0 || was_crowded_[k] != 0 || world.bodies.asleep[k] != 0 ||
        !touches_[k].is_simple || touches_[k].points.empty())
      continue;
    SlidingFault fault = examine(world, k);
    if (fault.excess > worst.excess) worst = std::move(fault);
  }
  before_ = world.bodies.velocity;
  before_position_ = world.bodies.position;
  has_before_ = true;
  return worst;
}

void FrictionJudge::gather(const Instant& instant, const World& world) {
  touches_.resize(world.bodies.size());
  for (Touch& touch : touches_) touch = Touch{};
  for (std::size_t k = 0; k < instant.contact_count(); ++k) {
    const ContactRecord contact = instant.contact(k);
    add(world, contact.body_b, contact.body_a, contact.normal, contact.position);
    add(world, contact.body_a, contact.body_b, -contact.normal, contact.position);
  }
}

void FrictionJudge::add(const World& world, std::uint32_t body, std::uint32_t other, const Vec3& normal,
                        const Vec3& point) {
  Touch& touch = touches_[body];
  const ContactLaw& law = world.materials.law(world.body_material[body], world.body_material[other]);
  const bool is_first = touch.points.empty();
  const bool is_same = is_first || ((touch.normal - normal).norm() < kSameNormal && touch.friction == law.friction);
  if (world.bodies.kind[other] != BodyKind::kFixed || !is_same || law.anisotropy) touch.is_simple = false;
  touch.normal = normal;
  touch.friction = law.friction;
  touch.points.push_back(point);
}

/// Whether all points slide along one direction, by more than `least` [m/s], before and after the step.
bool FrictionJudge::find_sliding(const World& world, std::uint32_t body, double least, Vec3& direction) const {
  const Touch& touch = touches_[body];
  direction = Vec3::Zero();
  for (const bool is_after : {false, true}) {
    const BodyVelocity& u = is_after ? world.bodies.velocity[body] : before_[body];
    const Vec3& center = is_after ? world.bodies.position[body] : before_position_[body];
    for (const Vec3& point : touch.points) {
      const Vec3 v = u.linear + u.angular.cross(point - center);
      const Vec3 slip = v - v.dot(touch.normal) * touch.normal;
      if (slip.norm() < least) return false;
      if (direction.isZero(0)) direction = slip.normalized();
      if (direction.dot(slip.normalized()) < 0.999) return false;
    }
  }
  return true;
}

SlidingFault FrictionJudge::examine(const World& world, std::uint32_t body) const {
  const Touch& touch = touches_[body];
  const double mass = world.bodies.mass[body];
  const Vec3& v = world.bodies.velocity[body].linear;
  const Vec3 impulse = mass * (v - before_[body].linear - step_ * world.gravity);
  const double push = impulse.dot(touch.normal);
  const Vec3 side = impulse - push * touch.normal;
  const double most = touch.friction * std::max(0.0, push);
  const double rounding = 1e-5 * mass * (v.norm() + before_[body].linear.norm() + step_ * world.gravity.norm());
  SlidingFault fault{side.norm() / (most * (1 + kConeShare) + rounding), ""};
  if (fault.excess > 1) {
    fault.detail =
        fmt::format("'{}' is pulled sideways by {:.4g} N s where {:.4g} N s is the most that friction {:g} allows",
                    world.names[body], side.norm(), most, touch.friction);
  }
  Vec3 direction;
  const double least = 20 * touch.friction * step_ * world.gravity.norm() + 1e-6;
  if (!find_sliding(world, body, least, direction)) return fault;
  const double wrong = (side + most * direction).norm() / (kSlideShare * most + rounding);
  if (wrong > std::max(1.0, fault.excess)) {
    return {wrong, fmt::format("'{}' slides: {:.4g} N s along its motion, Coulomb's law gives {:.4g} N s",
                               world.names[body], side.dot(direction), -most)};
  }
  return fault;
}

}  // namespace achilles::program::soak
