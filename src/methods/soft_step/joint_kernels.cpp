// Sweeps of soft-step over joints; see contact_kernels.cpp on instruction sets.
#include "methods/soft_step/joints.hpp"

// Three instruction sets suffice: eight SIMD lanes, four, and one for machines without SIMD.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/soft_step/joint_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "methods/soft_step/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

/// Eight joints: a vector of them from SIMD lane `at` on.
struct Joints {
  JointBatch& joint;
  std::span<JointRowBatch> rows;
  std::size_t at;

  HWY_INLINE Joints(JointBatches& batches, std::size_t index, std::size_t first_lane)
      : joint(batches.joints[index]), rows(batches.rows.data() + joint.first, joint.count), at(first_lane) {}
  HWY_INLINE std::size_t rotors() const { return joint.rotors; }
  /// Rotors and rigid rows.
  HWY_INLINE std::size_t held() const { return joint.held(); }
  /// Entry of the factorization, j ≤ i.
  HWY_INLINE BatchFloats& factor(std::size_t i, std::size_t j) const { return joint.factor[i * (i + 1) / 2 + j]; }
};

HWY_INLINE V rate_of(const JointRowBatch& row, std::size_t at, const VelocityPair& u) {
  const V a = hn::Add(dot(load(row.linear_a, at), u.v_a), dot(load(row.angular_a, at), u.w_a));
  const V b = hn::Add(dot(load(row.linear_b, at), u.v_b), dot(load(row.angular_b, at), u.w_b));
  return hn::Add(a, b);
}

HWY_INLINE void apply_row(const JointBatch& c, const JointRowBatch& row, std::size_t at, V impulse, VelocityPair& u) {
  u.v_a = u.v_a + scale(impulse, multiply(load(c.inverse_mass_a, at), load(row.linear_a, at)));
  u.w_a = u.w_a + scale(impulse, load(row.turn_a, at));
  u.v_b = u.v_b + scale(impulse, multiply(load(c.inverse_mass_b, at), load(row.linear_b, at)));
  u.w_b = u.w_b + scale(impulse, load(row.turn_b, at));
}

/// J M⁻¹ Jᵀ between two rows of a joint.
HWY_INLINE V couple(const JointBatch& c, const JointRowBatch& p, const JointRowBatch& q, std::size_t at) {
  const V a = hn::Add(dot(load(p.linear_a, at), multiply(load(c.inverse_mass_a, at), load(q.linear_a, at))),
                      dot(load(p.angular_a, at), load(q.turn_a, at)));
  const V b = hn::Add(dot(load(p.linear_b, at), multiply(load(c.inverse_mass_b, at), load(q.linear_b, at))),
                      dot(load(p.angular_b, at), load(q.turn_b, at)));
  return hn::Add(a, b);
}

/// Factors J M⁻¹ Jᵀ of the rotors and rigid rows; the effective mass of each other row is that with these held: the
/// mechanism moves along a limit or a motor, not the body alone. A row that depends on rigid rows before it, as when an
/// axis is locked, gets no impulse.
HWY_INLINE void factor_rows(const Joints& c) {
  const std::size_t at = c.at;
  V line[kHeldRows];  // of L D
  for (std::size_t i = 0; i < c.rows.size(); ++i) {
    const V own = couple(c.joint, c.rows[i], c.rows[i], at);
    V pivot = own, with_rotors = own;
    for (std::size_t j = 0; j < (i < c.held() ? i : c.held()); ++j) {
      line[j] = couple(c.joint, c.rows[i], c.rows[j], at);
      for (std::size_t k = 0; k < j; ++k) line[j] = hn::Sub(line[j], hn::Mul(line[k], load(c.factor(j, k), at)));
      const V entry = hn::Mul(line[j], load(c.factor(j, j), at));
      if (i < c.held()) store(entry, c.factor(i, j), at);
      pivot = hn::Sub(pivot, hn::Mul(line[j], entry));
      if (j < c.rotors()) with_rotors = pivot;
    }
    const auto free = hn::Gt(pivot, hn::Mul(hn::Set(kWide, 1e-5f), with_rotors));
    const V soft = hn::IfThenElseZero(free, hn::Add(pivot, load(c.rows[i].softness, at)));
    store(invert(soft), c.rows[i].mass, at);
    if (i < c.held()) store(invert(soft), c.factor(i, i), at);
  }
}

