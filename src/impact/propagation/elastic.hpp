// Gauss-Seidel-like impact operators, applied until nothing approaches.            [Vouga17, alg. 1-3], [Smith12]
//
// Why it ends. Let every contact be opened by a unit velocity w, ⟨n_i, w⟩ ≥ ρ > 0 for unit n_i (lineality.hpp). An
// application adds impulses λ_i ≥ 0 to approaching contacts, so ⟨w, x⟩ grows by at least ρ Σ λ_i; it cannot pass ‖x⁻‖_M
// because energy is not gained. Hence over the whole impact
//
//   Σ λ_i  ≤  (‖x⁻‖_M − ⟨w, x⁻⟩) / ρ  ≤  2 ‖x⁻‖_M / ρ,
//
// and since an application that strikes needs λ ≥ (1 + e) ε ‖x⁻‖_M, their number is finite. The argument needs neither
// conserved energy nor impulses along n_i alone: it carries over to friction in every application, with the
// margin of the friction cones in place of ρ, and to contacts some of which are inelastic. That is the condition under
// which coupled friction ends.
//
// How not ending shows. Between any two iterates ‖x − x'‖_M ≥ ρ Σ λ_i of the impulses between. A smaller distance
// proves that the margin is smaller, and the contacts struck in between are those that oppose each other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "impact/impact_law.hpp"
#include "impact/part.hpp"
#include "impact/propagation/friction.hpp"
#include "impact/propagation/inelastic.hpp"
#include "impact/propagation/violation_tree.hpp"

namespace achilles {

/// One application, as shown to an observer.
struct ImpactApplication {
  std::int64_t iteration = 0;             // from 1, within the part
  std::span<const std::uint32_t> bodies;  // of the part
  std::span<const double> velocity;       // after it, six numbers per body
  std::span<const std::uint32_t> rows;    // struck
  std::span<const double> impulses;       // their impulses, [N s]
};

using ImpactObserver = std::function<void(const ImpactApplication&)>;

/// An impact operator of one's own in place of a law's: all of [Vouga17] is about any R that keeps the desiderata.
/// `violated` are the contacts of the part that approach; the operator changes x and returns which contacts it struck
/// with which impulses.
using ImpactOperator = std::function<void(const ImpactPart& part, std::span<const int> violated, std::span<double> x,
                                          std::vector<int>& struck, std::vector<double>& strikes)>;

struct PropagationWorkspace {
  ViolationTree tree;
  NonnegativeQpWorkspace qp;
  InelasticWorkspace inelastic;
  FrictionWorkspace friction;
  std::vector<int> struck, violated;
  std::vector<int> connected, first_at;  // per contact, per body: which contacts share bodies
  std::vector<double> strikes, before, reference, reference_impulses, rounding;
  std::vector<double> matrix, linear, tolerance, limits;
  std::vector<char> inelastic_mask;
  std::vector<int> opposing;             // contacts
  std::vector<double> opposing_weights;  // with which their unit gradients nearly cancel
  std::vector<std::uint32_t> struck_rows;
  std::vector<double> row_impulses;
  ImpactObserver observer;
  ImpactOperator operation;  // if set, applied instead of the law's
};

struct ElasticTask {
  bool all_at_once = false;  // generalized reflections, else one contact at a time
  Selection selection = Selection::kLexicographic;
  std::uint64_t seed = 1;
  PropagationOptions options;
  /// Per contact: 1 elastic, 0 inelastic, the latter kept feasible throughout; empty: all elastic.
  std::span<const char> elastic;
  /// Coupled friction whose cones are not pointed need not end: it is given up as opposed after twice the patience.
  bool is_bounded = true;
};

struct ElasticReport {
  ImpactStatus status = ImpactStatus::kResolved;
  std::int64_t iterations = 0;
  bool hastened = false;  // longer than `patience`
};

/// x and `impulses` (one per column, added to) are what they are after the last application, also when the status is
/// not kResolved. On kOpposed, `scratch.opposing` names the contacts.
[[nodiscard]] ElasticReport propagate_elastic(const ImpactPart& part, const ElasticTask& task,
                                              PropagationWorkspace& scratch, std::span<double> x,
                                              std::span<double> impulses);

}  // namespace achilles
