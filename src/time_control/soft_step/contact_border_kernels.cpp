// What soft-step does once per step to its lanes: before the first substep and after the last. See contact_kernels.cpp
// for what holds of the instruction sets.
#include "time_control/soft_step/contact_lanes.hpp"

// Few are enough: eight lanes, four, and one for machines that have neither.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "time_control/soft_step/contact_border_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "time_control/soft_step/manifolds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// Velocity along `to` at the arms per impulse along `from`.
template <class Masses>
HWY_INLINE V response(const Masses& masses, const V3& from, const V3& to, const V3& arm_a, const V3& arm_b) {
  const V zero = hn::Zero(kWide);
  const V3 rest{zero, zero, zero};
  Twins u{rest, rest, rest, rest, {zero, zero, zero, zero}};
  apply(from, arm_a, arm_b, masses, u);
  return dot(to, relative_velocity(u, arm_a, arm_b));
}

/// Three columns from the first on.
HWY_INLINE void store_columns(const Columns& from, std::size_t first, Lane (&to)[3], std::size_t at) {
  for (std::size_t k = 0; k < 3; ++k) store(from.c[first + k], to[k], at);
}

/// The points of manifolds that have several, and what resists turning.
HWY_INLINE void fill_patch(const Manifolds& m, const std::int32_t* manifolds, std::size_t at, const Drafts& drafts) {
  const V zero = hn::Zero(kWide);
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    std::int32_t rows[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) {
      const DraftPlace& place = drafts.places[manifolds[k]];
      const auto index = static_cast<std::int32_t>(p);
      rows[k] = index < place.points ? place.first_point + index : -1;
    }
    const Columns draft = load_rows<8>(drafts.points->arm, rows);
    if (p == 0) {
      store(draft.c[5], m.patch->twist_impulse, at);
      store(draft.c[6], m.patch->twist_reach, at);
      store(zero, m.patch->twist_total, at);
      continue;
    }
    PointLanes& to = m.points[p];
    store_columns(draft, 0, to.arm, at);
    store(draft.c[3], to.gap, at);
    store(draft.c[4], to.impulse, at);
    store(zero, to.total, at);
  }
}

/// What the drafts say.
HWY_INLINE void fill(SoftLanes& lanes, std::size_t index, std::size_t at, const Drafts& drafts) {
  const Manifolds m(lanes, index);
  ContactLanes& c = m.contact;
  const std::int32_t* manifolds = drafts.manifold_at + index * kLanes + at;
  for (std::size_t k = 0; k < kWidth; ++k) {
    c.slot_a[at + k] = drafts.places[manifolds[k]].slot_a;
    c.slot_b[at + k] = drafts.places[manifolds[k]].slot_b;
  }
  const Columns head = load_rows(drafts.manifolds->normal, manifolds);
  store_columns(head, 0, c.normal, at);
  store_columns(head, 3, c.across, at);
  store(head.c[6], c.friction, at);
  store(head.c[7], lanes.cold[index].restitution, at);
  const Columns tail = load_rows(drafts.manifolds->warm_tangent, manifolds);
  PointLanes& point = m.points[0];
  store_columns(tail, 0, lanes.cold[index].warm_tangent, at);
  store_columns(tail, 3, point.arm, at);
  store(tail.c[6], point.gap, at);
  store(tail.c[7], point.impulse, at);
  const V zero = hn::Zero(kWide);
  for (Lane& total : c.tangent_total) store(zero, total, at);
  store(zero, point.total, at);
  if (m.patch != nullptr) fill_patch(m, manifolds, at, drafts);
}

/// Drafts lie in the order of the contacts, lanes do not: what later ones need is asked for in time, and before that,
/// what says where it is.
HWY_INLINE void fetch_drafts(const SoftLanes& lanes, std::size_t index, const Drafts& drafts,
                             const SoftBodies& bodies) {
  constexpr std::size_t kFar = 4;
  const std::int32_t* const end = drafts.manifold_at + lanes.contacts.size() * kLanes;
  const std::int32_t* m = drafts.manifold_at + (index + 2 * kFar) * kLanes;
  for (std::size_t k = 0; k < kLanes && m < end; ++k, ++m) {
    __builtin_prefetch(drafts.manifolds + *m, 0, 2);
    __builtin_prefetch(drafts.places + *m, 0, 2);
  }
  if (index + kFar >= lanes.contacts.size()) return;
  const ContactLanes& c = lanes.contacts[index + kFar];
  for (std::size_t k = 0; k < kLanes; ++k) {
    const DraftPlace& place = drafts.places[drafts.manifold_at[(index + kFar) * kLanes + k]];
    for (const std::int32_t slot : {place.slot_a, place.slot_b}) {
      __builtin_prefetch(bodies.motions + slot, 0, 2);
      if (c.masses >= 0) __builtin_prefetch(bodies.masses + slot, 0, 2);
    }
  }
  const bool patch = c.patch >= 0;
  m = drafts.manifold_at + (index + kFar) * kLanes;
  for (std::size_t k = 0; patch && k < kLanes; ++k) {
    const DraftPlace& place = drafts.places[m[k]];
    __builtin_prefetch(drafts.points + place.first_point);
    if (place.points > 2) __builtin_prefetch(drafts.points + place.first_point + place.points - 1);
  }
}

