// Eight manifolds and their two rows of bodies, for kernels that Highway compiles once per instruction set, so this is
// read once per set and has no ordinary guard.
#if defined(ACHILLES_SOFT_MANIFOLDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACHILLES_SOFT_MANIFOLDS_INL
#undef ACHILLES_SOFT_MANIFOLDS_INL
#else
#define ACHILLES_SOFT_MANIFOLDS_INL
#endif

#include "time_control/soft_step/wide-inl.h"

#include <span>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// How impulses move the two bodies of each lane, if they are round.
struct RoundMasses {
  V mass_a, inertia_a, mass_b, inertia_b;

  HWY_INLINE V3 push_a(const V3& impulse) const { return scale(mass_a, impulse); }
  HWY_INLINE V3 push_b(const V3& impulse) const { return scale(mass_b, impulse); }
  HWY_INLINE V3 turn_a(V size, const V3& lever) const { return scale(hn::Mul(inertia_a, size), lever); }
  HWY_INLINE V3 turn_b(V size, const V3& lever) const { return scale(hn::Mul(inertia_b, size), lever); }
  HWY_INLINE V3 turn_a(const V3& moment) const { return scale(inertia_a, moment); }
  HWY_INLINE V3 turn_b(const V3& moment) const { return scale(inertia_b, moment); }
};

/// The velocities of the two, and what lies in a row with them.
struct Twins {
  V3 v_a, w_a, v_b, w_b;
  RoundMasses round;
};

template <class Lanes>
HWY_INLINE Twins gather_velocities(const Lanes& c, std::size_t at, const SoftMotion* bodies) {
  const float* table = bodies->velocity.linear;
  const Columns a = load_rows(table, c.slot_a + at), b = load_rows(table, c.slot_b + at);
  return {{a.c[0], a.c[1], a.c[2]}, {a.c[3], a.c[4], a.c[5]}, {b.c[0], b.c[1], b.c[2]}, {b.c[3], b.c[4], b.c[5]},
          {a.c[6], a.c[7], b.c[6], b.c[7]}};
}

template <class Lanes>
HWY_INLINE void scatter_velocities(const Twins& u, const Lanes& c, std::size_t at, SoftMotion* bodies) {
  float* table = bodies->velocity.linear;
  const RoundMasses& m = u.round;
  store_rows({{u.v_a.x, u.v_a.y, u.v_a.z, u.w_a.x, u.w_a.y, u.w_a.z, m.mass_a, m.inertia_a}}, c.slot_a + at, table);
  store_rows({{u.v_b.x, u.v_b.y, u.v_b.z, u.w_b.x, u.w_b.y, u.w_b.z, m.mass_b, m.inertia_b}}, c.slot_b + at, table);
}

/// How a body moved since the beginning of the step.
struct Turned {
  V3 d;  // displacement of the centre
  V3 q;  // vector part of the rotation
  V w;   // scalar part
};

HWY_INLINE Turned gather_displacement(const SoftMotion* bodies, const std::int32_t* slots) {
  const Columns t = load_rows(bodies->displacement.linear, slots);
  return {{t.c[0], t.c[1], t.c[2]}, {t.c[3], t.c[4], t.c[5]}, t.c[6]};
}

/// How impulses move any two.
struct AnyMasses {
  const MassLanes& m;
  std::size_t at;

  HWY_INLINE AnyMasses(const SoftLanes& lanes, const ContactLanes& c, std::size_t lane)
      : m(lanes.masses[static_cast<std::size_t>(c.masses)]), at(lane) {}
  HWY_INLINE V3 push_a(const V3& impulse) const { return multiply(load(m.inverse_mass_a, at), impulse); }
  HWY_INLINE V3 push_b(const V3& impulse) const { return multiply(load(m.inverse_mass_b, at), impulse); }
  HWY_INLINE V3 turn_a(V size, const V3& lever) const { return turn_a(scale(size, lever)); }
  HWY_INLINE V3 turn_b(V size, const V3& lever) const { return turn_b(scale(size, lever)); }
  HWY_INLINE V3 turn_a(const V3& moment) const { return multiply(m.inverse_inertia_a, at, moment); }
  HWY_INLINE V3 turn_b(const V3& moment) const { return multiply(m.inverse_inertia_b, at, moment); }
};

template <class Masses>
HWY_INLINE Masses masses_of(const SoftLanes& lanes, const ContactLanes& c, std::size_t at, const Twins& u) {
  if constexpr (std::is_same_v<Masses, RoundMasses>) {
    return u.round;
  } else {
    return Masses(lanes, c, at);
  }
}

