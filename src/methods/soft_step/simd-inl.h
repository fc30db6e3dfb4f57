// SIMD code that the kernels of soft-step share: vectors of three, bodies' rows as columns, eight manifolds, Coulomb's
// law. Highway compiles it once per instruction set, so it is read once per set and has no ordinary guard. `at` is the
// first SIMD lane of a vector within its batch: 0 or a multiple of the vector's width.
#if defined(ACHILLES_SOFT_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACHILLES_SOFT_SIMD_INL
#undef ACHILLES_SOFT_SIMD_INL
#else
#define ACHILLES_SOFT_SIMD_INL
#endif

#include "methods/soft_step/contact_batches.hpp"

#include <hwy/highway.h>

#include <span>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::CappedTag<float, kLanes>;
using WideInt = hn::RebindToSigned<Wide>;
using V = hn::Vec<Wide>;
constexpr Wide kWide;

struct V3 {
  V x, y, z;
};

HWY_INLINE V3 operator+(const V3& a, const V3& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE V3 operator-(const V3& a, const V3& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }
HWY_INLINE V3 scale(V s, const V3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
HWY_INLINE V3 multiply(const V3& a, const V3& b) { return {hn::Mul(a.x, b.x), hn::Mul(a.y, b.y), hn::Mul(a.z, b.z)}; }
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V load(const BatchFloats& from, std::size_t at) { return hn::Load(kWide, from + at); }
HWY_INLINE V3 load(const BatchFloats (&batches)[3], std::size_t at) {
  return {load(batches[0], at), load(batches[1], at), load(batches[2], at)};
}
HWY_INLINE void store(V value, BatchFloats& to, std::size_t at) { hn::Store(value, kWide, to + at); }

/// Symmetric matrix, xx, yy, zz, xy, xz, yz, times a vector.
HWY_INLINE V3 multiply(const BatchFloats (&m)[6], std::size_t at, const V3& a) {
  const V xx = load(m[0], at), yy = load(m[1], at), zz = load(m[2], at);
  const V xy = load(m[3], at), xz = load(m[4], at), yz = load(m[5], at);
  return {dot({xx, xy, xz}, a), dot({xy, yy, yz}, a), dot({xz, yz, zz}, a)};
}

HWY_INLINE void store(const V3& value, BatchFloats (&batches)[3], std::size_t at) {
  store(value.x, batches[0], at);
  store(value.y, batches[1], at);
  store(value.z, batches[2], at);
}

HWY_INLINE V3 choose(hn::Mask<Wide> which, const V3& a, const V3& b) {
  return {hn::IfThenElse(which, a.x, b.x), hn::IfThenElse(which, a.y, b.y), hn::IfThenElse(which, a.z, b.z)};
}

HWY_INLINE V invert(V value) {
  const V zero = hn::Zero(kWide);
  return hn::IfThenElse(hn::Gt(value, zero), hn::Div(hn::Set(kWide, 1.0f), value), zero);
}

/// Floats from one row of a table to the next: of SoftMotion, SoftMass and StagedManifold.
constexpr std::ptrdiff_t kRow = 16;

/// The first eight columns of a table, for as many of its rows as a vector has SIMD lanes.
struct Columns {
  V c[8];
};

constexpr std::size_t kWidth = hn::MaxLanes(kWide);

#if HWY_TARGET != HWY_SCALAR
using Pairs = hn::RepartitionToWide<WideInt>;

/// Transposes blocks of four by four. Moves bits, so that no number changes.
HWY_INLINE void transpose_blocks(V& r0, V& r1, V& r2, V& r3) {
  const Pairs pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(kWide, r0, r1));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(kWide, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(kWide, r2, r3));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(kWide, r2, r3));
  r0 = hn::BitCast(kWide, hn::InterleaveLower(pairs, low01, low23));
  r1 = hn::BitCast(kWide, hn::InterleaveUpper(pairs, low01, low23));
  r2 = hn::BitCast(kWide, hn::InterleaveLower(pairs, high01, high23));
  r3 = hn::BitCast(kWide, hn::InterleaveUpper(pairs, high01, high23));
}

