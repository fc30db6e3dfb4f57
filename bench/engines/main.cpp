// The same scene in every engine found, in turns, results measured by our own geometry.
#include "engines/page.hpp"
#include "engines/race.hpp"
#include "engines/scenes.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
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

Arguments read_arguments(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> known;
  for (const SceneEntry& entry : scene_entries()) known.push_back(entry.name);
  std::vector<std::string> engines;
  for (const Contestant& one : contestants()) engines.push_back(one.name);
  known.push_back("all");
  app.add_option("--scenes", arguments.scenes, "Which scenes, or all")->delimiter(',')->check(CLI::IsMember(known));
  app.add_option("--engines", arguments.engines, "Which engines; all where none is named")
      ->delimiter(',')
      ->check(CLI::IsMember(engines));
  app.add_option("--steps", arguments.race.steps, "Steps of 1/60 s")->check(CLI::Range(20, 1'000'000));
  app.add_option("--untimed", arguments.race.untimed, "Steps before the clock starts")->check(CLI::NonNegativeNumber);
  app.add_option("--repeats", arguments.race.repeats, "Runs, of which every turn counts its fastest")
      ->check(CLI::Range(1, 100));
  app.add_option("--option", arguments.race.options, "Option of our method, NAME=NUMBER; may be given again")
      ->type_name("NAME=NUMBER")
      ->take_all();
  app.add_flag("--built-with", arguments.built_with, "Only say which compiler built this");
  app.add_option("--json", arguments.json, "Write the figures here too");
  app.add_option("--page", arguments.page, "Write a page with plots");
  app.parse(argc, argv);
  return arguments;
}

std::vector<Contestant> choose(const std::vector<std::string>& names) {
  std::vector<Contestant> chosen = contestants();
  if (names.empty()) return chosen;
  std::erase_if(chosen,
                [&](const Contestant& one) { return std::find(names.begin(), names.end(), one.name) == names.end(); });
  return chosen;
}

/// Time of Bullet in these results; 0 where it did not run.
double time_of_bullet(const std::vector<Result>& results) {
  for (const Result& result : results) {
    if (result.engine == "bullet" && result.able) return result.milliseconds;
  }
  return 0;
}

void print(const std::string& scene, const std::vector<Result>& results) {
  const double bullet = time_of_bullet(results);
  for (const Result& result : results) {
    if (!result.able) {
      fmt::print("{:<15} {:<12} cannot\n", scene, result.engine);
      continue;
    }
    const Measured& m = result.measured;
    const std::string ratio = bullet > 0 ? fmt::format("{:.3f}", result.milliseconds / bullet) : "-";
    fmt::print("{:<15} {:<12} {:>9.3f} {:>9} {:>10.2e} {:>10.2e} {:>9.3f} {:>9.3f} {:>10.2e}\n", scene, result.engine,
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
  CLI::App app("Races engines on scenes of many bodies");
  Arguments arguments;
  try {
    arguments = read_arguments(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  if (arguments.built_with) {
#ifdef __clang__
    fmt::print("clang {}.{}\n", __clang_major__, __clang_minor__);
#else
    fmt::print("g++ {}.{}\n", __GNUC__, __GNUC_MINOR__);
#endif
    return 0;
  }
  fmt::print("{:<15} {:<12} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>10}\n", "scene", "engine", "ms/step", "to bullet",
             "depth [m]", "max [m]", "drift [m]", "height", "E/m [J/kg]");
  const bool all = std::find(arguments.scenes.begin(), arguments.scenes.end(), "all") != arguments.scenes.end();
  nlohmann::json figures = nlohmann::json::array();
  std::vector<Race> races;
  for (const SceneEntry& entry : scene_entries()) {
    const bool named =
        std::find(arguments.scenes.begin(), arguments.scenes.end(), entry.name) != arguments.scenes.end();
    if (!all && !named) continue;
    RaceOptions options = arguments.race;
    options.untimed = std::min(options.untimed, options.steps / 2);
    const std::vector<Result> results = race(entry.make(), choose(arguments.engines), options);
    print(entry.name, results);
    races.push_back({entry.name, results});
    for (const nlohmann::json& row : to_json(entry.name, results)) figures.push_back(row);
  }
  if (!arguments.json.empty()) std::ofstream(arguments.json) << figures.dump(1) << '\n';
  if (!arguments.page.empty()) std::ofstream(arguments.page) << make_page(races);
  return 0;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) { return achilles::bench::run(argc, argv); }
