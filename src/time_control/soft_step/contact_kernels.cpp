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

#include "time_control/soft_step/wide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// The velocities of the two bodies of each lane.
struct Twins {
  V3 v_a, w_a, v_b, w_b;
};

HWY_INLINE Twins gather_velocities(const ContactLanes& c, std::size_t at, const SoftVelocity* velocities) {
  const Columns a = load_rows(velocities->linear, c.slot_a + at), b = load_rows(velocities->linear, c.slot_b + at);
  return {{a.c[0], a.c[1], a.c[2]}, {a.c[3], a.c[4], a.c[5]}, {b.c[0], b.c[1], b.c[2]}, {b.c[3], b.c[4], b.c[5]}};
}

HWY_INLINE void scatter_velocities(const Twins& u, const ContactLanes& c, std::size_t at, SoftVelocity* velocities) {
  const V zero = hn::Zero(kWide);
  store_rows({{u.v_a.x, u.v_a.y, u.v_a.z, u.w_a.x, u.w_a.y, u.w_a.z, zero, zero}}, c.writes_a + at, velocities->linear);
  store_rows({{u.v_b.x, u.v_b.y, u.v_b.z, u.w_b.x, u.w_b.y, u.w_b.z, zero, zero}}, c.writes_b + at, velocities->linear);
}

/// Impulse on b at the arms, minus it on a.
HWY_INLINE void apply(const V3& impulse, const V3& arm_a, const V3& arm_b, const ContactLanes& c, std::size_t at,
                      Twins& u) {
  u.v_a = u.v_a - multiply(load(c.inverse_mass_a, at), impulse);
  u.w_a = u.w_a - multiply(c.inverse_inertia_a, at, cross(arm_a, impulse));
  u.v_b = u.v_b + multiply(load(c.inverse_mass_b, at), impulse);
  u.w_b = u.w_b + multiply(c.inverse_inertia_b, at, cross(arm_b, impulse));
}

HWY_INLINE V3 relative_velocity(const Twins& u, const V3& arm_a, const V3& arm_b) {
  return u.v_b + cross(u.w_b, arm_b) - u.v_a - cross(u.w_a, arm_a);
}

struct Turned {
  V3 d;  // displacement of the centre
  V3 q;  // vector part of the rotation
  V w;   // scalar part
};

HWY_INLINE Turned gather_displacement(const SoftDisplacement* displacements, const std::int32_t* slots) {
  const Columns t = load_rows(displacements->linear, slots);
  return {{t.c[0], t.c[1], t.c[2]}, {t.c[3], t.c[4], t.c[5]}, t.c[6]};
}

/// (Rᵀ − 1) n = 2 q×(q×n) − 2 w q×n: its product with an arm r is n·(R − 1) r, how far the turning of the body carries
/// the point at r along n.
HWY_INLINE V3 turn_back(const Turned& body, const V3& n) {
  const V3 t = cross(body.q, n);
  const V3 half = cross(body.q, t) - scale(body.w, t);
  return half + half;
}

HWY_INLINE V sum_of_impulses(const ContactLanes& c, std::size_t at) {
  V sum = load(c.points[0].impulse, at);
  for (std::size_t p = 1; p < kPointsPerManifold; ++p) sum = hn::Add(sum, load(c.points[p].impulse, at));
  return sum;
}

HWY_INLINE void solve_friction(ContactLanes& c, std::size_t at, Twins& u) {
  const V pressed = sum_of_impulses(c, at);
  const V bound = hn::Mul(load(c.friction, at), pressed);
  // About the normal.
  const V3 n = load(c.normal, at);
  const V spin = dot(n, u.w_b - u.w_a);
  const V twist_before = load(c.twist_impulse, at);
  const V twist_bound = hn::Mul(load(c.twist_reach, at), pressed);
  const V twist =
      hn::Max(hn::Neg(twist_bound), hn::Min(hn::Sub(twist_before, hn::Mul(load(c.twist_mass, at), spin)), twist_bound));
  store(twist, c.twist_impulse, at);
  const V3 turn = scale(hn::Sub(twist, twist_before), n);
  u.w_a = u.w_a - multiply(c.inverse_inertia_a, at, turn);
  u.w_b = u.w_b + multiply(c.inverse_inertia_b, at, turn);
  // Along the surface: both tangents at once, then back into the disc.
  const V3 arm_a = load(c.center_a, at), arm_b = load(c.center_b, at);
  const V3 t1 = load(c.tangent[0], at), t2 = load(c.tangent[1], at);
  const V3 slip = relative_velocity(u, arm_a, arm_b);
  const V s1 = dot(t1, slip), s2 = dot(t2, slip);
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
  apply(scale(hn::Sub(f1, before1), t1) + scale(hn::Sub(f2, before2), t2), arm_a, arm_b, c, at, u);
}