/// Transposes eight by eight, in registers of eight SIMD lanes.
HWY_INLINE void transpose(V (&m)[8]) {
  transpose_blocks(m[0], m[1], m[2], m[3]);
  transpose_blocks(m[4], m[5], m[6], m[7]);
  for (std::size_t k = 0; k < 4; ++k) {
    const V low = m[k], high = m[4 + k];
    m[k] = hn::ConcatLowerLower(kWide, high, low);
    m[4 + k] = hn::ConcatUpperUpper(kWide, high, low);
  }
}
#endif

/// Loads rows and transposes them: three times as fast as gathering columns.
template <std::ptrdiff_t kStride = kRow>
HWY_INLINE Columns load_rows(const float* table, const std::int32_t* rows) {
  Columns to;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < 8; ++k) to.c[k] = hn::Load(kWide, table + kStride * rows[0] + k);
#else
  if constexpr (kWidth == 8) {
    for (std::size_t k = 0; k < 8; ++k) to.c[k] = hn::Load(kWide, table + kStride * rows[k]);
    transpose(to.c);
  } else {
    for (std::size_t k = 0; k < 4; ++k) {
      to.c[k] = hn::Load(kWide, table + kStride * rows[k]);
      to.c[4 + k] = hn::Load(kWide, table + kStride * rows[k] + 4);
    }
    transpose_blocks(to.c[0], to.c[1], to.c[2], to.c[3]);
    transpose_blocks(to.c[4], to.c[5], to.c[6], to.c[7]);
  }
#endif
  return to;
}

/// Stores columns as rows from kFirst on. Bodies with slots up to 0 are read-only: SIMD lanes of any thread share them.
template <std::ptrdiff_t kStride = kRow, std::int32_t kFirst = 1>
HWY_INLINE void store_rows(Columns from, const std::int32_t* rows, float* table) {
#if HWY_TARGET == HWY_SCALAR
  if (rows[0] < kFirst) return;
  for (std::size_t k = 0; k < 8; ++k) hn::Store(from.c[k], kWide, table + kStride * rows[0] + k);
#else
  if constexpr (kWidth == 8) {
    transpose(from.c);
    for (std::size_t k = 0; k < 8; ++k) {
      if (rows[k] >= kFirst) hn::Store(from.c[k], kWide, table + kStride * rows[k]);
    }
  } else {
    transpose_blocks(from.c[0], from.c[1], from.c[2], from.c[3]);
    transpose_blocks(from.c[4], from.c[5], from.c[6], from.c[7]);
    for (std::size_t k = 0; k < 4; ++k) {
      if (rows[k] < kFirst) continue;
      hn::Store(from.c[k], kWide, table + kStride * rows[k]);
      hn::Store(from.c[4 + k], kWide, table + kStride * rows[k] + 4);
    }
  }
#endif
}

/// Response of the two bodies of each SIMD lane to impulses, if they are round.
struct RoundMasses {
  V mass_a, inertia_a, mass_b, inertia_b;

  HWY_INLINE V3 push_a(const V3& impulse) const { return scale(mass_a, impulse); }
  HWY_INLINE V3 push_b(const V3& impulse) const { return scale(mass_b, impulse); }
  HWY_INLINE V3 turn_a(V size, const V3& lever) const { return scale(hn::Mul(inertia_a, size), lever); }
  HWY_INLINE V3 turn_b(V size, const V3& lever) const { return scale(hn::Mul(inertia_b, size), lever); }
  HWY_INLINE V3 turn_a(const V3& moment) const { return scale(inertia_a, moment); }
  HWY_INLINE V3 turn_b(const V3& moment) const { return scale(inertia_b, moment); }
  /// See MassBatch::along; of round bodies it is near 1.
  HWY_INLINE V along() const { return hn::Set(kWide, 1.0f); }
};

/// Velocities of the two bodies of each SIMD lane, and the inverse masses in the same rows.
struct VelocityPair {
  V3 v_a, w_a, v_b, w_b;
  RoundMasses round;
};

template <class Lanes>
HWY_INLINE VelocityPair gather_velocities(const Lanes& c, std::size_t at, const SoftMotion* bodies) {
  const float* table = bodies->velocity.linear;
  const Columns a = load_rows(table, c.slot_a + at), b = load_rows(table, c.slot_b + at);
  return {{a.c[0], a.c[1], a.c[2]},
          {a.c[3], a.c[4], a.c[5]},
          {b.c[0], b.c[1], b.c[2]},
          {b.c[3], b.c[4], b.c[5]},
          {a.c[6], a.c[7], b.c[6], b.c[7]}};
}

