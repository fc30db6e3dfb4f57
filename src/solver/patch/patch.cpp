#include "solver/patch/patch.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr int kPoints = Patch::kPoints;
constexpr int kRounds = 3;  // of Gauss-Seidel inside a patch: nearly exact, at a fraction of the cost of a sweep

Vec3 column(const Patch::Lane (&lanes)[3], int point) { return {lanes[0][point], lanes[1][point], lanes[2][point]}; }

/// The two bodies of a patch, held while it is solved.
struct Pair {
  const BodyInverseMass* mass_a;
  const BodyInverseMass* mass_b;
  BodyVelocity a, b;
};

void push(Pair& pair, const Patch& patch, const Vec3& impulse, const Vec3& turn_a, const Vec3& turn_b) {
  if (patch.moves_a) {
    pair.a.linear -= pair.mass_a->linear.cwiseProduct(impulse);
    pair.a.angular.noalias() -= pair.mass_a->angular * turn_a;
  }
  if (patch.moves_b) {
    pair.b.linear += pair.mass_b->linear.cwiseProduct(impulse);
    pair.b.angular.noalias() += pair.mass_b->angular * turn_b;
  }
}

void measure_normals(const Patch& patch, const BodyVelocity& a, const BodyVelocity& b, double (&w)[kPoints]) {
  const double common = patch.n.dot(b.linear - a.linear);
  for (int i = 0; i < kPoints; ++i) {
    w[i] = common + patch.turn_b[0][i] * b.angular[0] + patch.turn_b[1][i] * b.angular[1] +
           patch.turn_b[2][i] * b.angular[2] - patch.turn_a[0][i] * a.angular[0] - patch.turn_a[1][i] * a.angular[1] -
           patch.turn_a[2][i] * a.angular[2];
  }
}

double solve_normals(Patch& patch, Pair& pair) {
  double w[kPoints];
  double before[kPoints];
  measure_normals(patch, pair.a, pair.b, w);
  for (int i = 0; i < kPoints; ++i) {
    before[i] = patch.normal[i];
    w[i] += patch.softness * patch.normal[i] - patch.target[i];
  }
  double change = 0;
  const int rounds = patch.count > 1 ? kRounds : 1;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < patch.count; ++i) {
      const double next = std::max(0.0, patch.normal[i] - w[i] * patch.step[i]);
      const double delta = next - patch.normal[i];
      patch.normal[i] = next;
      for (int j = 0; j < kPoints; ++j) w[j] += patch.A[i][j] * delta;
      if (round == 0) change = std::max(change, std::abs(delta) * patch.A[i][i]);
    }
  }
  if (change == 0) return 0;
  double sum = 0;
  Vec3 turn_a = Vec3::Zero(), turn_b = Vec3::Zero();
  for (int i = 0; i < patch.count; ++i) {
    const double delta = patch.normal[i] - before[i];
    sum += delta;
    turn_a += delta * column(patch.turn_a, i);
    turn_b += delta * column(patch.turn_b, i);
  }
  push(pair, patch, sum * patch.n, turn_a, turn_b);
  return change;
}

/// The same for one point, as contacts of round bodies have: no matrix and no lanes, the same bits.
double solve_only_normal(Patch& patch, Pair& pair) {
  const Vec3 turn_a = column(patch.turn_a, 0), turn_b = column(patch.turn_b, 0);
  double w = patch.n.dot(pair.b.linear - pair.a.linear) + turn_b[0] * pair.b.angular[0] +
             turn_b[1] * pair.b.angular[1] + turn_b[2] * pair.b.angular[2] - turn_a[0] * pair.a.angular[0] -
             turn_a[1] * pair.a.angular[1] - turn_a[2] * pair.a.angular[2];
  w += patch.softness * patch.normal[0] - patch.target[0];
  const double next = std::max(0.0, patch.normal[0] - w * patch.step[0]);
  const double delta = next - patch.normal[0];
  if (delta == 0) return 0;
  patch.normal[0] = next;
  push(pair, patch, delta * patch.n, delta * turn_a, delta * turn_b);
  return std::abs(delta) * patch.A[0][0];
}

