#include "engines/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::bench {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Achilles beside other engines</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 2rem; }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
rect.ours { fill: #2a6fbb; } rect.other { fill: #b9b9b9; } text { font-size: 12px; }
text.title { font-weight: bold; }
</style>
<h1>Achilles beside other engines</h1>
<p>Every engine had the same bodies, took turns of ten steps in one run, and was measured by the same geometry. Time is
per step of 1/60 s; depth is how far bodies that overlap do so, on a logarithmic scale. Blue is Achilles, with -2 on two
threads.</p>
)";

bool is_ours(const Result& result) { return result.engine.starts_with("soft") || result.engine.starts_with("shock"); }

/// One bar per engine; length(result) is its share of the width, label(result) what is written beside it.
template <class Length, class Label>
std::string draw_bars(const std::string& title, const std::vector<Result>& results, const Length& length,
                      const Label& label) {
  constexpr double kWidth = 260, kBar = 18, kPitch = 24, kLabel = 90;
  std::string svg = fmt::format(R"(<svg width="{}" height="{}" role="img"><text class="title" x="{}" y="14">{}</text>)",
                                kLabel + kWidth + 90, kPitch * static_cast<double>(results.size() + 1), kLabel, title);
  double y = kPitch;
  for (const Result& result : results) {
    const double width = result.able ? kWidth * length(result) : 0;
    svg += fmt::format(R"(<text x="0" y="{}">{}</text><rect class="{}" x="{}" y="{}" width="{:.1f}" height="{}"/>)",
                       y + 14, result.engine, is_ours(result) ? "ours" : "other", kLabel, y, width, kBar);
    svg += fmt::format(R"(<text x="{:.1f}" y="{}">{}</text>)", kLabel + width + 6, y + 14,
                       result.able ? label(result) : "cannot");
    y += kPitch;
  }
  return svg + "</svg>\n";
}

std::string draw_times(const std::vector<Result>& results) {
  double longest = 1e-9;
  for (const Result& result : results) longest = std::max(longest, result.milliseconds);
  return draw_bars(
      "time per step", results, [&](const Result& result) { return result.milliseconds / longest; },
      [](const Result& result) { return fmt::format("{:.3f} ms", result.milliseconds); });
}

/// From a micrometre, or less, to a metre.
std::string draw_depths(const std::vector<Result>& results) {
  return draw_bars(
      "mean depth", results,
      [](const Result& result) { return std::clamp(1 + std::log10(result.measured.mean_depth) / 6, 0.0, 1.0); },
      [](const Result& result) { return fmt::format("{:.2g} mm", 1000 * result.measured.mean_depth); });
}

std::string make_table(const std::vector<Result>& results) {
  const double bullet = time_of_bullet(results);
  std::string table =
      "<table><tr><th>engine<th>ms per step<th>to Bullet<th>mean depth [m]<th>max depth [m]<th>drift [m]<th>mean "
      "height [m]"
      "<th>energy [J/kg]</tr>\n";
  for (const Result& result : results) {
    if (!result.able) continue;
    const Measured& m = result.measured;
    const std::string ratio = bullet > 0 ? fmt::format("{:.3f}", result.milliseconds / bullet) : "-";
    table +=
        fmt::format("<tr><td>{}<td>{:.3f}<td>{}<td>{:.2e}<td>{:.2e}<td>{:.3f}<td>{:.3f}<td>{:.2e}</tr>\n",
                    result.engine, result.milliseconds, ratio, m.mean_depth, m.max_depth, m.drift, m.height, m.energy);
  }
  return table + "</table>\n";
}

}  // namespace

std::string make_page(const std::vector<Race>& races, const RaceOptions& options) {
  std::string page = kHead;
  page += fmt::format("<p>{} steps, of which the first {} were not timed; {} {}.</p>\n", options.steps, options.untimed,
                      options.repeats, options.repeats == 1 ? "run" : "runs, every turn by its fastest");
  if (!options.options.empty()) page += fmt::format("<p>Options: {}.</p>\n", fmt::join(options.options, ", "));
  for (const Race& race : races) {
    page += fmt::format("<h2>{}</h2>\n", race.scene) + draw_times(race.results) + draw_depths(race.results) +
            make_table(race.results);
  }
  return page + "</html>\n";
}

}  // namespace achilles::bench
