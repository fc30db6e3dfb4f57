#include "solver/manifold/contact_manifold.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr int kPoints = ContactManifold::kPoints;
constexpr int kRounds = 3;  // of Gauss-Seidel inside a manifold: nearly exact, at a fraction of the cost of a sweep

Vec3 column(const ContactManifold::PerPoint (&lanes)[3], int point) {
  return {lanes[0][point], lanes[1][point], lanes[2][point]};
}

/// The two bodies of a manifold, held while it is solved.
struct Pair {
  const BodyInverseMass* mass_a;
  const BodyInverseMass* mass_b;
  BodyVelocity a, b;
};

void push(Pair& pair, const ContactManifold& manifold, const Vec3& impulse, const Vec3& turn_a, const Vec3& turn_b) {
  if (manifold.moves_a) {
    pair.a.linear -= pair.mass_a->linear.cwiseProduct(impulse);
    pair.a.angular.noalias() -= pair.mass_a->angular * turn_a;
  }
  if (manifold.moves_b) {
    pair.b.linear += pair.mass_b->linear.cwiseProduct(impulse);
    pair.b.angular.noalias() += pair.mass_b->angular * turn_b;
  }
}

void measure_normals(const ContactManifold& manifold, const BodyVelocity& a, const BodyVelocity& b,
                     double (&w)[kPoints]) {
  const double common = manifold.n.dot(b.linear - a.linear);
  for (int i = 0; i < kPoints; ++i) {
    w[i] = common + manifold.turn_b[0][i] * b.angular[0] + manifold.turn_b[1][i] * b.angular[1] +
           manifold.turn_b[2][i] * b.angular[2] - manifold.turn_a[0][i] * a.angular[0] -
           manifold.turn_a[1][i] * a.angular[1] - manifold.turn_a[2][i] * a.angular[2];
  }
}

double solve_normals(ContactManifold& manifold, Pair& pair) {
  double w[kPoints];
  double before[kPoints];
  measure_normals(manifold, pair.a, pair.b, w);
  for (int i = 0; i < kPoints; ++i) {
    before[i] = manifold.normal[i];
    w[i] += manifold.softness * manifold.normal[i] - manifold.target[i];
  }
  double change = 0;
  const int rounds = manifold.count > 1 ? kRounds : 1;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < manifold.count; ++i) {
      const double next = std::max(0.0, manifold.normal[i] - w[i] * manifold.step[i]);
      const double delta = next - manifold.normal[i];
      manifold.normal[i] = next;
      for (int j = 0; j < kPoints; ++j) w[j] += manifold.A[i][j] * delta;
      if (round == 0) change = std::max(change, std::abs(delta) * manifold.A[i][i]);
    }
  }
  if (change == 0) return 0;
  double sum = 0;
  Vec3 turn_a = Vec3::Zero(), turn_b = Vec3::Zero();
  for (int i = 0; i < manifold.count; ++i) {
    const double delta = manifold.normal[i] - before[i];
    sum += delta;
    turn_a += delta * column(manifold.turn_a, i);
    turn_b += delta * column(manifold.turn_b, i);
  }
  push(pair, manifold, sum * manifold.n, turn_a, turn_b);
  return change;
}

/// The same for one point, as contacts of round bodies have: no matrix and no lanes, the same bits.
double solve_only_normal(ContactManifold& manifold, Pair& pair) {
  const Vec3 turn_a = column(manifold.turn_a, 0), turn_b = column(manifold.turn_b, 0);
  double w = manifold.n.dot(pair.b.linear - pair.a.linear) + turn_b[0] * pair.b.angular[0] +
             turn_b[1] * pair.b.angular[1] + turn_b[2] * pair.b.angular[2] - turn_a[0] * pair.a.angular[0] -
             turn_a[1] * pair.a.angular[1] - turn_a[2] * pair.a.angular[2];
  w += manifold.softness * manifold.normal[0] - manifold.target[0];
  const double next = std::max(0.0, manifold.normal[0] - w * manifold.step[0]);
  const double delta = next - manifold.normal[0];
  if (delta == 0) return 0;
  manifold.normal[0] = next;
  push(pair, manifold, delta * manifold.n, delta * turn_a, delta * turn_b);
  return std::abs(delta) * manifold.A[0][0];
}

