// V1, V4 to V7: what an operator does at one frozen instant. V2, V3, V8, V9 are in vouga_termination.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <tuple>

#include "reproduce/experiment.hpp"
#include "reproduce/instant.hpp"

namespace achilles::reproduce {
namespace {

constexpr double kPi = std::numbers::pi;

// ---- V1 -------------------------------------------------------------------------------------------------------------

int count_inversions(const std::vector<double>& speeds) {
  int inversions = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    for (std::size_t j = i + 1; j < speeds.size(); ++j) inversions += speeds[i] > speeds[j];
  }
  return inversions;
}

/// Lines of 2 to 20 balls at random velocities that end sorted after as many swaps as they have inversions.
int count_sorted_lines(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> speed;
  int sorted = 0;
  for (int k = 0; k < count; ++k) {
    std::vector<double> speeds(static_cast<std::size_t>(2 + k % 19));
    for (double& v : speeds) v = speed(random);
    HandmadeImpact line = make_line(speeds);
    const ImpactReport report = line.resolve(make_operators().front().second);
    bool same = report.iterations == count_inversions(speeds);
    std::sort(speeds.begin(), speeds.end());
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      same = same && std::abs(line.velocities[i].linear.x() - speeds[i]) <= 1e-12;
    }
    sorted += same ? 1 : 0;
  }
  return sorted;
}

Outcome run_line(const Setting& setting) {
  const std::vector<double> speeds{3, -1, 4, 1, -5, 9, 2, -6};
  const int inversions = count_inversions(speeds);
  std::vector<double> sorted = speeds;
  std::sort(sorted.begin(), sorted.end());

  Outcome outcome;
  Plot plot{"sortedness of the velocities", "iteration", "q · (1 .. d)", false, false, {}};
  bool all_sorted = true, rises = true;
  std::int64_t swaps = 0;
  for (const auto& [name, law] : make_operators()) {
    HandmadeImpact line = make_line(speeds);
    Curve curve{name, {}, {}, false};
    const auto show = [&curve](double iteration, auto speed_of) {
      double sum = 0;
      for (int i = 0; i < 8; ++i) sum += (i + 1) * speed_of(i);
      curve.x.push_back(iteration);
      curve.y.push_back(sum);
    };
    show(0, [&](int i) { return speeds[static_cast<std::size_t>(i)]; });
    line.scratch.propagation.observer = [&](const ImpactApplication& a) {
      show(static_cast<double>(a.iteration), [&](int i) { return a.velocity[static_cast<std::size_t>(6 * i)]; });
    };
    const ImpactReport report = line.resolve(law);
    if (name == "lexicographic") swaps = report.iterations;
    // All contacts at once share the blow, so that velocities end in rising order without being the same numbers.
    const bool permutes = std::holds_alternative<GaussSeidelLaw>(law);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double v = line.velocities[i].linear.x();
      all_sorted &=
          permutes ? std::abs(v - sorted[i]) <= 1e-12 : i == 0 || v >= line.velocities[i - 1].linear.x() - 1e-7;
    }
    rises &= std::adjacent_find(curve.y.begin(), curve.y.end(), std::greater_equal<>()) == curve.y.end();
    plot.curves.push_back(std::move(curve));
  }
  const int sorted_lines = count_sorted_lines(setting.full ? 2000 : 200);
  const int lines = setting.full ? 2000 : 200;
  outcome.clauses = {
      {"lexicographic Gauss-Seidel is bubble sort: as many swaps as inversions",
       fmt::format("{} swaps for {} inversions", swaps, inversions), swaps == inversions},
      {"ends with velocities sorted", "one contact at a time permutes them; all at once ends in rising order",
       all_sorted},
      {"q · (1 .. d) increases with every iteration", "for all four operators", rises},
      {"other starts: random lines of 2 to 20 balls",
       fmt::format("{} of {} sorted with one swap per inversion", sorted_lines, lines), sorted_lines == lines},
  };
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

// ---- V4 -------------------------------------------------------------------------------------------------------------

/// Reflections of a ball in a wedge: the mirror images of the walls, at multiples of θ, that straight flight crosses
/// when it meets the floor's side first.
std::int64_t count_images(double theta, double from) {
  const double start = theta - from;
  return static_cast<std::int64_t>(std::ceil((start + kPi) / theta) - 1 - std::floor(start / theta));
}

