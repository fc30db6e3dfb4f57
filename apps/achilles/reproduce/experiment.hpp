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

enum class Verdict {
  holds,            // the paper's claim is seen here
  differs,          // it is not, and the note says why
  not_reproducible  // the paper does not give what would be needed; the note says what is missing
};

struct Outcome {
  Verdict verdict = Verdict::differs;
  std::string ours;  // our figure beside the claim, one line
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
std::vector<Experiment> vouga_termination_experiments();  // V2, V3, V8, V9: whole runs and many impacts

/// Parts of Erleben's, by chapter.
std::vector<Experiment> erleben_complementarity_experiments();  // E6, E16, E17, E18: chapter 4, section 6.1
std::vector<Experiment> erleben_collision_experiments();        // E7, E8, E9: sections 6.2, 6.3
std::vector<Experiment> erleben_stacking_experiments();         // E1 to E4, E10, E11, E13, E14: chapter 3, section 6.4
std::vector<Experiment> erleben_cost_experiments();             // E5, E12, E15: chapter 5, sections 6.1, 6.4

}  // namespace achilles::reproduce
