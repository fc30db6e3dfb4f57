#include "engines/page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace achilles::bench {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Achilles beside other engines</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 2rem; }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
rect.ours { fill: #2a6fbb; } rect.other { fill: #b9b9b9; } text { font-size: 12px; }
</style>
<h1>Achilles beside other engines</h1>
<p>Every engine had the same bodies, took turns of ten steps in one run, and was measured by the same geometry. Time is
per step of 1/60 s; depth is how far bodies that overlap do so.</p>
)";

bool is_ours(const Result& result) { return result.engine.starts_with("soft") || result.engine.starts_with("shock"); }

std::string draw_bars(const std::vector<Result>& results) {
  constexpr double kWidth = 480, kBar = 18, kPitch = 24, kLabel = 110;
  double longest = 1e-9;
  for (const Result& result : results) longest = std::max(longest, result.milliseconds);
  std::string svg = fmt::format(R"(<svg width="{}" height="{}" role="img">)", kLabel + kWidth + 90,
                                kPitch * static_cast<double>(results.size()));
  double y = 0;
  for (const Result& result : results) {
    const double width = kWidth * result.milliseconds / longest;
    svg += fmt::format(R"(<text x="0" y="{}">{}</text><rect class="{}" x="{}" y="{}" width="{:.1f}" height="{}"/>)",
                       y + 14, result.engine, is_ours(result) ? "ours" : "other", kLabel, y, width, kBar);
    svg += fmt::format(R"(<text x="{:.1f}" y="{}">{}</text>)", kLabel + width + 6, y + 14,
                       result.able ? fmt::format("{:.3f} ms", result.milliseconds) : "cannot");
    y += kPitch;
  }
  return svg + "</svg>\n";
}

std::string make_table(const std::vector<Result>& results) {
  std::string table =
      "<table><tr><th>engine<th>ms per step<th>mean depth [m]<th>max depth [m]<th>drift [m]<th>mean height [m]"
      "<th>energy [J/kg]</tr>\n";
  for (const Result& result : results) {
    if (!result.able) continue;
    const Measured& m = result.measured;
    table += fmt::format("<tr><td>{}<td>{:.3f}<td>{:.2e}<td>{:.2e}<td>{:.3f}<td>{:.3f}<td>{:.2e}</tr>\n", result.engine,
                         result.milliseconds, m.mean_depth, m.max_depth, m.drift, m.height, m.energy);
  }
  return table + "</table>\n";
}

}  // namespace

std::string make_page(const std::vector<Race>& races) {
  std::string page = kHead;
  for (const Race& race : races) {
    page += fmt::format("<h2>{}</h2>\n", race.scene) + draw_bars(race.results) + make_table(race.results);
  }
  return page + "</html>\n";
}

}  // namespace achilles::bench
