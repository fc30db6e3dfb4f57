// Sweeps of soft-step over contacts, compiled once per instruction set and chosen at run time. Every SIMD lane is
// computed by the same operations in the same order whatever the width, without fused multiply-add: all instruction
// sets give the same bits.
#include "methods/soft_step/contact_batches.hpp"

// Three instruction sets suffice: eight SIMD lanes, four, and one for machines without SIMD.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soft_step/contact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "methods/soft_step/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// (Rᵀ − 1) n = 2 q×(q×n) − 2 w q×n: its product with an arm r is n·(R − 1) r, by how much the rotation of the body
/// carries the point at r along n.
HWY_INLINE V3 turn_back(const Displacement& body, const V3& n) {
  const V3 t = cross(body.q, n);
  const V3 half = cross(body.q, t) - scale(body.w, t);
  return half + half;
}

HWY_INLINE V sum_of_impulses(const Manifolds& c, std::size_t at) {
  V sum = load(c.points[0].impulse, at);
  for (std::size_t p = 1; p < c.points.size(); ++p) sum = hn::Add(sum, load(c.points[p].impulse, at));
  return sum;
}

/// Friction along the surface and about the normal, bounded by the present normal impulses.
template <class Masses>
HWY_INLINE void solve_friction(const Manifolds& m, std::size_t at, const Masses& masses, VelocityPair& u) {
  ContactBatch& c = m.contact;
  const V pressed = sum_of_impulses(m, at);
  if (m.twist != nullptr) {
    const V before = load(m.twist->twist_impulse, at);
    const V twist = bound_twist(*m.twist, at, load(c.normal, at), before, pressed, masses, u);
    store(twist, m.twist->twist_impulse, at);
  }
  const TangentPair before{load(c.tangent_impulse[0], at), load(c.tangent_impulse[1], at)};
  const TangentPair f = apply_friction(m, at, before, pressed, masses, u);
  store(f.x, c.tangent_impulse[0], at);
  store(f.y, c.tangent_impulse[1], at);
}

/// Softness of each SIMD lane: contacts with what impulses do not move are stiffer, see choose_frequency.
struct WideSoftness {
  V rate, mass, leak;
};

HWY_INLINE WideSoftness choose_softness(const ContactBatch& c, std::size_t at, const SubstepOptions& options) {
  if (!options.biased) return {hn::Zero(kWide), hn::Set(kWide, 1.0f), hn::Zero(kWide)};
  const WideInt ints;
  const auto lower = hn::Min(hn::Load(ints, c.slot_a + at), hn::Load(ints, c.slot_b + at));
  const auto moves = hn::RebindMask(kWide, hn::Gt(lower, hn::Zero(ints)));
  const Softness &in = options.between, &on = options.grounded;
  return {hn::IfThenElse(moves, hn::Set(kWide, in.bias_rate), hn::Set(kWide, on.bias_rate)),
          hn::IfThenElse(moves, hn::Set(kWide, in.mass_scale), hn::Set(kWide, on.mass_scale)),
          hn::IfThenElse(moves, hn::Set(kWide, in.impulse_scale), hn::Set(kWide, on.impulse_scale))};
}

template <class Masses>
HWY_INLINE void solve_normals(const Manifolds& batches, std::size_t at, const Displacement& body_a,
                              const Displacement& body_b, const SubstepOptions& options, const Masses& masses,
                              VelocityPair& u) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f);
  const V3 n = load(batches.contact.normal, at), across = load(batches.contact.across, at);
  const V inverse_h = hn::Set(kWide, options.inverse_h);
  const V slowest = hn::Mul(hn::Set(kWide, -options.push_speed), masses.along());
  const WideSoftness soft = choose_softness(batches.contact, at, options);
  // The arm of b is that of a plus `across`: terms with `across` are the same for all points.
  const V3 turn_b = turn_back(body_b, n), turn = turn_b - turn_back(body_a, n);
  const V way = hn::Add(dot(n, body_b.d - body_a.d), dot(turn_b, across));
  const V3 lever_across = cross(across, n);
  // All normal impulses of a manifold have one direction: linear velocities change once, at the end.
  const V3 push_a = masses.push_a(n), push_b = masses.push_b(n);
  const V gain = dot(n, push_a + push_b);
  V speed = dot(n, u.v_b - u.v_a), sum = zero;
  for (PointBatch& point : batches.points) {
    const V3 arm = load(point.arm, at);
    const V gap = hn::Add(hn::Add(load(point.gap, at), way), dot(turn, arm));
    // Apart: the substep may close the gap. Penetrating: push it out softly, or with no bias stop the approach.
    const auto apart = hn::Gt(gap, zero);
    const V bias = hn::IfThenElse(apart, hn::Mul(gap, inverse_h), hn::Max(hn::Mul(soft.rate, gap), slowest));
    const V mass = hn::Mul(load(point.normal_mass, at), hn::IfThenElse(apart, one, soft.mass));
    const V leak = hn::IfThenElse(apart, zero, soft.leak);
    const V before = load(point.impulse, at);
    const V3 lever_a = cross(arm, n), lever_b = lever_a + lever_across;
    const V turning = hn::Sub(dot(u.w_b, lever_b), dot(u.w_a, lever_a));
    const V approach = hn::Add(hn::Add(speed, turning), bias);
    const V impulse = hn::Max(hn::Sub(hn::Sub(before, hn::Mul(leak, before)), hn::Mul(mass, approach)), zero);
    store(impulse, point.impulse, at);
    if (!options.biased) store(hn::Add(load(point.total, at), impulse), point.total, at);
    const V change = hn::Sub(impulse, before);
    speed = hn::Add(speed, hn::Mul(gain, change));
    sum = hn::Add(sum, change);
    u.w_a = u.w_a - masses.turn_a(change, lever_a);
    u.w_b = u.w_b + masses.turn_b(change, lever_b);
  }
  u.v_a = u.v_a - scale(sum, push_a);
  u.v_b = u.v_b + scale(sum, push_b);
}

