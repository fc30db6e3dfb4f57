#include <achilles/world.hpp>

#include "geometry/geometry.hpp"
#include "geometry/mass_properties.hpp"
#include "math/finite.hpp"
#include "math/inverse_mass.hpp"
#include "world/body_arrays.hpp"
#include "world/inverse_mass.hpp"
#include "world/shared_geometry.hpp"
#include "world/world_memory.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace achilles {
namespace {

/// The velocity without its parts along locked degrees of freedom.
BodyVelocity take_out_locked(BodyVelocity velocity, Locks locks) {
  for (int axis = 0; axis < 3; ++axis) {
    if ((locks.bits & (Locks::kX << axis)) != 0) velocity.linear[axis] = 0;
    if ((locks.bits & (Locks::kRx << axis)) != 0) velocity.angular[axis] = 0;
  }
  return velocity;
}

constexpr double kDefaultDensity = 1000;  // [kg/m³] water: what a body is made of where the scene has no density

/// Mass, centre and inertia of a movable body: what is given wins over what follows from the shape.
MassProperties resolve_mass(const BodyDescription& description) {
  const bool has_shape = !std::holds_alternative<NoShape>(description.shape.kind);
  const bool all_given = description.mass && description.inertia && (description.center || !has_shape);
  MassProperties properties;
  if (!all_given) {
    properties = compute_mass_properties(description.shape, description.density.value_or(kDefaultDensity));
    if (description.mass) {
      properties.inertia *= *description.mass / properties.mass;
      properties.mass = *description.mass;
    }
  } else {
    properties.mass = *description.mass;
  }
  if (description.inertia) properties.inertia = *description.inertia;
  if (description.center) properties.center = *description.center;
  const bool usable = std::isfinite(properties.mass) && properties.mass > 0 && properties.center.allFinite() &&
                      properties.inertia.allFinite() && properties.inertia.isApprox(properties.inertia.transpose()) &&
                      Eigen::LLT<Mat3>(properties.inertia).info() == Eigen::Success;
  if (!usable) {
    throw std::invalid_argument("body '" + description.name +
                                "': mass must be positive and inertia symmetric and positive definite");
  }
  return properties;
}

/// Surfaces without an inside are for bodies that do not move.
void check_shape(const BodyDescription& description, std::span<const GeometryPiece> pieces) {
  if (description.kind != BodyKind::kDynamic) return;
  for (const GeometryPiece& piece : pieces) {
    const auto& kind = piece.geometry->kind;
    if (std::holds_alternative<PlaneGeometry>(kind) ||
        std::holds_alternative<std::shared_ptr<const MeshGeometry>>(kind) ||
        std::holds_alternative<std::shared_ptr<const HeightfieldGeometry>>(kind)) {
      throw std::invalid_argument("body '" + description.name +
                                  "': planes, meshes and height fields are for fixed and scripted bodies; a dynamic "
                                  "one takes a closed mesh as distance map or decomposed into hulls");
    }
  }
}

void check_state(const BodyDescription& description) {
  const bool finite = is_finite(description.pose) && description.velocity.allFinite() && description.spin.allFinite() &&
                      description.force.allFinite() && description.torque.allFinite();
  if (!finite)
    throw std::invalid_argument("body '" + description.name + "': position, orientation and velocity must be finite");
  const double length = description.rotation_axis.norm();
  if (description.rotation == RotationUpdate::kPartial && !(length > 0 && std::isfinite(length))) {
    throw std::invalid_argument("body '" + description.name + "': the rotation axis must have a direction");
  }
}

void require_finite(bool finite, const World& world, std::uint32_t body, const char* what) {
  if (!finite) throw std::invalid_argument("body '" + world.names[body] + "': " + what + " must be finite");
}

}  // namespace

World::World() = default;

World::World(const Scene& scene)
    : gravity(scene.gravity),
      materials(scene.materials.empty() ? MaterialTable{} : MaterialTable(scene.materials, scene.material_pairs)) {
  for (const BodyDescription& description : scene.bodies) add_body(description);
  for (const RuleDescription& rule : scene.rules) ignore(rule, scene.bodies);
  for (const JointDescription& joint : scene.joints) add_joint(joint);
  for (const CouplingDescription& coupling : scene.couplings) add_coupling(coupling);
  for (const ScriptDescription& script : scene.scripts) add_script(script);
  for (const TriggerDescription& trigger : scene.triggers) add_trigger(trigger);
  if (scene.events) {
    for (const double period : scene.events->timers) add_timer(period);
  }
}

