// The impact laws, one option struct each; `resolve_impact` takes any of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "impact/checks.hpp"
#include "impact/impact_problem.hpp"

namespace achilles {

struct ImpactWorkspace;

// ---- Two-body laws, applied to one contact after the other
// ------------------------------------------------------------

/// Normal velocity reversed and multiplied by the restitution; friction sticks if the cone allows, else opposes the
/// slip at the beginning. May gain energy with friction (Kane's paradox); the report's energies show it.
struct NewtonLaw {
  int max_sweeps = 100;
};

/// Compression to rest, then restitution times the compression impulse; sticking or sliding decided in each phase.
struct PoissonLaw {
  int max_sweeps = 100;
};

enum class RestitutionHypothesis {
  kPoisson,  // impulses of restitution and compression as e : 1   [Mirtich95, assumption 2]
  kStronge   // normal work of restitution and compression as e² : 1, never gains energy   [Stronge90]
};

/// The contact velocity integrated over the normal impulse through sliding, sticking and reversed sliding.
/// [Mirtich95, sec. 4]
struct MirtichLaw {
  RestitutionHypothesis hypothesis = RestitutionHypothesis::kPoisson;
  double microcollision_speed = 0;  // [m/s] slower approaches are reversed whole if the cone allows, [Mirtich95, 4.5]
  double accuracy = 1e-10;          // relative, of the integration
  int max_sweeps = 100;
};

/// Sweeps with restitution, then sweeps without.  [Guendelman03, sec. 6-7]
struct GuendelmanLaw {
  int collision_sweeps = 5;
  int contact_sweeps = 10;
};

// ---- Many contacts at once ------------------------------------------------------------------------------------------

enum class Selection { kLexicographic, kMostViolated, kRandom };

enum class ImpactFriction {
  kNone,
  kAfter,   // once, after the normal response: always ends   [Vouga17, sec. 6.3]
  kCoupled  // in every application: ends when all friction cones together are pointed, which is checked
};

enum class ImpactRestitution {
  kBlend,     // between the inelastic and the elastic outcome   [Vouga17, sec. 6.2]
  kPerImpact  // in every application: collapses below 1   [Vouga17, sec. 6.1]
};

struct PropagationOptions {
  double tolerance = 1e-9;  // ε: an approach below ε ‖q‖_M counts as none, unitless   [Vouga17, sec. 7]
  bool lineality = true;    // find and remove implicit equality constraints   [Vouga17, alg. 2]
  double margin = 1e-4;     // gradients this close to opposing each other count as opposed, unitless
  bool renormalize = true;  // [Vouga17, alg. 3, line 9]
  ImpactFriction friction = ImpactFriction::kAfter;
  ImpactRestitution restitution = ImpactRestitution::kBlend;
  /// Reflections one at a time before all violated contacts are reflected at once, per part; the square of the number
  /// of contacts is added, since a line of n balls is sorted by n²/2. Narrow wedges within narrow wedges take the
  /// product of their counts; any operator may take over at any time, [Vouga17, sec. 2], and the report counts
  /// it.
  std::int64_t patience = 100'000;
  std::int64_t max_iterations = 20'000'000;  // per part
  /// Every application is held to (NORM), (KIN), (ONE), (VIO) and (MOD); std::logic_error names the one it breaks.
  bool check = kCheckPhysics;
};

/// One reflection at a time.  [Vouga17, eq. 1]
struct GaussSeidelLaw {
  Selection selection = Selection::kLexicographic;
  std::uint64_t seed = 1;  // for kRandom
  PropagationOptions options;
};

/// All violated rows at once: reflection about the nearest velocity that satisfies them.  [Smith12]
struct GeneralizedReflectionsLaw {
  PropagationOptions options;
};

/// The nearest feasible velocity: one complementarity problem, restitution 0.
struct InelasticLaw {
  double tolerance = 1e-9;
  bool friction = true;
};

using ImpactLaw = std::variant<NewtonLaw, PoissonLaw, MirtichLaw, GuendelmanLaw, InelasticLaw, GaussSeidelLaw,
                               GeneralizedReflectionsLaw>;

struct ImpactInfo {
  std::string_view name, source, promise, options;
};

/// One line per law, in the order of the variant.
[[nodiscard]] std::span<const ImpactInfo> impact_infos();
[[nodiscard]] const ImpactInfo& impact_info(const ImpactLaw& law);
/// The law of that name with default options; nothing if there is none.
[[nodiscard]] std::optional<ImpactLaw> make_impact_law(std::string_view name);

/// Replaces the velocities before the impact by those after it and writes the impulse of every row,
/// `problem.rows.size()` of them, so that q⁺ = q⁻ + M⁻¹ Jᵀ λ up to `impulse_residual`. Afterwards no unilateral row
/// approaches faster than the law's tolerance unless the status is another. Allocates nothing once the workspace is
/// warm, except while removing implicit equality constraints. Parts that need no work are left as they are, bit for
/// bit.
[[nodiscard]] ImpactReport resolve_impact(const ImpactProblem& problem, const ImpactLaw& law, ImpactWorkspace& scratch,
                                          std::span<BodyVelocity> velocities, std::span<double> impulses);

}  // namespace achilles