HWY_INLINE void add_to(const BatchFloats& what, BatchFloats& total, std::size_t at) {
  store(hn::Add(load(total, at), load(what, at)), total, at);
}

/// Normal impulses are added to their totals in solve_normals.
HWY_INLINE void add_friction_to_totals(const Manifolds& batches, std::size_t at) {
  for (std::size_t k = 0; k < 2; ++k) add_to(batches.contact.tangent_impulse[k], batches.contact.tangent_total[k], at);
  if (batches.twist != nullptr) add_to(batches.twist->twist_impulse, batches.twist->twist_total, at);
}

template <class Masses>
HWY_INLINE void solve(ContactBatches& batches, std::size_t index, std::size_t at, const SoftBodies& bodies,
                      const SubstepOptions& options) {
  const Manifolds m(batches, index);
  const ContactBatch& c = m.contact;
  VelocityPair u = gather_velocities(c, at, bodies.motions);
  const auto masses = masses_of<Masses>(batches, c, at, u);
  const Displacement body_a = gather_displacement(bodies.motions, c.slot_a + at);
  const Displacement body_b = gather_displacement(bodies.motions, c.slot_b + at);
  // With bias normals come last: no penetration is left in the velocities that the bodies move with. Without bias
  // friction comes last, bounded by the normal impulses that the substep keeps: the impulses that pushed penetration
  // out have been taken back by then.
  if (options.biased) {
    solve_friction(m, at, masses, u);
    solve_normals(m, at, body_a, body_b, options, masses, u);
  } else {
    solve_normals(m, at, body_a, body_b, options, masses, u);
    solve_friction(m, at, masses, u);
    add_friction_to_totals(m, at);
  }
  scatter_velocities(u, c, at, bodies.motions);
}

template <class Masses>
HWY_INLINE void warm_start(ContactBatches& batches, std::size_t index, std::size_t at, const SoftBodies& bodies) {
  const Manifolds m(batches, index);
  const ContactBatch& c = m.contact;
  VelocityPair u = gather_velocities(c, at, bodies.motions);
  const auto masses = masses_of<Masses>(batches, c, at, u);
  const V zero = hn::Zero(kWide);
  const V3 n = load(c.normal, at), across = load(c.across, at);
  V3 moment{zero, zero, zero};
  V sum = zero;
  for (const PointBatch& point : m.points) {
    const V impulse = load(point.impulse, at);
    sum = hn::Add(sum, impulse);
    moment = moment + scale(impulse, load(point.arm, at));
  }
  const V3 friction = Tangents(c, at).combine(load(c.tangent_impulse[0], at), load(c.tangent_impulse[1], at));
  const V3 impulse = scale(sum, n) + friction;
  const FrictionArms arms(m, at);
  V3 torque = cross(moment, n);
  if (m.twist != nullptr) torque = torque + scale(load(m.twist->twist_impulse, at), n);
  u.v_a = u.v_a - masses.push_a(impulse);
  u.w_a = u.w_a - masses.turn_a(torque + cross(arms.a, friction));
  u.v_b = u.v_b + masses.push_b(impulse);
  u.w_b = u.w_b + masses.turn_b(torque + scale(sum, cross(across, n)) + cross(arms.b, friction));
  scatter_velocities(u, c, at, bodies.motions);
}

/// Accelerations of the bodies in place of velocities; the inverse masses are zero.
HWY_INLINE VelocityPair gather_accelerations(const ContactBatch& c, std::size_t at, const SoftVelocity* bodies) {
  constexpr std::ptrdiff_t kStride = sizeof(SoftVelocity) / sizeof(float);
  const Columns a = load_rows<kStride>(bodies->linear, c.slot_a + at);
  const Columns b = load_rows<kStride>(bodies->linear, c.slot_b + at);
  const V zero = hn::Zero(kWide);
  return {{a.c[0], a.c[1], a.c[2]},
          {a.c[3], a.c[4], a.c[5]},
          {b.c[0], b.c[1], b.c[2]},
          {b.c[3], b.c[4], b.c[5]},
          {zero, zero, zero, zero}};
}