/// k_w = ⟨w_i, q⟩ over the iterations, w_i = (cos iθ/3, sin iθ/3).
Plot plot_certificates(double degrees, bool& rises) {
  const double theta = degrees * kPi / 180;
  HandmadeImpact wedge = make_wedge(theta, 0.37 * theta);
  Plot plot{fmt::format("certificates, theta {} degrees", degrees), "iteration", "k_w", false, false, {}};
  plot.curves = {{"k_w1", {}, {}, false}, {"k_w2", {}, {}, false}};
  const auto show = [&](double iteration, double x, double y) {
    for (int i = 0; i < 2; ++i) {
      const double angle = (i + 1) * theta / 3;
      Curve& curve = plot.curves[static_cast<std::size_t>(i)];
      const double k = std::cos(angle) * x + std::sin(angle) * y;
      rises &= curve.y.empty() || k > curve.y.back();
      curve.x.push_back(iteration);
      curve.y.push_back(k);
    }
  };
  show(0, wedge.velocities[0].linear.x(), wedge.velocities[0].linear.y());
  wedge.scratch.propagation.observer = [&](const ImpactApplication& a) {
    show(static_cast<double>(a.iteration), a.velocity[0], a.velocity[1]);
  };
  static_cast<void>(wedge.resolve(GaussSeidelLaw{}));
  return plot;
}

/// Wedges of random angle, entered from a random direction, that take as many reflections as there are images.
int count_equal_wedges(int count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0.02, 0.98);
  int equal = 0;
  for (int k = 0; k < count; ++k) {
    const double theta = 0.5 * kPi * std::pow(1e-2, unit(random)), from = unit(random) * theta;
    HandmadeImpact wedge = make_wedge(theta, from);
    equal += wedge.resolve(GaussSeidelLaw{}).iterations == count_images(theta, from) ? 1 : 0;
  }
  return equal;
}

Outcome run_wedge(const Setting& setting) {
  Outcome outcome;
  Plot counts{"iterations against the angle of the wedge", "theta [degrees]", "iterations", true, true, {}};
  counts.curves = {{"ours", {}, {}, true}, {"mirror images", {}, {}, false}};
  bool equal = true, rises = true;
  std::int64_t last = 0;
  for (int k = 0; k <= 60; ++k) {
    const double degrees = 90 * std::pow(0.1 / 90, k / 60.0), theta = degrees * kPi / 180;
    HandmadeImpact wedge = make_wedge(theta, 0.37 * theta);
    const std::int64_t expected = count_images(theta, 0.37 * theta);
    last = wedge.resolve(GaussSeidelLaw{}).iterations;
    equal &= last == expected;
    for (Curve& curve : counts.curves) curve.x.push_back(degrees);
    counts.curves[0].y.push_back(static_cast<double>(last));
    counts.curves[1].y.push_back(static_cast<double>(expected));
  }
  outcome.plots.push_back(std::move(counts));
  for (const double degrees : {90.0, 30.0, 10.0, 3.0, 1.0, 0.1}) {
    outcome.plots.push_back(plot_certificates(degrees, rises));
  }
  const std::vector<double>& counted = outcome.plots.front().curves.front().y;
  const bool grows = std::is_sorted(counted.begin(), counted.end());
  const int other = count_equal_wedges(setting.full ? 5000 : 500);
  const int wedges = setting.full ? 5000 : 500;
  outcome.clauses = {
      {"the certificates rise monotonically", "at 90, 30, 10, 3, 1 and 0.1 degrees with every iteration", rises},
      {"iterations grow as the angle shrinks",
       fmt::format("61 angles from 90 to 0.1 degrees: never fewer, {} at 0.1", last), grows},
      {"beyond: they are as many as straight flight crosses mirror images of the walls", "at all 61 angles", equal},
      {"other starts: random angles and directions", fmt::format("{} of {} equal that number", other, wedges),
       other == wedges},
  };
  return outcome;
}

// ---- V5 -------------------------------------------------------------------------------------------------------------

using Strike = std::pair<std::vector<int>, std::vector<double>>;