double solve_friction(ContactManifold& manifold, Pair& pair) {
  double change = 0;
  for (int i = 0; i < manifold.count; ++i) {
    const double limit = manifold.friction * manifold.normal[i];
    if (limit == 0 && manifold.slip1[i] == 0 && manifold.slip2[i] == 0) continue;
    const Vec3 r_a = column(manifold.arm_a, i), r_b = column(manifold.arm_b, i);
    const Vec3 v = pair.b.linear - pair.a.linear + pair.b.angular.cross(r_b) - pair.a.angular.cross(r_a);
    double next1 = manifold.slip1[i] - manifold.t1.dot(v) * manifold.slip_step[i];
    double next2 = manifold.slip2[i] - manifold.t2.dot(v) * manifold.slip_step[i];
    const double squared = next1 * next1 + next2 * next2;
    if (squared > limit * limit) {
      const double shrink = limit / std::sqrt(squared);
      next1 *= shrink;
      next2 *= shrink;
    }
    const double delta1 = next1 - manifold.slip1[i], delta2 = next2 - manifold.slip2[i];
    manifold.slip1[i] = next1;
    manifold.slip2[i] = next2;
    if (delta1 == 0 && delta2 == 0) continue;
    const Vec3 impulse = delta1 * manifold.t1 + delta2 * manifold.t2;
    push(pair, manifold, impulse, r_a.cross(impulse), r_b.cross(impulse));
    change = std::max(change, (std::abs(delta1) + std::abs(delta2)) / manifold.slip_step[i]);
  }
  return change;
}

/// Rolling and torsional friction.
double solve_couple(ContactManifold& manifold, Pair& pair) {
  double pressing = 0;
  for (int i = 0; i < manifold.count; ++i) pressing += manifold.normal[i];
  const Vec3 rate = pair.b.angular - pair.a.angular;
  const double across = manifold.n.dot(rate);
  const double before = manifold.n.dot(manifold.couple);
  const double limit = manifold.torsional * pressing;
  const double torsion = std::clamp(before - manifold.torsion_step * across, -limit, limit);
  Vec3 roll = manifold.couple - before * manifold.n - manifold.roll_step * (rate - across * manifold.n);
  const double most = manifold.rolling * pressing, length = roll.norm();
  if (length > most) roll *= most / length;
  const Vec3 change = torsion * manifold.n + roll - manifold.couple;
  if (change.isZero(0)) return 0;
  manifold.couple += change;
  push(pair, manifold, Vec3::Zero(), change, change);
  return change.norm() / std::max(manifold.roll_step, manifold.torsion_step);
}

template <bool kFriction>
double solve_manifold(ContactManifold& manifold, const ManifoldBodies& bodies) {
  Pair pair{&bodies.inverse_mass[manifold.body_a], &bodies.inverse_mass[manifold.body_b], bodies.u[manifold.body_a],
            bodies.u[manifold.body_b]};
  double change = manifold.count == 1 ? solve_only_normal(manifold, pair) : solve_normals(manifold, pair);
  if constexpr (kFriction) {
    if (manifold.friction > 0) change = std::max(change, solve_friction(manifold, pair));
    if (manifold.rolling > 0 || manifold.torsional > 0) change = std::max(change, solve_couple(manifold, pair));
  }
  if (manifold.moves_a) bodies.u[manifold.body_a] = pair.a;
  if (manifold.moves_b) bodies.u[manifold.body_b] = pair.b;
  return change;
}

/// Solves manifold_at(0), manifold_at(1), ... or the other way round.
template <bool kFriction, class ManifoldAt>
double sweep(std::size_t count, const ManifoldAt& manifold_at, const ManifoldBodies& bodies, SweepDirection direction) {
  double change = 0;
  for (std::size_t k = 0; k < count; ++k) {
    ContactManifold& manifold = manifold_at(direction == SweepDirection::kUp ? k : count - 1 - k);
    change = std::max(change, solve_manifold<kFriction>(manifold, bodies));
  }
  return change;
}

/// Responses of one point to tangential impulses at it.
struct SlipResponse {
  double k11 = 0, k12 = 0, k22 = 0;  // [1/kg]
};

void add_slip_response(const ContactManifold& manifold, const BodyInverseMass& mass, const Vec3& r, SlipResponse& k) {
  const Vec3 turn1 = r.cross(manifold.t1), turn2 = r.cross(manifold.t2);
  const Vec3 spin1 = mass.angular * turn1;
  const Vec3 push1 = mass.linear.cwiseProduct(manifold.t1);
  k.k11 += manifold.t1.dot(push1) + turn1.dot(spin1);
  k.k12 += manifold.t2.dot(push1) + turn2.dot(spin1);
  k.k22 += manifold.t2.dot(mass.linear.cwiseProduct(manifold.t2)) + turn2.dot(mass.angular * turn2);
}

void fill_responses(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass) {
  for (auto& row : manifold.A) std::fill(std::begin(row), std::end(row), 0.0);
  const auto add = [&](std::uint32_t body, const ContactManifold::PerPoint(&turn)[3]) {
    const BodyInverseMass& mass = inverse_mass[body];
    const double common = manifold.n.dot(mass.linear.cwiseProduct(manifold.n));
    for (int i = 0; i < manifold.count; ++i) {
      const Vec3 response = mass.angular * column(turn, i);
      for (int j = 0; j < manifold.count; ++j) manifold.A[i][j] += common + response.dot(column(turn, j));
    }
  };
  if (manifold.moves_a) add(manifold.body_a, manifold.turn_a);
  if (manifold.moves_b) add(manifold.body_b, manifold.turn_b);
}