/// Applies the normal impulses of restitution; returns their sum.
template <class Masses>
HWY_INLINE V restitute_normals(ContactBatches& batches, const Manifolds& m, std::size_t at, V restitution,
                               const VelocityPair& rates, float threshold, const Masses& masses, VelocityPair& u) {
  const V zero = hn::Zero(kWide);
  const V3 n = load(m.contact.normal, at), across = load(m.contact.across, at);
  const ApproachBatch* approaches = batches.approach.data() + m.contact.first_point;
  V sum = zero;
  for (PointBatch& point : m.points) {
    const V3 arm_a = load(point.arm, at), arm_b = arm_a + across;
    const V before_step = load(approaches++->speed, at);
    const V rate = dot(n, relative_velocity(rates, arm_a, arm_b)), way = hn::Max(load(point.gap, at), zero);
    const V gain = hn::Mul(hn::Set(kWide, 2.0f), hn::Mul(rate, way));
    const V approach = hn::Neg(hn::Sqrt(hn::Max(hn::Sub(hn::Mul(before_step, before_step), gain), zero)));
    const auto pressed = hn::And(hn::Lt(before_step, zero), hn::Gt(load(point.total, at), zero));
    const auto bounces = hn::And(hn::Lt(approach, hn::Set(kWide, -threshold)), pressed);
    const V speed = dot(n, relative_velocity(u, arm_a, arm_b));
    const V rebound = hn::Neg(hn::Mul(load(point.normal_mass, at), hn::Add(speed, hn::Mul(restitution, approach))));
    const V before = load(point.impulse, at);
    const V impulse = hn::IfThenElse(bounces, hn::Max(hn::Add(before, rebound), zero), before);
    const V change = hn::Sub(impulse, before);
    store(impulse, point.impulse, at);
    store(hn::Add(load(point.total, at), change), point.total, at);
    sum = hn::Add(sum, change);
    apply(scale(change, n), arm_a, arm_b, masses, u);
  }
  return sum;
}

template <class Masses>
HWY_INLINE void restitute(ContactBatches& batches, std::size_t index, std::size_t at, const SoftBodies& bodies,
                          float threshold) {
  const Manifolds m(batches, index);
  ContactBatch& c = m.contact;
  const V zero = hn::Zero(kWide), restitution = load(batches.setup[index].restitution, at);
  if (hn::AllTrue(kWide, hn::Eq(restitution, zero))) return;
  VelocityPair u = gather_velocities(c, at, bodies.motions);
  const auto masses = masses_of<Masses>(batches, c, at, u);
  const VelocityPair rates = gather_accelerations(c, at, bodies.accelerations);
  const V sum = restitute_normals(batches, m, at, restitution, rates, threshold, masses, u);
  // Friction of the rebound starts from zero and is bounded by the normal impulse of the rebound: earlier friction
  // stays.
  const V pressed = hn::Max(sum, zero);
  if (m.twist != nullptr) {
    const V twist = bound_twist(*m.twist, at, load(c.normal, at), zero, pressed, masses, u);
    store(hn::Add(load(m.twist->twist_total, at), twist), m.twist->twist_total, at);
  }
  const TangentPair f = apply_friction(m, at, {zero, zero}, pressed, masses, u);
  store(hn::Add(load(c.tangent_total[0], at), f.x), c.tangent_total[0], at);
  store(hn::Add(load(c.tangent_total[1], at), f.y), c.tangent_total[1], at);
  scatter_velocities(u, c, at, bodies.motions);
}

void Solve(ContactBatches& batches, BatchRange range, const SoftBodies& bodies, const SubstepOptions& options) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_ahead(batches, k, range.fetch_last, bodies);
    const bool round = batches.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? solve<RoundMasses>(batches, k, at, bodies, options) : solve<AnyMasses>(batches, k, at, bodies, options);
    }
  }
}

void WarmStart(ContactBatches& batches, BatchRange range, const SoftBodies& bodies) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_ahead(batches, k, range.fetch_last, bodies);
    const bool round = batches.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? warm_start<RoundMasses>(batches, k, at, bodies) : warm_start<AnyMasses>(batches, k, at, bodies);
    }
  }
}

void Restitute(ContactBatches& batches, BatchRange range, const SoftBodies& bodies, float threshold) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    const bool round = batches.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? restitute<RoundMasses>(batches, k, at, bodies, threshold)
            : restitute<AnyMasses>(batches, k, at, bodies, threshold);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace achilles {

HWY_EXPORT(Solve);
HWY_EXPORT(WarmStart);
HWY_EXPORT(Restitute);

void solve_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies,
                    const SubstepOptions& options) {
  HWY_DYNAMIC_DISPATCH(Solve)(batches, range, bodies, options);
}

void warm_start_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(WarmStart)(batches, range, bodies);
}

void restitute_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies, float threshold) {
  HWY_DYNAMIC_DISPATCH(Restitute)(batches, range, bodies, threshold);
}

}  // namespace achilles
#endif
