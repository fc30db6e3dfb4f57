// The papers' experiments as data: what a paper states and claims, and a function that finds out whether it holds here.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace achilles::reproduce {

struct Curve {
  std::string name;
  std::vector<double> x, y;
  bool points = false;  // markers instead of a line
};

/// Drawn in the axes of the paper's figure.
struct Plot {
  std::string title;
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

/// A still of a run at one instant.
struct Still {
  std::string caption;
  std::filesystem::path recording;  // made by the experiment in Setting::folder
  double time = 0;                  // [s]
};

/// One statement of the paper beside what is seen here.
struct Clause {
  std::string claim;  // with the paper's own number where it gives one
  std::string here;   // our figure
  bool holds = false;
  bool is_of_time = false;  // judged by measured times, which another load of the machine changes
};

enum class Verdict {
  kHolds,   // every clause of the claim is seen here
  kPartly,  // some are, and the note says why not all
  kDiffers  // none is
};

[[nodiscard]] inline Verdict judged(bool holds) { return holds ? Verdict::kHolds : Verdict::kDiffers; }

struct Outcome {
  std::vector<Clause> clauses;
  std::string failure;                  // why the experiment did not run; empty if it did
  Verdict verdict = Verdict::kDiffers;  // of an experiment without clauses: of its motion
  bool times_differ = false;            // of an experiment without clauses: measured times contradict the claim
  std::string ours;                     // what the clauses do not say, one line; may be empty
  std::string note;  // what we chose, what goes beyond the paper, why something differs; may be empty
  std::vector<Plot> plots;
  std::vector<Still> stills;
};

/// Where an experiment works and how long it may take.
struct Setting {
  std::filesystem::path scenes;  // the folder `scenes/` of the source tree
  std::filesystem::path folder;  // for recordings and other files of this experiment; exists
  bool full = false;             // as long as the paper's (or longer) instead of what CI has time for
};

struct Experiment {
  std::string id;          // as in the list of experiments: "D2", "V4", "E13"
  std::string title;       // a few words
  std::string where;       // section, figure or table of the paper
  std::string parameters;  // those given and those chosen, one line
  std::string claim;       // of the paper, one line
  std::function<Outcome(const Setting&)> run;
};

/// One function per paper, each in a file of its own.
std::vector<Experiment> drumwright_experiments();
std::vector<Experiment> mirtich_experiments();
std::vector<Experiment> vouga_experiments();
std::vector<Experiment> erleben_experiments();
std::vector<Experiment> anitescu_experiments();

/// Parts of Mirtich's and Vouga's.
std::vector<Experiment> mirtich_collision_experiments();  // M1 to M3: section 4
std::vector<Experiment> mirtich_rolling_experiments();    // M8 to M10: section 5
std::vector<Experiment> vouga_termination_experiments();  // V2, V3, V8, V9: whole runs and many impacts

/// Parts of Erleben's, by chapter.
std::vector<Experiment> erleben_complementarity_experiments();  // E6, E16, E17, E18: chapter 4, section 6.1
std::vector<Experiment> erleben_collision_experiments();        // E7, E9: sections 6.2, 6.3
Experiment erleben_map_experiment();                            // E8: section 6.2
Experiment erleben_script_experiment();                         // E14: chapter 3
std::vector<Experiment> erleben_stacking_experiments();         // E1 to E4: section 6.1
std::vector<Experiment> erleben_propagation_experiments();      // E10, E11, E13: sections 6.4, 6.5
std::vector<Experiment> erleben_cost_experiments();             // E5, E12, E15: chapter 5, sections 6.1, 6.4

}  // namespace achilles::reproduce
