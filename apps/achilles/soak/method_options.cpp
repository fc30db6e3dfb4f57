#include "soak/method_options.hpp"

#include "soak/draft.hpp"

#include "methods/method.hpp"

#include <achilles/scene.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles::program::soak {
namespace {

constexpr double kChange = 0.25;  // share of runs with settings of their own

template <class T>
const T& pick_from(Random& random, const std::vector<T>& list) {
  return list[static_cast<std::size_t>(random.integer(0, static_cast<int>(list.size()) - 1))];
}

Json draw_value(Random& random, const OptionInfo& option) {
  switch (option.type) {
    case OptionInfo::Type::kBoolean:
      return !std::get<bool>(option.standard);
    case OptionInfo::Type::kWord:
      return pick_from(random, option.words);
    case OptionInfo::Type::kInteger:
    case OptionInfo::Type::kNumber:
      break;
  }
  const double standard = std::get<double>(option.standard);
  const double drawn = std::clamp(standard * random.log_uniform(0.5, 2), option.minimum, option.maximum);
  if (option.type == OptionInfo::Type::kNumber) return round_to_digits(drawn);
  return static_cast<std::int64_t>(std::clamp(std::round(drawn), option.minimum, option.maximum));
}

/// An option of the method itself, or one of the solver in use.
bool can_take(const OptionInfo& option, std::string_view solver) {
  return option.solvers.empty() ||
         std::find(option.solvers.begin(), option.solvers.end(), solver) != option.solvers.end();
}

/// Whether the method takes the settings together: some options are of one impact law alone.
bool are_legal(const MethodSpec& method, const Json& options) {
  Json whole{{"name", method.name}};
  whole.update(options);
  try {
    (void)make_method(parse_scene("achilles: 1\nmethod: " + whole.dump() + "\nbodies: []\n").method);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

Json draw_method_options(std::uint64_t seed, std::uint64_t index, const MethodSpec& method) {
  Random random(Random(seed ^ (0x9fb21c651e98df25ULL * (index + 1)) ^ hash_name(method.name)).next());
  Json options = Json::object();
  if (!random.chance(kChange)) return options;
  std::string_view solver = method.solvers.empty() ? std::string_view() : method.solvers.front();
  if (method.solvers.size() > 1 && random.chance(0.5)) {
    solver = pick_from(random, method.solvers);
    options["solver"] = solver;
  }
  if (method.impact_laws.size() > 1 && random.chance(0.5)) options["impact"] = pick_from(random, method.impact_laws);
  std::vector<const OptionInfo*> open;
  for (const OptionInfo& option : method.options) {
    if (can_take(option, solver)) open.push_back(&option);
  }
  if (open.empty() || random.chance(0.3)) return options;
  const OptionInfo& option = *pick_from(random, open);
  Json with_option = options;
  with_option[std::string(option.name)] = draw_value(random, option);
  if (!option.needs.empty()) with_option[std::string(option.needs)] = true;
  return are_legal(method, with_option) ? with_option : options;
}

}  // namespace achilles::program::soak
