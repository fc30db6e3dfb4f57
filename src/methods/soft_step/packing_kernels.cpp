// Filling the SIMD batches of soft-step before the first substep, and returning impulses from them after the last. See
// contact_kernels.cpp on instruction sets.
#include "methods/soft_step/contact_batches.hpp"

// Three instruction sets suffice: eight SIMD lanes, four, and one for machines without SIMD.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soft_step/packing_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "methods/soft_step/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// Stores three columns from `first` on.
HWY_INLINE void store_columns(const Columns& from, std::size_t first, BatchFloats (&to)[3], std::size_t at) {
  for (std::size_t k = 0; k < 3; ++k) store(from.c[first + k], to[k], at);
}

/// Points of manifolds that resist twist.
HWY_INLINE void fill_twist(const Manifolds& m, const std::int32_t* manifolds, std::size_t at,
                           const StagedContacts& staged) {
  const V zero = hn::Zero(kWide);
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    std::int32_t rows[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) {
      const StagedPlace& place = staged.places[manifolds[k]];
      const auto index = static_cast<std::int32_t>(p);
      rows[k] = index < place.points ? place.first_point + index : -1;
    }
    const Columns stage = load_rows<8>(staged.points->arm, rows);
    if (p == 0) {
      store(stage.c[5], m.twist->twist_impulse, at);
      store(stage.c[6], m.twist->twist_reach, at);
      store(zero, m.twist->twist_total, at);
      continue;
    }
    PointBatch& to = m.points[p];
    store_columns(stage, 0, to.arm, at);
    store(stage.c[3], to.gap, at);
    store(stage.c[4], to.impulse, at);
    store(zero, to.total, at);
  }
}

/// Copies staging records into a batch.
HWY_INLINE void fill(ContactBatches& batches, std::size_t index, std::size_t at, const StagedContacts& staged) {
  const Manifolds m(batches, index);
  ContactBatch& c = m.contact;
  const std::int32_t* manifolds = staged.manifold_at + index * kLanes + at;
  for (std::size_t k = 0; k < kWidth; ++k) {
    c.slot_a[at + k] = staged.places[manifolds[k]].slot_a;
    c.slot_b[at + k] = staged.places[manifolds[k]].slot_b;
    c.radius[0][at + k] = staged.places[manifolds[k]].radius_a;
    c.radius[1][at + k] = staged.places[manifolds[k]].radius_b;
  }
  const Columns head = load_rows(staged.manifolds->normal, manifolds);
  store_columns(head, 0, c.normal, at);
  store_columns(head, 3, c.across, at);
  store(head.c[6], c.friction, at);
  store(head.c[7], batches.setup[index].restitution, at);
  const Columns tail = load_rows(staged.manifolds->warm_tangent, manifolds);
  PointBatch& point = m.points[0];
  store_columns(tail, 0, batches.setup[index].warm_tangent, at);
  store_columns(tail, 3, point.arm, at);
  store(tail.c[6], point.gap, at);
  store(tail.c[7], point.impulse, at);
  const V zero = hn::Zero(kWide);
  for (BatchFloats& total : c.tangent_total) store(zero, total, at);
  store(zero, point.total, at);
  if (m.twist != nullptr) fill_twist(m, manifolds, at, staged);
}

/// Staging records lie in the order of the contacts, not of the batches. Prefetches those of the batch 2 kFar further
/// on, and the points and bodies of the batch kFar further on, whose places have arrived by then.
HWY_INLINE void fetch_staged(const ContactBatches& batches, std::size_t index, const StagedContacts& staged,
                             const SoftBodies& bodies) {
  constexpr std::size_t kFar = 4;  // batches
  const std::int32_t* const end = staged.manifold_at + batches.contacts.size() * kLanes;
  const std::int32_t* m = staged.manifold_at + (index + 2 * kFar) * kLanes;
  for (std::size_t k = 0; k < kLanes && m < end; ++k, ++m) {
    __builtin_prefetch(staged.manifolds + *m, 0, 2);
    __builtin_prefetch(staged.places + *m, 0, 2);
  }
  if (index + kFar >= batches.contacts.size()) return;
  const ContactBatch& c = batches.contacts[index + kFar];
  for (std::size_t k = 0; k < kLanes; ++k) {
    const StagedPlace& place = staged.places[staged.manifold_at[(index + kFar) * kLanes + k]];
    for (const std::int32_t slot : {place.slot_a, place.slot_b}) {
      __builtin_prefetch(bodies.motions + slot, 0, 2);
      if (c.masses >= 0) __builtin_prefetch(bodies.masses + slot, 0, 2);
    }
  }
  const bool twist = c.twist >= 0;
  m = staged.manifold_at + (index + kFar) * kLanes;
  for (std::size_t k = 0; twist && k < kLanes; ++k) {
    const StagedPlace& place = staged.places[m[k]];
    __builtin_prefetch(staged.points + place.first_point);
    if (place.points > 2) __builtin_prefetch(staged.points + place.first_point + place.points - 1);
  }
}

