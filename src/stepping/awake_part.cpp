#include "stepping/awake_part.hpp"

#include "geometry/geometry.hpp"
#include "world/body_arrays.hpp"

namespace achilles {
namespace {

/// What sleeping knows of a body while it is awake.
template <class From, class To, class Visit>
void visit_sleep(From& from, To& to, const Visit& visit) {
  visit(from.memory().sleep.calm_steps, to.memory().sleep.calm_steps);
  visit(from.memory().sleep.energy, to.memory().sleep.energy);
  visit(from.memory().sleep.island, to.memory().sleep.island);
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
  const auto resize = [n](auto& array, auto&...) { array.resize(n); };
  visit_model(resize, part.bodies);
  visit_state(resize, part.bodies);
  visit_sleep(part, part, resize);
  visit_description(part, part, resize);
  part.memory().sleep.next.resize(n);
  part.memory().sleep.contacts.resize(n);
}

void copy_description(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_description(from, to, CopyOne{i, k});
}

void copy_body(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_model(CopyOne{i, k}, from.bodies, to.bodies);
  copy_state(from, i, to, k);
}

void copy_state(const World& from, std::uint32_t i, World& to, std::uint32_t k) {
  visit_state(CopyOne{i, k}, from.bodies, to.bodies);
  visit_sleep(from, to, CopyOne{i, k});
}

}  // namespace achilles