double solve_friction(Patch& patch, Pair& pair) {
  double change = 0;
  for (int i = 0; i < patch.count; ++i) {
    const double limit = patch.friction * patch.normal[i];
    if (limit == 0 && patch.slip1[i] == 0 && patch.slip2[i] == 0) continue;
    const Vec3 r_a = column(patch.arm_a, i), r_b = column(patch.arm_b, i);
    const Vec3 v = pair.b.linear - pair.a.linear + pair.b.angular.cross(r_b) - pair.a.angular.cross(r_a);
    double next1 = patch.slip1[i] - patch.t1.dot(v) * patch.slip_step[i];
    double next2 = patch.slip2[i] - patch.t2.dot(v) * patch.slip_step[i];
    const double squared = next1 * next1 + next2 * next2;
    if (squared > limit * limit) {
      const double shrink = limit / std::sqrt(squared);
      next1 *= shrink;
      next2 *= shrink;
    }
    const double delta1 = next1 - patch.slip1[i], delta2 = next2 - patch.slip2[i];
    patch.slip1[i] = next1;
    patch.slip2[i] = next2;
    if (delta1 == 0 && delta2 == 0) continue;
    const Vec3 impulse = delta1 * patch.t1 + delta2 * patch.t2;
    push(pair, patch, impulse, r_a.cross(impulse), r_b.cross(impulse));
    change = std::max(change, (std::abs(delta1) + std::abs(delta2)) / patch.slip_step[i]);
  }
  return change;
}

/// Rolling and torsional friction.
double solve_couple(Patch& patch, Pair& pair) {
  double pressing = 0;
  for (int i = 0; i < patch.count; ++i) pressing += patch.normal[i];
  const Vec3 rate = pair.b.angular - pair.a.angular;
  const double across = patch.n.dot(rate);
  const double before = patch.n.dot(patch.couple);
  const double limit = patch.torsional * pressing;
  const double torsion = std::clamp(before - patch.torsion_step * across, -limit, limit);
  Vec3 roll = patch.couple - before * patch.n - patch.roll_step * (rate - across * patch.n);
  const double most = patch.rolling * pressing, length = roll.norm();
  if (length > most) roll *= most / length;
  const Vec3 change = torsion * patch.n + roll - patch.couple;
  if (change.isZero(0)) return 0;
  patch.couple += change;
  push(pair, patch, Vec3::Zero(), change, change);
  return change.norm() / std::max(patch.roll_step, patch.torsion_step);
}

template <bool kFriction>
double solve_patch(Patch& patch, const PatchBodies& bodies) {
  Pair pair{&bodies.inverse_mass[patch.body_a], &bodies.inverse_mass[patch.body_b], bodies.u[patch.body_a],
            bodies.u[patch.body_b]};
  double change = patch.count == 1 ? solve_only_normal(patch, pair) : solve_normals(patch, pair);
  if constexpr (kFriction) {
    if (patch.friction > 0) change = std::max(change, solve_friction(patch, pair));
    if (patch.rolling > 0 || patch.torsional > 0) change = std::max(change, solve_couple(patch, pair));
  }
  if (patch.moves_a) bodies.u[patch.body_a] = pair.a;
  if (patch.moves_b) bodies.u[patch.body_b] = pair.b;
  return change;
}

/// Solves patch_at(0), patch_at(1), ... or the other way round.
template <bool kFriction, class PatchAt>
double sweep(std::size_t count, const PatchAt& patch_at, const PatchBodies& bodies, SweepDirection direction) {
  double change = 0;
  for (std::size_t k = 0; k < count; ++k) {
    Patch& patch = patch_at(direction == SweepDirection::kUp ? k : count - 1 - k);
    change = std::max(change, solve_patch<kFriction>(patch, bodies));
  }
  return change;
}

/// Responses of one point to tangential impulses at it.
struct SlipResponse {
  double k11 = 0, k12 = 0, k22 = 0;  // [1/kg]
};

void add_slip_response(const Patch& patch, const BodyInverseMass& mass, const Vec3& r, SlipResponse& k) {
  const Vec3 turn1 = r.cross(patch.t1), turn2 = r.cross(patch.t2);
  const Vec3 spin1 = mass.angular * turn1;
  const Vec3 push1 = mass.linear.cwiseProduct(patch.t1);
  k.k11 += patch.t1.dot(push1) + turn1.dot(spin1);
  k.k12 += patch.t2.dot(push1) + turn2.dot(spin1);
  k.k22 += patch.t2.dot(mass.linear.cwiseProduct(patch.t2)) + turn2.dot(mass.angular * turn2);
}

void fill_responses(Patch& patch, std::span<const BodyInverseMass> inverse_mass) {
  for (auto& row : patch.A) std::fill(std::begin(row), std::end(row), 0.0);
  const auto add = [&](std::uint32_t body, const Patch::Lane(&turn)[3]) {
    const BodyInverseMass& mass = inverse_mass[body];
    const double common = patch.n.dot(mass.linear.cwiseProduct(patch.n));
    for (int i = 0; i < patch.count; ++i) {
      const Vec3 response = mass.angular * column(turn, i);
      for (int j = 0; j < patch.count; ++j) patch.A[i][j] += common + response.dot(column(turn, j));
    }
  };
  if (patch.moves_a) add(patch.body_a, patch.turn_a);
  if (patch.moves_b) add(patch.body_b, patch.turn_b);
}