/// Prefetches a batch that will be written.
HWY_INLINE void fetch_empty(const ContactBatches& batches, std::size_t index) {
  if (index >= batches.contacts.size()) return;
  const auto fetch_to_write = [](const void* from, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(static_cast<const char*>(from) + k, 1, 2);
  };
  const ContactBatch& c = batches.contacts[index];
  fetch_to_write(&c, sizeof(ContactBatch));
  fetch_to_write(batches.setup.data() + index, sizeof(SetupBatch));
  fetch_to_write(batches.points.data() + c.first_point, c.points * sizeof(PointBatch));
  fetch_to_write(batches.approach.data() + c.first_point, c.points * sizeof(ApproachBatch));
}

/// Columns of SoftMass from `first` on.
template <std::size_t kCount>
HWY_INLINE void gather_masses(const std::int32_t (&slots)[kLanes], std::size_t at, const float* first,
                              BatchFloats (&to)[kCount]) {
  const auto rows = hn::ShiftLeft<4>(hn::Load(WideInt(), slots + at));
  for (std::size_t k = 0; k < kCount; ++k) store(hn::GatherIndex(kWide, first + k, rows), to[k], at);
}

HWY_INLINE void gather_masses(ContactBatches& batches, const ContactBatch& c, std::size_t at, const SoftMass* bodies) {
  MassBatch& to = batches.masses[static_cast<std::size_t>(c.masses)];
  gather_masses(c.slot_a, at, bodies->inverse_mass, to.inverse_mass_a);
  gather_masses(c.slot_b, at, bodies->inverse_mass, to.inverse_mass_b);
  gather_masses(c.slot_a, at, bodies->inverse_inertia, to.inverse_inertia_a);
  gather_masses(c.slot_b, at, bodies->inverse_inertia, to.inverse_inertia_b);
}

/// Change of the relative velocity at the arms by the impulse `from`.
template <class Masses>
HWY_INLINE V3 respond(const Masses& masses, const V3& from, const V3& arm_a, const V3& arm_b) {
  const V zero = hn::Zero(kWide);
  const V3 rest{zero, zero, zero};
  VelocityPair u{rest, rest, rest, rest, {zero, zero, zero, zero}};
  apply(from, arm_a, arm_b, masses, u);
  return relative_velocity(u, arm_a, arm_b);
}

/// Below this share of the response along the normal a point cannot part at all: normals have rounding errors of 2⁻²⁴,
/// and the share is a few dozen roundings off.
constexpr float kLeastAlong = 1e-5f;

/// Effective masses and approach speeds of the points.
template <class Masses>
HWY_INLINE void prepare_points(ContactBatches& batches, const Manifolds& c, std::size_t at, const Masses& masses,
                               const VelocityPair& u) {
  const V3 n = load(c.contact.normal, at), across = load(c.contact.across, at);
  ApproachBatch* approach = batches.approach.data() + c.contact.first_point;
  V least = hn::Set(kWide, 1.0f);
  for (PointBatch& point : c.points) {
    const V3 arm_a = load(point.arm, at), arm_b = arm_a + across;
    const V3 response = respond(masses, n, arm_a, arm_b);
    const V along = dot(n, response);
    if constexpr (std::is_same_v<Masses, AnyMasses>) {
      const V share = hn::Mul(along, invert(hn::Sqrt(dot(response, response))));
      const auto parts = hn::Gt(share, hn::Set(kWide, kLeastAlong));
      store(hn::IfThenElse(parts, invert(along), hn::Zero(kWide)), point.normal_mass, at);
      store(hn::IfThenElse(parts, load(point.impulse, at), hn::Zero(kWide)), point.impulse, at);
      least = hn::IfThenElse(parts, hn::Min(least, share), least);
    } else {
      store(invert(along), point.normal_mass, at);
    }
    store(dot(n, relative_velocity(u, arm_a, arm_b)), approach++->speed, at);
  }
  if constexpr (std::is_same_v<Masses, AnyMasses>) {
    store(least, batches.masses[static_cast<std::size_t>(c.contact.masses)].along, at);
  }
}