/// The larger eigenvalue of a response along the tangents.
double largest(const SlipResponse& r) {
  const double half = 0.5 * (r.k11 - r.k22);
  return 0.5 * (r.k11 + r.k22) + std::sqrt(half * half + r.k12 * r.k12);
}

void compute_couple_response(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass) {
  Mat3 turning = Mat3::Zero();
  if (manifold.moves_a) turning += inverse_mass[manifold.body_a].angular;
  if (manifold.moves_b) turning += inverse_mass[manifold.body_b].angular;
  const Vec3 turn1 = turning * manifold.t1, turn2 = turning * manifold.t2;
  const double along = largest({manifold.t1.dot(turn1), manifold.t2.dot(turn1), manifold.t2.dot(turn2)});
  const double about = manifold.n.dot(turning * manifold.n);
  manifold.roll_step = along > 0 ? 1 / along : 0;
  manifold.torsion_step = about > 0 ? 1 / about : 0;
}

Wrench add_up(const ContactManifold& manifold) {
  Wrench sum;
  for (int i = 0; i < manifold.count; ++i) {
    const Vec3 impulse =
        manifold.normal[i] * manifold.n + manifold.slip1[i] * manifold.t1 + manifold.slip2[i] * manifold.t2;
    sum.impulse += impulse;
    sum.turn_a += column(manifold.arm_a, i).cross(impulse);
    sum.turn_b += column(manifold.arm_b, i).cross(impulse);
  }
  sum.turn_a += manifold.couple;
  sum.turn_b += manifold.couple;
  return sum;
}

}  // namespace

double power_of(const Wrench& wrench, const BodyVelocity& a, const BodyVelocity& b) {
  return wrench.impulse.dot(b.linear - a.linear) + wrench.turn_b.dot(b.angular) - wrench.turn_a.dot(a.angular);
}

void compute_normal_responses(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass) {
  fill_responses(manifold, inverse_mass);
  for (int i = 0; i < manifold.count; ++i) {
    manifold.A[i][i] += manifold.softness;
    manifold.step[i] = manifold.A[i][i] > 0 ? 1 / manifold.A[i][i] : 0;
  }
}

void compute_responses(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass) {
  compute_normal_responses(manifold, inverse_mass);
  if (manifold.rolling > 0 || manifold.torsional > 0) compute_couple_response(manifold, inverse_mass);
  if (!(manifold.friction > 0)) return;
  for (int i = 0; i < manifold.count; ++i) {
    SlipResponse r;
    if (manifold.moves_a) add_slip_response(manifold, inverse_mass[manifold.body_a], column(manifold.arm_a, i), r);
    if (manifold.moves_b) add_slip_response(manifold, inverse_mass[manifold.body_b], column(manifold.arm_b, i), r);
    const double k = largest(r);
    manifold.slip_step[i] = k > 0 ? 1 / k : 0;
  }
}

double apply_manifold_impulses(const ContactManifold& manifold, const ManifoldBodies& bodies) {
  Pair pair{&bodies.inverse_mass[manifold.body_a], &bodies.inverse_mass[manifold.body_b], bodies.u[manifold.body_a],
            bodies.u[manifold.body_b]};
  const Wrench wrench = add_up(manifold);
  const double before = power_of(wrench, pair.a, pair.b);
  push(pair, manifold, wrench.impulse, wrench.turn_a, wrench.turn_b);
  if (manifold.moves_a) bodies.u[manifold.body_a] = pair.a;
  if (manifold.moves_b) bodies.u[manifold.body_b] = pair.b;
  return 0.5 * (before + power_of(wrench, pair.a, pair.b));
}

double measure_power(const ContactManifold& manifold, std::span<const BodyVelocity> u) {
  return power_of(add_up(manifold), u[manifold.body_a], u[manifold.body_b]);
}

void measure_normal_velocity(const ContactManifold& manifold, std::span<const BodyVelocity> u,
                             double (&out)[ContactManifold::kPoints]) {
  measure_normals(manifold, u[manifold.body_a], u[manifold.body_b], out);
}

double sweep_manifolds(std::span<ContactManifold> manifolds, const ManifoldBodies& bodies, SweepDirection direction) {
  const auto manifold_at = [&](std::size_t k) -> ContactManifold& { return manifolds[k]; };
  return sweep<true>(manifolds.size(), manifold_at, bodies, direction);
}

double sweep_normals(std::span<ContactManifold> manifolds, const ManifoldBodies& bodies, SweepDirection direction) {
  const auto manifold_at = [&](std::size_t k) -> ContactManifold& { return manifolds[k]; };
  return sweep<false>(manifolds.size(), manifold_at, bodies, direction);
}

double sweep_normals(std::span<ContactManifold> manifolds, std::span<const std::uint32_t> list,
                     const ManifoldBodies& bodies, SweepDirection direction) {
  const auto manifold_at = [&](std::size_t k) -> ContactManifold& { return manifolds[list[k]]; };
  return sweep<false>(list.size(), manifold_at, bodies, direction);
}

}  // namespace achilles
