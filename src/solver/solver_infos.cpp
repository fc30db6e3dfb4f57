#include "solver/solver.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::string_view kOrders[] = {"forward", "symmetric", "shuffled", "largest-first"};

// An option of the struct Options: where it is stored and what may be stored there.
template <class Options>
struct Field {
  std::string_view name;
  std::variant<int Options::*, double Options::*, bool Options::*, SweepOrder Options::*, std::uint64_t Options::*>
      member;
  double minimum = 0, maximum = 0;
  std::string_view meaning;
};

constexpr double kMany = 1e9;
constexpr double kLoose = 1e12;
constexpr std::string_view kSweeps = "sweeps at most";
constexpr std::string_view kPivots = "pivots at most";
constexpr std::string_view kTolerance = "residual at which the solver is done [m/s]";
constexpr std::string_view kMinimum = "sweeps at least, so that a warm start is always improved upon";
constexpr std::string_view kPatience = "sweeps without improvement after which the solver gives up; 0: never";

template <class Options>
std::vector<Field<Options>> fields_of();

template <>
std::vector<Field<LemkeOptions>> fields_of() {
  using O = LemkeOptions;
  return {{"iterations", &O::iterations, 1, kMany, kPivots},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"facets", &O::facets, 3, 1024, "corners of the polygon that replaces each friction disc"}};
}

template <>
std::vector<Field<DantzigOptions>> fields_of() {
  using O = DantzigOptions;
  return {{"iterations", &O::iterations, 1, kMany, kPivots},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"rounds", &O::rounds, 1, kMany, "box problems at most, with friction limits updated in between"}};
}

template <>
std::vector<Field<JacobiOptions>> fields_of() {
  using O = JacobiOptions;
  return {{"iterations", &O::iterations, 1, kMany, kSweeps},
          {"minimum_iterations", &O::minimum_iterations, 0, kMany, kMinimum},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"relaxation", &O::relaxation, 0.01, 1.99, "length of a step, of the one known to converge"},
          {"patience", &O::patience, 0, kMany, kPatience}};
}

template <>
std::vector<Field<GaussSeidelOptions>> fields_of() {
  using O = GaussSeidelOptions;
  return {{"iterations", &O::iterations, 1, kMany, kSweeps},
          {"minimum_iterations", &O::minimum_iterations, 0, kMany, kMinimum},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"relaxation", &O::relaxation, 0.01, 1.99, "over- or under-relaxation of the sweeps; 1 is Gauss-Seidel"},
          {"block_contacts", &O::block_contacts, 0, 0, "solve each contact exactly for its three impulses"},
          {"order", &O::order, 0, 0, "in which a sweep visits the rows"},
          {"seed", &O::seed, 0, kMany, "of the shuffled order"},
          {"patience", &O::patience, 0, kMany, kPatience}};
}

template <>
std::vector<Field<SorOptions>> fields_of() {
  using O = SorOptions;
  return {{"iterations", &O::iterations, 1, kMany, kSweeps},
          {"minimum_iterations", &O::minimum_iterations, 0, kMany, kMinimum},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"relaxation", &O::relaxation, 0, 1.99, "over-relaxation; 0 estimates the best from the rate of convergence"},
          {"patience", &O::patience, 0, kMany, kPatience}};
}

template <>
std::vector<Field<NonsmoothCgOptions>> fields_of() {
  using O = NonsmoothCgOptions;
  return {{"iterations", &O::iterations, 1, kMany, kSweeps},
          {"minimum_iterations", &O::minimum_iterations, 0, kMany, kMinimum},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"memory", &O::memory, 0, 100, "directions kept; 0 is Fletcher-Reeves as published"},
          {"block_contacts", &O::block_contacts, 0, 0, "sweeps solve each contact exactly for its three impulses"},
          {"patience", &O::patience, 0, kMany, kPatience}};
}

template <>
std::vector<Field<NewtonOptions>> fields_of() {
  using O = NewtonOptions;
  return {{"iterations", &O::iterations, 1, kMany, "linear systems at most"},
          {"tolerance", &O::tolerance, 0, kLoose, kTolerance},
          {"sweeps", &O::sweeps, 0, kMany, "of Gauss-Seidel over whole contacts before the first step"}};
}

template <class Options>
SolverValue read(const Options& options, const Field<Options>& field) {
  return std::visit(
      [&]<class T>(T Options::*member) -> SolverValue {
        if constexpr (std::is_same_v<T, bool>) {
          return options.*member;
        } else if constexpr (std::is_same_v<T, SweepOrder>) {
          return std::string(kOrders[static_cast<std::size_t>(options.*member)]);
        } else {
          return static_cast<double>(options.*member);
        }
      },
      field.member);
}

