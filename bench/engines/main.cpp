// The same scene in every engine found, in turns, results measured by our own geometry.
#include "engines/page.hpp"
#include "engines/race.hpp"
#include "engines/scenes.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "methods/method_spec.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::bench {
namespace {

struct Arguments {
  std::vector<std::string> scenes{"pyramid-20", "pit"};
  std::vector<std::string> engines;  // empty: all
  RaceOptions race;
  std::string json, page;
  bool built_with = false;
};

/// What is wrong with NAME=VALUE, or nothing. One of our methods must have the option.
std::string check_option(const std::string& text) {
  const std::size_t sign = text.find('=');
  const std::string name = text.substr(0, sign), value = sign == std::string::npos ? "" : text.substr(sign + 1);
  const OptionInfo* known = nullptr;
  std::set<std::string_view> names;
  for (const char* method : {"soft-step", "shock-propagation"}) {
    for (const OptionInfo& option : find_method(method)->options) {
      if (option.type == OptionInfo::Type::kWord) continue;
      names.insert(option.name);
      if (option.name == name) known = &option;
    }
  }
  if (known == nullptr) return fmt::format("there is no option '{}'; allowed: {}", name, fmt::join(names, ", "));
  if (known->type == OptionInfo::Type::kBoolean) {
    return value == "true" || value == "false" ? "" : fmt::format("found '{}'; allowed: true or false", text);
  }
  double number = 0;
  const bool is_number = CLI::detail::lexical_cast(value, number) && number >= known->minimum &&
                         number <= known->maximum &&
                         (known->type == OptionInfo::Type::kNumber || number == std::floor(number));
  return is_number ? "" : fmt::format("found '{}'; allowed: from {} to {}", text, known->minimum, known->maximum);
}

/// What is wrong with a file that shall be written when all is done.
std::string check_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() || std::filesystem::is_directory(folder) ? "" : folder.string() + ": there is no such folder";
}

void write_file(const std::string& path, const std::string& text) {
  if (!(std::ofstream(path) << text << std::flush)) throw std::runtime_error(path + ": cannot be written");
  fmt::print("wrote {}\n", path);
}

Arguments read_arguments(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> known;
  for (const SceneEntry& entry : scene_entries()) known.push_back(entry.name);
  std::vector<std::string> engines;
  for (const Contestant& one : contestants()) engines.push_back(one.name);
  known.push_back("all");
  app.add_option("--scenes", arguments.scenes, "Which scenes, or all")->delimiter(',')->check(CLI::IsMember(known));
  app.add_option("--engines", arguments.engines,
                 "Which engines; all where none is named, but those that run two copies at once (-twice)")
      ->delimiter(',')
      ->check(CLI::IsMember(engines));
  app.add_option("--steps", arguments.race.steps, "Steps of 1/60 s")->check(CLI::Range(20, 1'000'000));
  app.add_option("--untimed", arguments.race.untimed, "Steps before the clock starts; at most half of all are")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--repeats", arguments.race.repeats, "Runs, of which every turn counts its fastest")
      ->check(CLI::Range(1, 100));
  app.add_option("--option", arguments.race.options,
                 "Option of those of our methods that have it, e.g. iterations=5; may be given again")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->check(CLI::Validator(check_option, ""));
  app.add_flag("--built-with", arguments.built_with, "Only say which compiler built this");
  const CLI::Validator folder(check_folder, "");
  app.add_option("--json", arguments.json, "Write the figures here too")->check(folder);
  app.add_option("--page", arguments.page, "Write a page with plots")->check(folder);
  app.parse(argc, argv);
  arguments.race.untimed = std::min(arguments.race.untimed, arguments.race.steps / 2);
  return arguments;
}

std::vector<Contestant> choose(const std::vector<std::string>& names) {
  std::vector<Contestant> chosen = contestants();
  std::erase_if(chosen, [&](const Contestant& one) {
    if (names.empty()) return one.copies > 1;
    return std::find(names.begin(), names.end(), one.name) == names.end();
  });
  return chosen;
}

void print(const std::string& scene, const std::vector<Result>& results) {
  const double bullet = time_of_bullet(results);
  for (const Result& result : results) {
    if (!result.able) {
      fmt::print("{:<15} {:<15} cannot\n", scene, result.engine);
      continue;
    }
    const Measured& m = result.measured;
    const std::string ratio = bullet > 0 ? fmt::format("{:.3f}", result.milliseconds / bullet) : "-";
    fmt::print("{:<15} {:<15} {:>9.3f} {:>9} {:>10.2e} {:>10.2e} {:>9.3f} {:>9.3f} {:>10.2e}\n", scene, result.engine,
               result.milliseconds, ratio, m.mean_depth, m.max_depth, m.drift, m.height, m.energy);
  }
  std::fflush(stdout);
}

nlohmann::json to_json(const std::string& scene, const std::vector<Result>& results) {
  const double bullet = time_of_bullet(results);
  nlohmann::json list = nlohmann::json::array();
  for (const Result& result : results) {
    if (!result.able) continue;
    nlohmann::json row{{"scene", scene},
                       {"engine", result.engine},
                       {"milliseconds", result.milliseconds},
                       {"mean_depth", result.measured.mean_depth},
                       {"max_depth", result.measured.max_depth},
                       {"drift", result.measured.drift},
                       {"height", result.measured.height},
                       {"energy", result.measured.energy}};
    if (bullet > 0) row["ratio"] = result.milliseconds / bullet;
    list.push_back(row);
  }
  return list;
}

int run(int argc, char** argv) {
  CLI::App app("Races engines on scenes of many bodies", "achilles bench");
  Arguments arguments;
  try {
    arguments = read_arguments(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (arguments.built_with) {
#ifdef __clang__
    fmt::print("clang {}.{}\n", __clang_major__, __clang_minor__);
#else
    fmt::print("g++ {}.{}\n", __GNUC__, __GNUC_MINOR__);
#endif
    return 0;
  }
  fmt::print("{:<15} {:<15} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>10}\n", "scene", "engine", "ms/step", "to bullet",
             "depth [m]", "max [m]", "drift [m]", "height", "E/m [J/kg]");
  const bool all = std::find(arguments.scenes.begin(), arguments.scenes.end(), "all") != arguments.scenes.end();
  nlohmann::json figures = nlohmann::json::array();
  std::vector<Race> races;
  for (const SceneEntry& entry : scene_entries()) {
    const bool named =
        std::find(arguments.scenes.begin(), arguments.scenes.end(), entry.name) != arguments.scenes.end();
    if (!all && !named) continue;
    const std::vector<Result> results = race(entry.make(), choose(arguments.engines), arguments.race);
    print(entry.name, results);
    races.push_back({entry.name, results});
    for (const nlohmann::json& row : to_json(entry.name, results)) figures.push_back(row);
  }
  if (!arguments.json.empty()) write_file(arguments.json, figures.dump(1) + '\n');
  if (!arguments.page.empty()) write_file(arguments.page, make_page(races, arguments.race));
  return 0;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) {
  try {
    return achilles::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "achilles: error: {}\n", error.what());
    return 1;
  }
}