template <class Lanes>
HWY_INLINE void scatter_velocities(const VelocityPair& u, const Lanes& c, std::size_t at, SoftMotion* bodies) {
  float* table = bodies->velocity.linear;
  const RoundMasses& m = u.round;
  store_rows({{u.v_a.x, u.v_a.y, u.v_a.z, u.w_a.x, u.w_a.y, u.w_a.z, m.mass_a, m.inertia_a}}, c.slot_a + at, table);
  store_rows({{u.v_b.x, u.v_b.y, u.v_b.z, u.w_b.x, u.w_b.y, u.w_b.z, m.mass_b, m.inertia_b}}, c.slot_b + at, table);
}

/// Displacement of a body since the beginning of the step.
struct Displacement {
  V3 d;  // displacement of the centre
  V3 q;  // vector part of the rotation
  V w;   // scalar part
};

HWY_INLINE Displacement gather_displacement(const SoftMotion* bodies, const std::int32_t* slots) {
  const Columns t = load_rows(bodies->displacement.linear, slots);
  return {{t.c[0], t.c[1], t.c[2]}, {t.c[3], t.c[4], t.c[5]}, t.c[6]};
}

/// Response of any two bodies to impulses.
struct AnyMasses {
  const MassBatch& m;
  std::size_t at;

  HWY_INLINE AnyMasses(const ContactBatches& batches, const ContactBatch& c, std::size_t lane)
      : m(batches.masses[static_cast<std::size_t>(c.masses)]), at(lane) {}
  HWY_INLINE V3 push_a(const V3& impulse) const { return multiply(load(m.inverse_mass_a, at), impulse); }
  HWY_INLINE V3 push_b(const V3& impulse) const { return multiply(load(m.inverse_mass_b, at), impulse); }
  HWY_INLINE V3 turn_a(V size, const V3& lever) const { return turn_a(scale(size, lever)); }
  HWY_INLINE V3 turn_b(V size, const V3& lever) const { return turn_b(scale(size, lever)); }
  HWY_INLINE V3 turn_a(const V3& moment) const { return multiply(m.inverse_inertia_a, at, moment); }
  HWY_INLINE V3 turn_b(const V3& moment) const { return multiply(m.inverse_inertia_b, at, moment); }
  HWY_INLINE V along() const { return load(m.along, at); }
};

template <class Masses>
HWY_INLINE Masses masses_of(const ContactBatches& batches, const ContactBatch& c, std::size_t at,
                            const VelocityPair& u) {
  if constexpr (std::is_same_v<Masses, RoundMasses>) {
    return u.round;
  } else {
    return Masses(batches, c, at);
  }
}

/// Impulse on b at the arms, minus it on a.
template <class Masses>
HWY_INLINE void apply(const V3& impulse, const V3& arm_a, const V3& arm_b, const Masses& masses, VelocityPair& u) {
  u.v_a = u.v_a - masses.push_a(impulse);
  u.w_a = u.w_a - masses.turn_a(cross(arm_a, impulse));
  u.v_b = u.v_b + masses.push_b(impulse);
  u.w_b = u.w_b + masses.turn_b(cross(arm_b, impulse));
}

HWY_INLINE V3 relative_velocity(const VelocityPair& u, const V3& arm_a, const V3& arm_b) {
  return u.v_b + cross(u.w_b, arm_b) - u.v_a - cross(u.w_a, arm_a);
}

/// Eight manifolds: their parts in the arrays of ContactBatches.
struct Manifolds {
  ContactBatch& contact;
  std::span<PointBatch> points;
  TwistBatch* twist;

  HWY_INLINE Manifolds(ContactBatches& batches, std::size_t index)
      : contact(batches.contacts[index]),
        points(batches.points.data() + contact.first_point, contact.points),
        twist(contact.twist < 0 ? nullptr : &batches.twists[static_cast<std::size_t>(contact.twist)]) {}
};