/// x := (L D)⁻¹ x.
HWY_INLINE void substitute_forward(const Joints& c, V (&x)[kHeldRows]) {
  const std::size_t at = c.at;
  for (std::size_t i = 0; i < c.held(); ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] = hn::Sub(x[i], hn::Mul(load(c.factor(i, k), at), x[k]));
  }
  for (std::size_t i = 0; i < c.held(); ++i) x[i] = hn::Mul(x[i], load(c.factor(i, i), at));
}

/// x := L⁻ᵀ x in the rows from first to last; those after them are solved.
HWY_INLINE void substitute_back(const Joints& c, std::size_t first, std::size_t last, V (&x)[kHeldRows]) {
  for (std::size_t i = last; i-- > first;) {
    for (std::size_t k = i + 1; k < c.held(); ++k) x[i] = hn::Sub(x[i], hn::Mul(load(c.factor(k, i), c.at), x[k]));
  }
}

/// Applies impulses of the rotors and rigid rows.
HWY_INLINE void apply_held_rows(const Joints& c, const V (&x)[kHeldRows], VelocityPair& u) {
  for (std::size_t k = 0; k < c.held(); ++k) {
    apply_row(c.joint, c.rows[k], c.at, x[k], u);
    store(hn::Add(load(c.rows[k].impulse, c.at), x[k]), c.rows[k].impulse, c.at);
  }
}

/// s − λ/I.
HWY_INLINE V speed_of_rotor(const JointRowBatch& rotor, std::size_t at) {
  return hn::Sub(load(rotor.target, at), hn::Mul(load(rotor.softness, at), load(rotor.impulse, at)));
}

/// By how much the arm of an anchor turned: (q − 1) r.
HWY_INLINE V3 turn_arm(const Displacement& body, const V3& arm) {
  const V3 once = cross(body.q, arm);
  const V3 half = scale(body.w, once) + cross(body.q, once);
  return half + half;
}

/// Displacements of the bodies as the errors of rows need them.
struct Moves {
  V3 anchor_a, anchor_b;  // d + (q − 1) r
  V3 d_a, d_b;
  V3 turn_a, turn_b;  // to first order
};

HWY_INLINE Moves gather_moves(const JointBatch& c, std::size_t at, const SoftMotion* bodies) {
  const Displacement a = gather_displacement(bodies, c.slot_a + at);
  const Displacement b = gather_displacement(bodies, c.slot_b + at);
  return {a.d + turn_arm(a, load(c.arm_a, at)), b.d + turn_arm(b, load(c.arm_b, at)), a.d, b.d, a.q + a.q, b.q + b.q};
}

HWY_INLINE V change_of(const JointRowBatch& row, std::size_t at, const Moves& moves) {
  const V3 linear_a = load(row.linear_a, at), linear_b = load(row.linear_b, at);
  const V point = hn::Add(dot(linear_a, moves.anchor_a), dot(linear_b, moves.anchor_b));
  const V a = hn::Add(dot(linear_a, moves.d_a), dot(load(row.angular_a, at), moves.turn_a));
  const V b = hn::Add(dot(linear_b, moves.d_b), dot(load(row.angular_b, at), moves.turn_b));
  return hn::IfThenElse(hn::Gt(load(row.is_point, at), hn::Zero(kWide)), point, hn::Add(a, b));
}

