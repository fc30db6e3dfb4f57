#include "record/momentum_balance.hpp"

#include "world/awake.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

MomentumBalance::Sum MomentumBalance::measure(const World& world) {
  Sum sum;
  const BodyArrays& bodies = world.bodies;
  for (std::size_t k = find_awake(bodies.asleep, 0); k < bodies.size(); k = find_awake(bodies.asleep, k + 1)) {
    if (!bodies.is_movable(k)) continue;
    const Vec3 momentum = bodies.mass[k] * bodies.velocity[k].linear;
    const Mat3 R = bodies.orientation[k].toRotationMatrix();
    const Vec3 turn =
        bodies.position[k].cross(momentum) + R * (bodies.inertia_B[k] * (R.transpose() * bodies.velocity[k].angular));
    sum.linear += momentum;
    sum.angular += turn;
    sum.size += momentum.norm();
    sum.turn += turn.norm();
  }
  return sum;
}

void MomentumBalance::begin(const World& world) {
  *this = MomentumBalance{};
  is_defined_ = true;
  time_ = world.time;
  before_ = measure(world);
  asleep_ = world.bodies.asleep;
  position_ = world.bodies.position;
  for (const WorldJoint& joint : world.joints) {
    if (world.bodies.is_movable(joint.body_a) != world.bodies.is_movable(joint.body_b)) is_defined_ = false;
  }
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    const unsigned bits = world.bodies.is_movable(k) ? world.bodies.locks[k].bits : 0U;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if ((bits >> axis & 1U) != 0) axes_[axis] = 0;
    }
    if (bits != 0) is_free_ = false;
  }
}

void MomentumBalance::take_given(const World& world) {
  const BodyArrays& bodies = world.bodies;
  if (!is_defined_ || asleep_.size() != bodies.size()) return;
  before_ = measure(world);
  asleep_ = bodies.asleep;
  position_ = bodies.position;
  applied_force_ = applied_torque_ = Vec3::Zero();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!bodies.is_movable(k)) continue;
    applied_force_ += bodies.applied_force[k];
    applied_torque_ += position_[k].cross(bodies.applied_force[k]) + bodies.applied_torque[k];
  }
}

/// Calls visit(body) for the bodies that were awake before the step or are after it; blocks of sleepers are passed
/// over.
template <class Visit>
void MomentumBalance::for_each_active(const World& world, const Visit& visit) const {
  constexpr std::size_t kBlock = 512;
  const std::vector<std::uint8_t>& asleep = world.bodies.asleep;
  const auto all_sleep = [](const std::vector<std::uint8_t>& list, std::size_t first, std::size_t last) {
    return find_awake(std::span(list).first(last), first) == last;
  };
  for (std::size_t first = 0; first < asleep.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, asleep.size());
    if (all_sleep(asleep, first, last) && all_sleep(asleep_, first, last)) continue;
    for (std::size_t body = first; body < last; ++body) {
      if (asleep_[body] == 0 || asleep[body] == 0) visit(body);
    }
  }
}

/// Bodies that slept through the step were given nothing.
void MomentumBalance::add_forces(const World& world, double h, Sum& given) const {
  const BodyArrays& bodies = world.bodies;
  for_each_active(world, [&](std::size_t k) {
    if (!bodies.is_movable(k)) return;
    const Vec3 push = h * (bodies.mass[k] * world.gravity + bodies.constant_force[k]);
    const Vec3 turn = position_[k].cross(push) + h * bodies.constant_torque[k];
    given.linear += push;
    given.angular += turn;
    given.size += push.norm();
    given.turn += turn.norm();
  });
}

void MomentumBalance::see(const World& world, std::span<const ContactRecord> contacts) {
  if (!is_defined_ || asleep_.size() != world.bodies.size()) {
    is_defined_ = false;  // bodies came or went
    return;
  }
  const double h = world.time - time_;
  Sum given;
  add_forces(world, h, given);
  given.linear += h * applied_force_;
  given.angular += h * applied_torque_;
  given.size += h * applied_force_.norm();
  given.turn += h * applied_torque_.norm();
  applied_force_ = applied_torque_ = Vec3::Zero();
  linear_given_ += given.size;
  angular_given_ += given.turn;
  const auto is_active = [&](std::uint32_t body) {
    return world.bodies.is_movable(body) && (asleep_[body] == 0 || world.bodies.asleep[body] == 0);
  };
  for (const ContactRecord& contact : contacts) {
    const double side = (is_active(contact.body_b) ? 1.0 : 0.0) - (is_active(contact.body_a) ? 1.0 : 0.0);
    given.linear += side * contact.impulse;
    given.angular += side * contact.position.cross(contact.impulse);
  }
  const Sum after = measure(world);
  linear_ += (after.linear - before_.linear - given.linear).cwiseProduct(axes_);
  angular_ += after.angular - before_.angular - given.angular;
  worst_linear_ = std::max(worst_linear_, linear_.norm());
  worst_angular_ = std::max(worst_angular_, angular_.norm());
  linear_scale_ = std::max({linear_scale_, before_.size, after.size});
  angular_scale_ = std::max({angular_scale_, before_.turn, after.turn});
  before_ = after;
  time_ = world.time;
  for_each_active(world, [&](std::size_t k) { position_[k] = world.bodies.position[k]; });
  std::copy(world.bodies.asleep.begin(), world.bodies.asleep.end(), asleep_.begin());
}

std::optional<double> MomentumBalance::linear() const {
  const double scale = linear_scale_ + linear_given_;
  if (!is_defined_ || !std::isfinite(worst_linear_)) return std::nullopt;
  return scale > 0 ? worst_linear_ / scale : 0;
}

std::optional<double> MomentumBalance::angular() const {
  const double scale = angular_scale_ + angular_given_;
  if (!is_defined_ || !is_free_ || !std::isfinite(worst_angular_)) return std::nullopt;
  return scale > 0 ? worst_angular_ / scale : 0;
}

}  // namespace achilles