/// Impulse on b at the arms, minus it on a.
template <class Masses>
HWY_INLINE void apply(const V3& impulse, const V3& arm_a, const V3& arm_b, const Masses& masses, Twins& u) {
  u.v_a = u.v_a - masses.push_a(impulse);
  u.w_a = u.w_a - masses.turn_a(cross(arm_a, impulse));
  u.v_b = u.v_b + masses.push_b(impulse);
  u.w_b = u.w_b + masses.turn_b(cross(arm_b, impulse));
}

HWY_INLINE V3 relative_velocity(const Twins& u, const V3& arm_a, const V3& arm_b) {
  return u.v_b + cross(u.w_b, arm_b) - u.v_a - cross(u.w_a, arm_a);
}

/// The lanes of eight manifolds.
struct Manifolds {
  ContactLanes& contact;
  std::span<PointLanes> points;
  PatchLanes* patch;

  HWY_INLINE Manifolds(SoftLanes& lanes, std::size_t index)
      : contact(lanes.contacts[index]),
        points(lanes.points.data() + contact.first_point, contact.points),
        patch(contact.patch < 0 ? nullptr : &lanes.patches[static_cast<std::size_t>(contact.patch)]) {}
  /// Where friction acts.
  HWY_INLINE V3 center(std::size_t at) const {
    return patch == nullptr ? load(points[0].arm, at) : load(patch->center, at);
  }
};

/// Two directions that complete n to a frame, without a branch [Duff17]: with s the sign of n_z and a = −1/(s + n_z)
///
///   t₁ = (1 + s a n_x², s a n_x n_y, −s n_x),   t₂ = (a n_x n_y, s + a n_y², −n_y).
///
/// Three of the six are others but for their signs and are not kept.
struct Tangents {
  V3 first, second;

  HWY_INLINE Tangents(const ContactLanes& c, std::size_t at) {
    const V3 n = load(c.normal, at);
    const V sign = hn::And(n.z, hn::Set(kWide, -0.0f));
    const V skew = load(c.tangent[1], at);
    first = {load(c.tangent[0], at), skew, hn::Neg(hn::Xor(n.x, sign))};
    second = {hn::Xor(skew, sign), load(c.tangent[2], at), hn::Neg(n.y)};
  }
  HWY_INLINE V3 combine(V x, V y) const { return scale(x, first) + scale(y, second); }
};

HWY_INLINE void store_tangents(ContactLanes& c, std::size_t at) {
  const V3 n = load(c.normal, at);
  const V one = hn::Set(kWide, 1.0f), sign = hn::CopySign(one, n.z);
  const V a = hn::Neg(hn::Div(one, hn::Add(sign, n.z)));
  store(hn::Add(one, hn::Mul(hn::Mul(sign, hn::Mul(n.x, n.x)), a)), c.tangent[0], at);
  store(hn::Mul(sign, hn::Mul(hn::Mul(n.x, n.y), a)), c.tangent[1], at);
  store(hn::Add(sign, hn::Mul(hn::Mul(n.y, n.y), a)), c.tangent[2], at);
}

constexpr std::size_t kLanesAhead = 16, kBodiesAhead = 4;

/// Into the second-level cache: the first has places for few lines on their way.
HWY_INLINE void fetch(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t k = 0; k < bytes; k += kLine) __builtin_prefetch(static_cast<const char*>(from) + k, 0, 2);
}

HWY_INLINE void fetch_bodies(const SoftLanes& lanes, std::size_t index, std::size_t last, const SoftBodies& bodies) {
  if (index >= last) return;
  const ContactLanes& c = lanes.contacts[index];
  for (std::size_t k = 0; k < kLanes; ++k) {
    for (const std::int32_t slot : {c.slot_a[k], c.slot_b[k]}) __builtin_prefetch(bodies.motions + slot, 0, 2);
  }
}

/// Asks for lanes, and for the bodies of those asked for before: where there are many, they come from far.
HWY_INLINE void fetch_ahead(const SoftLanes& lanes, std::size_t index, std::size_t last, const SoftBodies& bodies) {
  if (index + kLanesAhead < last) {
    fetch(&lanes.contacts[index + kLanesAhead], sizeof(ContactLanes));
    // Points lie one after the other in the order of the contacts.
    const ContactLanes& here = lanes.contacts[index];
    fetch(lanes.points.data() + here.first_point + kLanesAhead * here.points, here.points * sizeof(PointLanes));
  }
  fetch_bodies(lanes, index + kBodiesAhead, last, bodies);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#endif
