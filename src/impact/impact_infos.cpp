#include <array>

#include "impact/impact_law.hpp"

namespace achilles {
namespace {

constexpr std::string_view kSequential = "max_sweeps";
constexpr std::string_view kPropagation =
    "tolerance, lineality, margin, renormalize, friction (none, after, coupled), restitution (blend, per-impact), "
    "max_iterations";

constexpr std::array<ImpactInfo, std::variant_size_v<ImpactLaw>> kInfos{{
    {"newton", "Newton; Guendelman et al. 2003 for friction",
     "normal velocity reversed times restitution, contact by contact; energy may rise with friction, and the report "
     "states it",
     kSequential},
    {"poisson", "Poisson's hypothesis, in two steps",
     "impulses of restitution and compression as e : 1, contact by contact", kSequential},
    {"mirtich", "Mirtich and Canny 1995, section 4",
     "sliding, sticking and reversed sliding integrated over the impulse; static friction of microcollisions",
     "hypothesis (poisson, stronge), microcollision_speed, accuracy, max_sweeps"},
    {"guendelman", "Guendelman et al. 2003", "sweeps with restitution, then without, then nothing approaches",
     "collision_sweeps, contact_sweeps"},
    {"inelastic", "Moreau 1985; Vouga et al. 2017, section 6.2",
     "the nearest feasible velocity, one complementarity problem", "tolerance, friction"},
    {"gauss-seidel", "Vouga et al. 2017, algorithms 1-3",
     "one reflection at a time, energy kept, always ends; restitution by blending",
     "selection (lexicographic, most-violated, random), seed, patience, tolerance, lineality, margin, renormalize, "
     "friction (none, after, coupled), restitution (blend, per-impact), max_iterations"},
    {"generalized-reflections", "Smith et al. 2012; Vouga et al. 2017",
     "all violated contacts at once, symmetry and energy kept, always ends; restitution by blending", kPropagation},
}};

template <std::size_t... I>
std::optional<ImpactLaw> make_by_index(std::size_t index, std::index_sequence<I...>) {
  std::optional<ImpactLaw> law;
  static_cast<void>(((I == index && (law.emplace(std::in_place_index<I>), true)) || ...));
  return law;
}

}  // namespace

std::span<const ImpactInfo> impact_infos() { return kInfos; }

const ImpactInfo& impact_info(const ImpactLaw& law) { return kInfos[law.index()]; }

std::optional<ImpactLaw> make_impact_law(std::string_view name) {
  for (std::size_t i = 0; i < kInfos.size(); ++i) {
    if (kInfos[i].name == name) return make_by_index(i, std::make_index_sequence<kInfos.size()>{});
  }
  return std::nullopt;
}

}  // namespace achilles
