#include "time_control/awake_part.hpp"

#include "geometry/geometry.hpp"

namespace achilles {
namespace {

/// Calls visit(array of one, the same array of the other) for what a step changes.
template <class From, class To, class Visit>
void visit_state(From& from, To& to, const Visit& visit) {
  visit(from.bodies.position, to.bodies.position);
  visit(from.bodies.orientation, to.bodies.orientation);
  visit(from.bodies.velocity, to.bodies.velocity);
  visit(from.bodies.applied_force, to.bodies.applied_force);
  visit(from.bodies.applied_torque, to.bodies.applied_torque);
  visit(from.bodies.asleep, to.bodies.asleep);
  visit(from.sleep.calm_steps, to.sleep.calm_steps);
  visit(from.sleep.energy, to.sleep.energy);
  visit(from.sleep.group, to.sleep.group);
}

template <class From, class To, class Visit>
void visit_model(From& from, To& to, const Visit& visit) {
  visit(from.bodies.kind, to.bodies.kind);
  visit(from.bodies.locks, to.bodies.locks);
  visit(from.bodies.mass, to.bodies.mass);
  visit(from.bodies.inertia_B, to.bodies.inertia_B);
  visit(from.bodies.inverse_inertia_B, to.bodies.inverse_inertia_B);
  visit(from.bodies.center_B, to.bodies.center_B);
  visit(from.bodies.rotation, to.bodies.rotation);
  visit(from.bodies.rotation_axis_B, to.bodies.rotation_axis_B);
  visit(from.bodies.constant_force, to.bodies.constant_force);
  visit(from.bodies.constant_torque, to.bodies.constant_torque);
}

template <class From, class To, class Visit>
void visit_description(From& from, To& to, const Visit& visit) {
  visit(from.names, to.names);
  visit(from.shapes, to.shapes);
  visit(from.body_material, to.body_material);
}

/// Copies one place.
struct CopyOne {
  std::uint32_t from, to;
  void operator()(const auto& source, auto& target) const { target[to] = source[from]; }
};

}  // namespace

void resize_bodies(std::size_t n, World& part) {
  const auto resize = [n](auto& array, auto&) { array.resize(n); };
  visit_state(part, part, resize);
  visit_model(part, part, resize);
  visit_description(part, part, resize);
  part.sleep.next.resize(n);
  part.sleep.contacts.resize(n);
}

void copy_description(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_description(from, to, CopyOne{i, k});
}

void copy_body(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_model(from, to, CopyOne{i, k});
  visit_state(from, to, CopyOne{i, k});
}

void copy_state(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_state(from, to, CopyOne{i, k});
}

}  // namespace achilles