void World::ignore(const RuleDescription& rule, std::span<const BodyDescription> descriptions) {
  const auto matches = [&](std::size_t body, const std::string& word) {
    return descriptions[body].name == word || descriptions[body].group == word;
  };
  for (std::size_t a = 0; a < descriptions.size(); ++a) {
    if (!matches(a, rule.first)) continue;
    for (std::size_t b = 0; b < descriptions.size(); ++b) {
      if (a != b && matches(b, rule.second)) ignore_pair(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    }
  }
}

void World::ignore_pair(std::uint32_t first, std::uint32_t second) {
  if (std::max(first, second) >= bodies.size()) throw std::out_of_range("ignore_pair: there is no such body");
  const std::pair<std::uint32_t, std::uint32_t> pair = std::minmax(first, second);
  const auto place = std::lower_bound(ignored_pairs.begin(), ignored_pairs.end(), pair);
  if (place == ignored_pairs.end() || *place != pair) ignored_pairs.insert(place, pair);
  for (const std::uint32_t body : {first, second}) wake(body);
  memory().sleep_log.reader = nullptr;
}

BodyHandle World::add_body(const BodyDescription& description) {
  check_state(description);
  const std::vector<GeometryPiece> geometry = make_or_share_geometry(*this, bodies.size(), description.shape);
  check_shape(description, geometry);
  const bool movable = description.kind == BodyKind::kDynamic;
  MassProperties mass;
  if (movable) mass = resolve_mass(description);
  const std::uint32_t material = materials.index_of(description.material);
  const auto index = static_cast<std::uint32_t>(bodies.size());
  const Quat orientation = description.pose.q.normalized();

  bodies.kind.push_back(description.kind);
  bodies.locks.push_back(description.locks);
  bodies.mass.push_back(movable ? mass.mass : std::numeric_limits<double>::infinity());
  bodies.inertia_B.push_back(mass.inertia);
  bodies.inverse_inertia_B.push_back(movable ? Mat3(mass.inertia.inverse()) : Mat3(Mat3::Zero()));
  bodies.center_B.push_back(mass.center);
  bodies.rotation.push_back(description.rotation);
  bodies.rotation_axis_B.push_back(description.rotation_axis.normalized());
  bodies.constant_force.push_back(description.force);
  bodies.constant_torque.push_back(description.torque);
  bodies.filter.push_back(description.collision);
  bodies.position.push_back(description.pose.p + orientation * mass.center);
  bodies.orientation.push_back(orientation);
  const bool moves = description.kind != BodyKind::kFixed;
  const Locks locks = movable ? description.locks : Locks{};
  bodies.velocity.push_back(moves ? take_out_locked({description.velocity, description.spin}, locks) : BodyVelocity{});
  bodies.applied_force.push_back(Vec3::Zero());
  bodies.applied_torque.push_back(Vec3::Zero());
  bodies.asleep.push_back(0);
  SleepState& sleep = memory().sleep;
  sleep.calm_steps.push_back(0);
  sleep.energy.push_back(0);
  sleep.island.push_back(0);
  sleep.next.push_back(index);
  sleep.contacts.emplace_back();
  memory().sleep_log.reader = nullptr;

  names.push_back(description.name);
  shapes.push_back(std::make_shared<const Shape>(description.shape));
  body_material.push_back(material);
  append_pieces(index, geometry);
  return claim_slot(index);
}

void World::append_pieces(std::uint32_t body, std::span<const GeometryPiece> geometry) {
  for (const GeometryPiece& piece : geometry) {
    Transform X_CG = to_transform(piece.pose);
    X_CG.p -= bodies.center_B[body];
    pieces.push_back({body, body_material[body], piece.geometry, X_CG});
  }
}

BodyHandle World::claim_slot(std::uint32_t index) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = {index, slots_[slot].generation + 1, 1};
  slot_of_.push_back(slot);
  return {slot, slots_[slot].generation};
}

bool World::is_alive(BodyHandle handle) const {
  return handle.slot < slots_.size() && slots_[handle.slot].alive != 0 &&
         slots_[handle.slot].generation == handle.generation;
}

bool World::has_existed(BodyHandle handle) const {
  return handle.slot < slots_.size() && handle.generation > 0 && handle.generation <= slots_[handle.slot].generation;
}