/// Solves the rotors and rigid rows of a joint, all at once. Softness scales the impulses of the rigid rows; those of
/// the rotors follow from them.
HWY_INLINE void solve_held_rows(const Joints& c, const Moves& moves, const SoftJointSweep& sweep, VelocityPair& u) {
  const std::size_t at = c.at;
  V x[kHeldRows];
  for (std::size_t k = 0; k < c.held(); ++k) {
    x[k] = hn::Neg(rate_of(c.rows[k], at, u));
    if (k < c.rotors()) x[k] = hn::Add(x[k], speed_of_rotor(c.rows[k], at));
    if (!sweep.biased || k < c.rotors()) continue;
    const V error = hn::Add(load(c.rows[k].error, at), change_of(c.rows[k], at, moves));
    x[k] = hn::Sub(x[k], hn::Mul(hn::Set(kWide, sweep.softness.bias_rate), error));
  }
  substitute_forward(c, x);
  substitute_back(c, c.rotors(), c.held(), x);
  for (std::size_t k = c.rotors(); sweep.biased && k < c.held(); ++k) {
    x[k] = hn::Sub(hn::Mul(hn::Set(kWide, sweep.softness.mass_scale), x[k]),
                   hn::Mul(hn::Set(kWide, sweep.softness.impulse_scale), load(c.rows[k].impulse, at)));
  }
  substitute_back(c, 0, c.rotors(), x);
  apply_held_rows(c, x, u);
}

/// Applies an impulse of a row together with those of the rotors, and of the rigid rows that keep the joint as it
/// moves.
HWY_INLINE void apply_with_held_rows(const Joints& c, const JointRowBatch& row, V impulse, VelocityPair& u) {
  const std::size_t at = c.at;
  V x[kHeldRows];
  for (std::size_t k = 0; k < c.held(); ++k) {
    x[k] = hn::Neg(hn::Mul(impulse, couple(c.joint, c.rows[k], row, at)));
  }
  substitute_forward(c, x);
  substitute_back(c, 0, c.held(), x);
  apply_row(c.joint, row, at, impulse, u);
  apply_held_rows(c, x, u);
}

/// The impulse of a row that is not rigid, before its bounds.
HWY_INLINE V find_impulse(const JointRowBatch& row, std::size_t at, V rate, V change, const SoftJointSweep& sweep) {
  const V zero = hn::Zero(kWide), inverse_h = hn::Set(kWide, sweep.inverse_h);
  const V before = load(row.impulse, at), mass = load(row.mass, at);
  const V target = hn::Sub(load(row.target, at), hn::Mul(load(row.reads, at), hn::Mul(change, inverse_h)));
  const V resisted = hn::Add(rate, hn::Mul(load(row.softness, at), before));
  const V plain = hn::Add(before, hn::Mul(mass, hn::Sub(target, resisted)));
  const V error = hn::Add(load(row.error, at), change);
  const V apart = hn::Sub(before, hn::Mul(mass, hn::Add(rate, hn::Mul(error, inverse_h))));
  V crossed = hn::Sub(before, hn::Mul(mass, rate));
  if (sweep.biased) {
    const V pushed = hn::Add(rate, hn::Mul(hn::Set(kWide, sweep.softness.bias_rate), error));
    const V change_soft = hn::Mul(hn::Mul(mass, hn::Set(kWide, sweep.softness.mass_scale)), pushed);
    crossed = hn::Sub(hn::Sub(before, change_soft), hn::Mul(hn::Set(kWide, sweep.softness.impulse_scale), before));
  }
  const auto is_apart = hn::And(hn::Gt(load(row.is_limit, at), zero), hn::Gt(error, zero));
  return hn::IfThenElse(hn::Gt(load(row.plain, at), zero), plain, hn::IfThenElse(is_apart, apart, crossed));
}

HWY_INLINE void solve_others(const Joints& c, const Moves& moves, const SoftJointSweep& sweep, VelocityPair& u) {
  const std::size_t at = c.at;
  for (JointRowBatch& row : c.rows.subspan(c.held())) {
    const V before = load(row.impulse, at);
    const V unbounded = find_impulse(row, at, rate_of(row, at, u), change_of(row, at, moves), sweep);
    const V impulse = hn::Max(load(row.lower, at), hn::Min(unbounded, load(row.upper, at)));
    store(impulse, row.impulse, at);
    const V change = hn::Sub(impulse, before);
    if (!hn::AllTrue(kWide, hn::Eq(change, hn::Zero(kWide)))) apply_with_held_rows(c, row, change, u);
  }
}

/// The angular part of M⁻¹ Jᵀ.
HWY_INLINE void compute_turns(const JointBatch& c, JointRowBatch& row, std::size_t at) {
  store(multiply(c.inverse_inertia_a, at, load(row.angular_a, at)), row.turn_a, at);
  store(multiply(c.inverse_inertia_b, at, load(row.angular_b, at)), row.turn_b, at);
}