HWY_INLINE void solve_normals(ContactLanes& c, std::size_t at, const Turned& body_a, const Turned& body_b,
                              const SubstepOptions& options, Twins& u) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f);
  const V3 n = load(c.normal, at);
  const V inverse_h = hn::Set(kWide, options.inverse_h);
  const V slowest = hn::Set(kWide, -options.push_speed);
  const V rate = options.biased ? load(c.bias_rate, at) : zero;
  const V soft_mass = options.biased ? load(c.mass_scale, at) : one;
  const V soft_leak = options.biased ? load(c.impulse_scale, at) : zero;
  const V3 turn_a = turn_back(body_a, n), turn_b = turn_back(body_b, n);
  const V way = dot(n, body_b.d - body_a.d);
  // All impulses of a manifold have one direction: the centres of mass are told once, at the end.
  const V3 push_a = multiply(load(c.inverse_mass_a, at), n), push_b = multiply(load(c.inverse_mass_b, at), n);
  const V gain = dot(n, push_a + push_b);
  V speed = dot(n, u.v_b - u.v_a), sum = zero;
  for (ContactLanes::Point& point : c.points) {
    const V3 arm_a = load(point.arm_a, at), arm_b = load(point.arm_b, at);
    const V gap = hn::Add(hn::Add(load(point.gap, at), way), hn::Sub(dot(turn_b, arm_b), dot(turn_a, arm_a)));
    // Apart: the substep may close the gap. Else: push it out softly, or not at all.
    const auto apart = hn::Gt(gap, zero);
    const V bias = hn::IfThenElse(apart, hn::Mul(gap, inverse_h), hn::Max(hn::Mul(rate, gap), slowest));
    const V mass = hn::Mul(load(point.normal_mass, at), hn::IfThenElse(apart, one, soft_mass));
    const V leak = hn::IfThenElse(apart, zero, soft_leak);
    const V before = load(point.impulse, at);
    const V3 lever_a = cross(arm_a, n), lever_b = cross(arm_b, n);
    const V turning = hn::Sub(dot(u.w_b, lever_b), dot(u.w_a, lever_a));
    const V approach = hn::Add(hn::Add(speed, turning), bias);
    const V impulse = hn::Max(hn::Sub(hn::Sub(before, hn::Mul(leak, before)), hn::Mul(mass, approach)), zero);
    store(impulse, point.impulse, at);
    const V change = hn::Sub(impulse, before);
    speed = hn::Add(speed, hn::Mul(gain, change));
    sum = hn::Add(sum, change);
    u.w_a = u.w_a - multiply(c.inverse_inertia_a, at, scale(change, lever_a));
    u.w_b = u.w_b + multiply(c.inverse_inertia_b, at, scale(change, lever_b));
  }
  u.v_a = u.v_a - scale(sum, push_a);
  u.v_b = u.v_b + scale(sum, push_b);
}

HWY_INLINE void add_to(const Lane& what, Lane& total, std::size_t at) {
  store(hn::Add(load(total, at), load(what, at)), total, at);
}

HWY_INLINE void add_to_totals(ContactLanes& c, std::size_t at) {
  for (std::size_t p = 0; p < kPointsPerManifold; ++p) add_to(c.points[p].impulse, c.total[p], at);
  const V f1 = load(c.tangent_impulse[0], at), f2 = load(c.tangent_impulse[1], at);
  const V3 friction = scale(f1, load(c.tangent[0], at)) + scale(f2, load(c.tangent[1], at));
  store(load(c.tangent_total, at) + friction, c.tangent_total, at);
  add_to(c.twist_impulse, c.twist_total, at);
}

/// Velocity along `to` at the arms per impulse along `from`.
HWY_INLINE V response(const ContactLanes& c, std::size_t at, const V3& from, const V3& to, const V3& arm_a,
                      const V3& arm_b) {
  const V zero = hn::Zero(kWide);
  const V3 rest{zero, zero, zero};
  Twins u{rest, rest, rest, rest};
  apply(from, arm_a, arm_b, c, at, u);
  return dot(to, relative_velocity(u, arm_a, arm_b));
}

/// Two directions that complete n to a frame, without a branch [Duff17].
HWY_INLINE void make_tangents(const V3& n, V3& t1, V3& t2) {
  const V one = hn::Set(kWide, 1.0f);
  const V sign = hn::CopySign(one, n.z);
  const V a = hn::Neg(hn::Div(one, hn::Add(sign, n.z)));
  const V b = hn::Mul(hn::Mul(n.x, n.y), a);
  t1 = {hn::Add(one, hn::Mul(hn::Mul(sign, hn::Mul(n.x, n.x)), a)), hn::Mul(sign, b), hn::Neg(hn::Mul(sign, n.x))};
  t2 = {b, hn::Add(sign, hn::Mul(hn::Mul(n.y, n.y), a)), hn::Neg(n.y)};
}