template <class Options>
SolverOptionInfo describe(const Field<Options>& field) {
  using Type = SolverOptionInfo::Type;
  SolverOptionInfo info{field.name, Type::kNumber, read(Options{}, field), field.minimum, field.maximum,
                        {},         field.meaning};
  std::visit(
      [&]<class T>(T Options::*) {
        if constexpr (std::is_same_v<T, bool>) {
          info.type = Type::kBoolean;
        } else if constexpr (std::is_same_v<T, SweepOrder>) {
          info.type = Type::kWord;
          info.words.assign(std::begin(kOrders), std::end(kOrders));
        } else if constexpr (!std::is_same_v<T, double>) {
          info.type = Type::kInteger;
        }
      },
      field.member);
  return info;
}

template <class Options>
void write(Options& options, const Field<Options>& field, const SolverValue& value) {
  const std::string what = "solver option '" + std::string(field.name) + "' ";
  std::visit(
      [&]<class T>(T Options::*member) {
        if constexpr (std::is_same_v<T, bool>) {
          if (!std::holds_alternative<bool>(value)) throw std::invalid_argument(what + "must be true or false");
          options.*member = std::get<bool>(value);
        } else if constexpr (std::is_same_v<T, SweepOrder>) {
          const std::string* word = std::get_if<std::string>(&value);
          const auto* found =
              word == nullptr ? std::end(kOrders) : std::find(std::begin(kOrders), std::end(kOrders), *word);
          if (found == std::end(kOrders)) {
            throw std::invalid_argument(what + "must be forward, symmetric, shuffled or largest-first");
          }
          options.*member = static_cast<SweepOrder>(found - std::begin(kOrders));
        } else {
          const double* number = std::get_if<double>(&value);
          const bool fits = number != nullptr && *number >= field.minimum && *number <= field.maximum &&
                            (std::is_same_v<T, double> || *number == std::floor(*number));
          if (!fits) {
            throw std::invalid_argument(what + "must be " + (std::is_same_v<T, double> ? "a number" : "an integer") +
                                        " from " + std::to_string(field.minimum) + " to " +
                                        std::to_string(field.maximum));
          }
          options.*member = static_cast<T>(*number);
        }
      },
      field.member);
}

template <class Options>
Field<Options> find_field(const Options& options, std::string_view name) {
  for (const Field<Options>& field : fields_of<Options>()) {
    if (field.name == name) return field;
  }
  throw std::invalid_argument("solver " + std::string(solver_name(options)) + " has no option '" + std::string(name) +
                              "'");
}

template <class Options>
SolverInfo make_info(std::string_view name, std::string_view source, std::string_view summary) {
  constexpr bool kDirect = std::is_same_v<Options, LemkeOptions> || std::is_same_v<Options, DantzigOptions>;
  SolverInfo info{name,    source,    summary, kDirect ? FrictionModel::kLinearized : FrictionModel::kCone,
                  kDirect, Options{}, {}};
  for (const Field<Options>& field : fields_of<Options>()) info.options.push_back(describe(field));
  return info;
}

}  // namespace

std::span<const SolverInfo> solver_infos() {
  static const std::vector<SolverInfo> infos{
      make_info<LemkeOptions>("lemke", "Cottle, Pang, Stone, alg. 4.4.5",
                              "complementary pivoting with a lexicographic rule; friction as polygons; exact, dense"),
      make_info<DantzigOptions>("dantzig", "Baraff 1994",
                                "principal pivoting on bounds; friction as boxes that follow the load; exact, dense"),
      make_info<JacobiOptions>("jacobi", "Erleben, fig. 6.1",
                               "all rows at once, with masses split so that it converges"),
      make_info<GaussSeidelOptions>("gauss-seidel", "Erleben, fig. 6.10",
                                    "one contact after the other, matrix-free; the workhorse"),
      make_info<SorOptions>("sor", "Erleben, fig. 6.5", "Gauss-Seidel with longer steps, their length estimated"),
      make_info<NonsmoothCgOptions>("nonsmooth-cg", "Silcowitz 2010",
                                    "conjugate directions on the sweeps of Gauss-Seidel; for stacks and mass ratios"),
      make_info<NewtonOptions>("newton", "Chen 1998", "smoothing Newton on the true cone; quadratic, sparse"),
  };
  return infos;
}

const SolverInfo* find_solver(std::string_view name) {
  const std::span<const SolverInfo> infos = solver_infos();
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const SolverInfo& info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

// The table stands in the order of the variant.
std::string_view solver_name(const SolverOptions& options) { return solver_infos()[options.index()].name; }

void set_solver_option(SolverOptions& options, std::string_view name, const SolverValue& value) {
  std::visit([&](auto& chosen) { write(chosen, find_field(chosen, name), value); }, options);
}

SolverValue get_solver_option(const SolverOptions& options, std::string_view name) {
  return std::visit([&](const auto& chosen) { return read(chosen, find_field(chosen, name)); }, options);
}

}  // namespace achilles