/// An operator given by which contacts it strikes how hard.
ImpactOperator make_operator(std::function<Strike(const ImpactPart&, std::span<double>)> choose) {
  return [choose = std::move(choose)](const ImpactPart& part, std::span<const int>, std::span<double> x,
                                      std::vector<int>& struck, std::vector<double>& strikes) {
    std::tie(struck, strikes) = choose(part, x);
    for (std::size_t k = 0; k < struck.size(); ++k) part.gradients.apply(struck[k], strikes[k], x.data());
  };
}

HandmadeImpact make_corner() {
  HandmadeImpact corner;
  corner.add_ball(1, {2, -1, 0});
  corner.add_contact(HandmadeImpact::kWall, 0, Vec3(0, 1, 0));
  corner.add_contact(HandmadeImpact::kWall, 0, Vec3(-1, 0, 0));
  return corner;
}

/// Small pushes of both contacts of the cradle 0, 1, 0 that keep the energy, halved every time: with impulses a, b on
/// unit balls, 2 a u + 2 b w + 2 a² + 2 b² − 2 a b = 0 for a, given b a share of what would stop the right contact.
Strike push_both(const ImpactPart& part, std::span<double> x, double& share) {
  const double u = part.gradients.velocity(0, x.data()), w = part.gradients.velocity(1, x.data()), b = share * -w;
  const double p = u - b, q = b * w + b * b;
  share *= 0.5;
  return {{0, 1}, {0.5 * (-p + std::sqrt(p * p - 4 * q)), b}};
}

/// Approach left after 40 applications of an operator that is not held to anything.
double approach_left(HandmadeImpact impact, ImpactOperator operation, ImpactRestitution restitution) {
  GaussSeidelLaw law;
  law.options.check = false;
  law.options.lineality = false;
  law.options.margin = 0;
  law.options.tolerance = 0;
  law.options.max_iterations = 40;
  law.options.restitution = restitution;
  impact.scratch.propagation.operation = std::move(operation);
  const ImpactReport report = impact.resolve(law);
  return report.status == ImpactStatus::kResolved ? 0 : impact.violation();
}

Outcome run_necessity(const Setting&) {
  double sign = -1, share = 0.1;
  const ImpactOperator pulls = make_operator([&sign](const ImpactPart&, std::span<double>) {
    sign = -sign;
    return Strike{{0, 1}, {-sign, sign}};
  });
  const ImpactOperator pushes =
      make_operator([&share](const ImpactPart& part, std::span<double> x) { return push_both(part, x, share); });
  const ImpactOperator idles = make_operator([](const ImpactPart&, std::span<double>) { return Strike{}; });
  const double one = approach_left(make_corner(), pulls, ImpactRestitution::kBlend);
  const double vio = approach_left(make_line({0, 1, 0}), pushes, ImpactRestitution::kBlend);
  const double mod = approach_left(make_corner(), idles, ImpactRestitution::kBlend);
  const double kin = approach_left(make_line({1, 0, 0, 0, 0}, 0), {}, ImpactRestitution::kPerImpact);
  Outcome outcome;
  const auto clause = [](const char* name, double left, double least) {
    return Clause{fmt::format("without {} an operator need not end", name),
                  fmt::format("after 40 applications {:.2g} of |q| still approaches", left), left > least};
  };
  outcome.clauses = {clause("ONE: (2, -1) and (1, -2) by turns", one, 0.4), clause("VIO: the cradle 0, 1, 0", vio, 0.2),
                     clause("MOD", mod, 0.4), clause("KIN", kin, 0)};
  outcome.note = "debug builds hold every application to all five and name the one that is broken";
  return outcome;
}

// ---- V6 -------------------------------------------------------------------------------------------------------------