HWY_INLINE void gather_masses(const std::int32_t (&slots)[kLanes], std::size_t at, const SoftMass* masses,
                              Lane (&mass)[3], Lane (&inertia)[6]) {
  const auto rows = hn::ShiftLeft<4>(hn::Load(WideInt(), slots + at));
  const float* base = masses->inverse_mass;
  for (std::size_t k = 0; k < 3; ++k) store(hn::GatherIndex(kWide, base + k, rows), mass[k], at);
  for (std::size_t k = 0; k < 6; ++k) store(hn::GatherIndex(kWide, base + 3 + k, rows), inertia[k], at);
}

/// The centre of the patch and its mean radius; masses and approach of the points.
HWY_INLINE V prepare_points(ContactLanes& c, std::size_t at, const V3& n, const Twins& u) {
  const V zero = hn::Zero(kWide), one = hn::Set(kWide, 1.0f), absent = hn::Set(kWide, 0.5f * kNoPoint);
  V3 center_a{zero, zero, zero}, center_b{zero, zero, zero};
  V count = zero;
  for (std::size_t p = 0; p < kPointsPerManifold; ++p) {
    ContactLanes::Point& point = c.points[p];
    const V3 arm_a = load(point.arm_a, at), arm_b = load(point.arm_b, at);
    store(invert(response(c, at, n, n, arm_a, arm_b)), point.normal_mass, at);
    store(dot(n, relative_velocity(u, arm_a, arm_b)), c.approach[p], at);
    center_a = center_a + arm_a;
    center_b = center_b + arm_b;
    count = hn::Add(count, hn::IfThenElse(hn::Lt(load(point.gap, at), absent), one, zero));
  }
  const V share = invert(count);
  center_a = scale(share, center_a);
  store(center_a, c.center_a, at);
  store(scale(share, center_b), c.center_b, at);
  V lever = zero;
  for (const ContactLanes::Point& point : c.points) {
    const V3 from_center = load(point.arm_a, at) - center_a;
    const V length = hn::Sqrt(dot(from_center, from_center));
    lever = hn::Add(lever, hn::IfThenElse(hn::Lt(load(point.gap, at), absent), length, zero));
  }
  return hn::Mul(share, lever);
}

HWY_INLINE void prepare_friction(ContactLanes& c, std::size_t at, const V3& n, V lever) {
  const V zero = hn::Zero(kWide);
  V3 t1, t2;
  make_tangents(n, t1, t2);
  store(t1, c.tangent[0], at);
  store(t2, c.tangent[1], at);
  const V3 arm_a = load(c.center_a, at), arm_b = load(c.center_b, at);
  const V k11 = response(c, at, t1, t1, arm_a, arm_b), k22 = response(c, at, t2, t2, arm_a, arm_b);
  const V k12 = response(c, at, t1, t2, arm_a, arm_b);
  const V product = hn::Mul(k11, k22), determinant = hn::Sub(product, hn::Mul(k12, k12));
  // Bodies with locked axes may not slide along one of the tangents, or at all.
  const auto regular = hn::Gt(determinant, hn::Mul(hn::Set(kWide, 1e-5f), product));
  const V inverse = invert(determinant);
  store(hn::IfThenElse(regular, hn::Mul(k22, inverse), invert(k11)), c.tangent_mass[0], at);
  store(hn::IfThenElse(regular, hn::Mul(k11, inverse), invert(k22)), c.tangent_mass[1], at);
  store(hn::IfThenElse(regular, hn::Neg(hn::Mul(k12, inverse)), zero), c.tangent_mass[2], at);
  const V3 turned = multiply(c.inverse_inertia_a, at, n) + multiply(c.inverse_inertia_b, at, n);
  store(invert(dot(n, turned)), c.twist_mass, at);
  // The patch resists turning like a ring of its mean radius.
  store(hn::Add(load(c.twist_reach, at), hn::Mul(load(c.friction, at), lever)), c.twist_reach, at);
  const V3 warm = load(c.warm_tangent, at);
  store(dot(t1, warm), c.tangent_impulse[0], at);
  store(dot(t2, warm), c.tangent_impulse[1], at);
}

void Prepare(std::span<ContactLanes> lanes, const SoftBodies& bodies) {
  for (ContactLanes& c : lanes) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      gather_masses(c.slot_a, at, bodies.masses, c.inverse_mass_a, c.inverse_inertia_a);
      gather_masses(c.slot_b, at, bodies.masses, c.inverse_mass_b, c.inverse_inertia_b);
      const V3 n = load(c.normal, at);
      const V lever = prepare_points(c, at, n, gather_velocities(c, at, bodies.velocities));
      prepare_friction(c, at, n, lever);
    }
  }
}

