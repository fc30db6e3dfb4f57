#include "reproduce/stills.hpp"

#include <achilles/run.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace achilles::reproduce {
namespace {

constexpr double kEvery = 0.05;  // [s] between recorded instants

/// One run and the times that are drawn of it.
struct Shot {
  const char* experiment;
  const char* scene;          // below scenes/, without .yaml
  std::vector<double> times;  // [s]
  const char* method = "";    // in place of the scene's: a name, or YAML with options
  const char* words = "";     // about the method, for the caption
};

constexpr const char* kTenSweeps =
    "{name: lcp-fixed, solver: gauss-seidel, iterations: 10, tolerance: 0, warm_start: false, correction: 0}";
constexpr const char* kPlain = "10 sweeps of Gauss-Seidel";

const std::vector<Shot>& list_shots() {
  static const std::vector<Shot> kShots = {
      {"D1", "drumwright/box_on_plane", {0.5}, "impulse-zeno-free"},
      {"D2", "drumwright/spinning_boxes", {0.3, 1.0}, "impulse-zeno-free"},
      {"D3", "drumwright/sliding_boxes", {0.05, 1.0}, "impulse-zeno-free"},
      {"D4", "drumwright/two_times_in_one_step", {0.05}, "impulse-zeno-free"},
      {"M4", "mirtich/block_on_ramp", {1.0}},
      {"M5", "mirtich/coins", {0.4, 1.5}},
      {"M6", "mirtich/bowling", {2.0, 3.0}},
      {"M7", "mirtich/marbles", {0.0, 0.2}},
      {"M8", "mirtich/platter", {1.0}},
      {"M9", "mirtich/terrain", {0.5, 2.0}},
      {"M10", "mirtich/arch", {0.5}},
      {"M10", "mirtich/pile", {1.0}},
      {"V1", "vouga/line_of_balls", {0.0, 1.0}},
      {"V2", "vouga/wedged_ball", {0.2}},
      {"V2", "vouga/wedged_balls", {0.2}},
      {"V3", "vouga/geyser", {0.0, 0.8}},
      {"V4", "vouga/wedge", {0.0}},
      {"V5", "vouga/cradle", {0.5}},
      {"V6", "vouga/inelastic_collapse", {0.0, 1.5}},
      {"V7", "vouga/restitution_blend", {1.0}},
      {"V9", "vouga/wedged_later", {0.5}},
      {"E1", "erleben/ball_grid", {2.5}, kTenSweeps, kPlain},
      {"E1", "erleben/ball_grid", {2.5}, "shock-propagation", "shock propagation"},
      {"E2", "erleben/stack", {3.0}, kTenSweeps, kPlain},
      {"E2", "erleben/stack", {3.0}, "shock-propagation", "shock propagation"},
      {"E3", "erleben/wall", {3.0}, kTenSweeps, kPlain},
      {"E3", "erleben/wall", {3.0}, "shock-propagation", "shock propagation"},
      {"E4", "erleben/tower_320", {1.5}, kTenSweeps, kPlain},
      {"E4", "erleben/tower_320", {1.5}, "shock-propagation", "shock propagation"},
      {"E6", "erleben/two_balls", {1.0}},
      {"E8", "erleben/billiards", {0.0, 1.0}},
      {"E8", "erleben/see_saw", {1.5}},
      {"E9", "erleben/wall", {1.0}},
      {"E10", "erleben/penetrating_balls", {0.0, 0.5}},
      {"E11", "erleben/tower_640", {0.3}},
      {"E12", "erleben/silo", {0.5}},
      {"E13", "erleben/sleeping_stack", {0.5}},
      {"E13", "erleben/sleeping_wall", {0.5}},
      {"E14", "erleben/scripted_into_balls", {1.0, 3.0}},
      {"E14", "erleben/scripted_into_wall", {3.0}},
      {"E15", "erleben/engraved_incline", {0.5, 2.0}},
      {"E16", "erleben/first_order_equal", {0.0, 1.5}},
      {"E16", "erleben/first_order_unequal", {1.5}},
      {"E17", "erleben/funnel", {0.5, 2.0}},
      {"E17", "erleben/robot", {0.0, 1.5}},
      {"E17", "erleben/ventilator", {1.0}},
      {"A1", "anitescu/wall", {0.9}},
      {"A3", "anitescu/table", {0.1, 1.0}},
      {"A4", "anitescu/disks", {0.0, 2.0}},
      {"A5", "anitescu/disks_large_step", {4.0}},
  };
  return kShots;
}

/// Where the recording of a shot goes: the same scene may be shown under several methods.
std::filesystem::path file_for(const Shot& shot, std::size_t number, const Setting& setting) {
  const std::string name = std::filesystem::path(shot.scene).filename().string();
  return setting.folder / fmt::format("still-{}-{}.h5", name, number);
}

}  // namespace

std::vector<Still> make_stills(const std::string& experiment, const Setting& setting) {
  std::vector<Still> stills;
  std::size_t number = 0;
  for (const Shot& shot : list_shots()) {
    if (experiment != shot.experiment) continue;
    std::vector<Override> overrides;
    if (*shot.method != '\0') overrides.push_back({"method", shot.method});
    const Scene scene = load_scene((setting.scenes / (std::string(shot.scene) + ".yaml")).string(), overrides);
    RunOptions options;
    options.record_path = file_for(shot, number++, setting).string();
    options.duration = *std::max_element(shot.times.begin(), shot.times.end());
    options.every = kEvery;
    const RunReport report = achilles::run_scene(scene, options);
    for (const double time : shot.times) {
      const std::string about = *shot.words != '\0' ? std::string(", ") + shot.words : std::string();
      stills.push_back({fmt::format("{} at {:g} s{}", scene.name.empty() ? shot.scene : scene.name,
                                    std::min(time, report.time), about),
                        options.record_path, time});
    }
  }
  return stills;
}

}  // namespace achilles::reproduce