std::uint32_t World::index_of(BodyHandle handle) const {
  if (!is_alive(handle)) throw std::out_of_range("the handle names a body that was removed");
  return slots_[handle.slot].index;
}

BodyHandle World::handle_of(std::uint32_t index) const {
  const std::uint32_t slot = slot_of_.at(index);
  return {slot, slots_[slot].generation};
}

BodyHandle World::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::out_of_range("no body is named '" + std::string(name) + "'");
  return handle_of(static_cast<std::uint32_t>(found - names.begin()));
}

void World::set_pose(BodyHandle handle, const Pose& pose) {
  const std::uint32_t body = index_of(handle);
  require_finite(is_finite(pose), *this, body, "position and orientation");
  bodies.orientation[body] = pose.q.normalized();
  bodies.position[body] = pose.p + bodies.orientation[body] * bodies.center_B[body];
  // A sleeper on something that is moved away would hang in the air.
  bodies.is_movable(body) ? wake(body) : wake_all();
}

void World::set_velocity(BodyHandle handle, const BodyVelocity& velocity) {
  const std::uint32_t body = index_of(handle);
  require_finite(is_finite(velocity), *this, body, "velocity and spin");
  if (bodies.kind[body] == BodyKind::kFixed) {
    throw std::invalid_argument("body '" + names[body] + "' is fixed: it can be placed anew, but has no velocity");
  }
  bodies.velocity[body] = take_out_locked(velocity, bodies.is_movable(body) ? bodies.locks[body] : Locks{});
  wake(body);
}

void World::apply_force(BodyHandle handle, const Vec3& force, const Vec3& point_W) {
  const std::uint32_t body = index_of(handle);
  require_finite(force.allFinite() && point_W.allFinite(), *this, body, "a force and its point");
  const Vec3 sum = bodies.applied_force[body] + force;
  const Vec3 turning = bodies.applied_torque[body] + (point_W - bodies.position[body]).cross(force);
  require_finite(sum.allFinite() && turning.allFinite(), *this, body, "the sum of forces");
  bodies.applied_force[body] = sum;
  bodies.applied_torque[body] = turning;
  wake(body);
}

void World::apply_torque(BodyHandle handle, const Vec3& torque) {
  const std::uint32_t body = index_of(handle);
  require_finite(torque.allFinite(), *this, body, "a torque");
  const Vec3 sum = bodies.applied_torque[body] + torque;
  require_finite(sum.allFinite(), *this, body, "the sum of torques");
  bodies.applied_torque[body] = sum;
  wake(body);
}

Pose World::pose(BodyHandle handle) const { return bodies.frame(index_of(handle)); }

BodyVelocity World::velocity(BodyHandle handle) const { return bodies.velocity[index_of(handle)]; }

void World::apply_impulse(BodyHandle handle, const Vec3& impulse, const Vec3& point_W) {
  const std::uint32_t body = index_of(handle);
  require_finite(impulse.allFinite() && point_W.allFinite(), *this, body, "an impulse and its point");
  const BodyInverseMass inverse = compute_inverse_mass(bodies, body);
  BodyVelocity velocity = bodies.velocity[body];
  velocity.linear += inverse.linear.cwiseProduct(impulse);
  velocity.angular += inverse.angular * (point_W - bodies.position[body]).cross(impulse);
  require_finite(is_finite(velocity), *this, body, "velocity and spin after an impulse");
  bodies.velocity[body] = velocity;
  wake(body);
}

Vec3 World::linear_momentum() const {
  Vec3 momentum = Vec3::Zero();
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (bodies.is_movable(body)) momentum += bodies.mass[body] * bodies.velocity[body].linear;
  }
  return momentum;
}

Vec3 World::angular_momentum() const {
  Vec3 momentum = Vec3::Zero();
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (!bodies.is_movable(body)) continue;
    const Quat& q = bodies.orientation[body];
    momentum += bodies.mass[body] * bodies.position[body].cross(bodies.velocity[body].linear) +
                q * (bodies.inertia_B[body] * (q.conjugate() * bodies.velocity[body].angular));
  }
  return momentum;
}

std::optional<std::uint32_t> World::first_not_finite() const {
  for (std::uint32_t body = 0; body < bodies.size(); ++body) {
    if (!has_finite_state(bodies, body)) return body;
  }
  return std::nullopt;
}

}  // namespace achilles
