// Implicit equality constraints: contacts that oppose each other so that none of them can open.    [Vouga17, sec. 4]
//
// How far a set of unit gradients n_i is from holding any is one number, its margin
//
//   ρ = max over unit w of min_i ⟨n_i, w⟩  =  distance of 0 from the convex hull of the n_i,
//
// the equality being minimax duality. ρ > 0 comes with a certificate w, a velocity that opens every contact, and is
// what [Vouga17, lemma 7.1] requires with ε = ρ; ρ = 0 comes with weights λ ≥ 0, Σ λ_i n_i = 0, whose support is
// opposed.
//
// Differs from [Vouga17, sec. 4], which solves linear programs, and from the definition of the approximate space in its
// section 7, which as printed describes velocities tangent to every constraint: here it is the nearest point of the
// convex hull, a least-squares problem in the mass metric. It decides the common case alone (and a test of the mean
// gradient often before it), and its answer is checked, so that no rounding inside the solver can pass for a proof.
#pragma once

#include <Eigen/Eigenvalues>
#include <span>
#include <vector>

#include "impact/part.hpp"

namespace achilles {

struct LinealityWorkspace {
  NonnegativeQpWorkspace qp;
  std::vector<double> matrix, copy, linear, tolerance, weights, point;
  std::vector<int> live, support;
  std::vector<double> support_weights, combination;
  std::vector<std::uint32_t> parent,
      connected;  // per body; per place of the support: the set of contacts it belongs to
  std::vector<std::size_t> order;
  Eigen::MatrixXd gram;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
};

/// lower ≤ ρ ≤ upper, both from explicit witnesses: lower from a velocity, upper from weights.
struct Margin {
  double lower = 1, upper = 1;
};

/// Cost: the mean gradient is tried first; if it opens every contact by at least `enough`, that is the answer.
/// `scratch.weights` and `scratch.live` hold the weights of the upper bound, `scratch.point` the velocity of the lower.
[[nodiscard]] Margin compute_margin(const ImpactPart& part, double enough, LinealityWorkspace& scratch);

struct LinealityReport {
  Margin margin;      // of what is left
  int dimension = 0;  // of the space of velocities removed
  int rounds = 0;     // nearest-point problems solved
};

/// As [Lopez11]: while the margin is below `margin`, the directions in which the support of the weights
/// opposes itself become equality constraints of the part and are projected out of all gradients. A contact of whose
/// gradient less than `noise` is left is marked removed. Every round removes at least one dimension.
LinealityReport remove_lineality(ImpactPart& part, double margin, double noise, LinealityWorkspace& scratch);

/// Makes equality constraints of contacts whose unit gradients nearly cancel with the positive weights given. False if
/// no direction is new.
bool project_out(ImpactPart& part, std::span<const int> opposed, std::span<const double> weights, double noise,
                 LinealityWorkspace& scratch);

/// Makes equality constraints of the joints.
void remove_joints(ImpactPart& part, double noise);

/// Margin of the friction cones: of all gradients n_i + T_i f with ‖f‖ ≤ µ_i, bounded from below through pyramids of
/// eight facets around each cone. Positive: all cones together are pointed.
[[nodiscard]] double compute_friction_margin(const ImpactPart& part, LinealityWorkspace& scratch);

}  // namespace achilles
