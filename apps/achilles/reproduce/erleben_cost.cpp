// Erleben, tables 5.4-5.5 and 6.3, figs. 6.22 and 6.62-6.66: what steps cost.
#include "reproduce/experiment.hpp"
#include "reproduce/stack_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <stdexcept>

namespace achilles::reproduce {
namespace {

/// How much of the variation of y a straight line explains.
double explain_by_line(const Curve& curve) {
  const auto n = static_cast<double>(curve.x.size());
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    sx += curve.x[i];
    sy += curve.y[i];
    sxx += curve.x[i] * curve.x[i];
    syy += curve.y[i] * curve.y[i];
    sxy += curve.x[i] * curve.y[i];
  }
  const double both = n * sxy - sx * sy;
  return both * both / ((n * sxx - sx * sx) * (n * syy - sy * sy));
}

/// Table 6.3: a scene with its mean frame times at 10 and 100 sweeps [s].
struct FrameTimes {
  const char* scene;
  double at_10, at_100;
};

/// Table 6.3 and fig. 6.22: time per frame, linear in the sweeps.
Outcome time_sweeps(const Setting& setting) {
  const int frames = setting.full ? 500 : 20;
  Plot plot{"time per frame", "sweeps", "time [s]", true, true, {}};
  const std::vector<int> counts = setting.full ? std::vector<int>{10, 100, 200, 400, 600, 800, 1000, 2000, 10000}
                                               : std::vector<int>{10, 100, 200, 400, 600, 800, 1000};
  Curve line{"stack.yaml", {}, {}, true};
  for (const int sweeps : counts) {
    StackRun run(setting.scenes / "erleben" / "stack.yaml", plain_gauss_seidel(sweeps));
    line.x.push_back(sweeps);
    line.y.push_back(run.time_frames(frames));
  }
  Outcome outcome;
  const double explained = explain_by_line(line);
  outcome.clauses = {
      {"time per frame of the stack is linear in the sweeps, 10 to 10,000 (fig. 6.22)",
       fmt::format("a line explains {:.2f} % of it, {} to {}", 100 * explained, counts.front(), counts.back()),
       explained > 0.98, true}};
  plot.curves.push_back(line);
  for (const FrameTimes& paper : {FrameTimes{"ball_grid.yaml", 0.0168, 0.0229}, FrameTimes{"wall.yaml", 0.0268, 0.1172},
                                  FrameTimes{"tower_320.yaml", 0.0513, 0.2179}}) {
    Curve curve{paper.scene, {}, {}, true};
    for (const int sweeps : {10, 100}) {
      StackRun run(setting.scenes / "erleben" / paper.scene, plain_gauss_seidel(sweeps));
      curve.x.push_back(sweeps);
      curve.y.push_back(run.time_frames(frames));
    }
    outcome.clauses.push_back(
        {fmt::format("{}: {} s at 10 sweeps, {} s at 100 (table 6.3)", paper.scene, paper.at_10, paper.at_100),
         fmt::format("{:.4f} and {:.4f} s", curve.y[0], curve.y[1]),
         curve.y[0] < paper.at_10 && curve.y[1] < paper.at_100, true});
    plot.curves.push_back(curve);
  }
  outcome.note = "processor times; a line of the table holds when ours are below it";
  outcome.plots = {plot};
  return outcome;
}

/// Runs a scene and adds every step to the plots; returns the means.
StepCost follow_cost(const Setting& setting, const char* scene, const StackMethod& method, int steps,
                     Outcome& outcome) {
  StackRun run(setting.scenes / "erleben" / scene, method);
  Curve stepping{scene, {}, {}, true}, detection{scene, {}, {}, true};
  StepCost sum;
  for (int k = 0; k < steps; ++k) {
    const StepCost cost = run.time_step();
    sum.contacts += cost.contacts;
    sum.stepping += cost.stepping;
    sum.detection += cost.detection;
    stepping.x.push_back(cost.contacts);
    stepping.y.push_back(cost.stepping);
    detection.x.push_back(cost.contacts);
    detection.y.push_back(cost.detection);
  }
  if (run.stopped()) throw std::runtime_error(fmt::format("{} stopped", scene));
  outcome.plots[0].curves.push_back(stepping);
  outcome.plots[1].curves.push_back(detection);
  return {sum.contacts / steps, sum.stepping / steps, sum.detection / steps};
}

/// Figs. 6.64-6.66: time of a step over contact points, detection apart from the rest.
Outcome scale_with_contacts(const Setting& setting) {
  StackMethod method = shock_propagation(1);
  method.options["tolerance"] = 0.0;  // all ten sweeps in every step
  Outcome outcome;
  outcome.plots = {{"time of a step without collision detection", "contact points", "time [s]", false, false, {}},
                   {"time of collision detection", "contact points", "time [s]", false, false, {}}};
  Curve means{"silos of 300 to 3,000 balls, means", {}, {}, true};
  for (const int layers : {3, 7, 15, 30}) {
    method.overrides = {{"bodies.ball.repeat.count", fmt::format("[10, 10, {}]", layers)}};
    const StepCost mean = follow_cost(setting, "silo.yaml", method, setting.full ? 1000 : 100, outcome);
    outcome.plots[0].curves.back().name = fmt::format("silo of {} balls", 100 * layers);
    outcome.plots[1].curves.back().name = outcome.plots[0].curves.back().name;
    means.x.push_back(mean.contacts);
    means.y.push_back(mean.stepping);
    outcome.ours += fmt::format("{} balls: {} points, {:.2g} s; ", 100 * layers, mean.contacts, mean.stepping);
  }
  if (setting.full) {
    method.overrides.clear();
    (void)follow_cost(setting, "engraved_incline.yaml", method, 1000, outcome);
    (void)follow_cost(setting, "scripted_into_tower.yaml", method, 1000, outcome);
    (void)follow_cost(setting, "freeform_pile.yaml", method, 1000, outcome);
  }
  const double explained = explain_by_line(means);
  const bool proportional = means.x.back() > 8 * means.x.front();
  outcome.clauses = {
      {"3,000 balls run into a silo, as smaller numbers do",
       fmt::format("all ran; {:.0f} to {:.0f} contact points on average", means.x.front(), means.x.back()),
       proportional},
      {"the time of a step without collision detection is linear in contact points",
       fmt::format("a line explains {:.1f} % of it", 100 * explained), explained > 0.95, true},
  };
  outcome.note =
      "means over 100 steps, with --full 1,000; without collision detection. Within a run a point costs less at rest, "
      "where nothing needs correction";
  outcome.plots.push_back(
      {"means of silos of 300 to 3,000 balls", "contact points", "time of a step [s]", false, false, {means}});
  return outcome;
}

// Table 5.5 [s], rows by the bits caching 1, tweaking 2, reduction 4, zeroing 8, damping 16. The table prints the
// columns of subgrouping and fixation wrongly in places; its order leaves no doubt: first without both, then with
// subgrouping, then with both. The first of all is table 5.4's.
constexpr std::array<double, 32> kPaperGroups{1011.4,  658.499, 589.523, 952.519, 712.567, 624.274, 895.157, 1157.27,
                                              840.673, 771.285, 1205.34, 575.343, 1246.65, 965.894, 599.258, 688.454,
                                              578.171, 578.339, 528.633, 533.934, 788.291, 890.056, 789.72,  1093.42,
                                              766.438, 627.623, 736.771, 663.246, 608.286, 956.992, 1273.16, 730.885};
constexpr std::array<double, 32> kPaperSubgroups{700.215, 541.854, 785.367, 561.064, 855.264, 569.153, 523.856, 618.052,
                                                 1077.2,  761.245, 760.623, 903.259, 767.546, 1329.69, 949.809, 535.479,
                                                 515.74,  460.561, 703.067, 578.634, 863.636, 576.862, 612.122, 502.618,
                                                 625.918, 569.84,  550.011, 702.223, 958.467, 871.314, 958.066, 643.04};
constexpr std::array<double, 32> kPaperFixation{253.577, 222.027, 747.439, 176.69,  383.162, 264.526, 134.679, 147.884,
                                                259.678, 313.898, 171.455, 172.426, 410.996, 306.881, 1115.21, 174.302,
                                                191.925, 273.825, 176.747, 168.905, 186.134, 311.081, 179.803, 134.721,
                                                363.336, 296.197, 704.94,  176.358, 222.81,  276.723, 181.782, 137.757};

enum class Subgrouping { kNone, kAlone, kFixation };

using Options = std::map<std::string, OptionValue>;

/// The speed-ups of a row of table 5.5.
Options make_options(unsigned row, Subgrouping subgrouping) {
  Options options{{"sleeping", true}, {"sleep_energy", 1e-4}};
  const bool caching = (row & 1U) != 0;
  options["warm_start"] = caching;
  options["reuse_distance"] = caching ? 1e-6 : 0.0;
  if ((row & 2U) != 0) options["iterations"] = 15.0;
  options["reduction"] = (row & 4U) != 0;
  options["zeroing"] = (row & 8U) != 0;
  options["damping"] = (row & 16U) != 0 ? 0.5 : 0.0;
  options["subgrouping"] = subgrouping != Subgrouping::kNone;
  options["fixation"] = subgrouping == Subgrouping::kFixation;
  return options;
}

/// Seconds of processor time; where bodies are at the end goes to `places`, if wanted.
double time_incline(const Setting& setting, const char* solver, const Options& options, int frames,
                    std::vector<Vec3>* places = nullptr) {
  StackRun run(setting.scenes / "erleben" / "engraved_incline.yaml", {"lcp-fixed", solver, options, {}, {}});
  const double seconds = run.time_frames(frames) * frames;
  if (run.stopped()) throw std::runtime_error("the incline stopped");
  if (places != nullptr) *places = run.world().bodies.position;
  return seconds;
}

/// A column of table 5.5: ours beside the paper's, row by row.
struct Column {
  const char* name;
  Subgrouping subgrouping;
  const std::array<double, 32>& paper;
  Curve ours;
};

Plot plot_column(const Column& column) {
  Curve theirs{"the thesis", {}, {}, true};
  for (std::size_t row = 0; row < column.paper.size(); ++row) {
    theirs.x.push_back(static_cast<double>(row));
    theirs.y.push_back(column.paper[row]);
  }
  return {fmt::format("table 5.5, {}", column.name),
          "row: caching 1 + tweaking 2 + reduction 4 + zeroing 8 + damping 16",
          "time [s]",
          false,
          true,
          {theirs, column.ours}};
}

/// The whole table as text, the thesis's / ours.
void write_table(const std::filesystem::path& file, const std::vector<Column>& columns) {
  constexpr std::array<const char*, 5> kNames{"caching", "tweaking", "reduction", "zeroing", "damping"};
  std::ofstream out(file);
  out << "| |";
  for (const Column& column : columns) out << ' ' << column.name << " |";
  out << "\n|---|---|---|---|\n";
  for (std::size_t k = 0; k < columns.front().ours.x.size(); ++k) {
    const auto row = static_cast<unsigned>(columns.front().ours.x[k]);
    std::string names;
    for (unsigned bit = 0; bit < kNames.size(); ++bit) {
      if ((row >> bit & 1U) != 0) names += fmt::format("{}{}", names.empty() ? "" : ", ", kNames[bit]);
    }
    out << "| " << (names.empty() ? "none" : names) << " |";
    for (const Column& column : columns) out << fmt::format(" {:.0f} / {:.2f} |", column.paper[row], column.ours.y[k]);
    out << '\n';
  }
}

/// Times cells of table 5.5. Returns whether columns come in the thesis's order, by the sums of their rows.
bool time_table(const Setting& setting, const std::vector<unsigned>& rows, int frames, Outcome& outcome) {
  std::vector<Column> columns{
      {"groups", Subgrouping::kNone, kPaperGroups, {"here", {}, {}, true}},
      {"subgrouping", Subgrouping::kAlone, kPaperSubgroups, {"here", {}, {}, true}},
      {"subgrouping and fixation", Subgrouping::kFixation, kPaperFixation, {"here", {}, {}, true}}};
  std::vector<double> sums;
  for (Column& column : columns) {
    double paper = 0, ours = 0;
    for (const unsigned row : rows) {
      column.ours.x.push_back(row);
      column.ours.y.push_back(time_incline(setting, "newton", make_options(row, column.subgrouping), frames));
      paper += column.paper[row];
      ours += column.ours.y.back();
    }
    const auto [least, most] = std::minmax_element(column.ours.y.begin(), column.ours.y.end());
    const auto count = static_cast<double>(rows.size());
    outcome.ours += fmt::format("{} {:.2f} to {:.2f} s, {:.2f} on average ({:.0f}), ", column.name, *least, *most,
                                ours / count, paper / count);
    outcome.plots.push_back(plot_column(column));
    sums.push_back(ours);
  }
  write_table(setting.folder / "table_5_5.md", columns);
  return sums[0] > sums[1] && sums[1] > sums[2];
}

/// Tables 5.4-5.5: brute force, groups, and the speed-ups.
Outcome speed_up(const Setting& setting) {
  // With pivots brute force takes as many hours as the rest takes minutes: it is timed until the spheres have landed.
  const int landing = setting.full ? 100 : 70, frames = setting.full ? 1000 : 100;
  std::vector<Vec3> one, other;
  const double brute = time_incline(setting, "lemke", {{"groups", false}}, landing, &one);
  const double first = time_incline(setting, "lemke", {}, landing, &other);
  double apart = 0;
  for (std::size_t i = 0; i < one.size(); ++i) apart = std::max(apart, (one[i] - other[i]).norm());
  Outcome outcome;
  outcome.ours =
      fmt::format("table 5.4, first {} frames: brute force {:.2f} s, groups {:.2f} s; table 5.5, {} frames: ", landing,
                  brute, first, frames);
  std::vector<unsigned> rows(setting.full ? 32 : 2);
  std::iota(rows.begin(), rows.end(), 0U);
  const bool in_order = time_table(setting, rows, frames, outcome);
  outcome.ours += "in brackets the thesis's";
  outcome.clauses = {
      {"groups change nothing but the time",
       fmt::format("after {} frames no sphere is off by more than {:.0e} m", landing, apart), apart < 1e-6},
      {"28,424 s by brute force, 1,011 s with groups: a factor of 28 (table 5.4)",
       fmt::format("{:.2f} s and {:.2f} s in {} frames: a factor of {:.1f}", brute, first, landing, brute / first),
       brute > 5 * first, true},
      {"subgrouping saves time, and fixation more: 835, 621 and 238 s on average (table 5.5)",
       setting.full ? "see the sums over all 32 rows" : "with --full", !setting.full || in_order, true},
  };
  outcome.note =
      "for Path, a Newton method whose steps are pivots, Lemke stands in table 5.4 and newton in 5.5; a height field "
      "for "
      "the distance map. With --full all 96 cells of table 5.5 for 10 s; in less no body sleeps yet";
  return outcome;
}

}  // namespace

std::vector<Experiment> erleben_cost_experiments() {
  return {
      {"E5", "frame times", "table 6.3, fig. 6.22", "µ 0.25, e 0.25, step 0.01, density 10; 20 frames, with --full 500",
       "linear in the number of sweeps", time_sweeps},
      {"E12", "scale", "figs. 6.62-6.66", "300 to 3,000 balls into a silo",
       "time of a step without collision detection is linear in contact points", scale_with_contacts},
      {"E15", "contact graph", "figs. 5.12-5.17, tables 5.4-5.5", "120 spheres on an engraved incline, 10 s",
       "28,424 s, 1,011 s with groups, 135 s with all speed-ups", speed_up},
  };
}

}  // namespace achilles::reproduce