/// Arms of friction: it acts on the surfaces, not at their centres of curvature.
struct FrictionArms {
  V3 a, b;

  HWY_INLINE FrictionArms(const Manifolds& m, std::size_t at) {
    const V3 n = load(m.contact.normal, at);
    const V3 center = m.twist == nullptr ? load(m.points[0].arm, at) : load(m.twist->center, at);
    a = center + scale(load(m.contact.radius[0], at), n);
    b = center + load(m.contact.across, at) - scale(load(m.contact.radius[1], at), n);
  }
};

/// Two directions that complete n to a frame, without a branch [Duff17]: with s the sign of n_z and a = −1/(s + n_z)
///
///   t₁ = (1 + s a n_x², s a n_x n_y, −s n_x),   t₂ = (a n_x n_y, s + a n_y², −n_y).
///
/// Three of the six follow from the others by their signs and are not stored.
struct Tangents {
  V3 first, second;

  HWY_INLINE Tangents(const ContactBatch& c, std::size_t at) {
    const V3 n = load(c.normal, at);
    const V sign = hn::And(n.z, hn::Set(kWide, -0.0f));
    const V skew = load(c.tangent[1], at);
    first = {load(c.tangent[0], at), skew, hn::Neg(hn::Xor(n.x, sign))};
    second = {hn::Xor(skew, sign), load(c.tangent[2], at), hn::Neg(n.y)};
  }
  HWY_INLINE V3 combine(V x, V y) const { return scale(x, first) + scale(y, second); }
};

HWY_INLINE void store_tangents(ContactBatch& c, std::size_t at) {
  const V3 n = load(c.normal, at);
  const V one = hn::Set(kWide, 1.0f), sign = hn::CopySign(one, n.z);
  const V a = hn::Neg(hn::Div(one, hn::Add(sign, n.z)));
  store(hn::Add(one, hn::Mul(hn::Mul(sign, hn::Mul(n.x, n.x)), a)), c.tangent[0], at);
  store(hn::Mul(sign, hn::Mul(hn::Mul(n.x, n.y), a)), c.tangent[1], at);
  store(hn::Add(sign, hn::Mul(hn::Mul(n.y, n.y), a)), c.tangent[2], at);
}

constexpr std::size_t kBatchesAhead = 16, kBodiesAhead = 4;

/// Prefetches into the second-level cache: the first one has few line fill buffers.
HWY_INLINE void fetch(const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  for (std::size_t k = 0; k < bytes; k += kLine) __builtin_prefetch(static_cast<const char*>(from) + k, 0, 2);
}

HWY_INLINE void fetch_bodies(const ContactBatches& batches, std::size_t index, std::size_t last,
                             const SoftBodies& bodies) {
  if (index >= last) return;
  const ContactBatch& c = batches.contacts[index];
  for (std::size_t k = 0; k < kLanes; ++k) {
    for (const std::int32_t slot : {c.slot_a[k], c.slot_b[k]}) __builtin_prefetch(bodies.motions + slot, 0, 2);
  }
}

/// Prefetches the batch kBatchesAhead further on, and the bodies of the batch kBodiesAhead further on, whose slots have
/// arrived by then.
HWY_INLINE void fetch_ahead(const ContactBatches& batches, std::size_t index, std::size_t last,
                            const SoftBodies& bodies) {
  if (index + kBatchesAhead < last) {
    fetch(&batches.contacts[index + kBatchesAhead], sizeof(ContactBatch));
    // An estimate: points lie in the order of the batches, and neighbours mostly have as many.
    const ContactBatch& here = batches.contacts[index];
    fetch(batches.points.data() + here.first_point + kBatchesAhead * here.points, here.points * sizeof(PointBatch));
  }
  fetch_bodies(batches, index + kBodiesAhead, last, bodies);
}

// Coulomb's law. Of all impulses in the disc |f| ≤ µ p friction is the one that stops the slip s = s₀ + K f, or, if
// none does, the one against the slip that is left: f = −µ p s/|s|, [Moreau85]. The candidate that stops it is f − K⁻¹
// s. If the disc does not hold that, f is where the rim meets the direction of f − α s: a fixed point of this has f
// against s, whatever K is. (K⁻¹ s scaled back would be against s only for a K that is alike in all directions.) With
// α = 2/(k₁ + k₂), k the eigenvalues of K, |1 − α k| < 1, so that the iteration over the substeps converges; where both
// are the same, α s = K⁻¹ s.