void WarmStartJoints(JointBatches& batches, BatchRange range, const SoftBodies& bodies) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      const Joints c(batches, index, at);
      VelocityPair u = gather_velocities(c.joint, at, bodies.motions);
      for (JointRowBatch& row : c.rows) compute_turns(c.joint, row, at);
      factor_rows(c);
      for (const JointRowBatch& row : c.rows) apply_row(c.joint, row, at, load(row.impulse, at), u);
      scatter_velocities(u, c.joint, at, bodies.motions);
    }
  }
}

/// The targets of the next substep: that of a drive changes by `follows`, and a rotor loses the speed λ/I that its
/// impulse takes.
HWY_INLINE void follow_targets(const Joints& c) {
  for (std::size_t k = 0; k < c.rows.size(); ++k) {
    JointRowBatch& row = c.rows[k];
    const V followed = hn::Add(load(row.target, c.at), load(row.follows, c.at));
    store(k < c.rotors() ? speed_of_rotor(row, c.at) : followed, row.target, c.at);
  }
}

/// Turns the arms of the rows that tie two points. A pull on an arm that turns is a spring, stiff where the pull is
/// strong; an arm that is constant over the step would integrate that spring explicitly, which feeds oscillations.
void TurnJoints(JointBatches& batches, BatchRange range, const SoftBodies& bodies) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      const Joints c(batches, index, at);
      VelocityPair u = gather_velocities(c.joint, at, bodies.motions);
      const V3 from_a = load(c.joint.arm_a, at), from_b = load(c.joint.arm_b, at);
      const V3 arm_a = from_a + turn_arm(gather_displacement(bodies.motions, c.joint.slot_a + at), from_a);
      const V3 arm_b = from_b + turn_arm(gather_displacement(bodies.motions, c.joint.slot_b + at), from_b);
      follow_targets(c);
      for (JointRowBatch& row : c.rows) {
        const auto point = hn::Gt(load(row.is_point, at), hn::Zero(kWide));
        const V impulse = load(row.impulse, at);
        const V3 before_a = load(row.turn_a, at), before_b = load(row.turn_b, at);
        store(choose(point, cross(arm_a, load(row.linear_a, at)), load(row.angular_a, at)), row.angular_a, at);
        store(choose(point, cross(arm_b, load(row.linear_b, at)), load(row.angular_b, at)), row.angular_b, at);
        compute_turns(c.joint, row, at);
        u.w_a = u.w_a + scale(impulse, load(row.turn_a, at) - before_a);
        u.w_b = u.w_b + scale(impulse, load(row.turn_b, at) - before_b);
      }
      factor_rows(c);
      scatter_velocities(u, c.joint, at, bodies.motions);
    }
  }
}

void SolveJoints(JointBatches& batches, BatchRange range, const SoftBodies& bodies, const SoftJointSweep& sweep) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    for (std::size_t at = 0; at < kLanes; at += hn::Lanes(kWide)) {
      const Joints c(batches, index, at);
      VelocityPair u = gather_velocities(c.joint, at, bodies.motions);
      const Moves moves = gather_moves(c.joint, at, bodies.motions);
      solve_held_rows(c, moves, sweep, u);
      solve_others(c, moves, sweep, u);
      scatter_velocities(u, c.joint, at, bodies.motions);
      if (sweep.biased) continue;
      for (JointRowBatch& row : c.rows) store(hn::Add(load(row.total, at), load(row.impulse, at)), row.total, at);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace achilles {

HWY_EXPORT(WarmStartJoints);
HWY_EXPORT(TurnJoints);
HWY_EXPORT(SolveJoints);

void warm_start_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(WarmStartJoints)(batches, range, bodies);
}

void turn_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies) {
  HWY_DYNAMIC_DISPATCH(TurnJoints)(batches, range, bodies);
}

void solve_joints(JointBatches& batches, BatchRange range, const SoftBodies& bodies, const SoftJointSweep& sweep) {
  HWY_DYNAMIC_DISPATCH(SolveJoints)(batches, range, bodies, sweep);
}

}  // namespace achilles
#endif
