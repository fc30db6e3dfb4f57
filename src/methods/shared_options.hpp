// Options that several methods have, in the same words.
#pragma once

#include "impact/impact_law.hpp"
#include "methods/capabilities.hpp"
#include "methods/method.hpp"
#include "methods/option_list.hpp"
#include "solver/solver.hpp"
#include "stepping/sleep_stage.hpp"

namespace achilles {

inline constexpr std::string_view kEliminateJointsMeaning =
    "joints are fulfilled exactly and the solver sees contacts, limits and motors; else it sees all rows";
inline constexpr std::string_view kWarmStartMeaning = "start from the impulses of the last step";
inline constexpr std::string_view kSpeculativeDistanceMeaning =
    "contacts are looked for up to this gap [m], plus what the speeds can close";
inline constexpr std::string_view kThresholdMeaning = "slower approaches do not bounce [m/s]";
inline constexpr std::string_view kSlopMeaning = "gaps and penetrations up to this count as touch [m]";
inline constexpr std::string_view kIntegratorMeaning =
    "free motion: exact flight and conserved rotation, or eq. 6.76 to the letter";
inline constexpr std::string_view kReuseMeaning =
    "contacts are kept while two bodies have moved no more than this against each other [m], nor than a hundredth of "
    "the smaller one's radius";

inline constexpr OptionRange kCountRange{1, 1e6};
inline constexpr OptionRange kShareRange{0, 1};

/// `member` leads to the SleepOptions.
template <class Options, class Member>
void append_sleeping(Member member, OptionList<Options>& list) {
  list.boolean(
          "sleeping", [member](Options& o) -> bool& { return std::invoke(member, o).enabled; },
          "islands that rest cost nothing until something touches them")
      .number(
          "sleep_energy", [member](Options& o) -> double& { return std::invoke(member, o).energy; },
          "kinetic energy below which a body may rest [J/kg]")
      .needs("sleeping")
      .integer("sleep_steps", [member](Options& o) -> int& { return std::invoke(member, o).steps; },
               "steps that a whole island must rest before it sleeps", {2, 1e6})
      .needs("sleeping");
}

/// `member` leads to the CollideOptions.
template <class Options, class Member>
void append_contact_points(Member member, OptionList<Options>& list) {
  list.word(
          "contact_points", [member](Options& o) -> bool& { return std::invoke(member, o).all_points; },
          {{"reduced", false}, {"all", true}},
          "points of a contact: those that carry it, or every sample and corner that touches, as in the thesis")
      .word(
          "box_contacts", [member](Options& o) -> BoxContacts& { return std::invoke(member, o).boxes; },
          {{"repaired", BoxContacts::kRepaired}, {"old", BoxContacts::kOld}},
          "of two boxes: as repaired in section 6.3 of the thesis, or as before that, for comparison");
}

/// Sleeping body by body. Not for bodies that stand on springs: each that freezes pushes the others anew.
template <class Options, class Member>
void append_subgrouping(Member member, OptionList<Options>& list) {
  list.boolean(
          "subgrouping", [member](Options& o) -> bool& { return std::invoke(member, o).alone; },
          "bodies sleep and wake one by one; changes the motion")
      .needs("sleeping")
      .boolean(
          "fixation", [member](Options& o) -> bool& { return std::invoke(member, o).fixation; },
          "with subgrouping: sleepers hold until they are moved against; changes the motion")
      .needs("subgrouping");
}

/// The scene's solver with its options; `standard` where that is the one meant. Throws std::invalid_argument for an
/// option that belongs to another solver.
[[nodiscard]] SolverOptions make_solver(const MethodRequest& request, SolverOptions standard);
/// The scene's impact law.
[[nodiscard]] ImpactLaw make_law(const MethodRequest& request);

/// Every solver, the default first.
[[nodiscard]] std::vector<std::string_view> list_solvers_after(const SolverOptions& standard);

/// The options of all solvers under one name each; make_solver checks what the chosen one takes. Ranges are the widest;
/// the default shown is that of the standard solver, or of the first that has the option.
void append_solver_options(const SolverOptions& standard, std::vector<OptionInfo>& options);

}  // namespace achilles