/// det K/(tr K)² above which K is inverted: several times the rounding error of single precision.
constexpr float kLeastRegular = 1e-6f;

/// Along the two tangents.
struct TangentPair {
  V x, y;
};

HWY_INLINE V squared(const TangentPair& f) { return hn::Add(hn::Mul(f.x, f.x), hn::Mul(f.y, f.y)); }

/// The impulse of Coulomb's law, given the slip `s` [m/s] under the impulse `before`. `bound` [N s] is µ p.
HWY_INLINE TangentPair bound_friction(const ContactBatch& c, std::size_t at, const TangentPair& before,
                                      const TangentPair& s, V bound) {
  const V m11 = load(c.tangent_mass[0], at), m22 = load(c.tangent_mass[1], at), m12 = load(c.tangent_mass[2], at);
  const TangentPair stop{hn::Sub(before.x, hn::Add(hn::Mul(m11, s.x), hn::Mul(m12, s.y))),
                         hn::Sub(before.y, hn::Add(hn::Mul(m12, s.x), hn::Mul(m22, s.y)))};
  // 2/(k₁ + k₂) = 2 det K⁻¹/tr K⁻¹; for a pseudo-inverse, whose determinant is rounding, 1/k = tr K⁺.
  const V trace = hn::Add(m11, m22), tiny = hn::Set(kWide, 1e-30f);
  const V determinant = hn::Sub(hn::Mul(m11, m22), hn::Mul(m12, m12));
  const auto regular = hn::Gt(determinant, hn::Mul(hn::Set(kWide, 0.5f * kLeastRegular), hn::Mul(trace, trace)));
  const V mean = hn::Div(hn::Add(determinant, determinant), hn::Max(trace, tiny));
  const V alpha = hn::IfThenElse(regular, mean, trace);
  const TangentPair slide{hn::Sub(before.x, hn::Mul(alpha, s.x)), hn::Sub(before.y, hn::Mul(alpha, s.y))};
  const V shrink = hn::Div(bound, hn::Max(hn::Sqrt(squared(slide)), tiny));
  const auto stops = hn::Le(squared(stop), hn::Mul(bound, bound));
  return {hn::IfThenElse(stops, stop.x, hn::Mul(shrink, slide.x)),
          hn::IfThenElse(stops, stop.y, hn::Mul(shrink, slide.y))};
}

/// The same about the normal: returns the new twist and applies its change.
template <class Masses>
HWY_INLINE V bound_twist(const TwistBatch& batch, std::size_t at, const V3& n, V before, V pressed,
                         const Masses& masses, VelocityPair& u) {
  const V spin = dot(n, u.w_b - u.w_a);
  const V bound = hn::Mul(load(batch.twist_reach, at), pressed);
  const V wanted = hn::Sub(before, hn::Mul(load(batch.twist_mass, at), spin));
  const V twist = hn::Max(hn::Neg(bound), hn::Min(wanted, bound));
  const V change = hn::Sub(twist, before);
  u.w_a = u.w_a - masses.turn_a(change, n);
  u.w_b = u.w_b + masses.turn_b(change, n);
  return twist;
}

/// Friction that replaces the impulse `before`; applies the change to the bodies. `pressed` [N s] is the normal impulse
/// that bounds it.
template <class Masses>
HWY_INLINE TangentPair apply_friction(const Manifolds& m, std::size_t at, const TangentPair& before, V pressed,
                                      const Masses& masses, VelocityPair& u) {
  const ContactBatch& c = m.contact;
  const FrictionArms arms(m, at);
  const Tangents tangents(c, at);
  const V3 slip = relative_velocity(u, arms.a, arms.b);
  const TangentPair s{dot(tangents.first, slip), dot(tangents.second, slip)};
  const TangentPair f = bound_friction(c, at, before, s, hn::Mul(load(c.friction, at), pressed));
  apply(tangents.combine(hn::Sub(f.x, before.x), hn::Sub(f.y, before.y)), arms.a, arms.b, masses, u);
  return f;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#endif