/// Lanes that will be written.
HWY_INLINE void fetch_empty(const SoftLanes& lanes, std::size_t index) {
  if (index >= lanes.contacts.size()) return;
  const auto ask = [](const void* from, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(static_cast<const char*>(from) + k, 1, 2);
  };
  const ContactLanes& c = lanes.contacts[index];
  ask(&c, sizeof(ContactLanes));
  ask(lanes.cold.data() + index, sizeof(ColdLanes));
  ask(lanes.points.data() + c.first_point, c.points * sizeof(PointLanes));
  ask(lanes.approach.data() + c.first_point, c.points * sizeof(ApproachLanes));
}

/// Columns of the bodies' masses, from the first on.
template <std::size_t kCount>
HWY_INLINE void gather_masses(const std::int32_t (&slots)[kLanes], std::size_t at, const float* first,
                              Lane (&to)[kCount]) {
  const auto rows = hn::ShiftLeft<4>(hn::Load(WideInt(), slots + at));
  for (std::size_t k = 0; k < kCount; ++k) store(hn::GatherIndex(kWide, first + k, rows), to[k], at);
}

HWY_INLINE void gather_masses(SoftLanes& lanes, const ContactLanes& c, std::size_t at, const SoftMass* bodies) {
  MassLanes& to = lanes.masses[static_cast<std::size_t>(c.masses)];
  gather_masses(c.slot_a, at, bodies->inverse_mass, to.inverse_mass_a);
  gather_masses(c.slot_b, at, bodies->inverse_mass, to.inverse_mass_b);
  gather_masses(c.slot_a, at, bodies->inverse_inertia, to.inverse_inertia_a);
  gather_masses(c.slot_b, at, bodies->inverse_inertia, to.inverse_inertia_b);
}

/// Masses and approach of the points.
template <class Masses>
HWY_INLINE void prepare_points(SoftLanes& lanes, const Manifolds& c, std::size_t at, const Masses& masses,
                               const Twins& u) {
  const V3 n = load(c.contact.normal, at), across = load(c.contact.across, at);
  ApproachLanes* approach = lanes.approach.data() + c.contact.first_point;
  for (PointLanes& point : c.points) {
    const V3 arm_a = load(point.arm, at), arm_b = arm_a + across;
    store(invert(response(masses, n, n, arm_a, arm_b)), point.normal_mass, at);
    store(dot(n, relative_velocity(u, arm_a, arm_b)), approach++->speed, at);
  }
}

/// The centre of the patch; it resists turning like a ring of its mean radius.
template <class Masses>
HWY_INLINE void prepare_patch(const Manifolds& c, std::size_t at, const Masses& masses) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f), absent = hn::Set(kWide, 0.5f * kNoPoint);
  V3 center{zero, zero, zero};
  V count = zero, lever = zero;
  for (const PointLanes& point : c.points) {
    center = center + load(point.arm, at);
    count = hn::Add(count, hn::IfThenElse(hn::Lt(load(point.gap, at), absent), one, zero));
  }
  const V share = invert(count);
  center = scale(share, center);
  for (const PointLanes& point : c.points) {
    const V3 from_center = load(point.arm, at) - center;
    const V length = hn::Sqrt(dot(from_center, from_center));
    lever = hn::Add(lever, hn::IfThenElse(hn::Lt(load(point.gap, at), absent), length, zero));
  }
  PatchLanes& patch = *c.patch;
  store(center, patch.center, at);
  const V reach = hn::Mul(load(c.contact.friction, at), hn::Mul(share, lever));
  store(hn::Add(load(patch.twist_reach, at), reach), patch.twist_reach, at);
  const V3 n = load(c.contact.normal, at);
  store(invert(dot(n, masses.turn_a(n) + masses.turn_b(n))), patch.twist_mass, at);
}