/// The share of a point in the friction is its share in the previous normal impulses. A point without one counts by the
/// impulse that stops its approach within the step. When all of these are zero all points count alike.
HWY_INLINE void share_friction(const Manifolds& m, std::size_t at, V inverse_h, ApproachBatch* to) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f), absent = hn::Set(kWide, 0.5f * kNoPoint);
  V expected[kPointsPerManifold], present[kPointsPerManifold];
  V sum = zero, count = zero;
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    const PointBatch& point = m.points[p];
    const V gap = load(point.gap, at), before = load(point.impulse, at);
    const V closing = hn::Neg(hn::Add(load(to[p].speed, at), hn::Mul(hn::Max(gap, zero), inverse_h)));
    const V stop = hn::Mul(load(point.normal_mass, at), hn::Max(closing, zero));
    expected[p] = hn::IfThenElse(hn::Gt(before, zero), before, stop);
    present[p] = hn::IfThenElse(hn::Lt(gap, absent), one, zero);
    sum = hn::Add(sum, expected[p]);
    count = hn::Add(count, present[p]);
  }
  const auto some = hn::Gt(sum, hn::Set(kWide, 1e-30f));
  const V scale_expected = invert(sum), scale_present = invert(count);
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    const V equal = hn::Mul(present[p], scale_present);
    store(hn::IfThenElse(some, hn::Mul(expected[p], scale_expected), equal), to[p].share, at);
  }
}

/// Friction acts at the mean of the points, weighted by their shares, with the gap at that place; about the normal the
/// points resist like a ring whose radius is their mean distance from it.
template <class Masses>
HWY_INLINE void prepare_twist(const Manifolds& m, const SetupBatch& setup, std::size_t at, const ApproachBatch* shares,
                              const Masses& masses) {
  const V zero = hn::Zero(kWide);
  TwistBatch& twist = *m.twist;
  V3 center{zero, zero, zero};
  V gap = zero, lever = zero;
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    const V share = load(shares[p].share, at);
    center = center + scale(share, load(m.points[p].arm, at));
    gap = hn::Add(gap, hn::Mul(share, load(m.points[p].gap, at)));
  }
  for (std::size_t p = 0; p < m.points.size(); ++p) {
    const V3 from_center = load(m.points[p].arm, at) - center;
    lever = hn::Add(lever, hn::Mul(load(shares[p].share, at), hn::Sqrt(dot(from_center, from_center))));
  }
  const V3 n = load(m.contact.normal, at), from_first = center - load(m.points[0].arm, at);
  const V reach = hn::Mul(load(m.contact.friction, at), lever);
  const V moment = dot(n, cross(from_first, load(setup.warm_tangent, at)));
  store(center, twist.center, at);
  store(load(m.contact.across, at) + scale(gap, n), m.contact.across, at);
  store(hn::Add(load(twist.twist_reach, at), reach), twist.twist_reach, at);
  store(hn::Sub(load(twist.twist_impulse, at), moment), twist.twist_impulse, at);
  store(invert(dot(n, masses.turn_a(n) + masses.turn_b(n))), twist.twist_mass, at);
}

template <class Masses>
HWY_INLINE void prepare_friction(const Manifolds& batches, const SetupBatch& setup, std::size_t at,
                                 const Masses& masses) {
  ContactBatch& c = batches.contact;
  store_tangents(c, at);
  const auto [t1, t2] = Tangents(c, at);
  const auto [arm_a, arm_b] = FrictionArms(batches, at);
  const V3 response1 = respond(masses, t1, arm_a, arm_b), response2 = respond(masses, t2, arm_a, arm_b);
  const V k11 = dot(t1, response1), k22 = dot(t2, response2), k12 = dot(t2, response1);
  const V trace = hn::Add(k11, k22), determinant = hn::Sub(hn::Mul(k11, k22), hn::Mul(k12, k12));
  // Bodies with locked axes may slide along one direction only, or none: then the pseudo-inverse K/(tr K)².
  const auto regular = hn::Gt(determinant, hn::Mul(hn::Set(kWide, kLeastRegular), hn::Mul(trace, trace)));
  const V inverse = invert(determinant), share = invert(trace), squared = hn::Mul(share, share);
  store(hn::IfThenElse(regular, hn::Mul(k22, inverse), hn::Mul(k11, squared)), c.tangent_mass[0], at);
  store(hn::IfThenElse(regular, hn::Mul(k11, inverse), hn::Mul(k22, squared)), c.tangent_mass[1], at);
  store(hn::IfThenElse(regular, hn::Neg(hn::Mul(k12, inverse)), hn::Mul(k12, squared)), c.tangent_mass[2], at);
  const V3 warm = load(setup.warm_tangent, at);
  store(dot(t1, warm), c.tangent_impulse[0], at);
  store(dot(t2, warm), c.tangent_impulse[1], at);
}

