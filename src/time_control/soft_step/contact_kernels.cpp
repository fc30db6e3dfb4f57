// The inner loops of soft-step, compiled once per instruction set and chosen at run time. Every lane is computed by the
// same operations in the same order whatever the width, without fused operations: all instruction sets give the same
// bits.
#include "time_control/soft_step/contact_lanes.hpp"

// Few are enough: eight lanes, four, and one for machines that have neither.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "time_control/soft_step/contact_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "time_control/soft_step/manifolds-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// (Rᵀ − 1) n = 2 q×(q×n) − 2 w q×n: its product with an arm r is n·(R − 1) r, how far the turning of the body carries
/// the point at r along n.
HWY_INLINE V3 turn_back(const Turned& body, const V3& n) {
  const V3 t = cross(body.q, n);
  const V3 half = cross(body.q, t) - scale(body.w, t);
  return half + half;
}

HWY_INLINE V sum_of_impulses(const Manifolds& c, std::size_t at) {
  V sum = load(c.points[0].impulse, at);
  for (std::size_t p = 1; p < c.points.size(); ++p) sum = hn::Add(sum, load(c.points[p].impulse, at));
  return sum;
}

/// About the normal.
template <class Masses>
HWY_INLINE void solve_twist(PatchLanes& patch, std::size_t at, const V3& n, V pressed, const Masses& masses, Twins& u) {
  const V spin = dot(n, u.w_b - u.w_a);
  const V before = load(patch.twist_impulse, at);
  const V bound = hn::Mul(load(patch.twist_reach, at), pressed);
  const V wanted = hn::Sub(before, hn::Mul(load(patch.twist_mass, at), spin));
  const V twist = hn::Max(hn::Neg(bound), hn::Min(wanted, bound));
  store(twist, patch.twist_impulse, at);
  const V change = hn::Sub(twist, before);
  u.w_a = u.w_a - masses.turn_a(change, n);
  u.w_b = u.w_b + masses.turn_b(change, n);
}

/// Along the surface: both tangents at once, then back into the disc.
template <class Masses>
HWY_INLINE void solve_friction(const Manifolds& lanes, std::size_t at, const Masses& masses, Twins& u) {
  ContactLanes& c = lanes.contact;
  const V pressed = sum_of_impulses(lanes, at);
  if (lanes.patch != nullptr) solve_twist(*lanes.patch, at, load(c.normal, at), pressed, masses, u);
  const V bound = hn::Mul(load(c.friction, at), pressed);
  const V3 arm_a = lanes.center(at), arm_b = arm_a + load(c.across, at);
  const Tangents tangents(c, at);
  const V3 slip = relative_velocity(u, arm_a, arm_b);
  const V s1 = dot(tangents.first, slip), s2 = dot(tangents.second, slip);
  const V m11 = load(c.tangent_mass[0], at), m22 = load(c.tangent_mass[1], at), m12 = load(c.tangent_mass[2], at);
  const V before1 = load(c.tangent_impulse[0], at), before2 = load(c.tangent_impulse[1], at);
  V f1 = hn::Sub(before1, hn::Add(hn::Mul(m11, s1), hn::Mul(m12, s2)));
  V f2 = hn::Sub(before2, hn::Add(hn::Mul(m12, s1), hn::Mul(m22, s2)));
  const V length = hn::Sqrt(hn::Add(hn::Mul(f1, f1), hn::Mul(f2, f2)));
  const V tiny = hn::Set(kWide, 1e-30f);
  const V shrink = hn::Min(hn::Set(kWide, 1.0f), hn::Div(bound, hn::Max(length, tiny)));
  f1 = hn::Mul(f1, shrink);
  f2 = hn::Mul(f2, shrink);
  store(f1, c.tangent_impulse[0], at);
  store(f2, c.tangent_impulse[1], at);
  apply(tangents.combine(hn::Sub(f1, before1), hn::Sub(f2, before2)), arm_a, arm_b, masses, u);
}

/// Softness of each lane: what the ground holds may be stiffer.
struct WideSoftness {
  V rate, mass, leak;
};

HWY_INLINE WideSoftness choose_softness(const ContactLanes& c, std::size_t at, const SubstepOptions& options) {
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
HWY_INLINE void solve_normals(const Manifolds& lanes, std::size_t at, const Turned& body_a, const Turned& body_b,
                              const SubstepOptions& options, const Masses& masses, Twins& u) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f);
  const V3 n = load(lanes.contact.normal, at), across = load(lanes.contact.across, at);
  const V inverse_h = hn::Set(kWide, options.inverse_h);
  const V slowest = hn::Set(kWide, -options.push_speed);
  const WideSoftness soft = choose_softness(lanes.contact, at, options);
  // The arm of b is that of a and `across`: what is due to `across` is the same for all points.
  const V3 turn_b = turn_back(body_b, n), turn = turn_b - turn_back(body_a, n);
  const V way = hn::Add(dot(n, body_b.d - body_a.d), dot(turn_b, across));
  const V3 lever_across = cross(across, n);
  // All impulses of a manifold have one direction: the centres of mass are told once, at the end.
  const V3 push_a = masses.push_a(n), push_b = masses.push_b(n);
  const V gain = dot(n, push_a + push_b);
  V speed = dot(n, u.v_b - u.v_a), sum = zero;
  for (PointLanes& point : lanes.points) {
    const V3 arm = load(point.arm, at);
    const V gap = hn::Add(hn::Add(load(point.gap, at), way), dot(turn, arm));
    // Apart: the substep may close the gap. Else: push it out softly, or not at all.
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

HWY_INLINE void add_to(const Lane& what, Lane& total, std::size_t at) {
  store(hn::Add(load(total, at), load(what, at)), total, at);
}

/// Those of the normals are added where they are solved.
HWY_INLINE void add_friction_to_totals(const Manifolds& lanes, std::size_t at) {
  for (std::size_t k = 0; k < 2; ++k) add_to(lanes.contact.tangent_impulse[k], lanes.contact.tangent_total[k], at);
  if (lanes.patch != nullptr) add_to(lanes.patch->twist_impulse, lanes.patch->twist_total, at);
}

template <class Masses>
HWY_INLINE void solve(SoftLanes& lanes, std::size_t index, std::size_t at, const SoftBodies& bodies,
                      const SubstepOptions& options) {
  const Manifolds m(lanes, index);
  const ContactLanes& c = m.contact;
  Twins u = gather_velocities(c, at, bodies.motions);
  const auto masses = masses_of<Masses>(lanes, c, at, u);
  const Turned body_a = gather_displacement(bodies.motions, c.slot_a + at);
  const Turned body_b = gather_displacement(bodies.motions, c.slot_b + at);
  // Friction first, bounded by the normal impulses of the sweep before, so that normals have the last word: the
  // other way round pyramids come to rest only on softer springs.
  solve_friction(m, at, masses, u);
  solve_normals(m, at, body_a, body_b, options, masses, u);
  if (!options.biased) add_friction_to_totals(m, at);
  scatter_velocities(u, c, at, bodies.motions);
}

void Solve(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, const SubstepOptions& options) {
  for (std::size_t k = range.first; k < range.last; ++k) {
    fetch_ahead(lanes, k, range.fetch_last, bodies);
    const bool round = lanes.contacts[k].masses < 0;
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      round ? solve<RoundMasses>(lanes, k, at, bodies, options) : solve<AnyMasses>(lanes, k, at, bodies, options);
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

void solve_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, const SubstepOptions& options) {
  HWY_DYNAMIC_DISPATCH(Solve)(lanes, range, bodies, options);
}

}  // namespace achilles
#endif