template <class Masses>
HWY_INLINE void prepare_friction(const Manifolds& lanes, const ColdLanes& cold, std::size_t at, const Masses& masses) {
  ContactLanes& c = lanes.contact;
  const V zero = hn::Zero(kWide);
  store_tangents(c, at);
  const auto [t1, t2] = Tangents(c, at);
  const V3 arm_a = lanes.center(at), arm_b = arm_a + load(c.across, at);
  const V k11 = response(masses, t1, t1, arm_a, arm_b), k22 = response(masses, t2, t2, arm_a, arm_b);
  const V k12 = response(masses, t1, t2, arm_a, arm_b);
  const V product = hn::Mul(k11, k22), determinant = hn::Sub(product, hn::Mul(k12, k12));
  // Bodies with locked axes may not slide along one of the tangents, or at all.
  const auto regular = hn::Gt(determinant, hn::Mul(hn::Set(kWide, 1e-5f), product));
  const V inverse = invert(determinant);
  store(hn::IfThenElse(regular, hn::Mul(k22, inverse), invert(k11)), c.tangent_mass[0], at);
  store(hn::IfThenElse(regular, hn::Mul(k11, inverse), invert(k22)), c.tangent_mass[1], at);
  store(hn::IfThenElse(regular, hn::Neg(hn::Mul(k12, inverse)), zero), c.tangent_mass[2], at);
  const V3 warm = load(cold.warm_tangent, at);
  store(dot(t1, warm), c.tangent_impulse[0], at);
  store(dot(t2, warm), c.tangent_impulse[1], at);
}

template <class Masses>
HWY_INLINE void prepare(SoftLanes& lanes, std::size_t index, std::size_t at, const SoftBodies& bodies) {
  const Manifolds c(lanes, index);
  const Twins u = gather_velocities(c.contact, at, bodies.motions);
  const auto masses = masses_of<Masses>(lanes, c.contact, at, u);
  prepare_points(lanes, c, at, masses, u);
  if (c.patch != nullptr) prepare_patch(c, at, masses);
  prepare_friction(c, lanes.cold[index], at, masses);
}

template <class Masses>
HWY_INLINE void warm_start(SoftLanes& lanes, std::size_t index, std::size_t at, const SoftBodies& bodies) {
  const Manifolds m(lanes, index);
  const ContactLanes& c = m.contact;
  Twins u = gather_velocities(c, at, bodies.motions);
  const auto masses = masses_of<Masses>(lanes, c, at, u);
  const V zero = hn::Zero(kWide);
  const V3 n = load(c.normal, at), across = load(c.across, at);
  V3 moment{zero, zero, zero};
  V sum = zero;
  for (const PointLanes& point : m.points) {
    const V impulse = load(point.impulse, at);
    sum = hn::Add(sum, impulse);
    moment = moment + scale(impulse, load(point.arm, at));
  }
  const V3 friction = Tangents(c, at).combine(load(c.tangent_impulse[0], at), load(c.tangent_impulse[1], at));
  const V3 impulse = scale(sum, n) + friction;
  V3 torque = cross(moment, n) + cross(m.center(at), friction);
  if (m.patch != nullptr) torque = torque + scale(load(m.patch->twist_impulse, at), n);
  u.v_a = u.v_a - masses.push_a(impulse);
  u.w_a = u.w_a - masses.turn_a(torque);
  u.v_b = u.v_b + masses.push_b(impulse);
  u.w_b = u.w_b + masses.turn_b(torque + cross(across, impulse));
  scatter_velocities(u, c, at, bodies.motions);
}

template <class Masses>
HWY_INLINE void restitute(SoftLanes& lanes, std::size_t index, std::size_t at, const SoftBodies& bodies,
                          float threshold) {
  const Manifolds m(lanes, index);
  const V zero = hn::Zero(kWide), restitution = load(lanes.cold[index].restitution, at);
  if (hn::AllTrue(kWide, hn::Eq(restitution, zero))) return;
  Twins u = gather_velocities(m.contact, at, bodies.motions);
  const auto masses = masses_of<Masses>(lanes, m.contact, at, u);
  const V3 n = load(m.contact.normal, at), across = load(m.contact.across, at);
  const ApproachLanes* approaches = lanes.approach.data() + m.contact.first_point;
  for (PointLanes& point : m.points) {
    const V approach = load(approaches++->speed, at);
    const auto bounces = hn::And(hn::Lt(approach, hn::Set(kWide, -threshold)), hn::Gt(load(point.total, at), zero));
    const V3 arm_a = load(point.arm, at), arm_b = arm_a + across;
    const V speed = dot(n, relative_velocity(u, arm_a, arm_b));
    const V wanted = hn::Neg(hn::Mul(load(point.normal_mass, at), hn::Add(speed, hn::Mul(restitution, approach))));
    const V before = load(point.impulse, at);
    const V impulse = hn::IfThenElse(bounces, hn::Max(hn::Add(before, wanted), zero), before);
    const V change = hn::Sub(impulse, before);
    store(impulse, point.impulse, at);
    store(hn::Add(load(point.total, at), change), point.total, at);
    apply(scale(change, n), arm_a, arm_b, masses, u);
  }
  scatter_velocities(u, m.contact, at, bodies.motions);
}