/// The larger eigenvalue of a response along the tangents.
double largest(const SlipResponse& r) {
  const double half = 0.5 * (r.k11 - r.k22);
  return 0.5 * (r.k11 + r.k22) + std::sqrt(half * half + r.k12 * r.k12);
}

void weigh_couple(Patch& patch, std::span<const BodyInverseMass> inverse_mass) {
  Mat3 turning = Mat3::Zero();
  if (patch.moves_a) turning += inverse_mass[patch.body_a].angular;
  if (patch.moves_b) turning += inverse_mass[patch.body_b].angular;
  const Vec3 turn1 = turning * patch.t1, turn2 = turning * patch.t2;
  const double along = largest({patch.t1.dot(turn1), patch.t2.dot(turn1), patch.t2.dot(turn2)});
  const double about = patch.n.dot(turning * patch.n);
  patch.roll_step = along > 0 ? 1 / along : 0;
  patch.torsion_step = about > 0 ? 1 / about : 0;
}

Wrench add_up(const Patch& patch) {
  Wrench sum;
  for (int i = 0; i < patch.count; ++i) {
    const Vec3 impulse = patch.normal[i] * patch.n + patch.slip1[i] * patch.t1 + patch.slip2[i] * patch.t2;
    sum.impulse += impulse;
    sum.turn_a += column(patch.arm_a, i).cross(impulse);
    sum.turn_b += column(patch.arm_b, i).cross(impulse);
  }
  sum.turn_a += patch.couple;
  sum.turn_b += patch.couple;
  return sum;
}

}  // namespace

double power_of(const Wrench& wrench, const BodyVelocity& a, const BodyVelocity& b) {
  return wrench.impulse.dot(b.linear - a.linear) + wrench.turn_b.dot(b.angular) - wrench.turn_a.dot(a.angular);
}

void weigh_normals(Patch& patch, std::span<const BodyInverseMass> inverse_mass) {
  fill_responses(patch, inverse_mass);
  for (int i = 0; i < patch.count; ++i) {
    patch.A[i][i] += patch.softness;
    patch.step[i] = patch.A[i][i] > 0 ? 1 / patch.A[i][i] : 0;
  }
}

void weigh_patch(Patch& patch, std::span<const BodyInverseMass> inverse_mass) {
  weigh_normals(patch, inverse_mass);
  if (patch.rolling > 0 || patch.torsional > 0) weigh_couple(patch, inverse_mass);
  if (!(patch.friction > 0)) return;
  for (int i = 0; i < patch.count; ++i) {
    SlipResponse r;
    if (patch.moves_a) add_slip_response(patch, inverse_mass[patch.body_a], column(patch.arm_a, i), r);
    if (patch.moves_b) add_slip_response(patch, inverse_mass[patch.body_b], column(patch.arm_b, i), r);
    const double k = largest(r);
    patch.slip_step[i] = k > 0 ? 1 / k : 0;
  }
}

double apply_patch(const Patch& patch, const PatchBodies& bodies) {
  Pair pair{&bodies.inverse_mass[patch.body_a], &bodies.inverse_mass[patch.body_b], bodies.u[patch.body_a],
            bodies.u[patch.body_b]};
  const Wrench wrench = add_up(patch);
  const double before = power_of(wrench, pair.a, pair.b);
  push(pair, patch, wrench.impulse, wrench.turn_a, wrench.turn_b);
  if (patch.moves_a) bodies.u[patch.body_a] = pair.a;
  if (patch.moves_b) bodies.u[patch.body_b] = pair.b;
  return 0.5 * (before + power_of(wrench, pair.a, pair.b));
}

double measure_power(const Patch& patch, std::span<const BodyVelocity> u) {
  return power_of(add_up(patch), u[patch.body_a], u[patch.body_b]);
}

void measure_patch(const Patch& patch, std::span<const BodyVelocity> u, double (&out)[Patch::kPoints]) {
  measure_normals(patch, u[patch.body_a], u[patch.body_b], out);
}

double sweep_patches(std::span<Patch> patches, const PatchBodies& bodies, SweepDirection direction) {
  const auto patch_at = [&](std::size_t k) -> Patch& { return patches[k]; };
  return sweep<true>(patches.size(), patch_at, bodies, direction);
}

double sweep_normals(std::span<Patch> patches, const PatchBodies& bodies, SweepDirection direction) {
  const auto patch_at = [&](std::size_t k) -> Patch& { return patches[k]; };
  return sweep<false>(patches.size(), patch_at, bodies, direction);
}

double sweep_normals(std::span<Patch> patches, std::span<const std::uint32_t> list, const PatchBodies& bodies,
                     SweepDirection direction) {
  const auto patch_at = [&](std::size_t k) -> Patch& { return patches[list[k]]; };
  return sweep<false>(list.size(), patch_at, bodies, direction);
}

}  // namespace achilles