Outcome run_inelastic_collapse(const Setting& setting) {
  HandmadeImpact line = make_line({1, 0, 0, 0, 0}, 0);
  GaussSeidelLaw law;
  law.selection = Selection::kMostViolated;  // goes round all contacts, so that every ball moves as in the figure
  law.options.restitution = ImpactRestitution::kPerImpact;
  law.options.tolerance = 0;
  law.options.max_iterations = setting.full ? 100 : 60;
  Plot plot{"inelastic collapse: five balls, c_r = 0", "iteration", "velocity", false, false, {}};
  for (int i = 0; i < 5; ++i) plot.curves.push_back({fmt::format("ball {}", i + 1), {0}, {i == 0 ? 1.0 : 0.0}, false});
  bool feasible = false;
  line.scratch.propagation.observer = [&](const ImpactApplication& a) {
    bool ordered = true;
    for (std::size_t i = 0; i < 5; ++i) {
      plot.curves[i].x.push_back(static_cast<double>(a.iteration));
      plot.curves[i].y.push_back(a.velocity[6 * i]);
      ordered &= i == 0 || a.velocity[6 * i] >= a.velocity[6 * i - 6];
    }
    feasible |= ordered;
  };
  const ImpactReport report = line.resolve(law);
  const double left = line.velocities[0].linear.x() - line.velocities[4].linear.x();
  HandmadeImpact blended = make_line({1, 0, 0, 0, 0}, 0);
  const std::int64_t at_once = blended.resolve(GaussSeidelLaw{}).iterations;
  Outcome outcome;
  outcome.clauses = {
      {"dissipation at each impact never becomes feasible (fig. 8)",
       fmt::format("not in {} iterations, the first ball is still {:.1e} faster than the last", report.iterations,
                   left),
       !feasible && report.status == ImpactStatus::kIterationLimit && left > 0},
      {"the blend of section 6.2 ends", fmt::format("after {} iteration", at_once), at_once < 10},
  };
  outcome.note = "contacts taken by how fast they approach; in lexicographic order the fourth ball is never reached";
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

// ---- V7 -------------------------------------------------------------------------------------------------------------

Outcome run_blend(const Setting&) {
  Outcome outcome;
  Plot plot{"five balls after the impact", "c_r", "velocity", false, false, {}};
  for (int i = 0; i < 5; ++i) plot.curves.push_back({fmt::format("ball {}", i + 1), {}, {}, false});
  double worst = 0;
  std::int64_t most = 0;
  bool ended = true;
  for (const auto& [name, law] : make_operators()) {
    for (int percent = 0; percent <= 100; ++percent) {
      const double c = percent / 100.0;
      HandmadeImpact line = make_line({1, 0, 0, 0, 0}, c);
      const ImpactReport report = line.resolve(law);
      ended &= report.status == ImpactStatus::kResolved;
      most = std::max(most, report.iterations);
      for (std::size_t i = 0; i < 5; ++i) {
        const double v = line.velocities[i].linear.x();
        worst = std::max(worst, std::abs(v - (1 - c) / 5 - (i == 4 ? c : 0)));
        if (name != "lexicographic") continue;
        plot.curves[i].x.push_back(c);
        plot.curves[i].y.push_back(v);
      }
    }
  }
  outcome.clauses = {
      {"ends for every c in [0, 1]", fmt::format("101 coefficients, four operators: in at most {} iterations", most),
       ended},
      {"with (1 - c) q0 + c q1", fmt::format("to {:.1e}", worst), worst <= 1e-12},
  };
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

}  // namespace

std::vector<Experiment> vouga_experiments() {
  std::vector<Experiment> all{
      {"V1", "line of balls", "section 3", "unit masses, unit radius; chosen: velocities 3, -1, 4, 1, -5, 9, 2, -6",
       "lexicographic Gauss-Seidel is bubble sort; q · (1 .. d) increases", run_line},
      {"V4", "wedge", "figure 3", "normals (0, 1), (sin t, -cos t), w_i = (cos it/3, sin it/3); chosen: from 0.37 t",
       "certificates rise monotonically; iterations grow as the angle shrinks", run_wedge},
      {"V5", "necessity of the desiderata", "section 5.3, figure 7",
       "corner (2, -1) <-> (1, -2); cradle 0, 1, 0; chosen: 40 applications",
       "dropping any one desideratum allows an operator that does not end", run_necessity},
      {"V6", "inelastic collapse", "figure 8", "five balls, c_r = 0, the first at speed 1",
       "per-impact dissipation never becomes feasible", run_inelastic_collapse},
      {"V7", "restitution as a blend", "section 6.2", "q = (1 - c) q0 + c q1; chosen: the line of figure 8",
       "ends for every c in [0, 1]", run_blend},
  };
  for (Experiment& experiment : vouga_termination_experiments()) all.push_back(std::move(experiment));
  std::sort(all.begin(), all.end(), [](const Experiment& one, const Experiment& other) { return one.id < other.id; });
  return all;
}

}  // namespace achilles::reproduce