void WarmStart(std::span<ContactLanes> lanes, const SoftBodies& bodies) {
  for (ContactLanes& c : lanes) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      Twins u = gather_velocities(c, at, bodies.velocities);
      const V3 n = load(c.normal, at);
      const V zero = hn::Zero(kWide);
      V3 moment_a{zero, zero, zero}, moment_b{zero, zero, zero};
      V sum = zero;
      for (const ContactLanes::Point& point : c.points) {
        const V impulse = load(point.impulse, at);
        sum = hn::Add(sum, impulse);
        moment_a = moment_a + scale(impulse, load(point.arm_a, at));
        moment_b = moment_b + scale(impulse, load(point.arm_b, at));
      }
      const V3 friction = scale(load(c.tangent_impulse[0], at), load(c.tangent[0], at)) +
                          scale(load(c.tangent_impulse[1], at), load(c.tangent[1], at));
      const V3 impulse = scale(sum, n) + friction, turn = scale(load(c.twist_impulse, at), n);
      const V3 torque_a = cross(moment_a, n) + cross(load(c.center_a, at), friction) + turn;
      const V3 torque_b = cross(moment_b, n) + cross(load(c.center_b, at), friction) + turn;
      u.v_a = u.v_a - multiply(load(c.inverse_mass_a, at), impulse);
      u.w_a = u.w_a - multiply(c.inverse_inertia_a, at, torque_a);
      u.v_b = u.v_b + multiply(load(c.inverse_mass_b, at), impulse);
      u.w_b = u.w_b + multiply(c.inverse_inertia_b, at, torque_b);
      scatter_velocities(u, c, at, bodies.velocities);
    }
  }
}

void Solve(std::span<ContactLanes> lanes, const SoftBodies& bodies, const SubstepOptions& options) {
  for (ContactLanes& c : lanes) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      Twins u = gather_velocities(c, at, bodies.velocities);
      const Turned body_a = gather_displacement(bodies.displacements, c.slot_a + at);
      const Turned body_b = gather_displacement(bodies.displacements, c.slot_b + at);
      // Friction first, bounded by the normal impulses of the sweep before, so that normals have the last word: the
      // other way round pyramids come to rest only on softer springs.
      solve_friction(c, at, u);
      solve_normals(c, at, body_a, body_b, options, u);
      if (!options.biased) add_to_totals(c, at);
      scatter_velocities(u, c, at, bodies.velocities);
    }
  }
}

void Restitute(std::span<ContactLanes> lanes, const SoftBodies& bodies, float threshold) {
  const V zero = hn::Zero(kWide);
  for (ContactLanes& c : lanes) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      const V restitution = load(c.restitution, at);
      if (hn::AllTrue(kWide, hn::Eq(restitution, zero))) continue;
      Twins u = gather_velocities(c, at, bodies.velocities);
      const V3 n = load(c.normal, at);
      for (std::size_t p = 0; p < kPointsPerManifold; ++p) {
        ContactLanes::Point& point = c.points[p];
        const V approach = load(c.approach[p], at);
        const auto bounces = hn::And(hn::Lt(approach, hn::Set(kWide, -threshold)), hn::Gt(load(c.total[p], at), zero));
        const V3 arm_a = load(point.arm_a, at), arm_b = load(point.arm_b, at);
        const V speed = dot(n, relative_velocity(u, arm_a, arm_b));
        const V wanted = hn::Neg(hn::Mul(load(point.normal_mass, at), hn::Add(speed, hn::Mul(restitution, approach))));
        const V before = load(point.impulse, at);
        const V impulse = hn::IfThenElse(bounces, hn::Max(hn::Add(before, wanted), zero), before);
        const V change = hn::Sub(impulse, before);
        store(impulse, point.impulse, at);
        store(hn::Add(load(c.total[p], at), change), c.total[p], at);
        apply(scale(change, n), arm_a, arm_b, c, at, u);
      }
      scatter_velocities(u, c, at, bodies.velocities);
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
HWY_EXPORT(Solve);
HWY_EXPORT(Restitute);

void prepare_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(Prepare)(lanes, bodies);
}

void warm_start_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(WarmStart)(lanes, bodies);
}

void solve_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies, const SubstepOptions& options) {
  HWY_DYNAMIC_DISPATCH(Solve)(lanes, bodies, options);
}

void restitute_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies, float threshold) {
  HWY_DYNAMIC_DISPATCH(Restitute)(lanes, bodies, threshold);
}

}  // namespace achilles
#endif