/// What is read of lanes, and where it goes.
HWY_INLINE void fetch_to_return(const SoftLanes& lanes, std::size_t index, const std::int32_t* manifold_at,
                                const SoftImpulse* impulses) {
  if (index >= lanes.contacts.size()) return;
  const ContactLanes& c = lanes.contacts[index];
  fetch(c.normal, sizeof(c.normal) + sizeof(c.tangent));
  fetch(c.tangent_total, sizeof(c.tangent_total));
  __builtin_prefetch(lanes.points[c.first_point].total, 0, 2);
  __builtin_prefetch(&lanes.approach[c.first_point], 0, 2);
  for (std::size_t at = index * kLanes; at < (index + 1) * kLanes; ++at) {
    if (manifold_at[at] >= 0) __builtin_prefetch(impulses + manifold_at[at], 1, 2);
  }
}

HWY_INLINE void return_to_manifolds(const SoftLanes& lanes, std::size_t index, std::size_t at,
                                    const std::int32_t* manifold_at, SoftImpulse* impulses) {
  const ContactLanes& c = lanes.contacts[index];
  const V3 t = Tangents(c, at).combine(load(c.tangent_total[0], at), load(c.tangent_total[1], at));
  const V zero = hn::Zero(kWide);
  const V twist = c.patch < 0 ? zero : load(lanes.patches[static_cast<std::size_t>(c.patch)].twist_total, at);
  const V normal = load(lanes.points[c.first_point].total, at),
          approach = load(lanes.approach[c.first_point].speed, at);
  constexpr auto kStride = static_cast<std::ptrdiff_t>(sizeof(SoftImpulse) / sizeof(float));
  store_rows<kStride, 0>({{normal, approach, t.x, t.y, t.z, twist, zero, zero}}, manifold_at + index * kLanes + at,
                         &impulses->first.normal);
}

void Prepare(SoftLanes& lanes, LaneRange range, const Drafts& drafts, const SoftBodies& bodies) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    const ContactLanes& c = lanes.contacts[k];
    fetch_drafts(lanes, k, drafts, bodies);
    fetch_empty(lanes, k + 8);
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      fill(lanes, k, at, drafts);
      if (c.masses < 0) {
        prepare<RoundMasses>(lanes, k, at, bodies);
        continue;
      }
      gather_masses(lanes, c, at, bodies.masses);
      prepare<AnyMasses>(lanes, k, at, bodies);
    }
  }
}

void WarmStart(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_ahead(lanes, k, range.fetch_last, bodies);
    const bool round = lanes.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? warm_start<RoundMasses>(lanes, k, at, bodies) : warm_start<AnyMasses>(lanes, k, at, bodies);
    }
  }
}

void Restitute(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, float threshold) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    const bool round = lanes.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? restitute<RoundMasses>(lanes, k, at, bodies, threshold)
            : restitute<AnyMasses>(lanes, k, at, bodies, threshold);
    }
  }
}

void Return(const SoftLanes& lanes, LaneRange range, const std::int32_t* manifold_at, SoftImpulse* impulses) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_to_return(lanes, k + 8, manifold_at, impulses);
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      return_to_manifolds(lanes, k, at, manifold_at, impulses);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace achilles {

HWY_EXPORT(Prepare);
HWY_EXPORT(WarmStart);
HWY_EXPORT(Restitute);
HWY_EXPORT(Return);

void prepare_contacts(SoftLanes& lanes, LaneRange range, const Drafts& drafts, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(Prepare)(lanes, range, drafts, bodies);
}

void warm_start_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(WarmStart)(lanes, range, bodies);
}

void restitute_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, float threshold) {
  HWY_DYNAMIC_DISPATCH(Restitute)(lanes, range, bodies, threshold);
}

void return_impulses(const SoftLanes& lanes, LaneRange range, const std::int32_t* manifold_at, SoftImpulse* impulses) {
  HWY_DYNAMIC_DISPATCH(Return)(lanes, range, manifold_at, impulses);
}

}  // namespace achilles
#endif