template <class Masses>
HWY_INLINE void prepare(ContactBatches& batches, std::size_t index, std::size_t at, const SoftBodies& bodies,
                        V inverse_h) {
  const Manifolds c(batches, index);
  const VelocityPair u = gather_velocities(c.contact, at, bodies.motions);
  const auto masses = masses_of<Masses>(batches, c.contact, at, u);
  prepare_points(batches, c, at, masses, u);
  if (c.twist != nullptr) {
    ApproachBatch* shares = batches.approach.data() + c.contact.first_point;
    share_friction(c, at, inverse_h, shares);
    prepare_twist(c, batches.setup[index], at, shares, masses);
  }
  prepare_friction(c, batches.setup[index], at, masses);
}

/// Prefetches the results of a batch and the places they go to.
HWY_INLINE void fetch_to_return(const ContactBatches& batches, std::size_t index, const std::int32_t* manifold_at,
                                const ManifoldImpulse* impulses) {
  if (index >= batches.contacts.size()) return;
  const ContactBatch& c = batches.contacts[index];
  fetch(c.normal, sizeof(c.normal) + sizeof(c.tangent));
  fetch(c.tangent_total, sizeof(c.tangent_total));
  __builtin_prefetch(batches.points[c.first_point].total, 0, 2);
  __builtin_prefetch(&batches.approach[c.first_point], 0, 2);
  for (std::size_t at = index * kLanes; at < (index + 1) * kLanes; ++at) {
    if (manifold_at[at] >= 0) __builtin_prefetch(impulses + manifold_at[at], 1, 2);
  }
}

HWY_INLINE void return_to_manifolds(const ContactBatches& batches, std::size_t index, std::size_t at,
                                    const std::int32_t* manifold_at, ManifoldImpulse* impulses) {
  const ContactBatch& c = batches.contacts[index];
  const V3 t = Tangents(c, at).combine(load(c.tangent_total[0], at), load(c.tangent_total[1], at));
  const V zero = hn::Zero(kWide);
  const V twist = c.twist < 0 ? zero : load(batches.twists[static_cast<std::size_t>(c.twist)].twist_total, at);
  const ApproachBatch& from = batches.approach[c.first_point];
  const V normal = load(batches.points[c.first_point].total, at), approach = load(from.speed, at);
  const V share = c.twist < 0 ? zero : load(from.share, at);
  constexpr auto kStride = static_cast<std::ptrdiff_t>(sizeof(ManifoldImpulse) / sizeof(float));
  store_rows<kStride, 0>({{normal, approach, share, t.x, t.y, t.z, twist, zero}}, manifold_at + index * kLanes + at,
                         &impulses->first.normal);
}

void Prepare(ContactBatches& batches, BatchRange range, const StagedContacts& staged, const SoftBodies& bodies,
             float inverse_h) {
  const V rate = hn::Set(kWide, inverse_h);
  for (std::size_t k = range.first; k < range.last; ++k) {
    const ContactBatch& c = batches.contacts[k];
    fetch_staged(batches, k, staged, bodies);
    fetch_empty(batches, k + 8);
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      fill(batches, k, at, staged);
      if (c.masses < 0) {
        prepare<RoundMasses>(batches, k, at, bodies, rate);
        continue;
      }
      gather_masses(batches, c, at, bodies.masses);
      prepare<AnyMasses>(batches, k, at, bodies, rate);
    }
  }
}

void Return(const ContactBatches& batches, BatchRange range, const std::int32_t* manifold_at,
            ManifoldImpulse* impulses) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_to_return(batches, k + 8, manifold_at, impulses);
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      return_to_manifolds(batches, k, at, manifold_at, impulses);
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
HWY_EXPORT(Return);

void prepare_contacts(ContactBatches& batches, BatchRange range, const StagedContacts& staged, const SoftBodies& bodies,
                      float inverse_h) {
  HWY_DYNAMIC_DISPATCH(Prepare)(batches, range, staged, bodies, inverse_h);
}

void return_impulses(const ContactBatches& batches, BatchRange range, const std::int32_t* manifold_at,
                     ManifoldImpulse* impulses) {
  HWY_DYNAMIC_DISPATCH(Return)(batches, range, manifold_at, impulses);
}

}  // namespace achilles
#endif
