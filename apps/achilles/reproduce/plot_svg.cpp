#include "reproduce/plot_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace achilles::reproduce {
namespace {

constexpr double kWidth = 560, kHeight = 340;  // of the whole, in user units
constexpr double kLeft = 72, kRight = 16, kTop = 34, kBottom = 50;
constexpr std::size_t kNamesPerRow = 4;  // of the legend, which stands below the axes
constexpr double kRowHeight = 17;
constexpr std::size_t kMostBuckets = 400;  // more than this many columns are not visible
// Distinct for the colour-blind too, dark enough on white and light enough on black.
constexpr std::array kColors = {"#3b7dd8", "#e08214", "#1b9e77", "#d6604d", "#8e63ce", "#a6761d", "#e7298a", "#5a6c7d"};

/// One axis: from values to the unit interval, and where its ticks are.
struct Axis {
  bool log = false;
  double low = 0, high = 1;  // of the value, or of its decimal logarithm

  [[nodiscard]] std::optional<double> place(double value) const {
    if (!std::isfinite(value) || (log && value <= 0)) return std::nullopt;
    return ((log ? std::log10(value) : value) - low) / (high - low);
  }
};

using Values = std::vector<double> Curve::*;

Axis fit_axis(const Plot& plot, Values values, bool log) {
  Axis axis{log, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Curve& curve : plot.curves) {
    for (double value : curve.*values) {
      if (!std::isfinite(value) || (log && value <= 0)) continue;
      const double at = log ? std::log10(value) : value;
      axis.low = std::min(axis.low, at);
      axis.high = std::max(axis.high, at);
    }
  }
  if (!(axis.low <= axis.high)) return {log, 0, 1};
  const double least = log ? 0.1 : std::max(1e-12 * std::max(std::abs(axis.low), std::abs(axis.high)), 1e-300);
  if (axis.high - axis.low < least) {
    axis.low -= log ? 0.5 : std::max(0.5 * std::abs(axis.low), 0.5);
    axis.high += log ? 0.5 : std::max(0.5 * std::abs(axis.high), 0.5);
    return axis;
  }
  const double margin = 0.04 * (axis.high - axis.low);
  // An axis that begins at zero keeps it.
  if (log || axis.low != 0) axis.low -= margin;
  axis.high += margin;
  return axis;
}

/// About five round numbers within the axis, as (value on the axis, label).
std::vector<std::pair<double, std::string>> make_ticks(const Axis& axis) {
  std::vector<std::pair<double, std::string>> ticks;
  const double span = axis.high - axis.low;
  if (axis.log && span >= 1) {
    const double stride = std::max(1.0, std::ceil(span / 6));
    for (double decade = std::ceil(axis.low); decade <= axis.high; decade += stride) {
      ticks.emplace_back(decade, fmt::format("{:g}", std::pow(10.0, decade)));
    }
    return ticks;
  }
  const double rough = span / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double mantissa = rough / power;
  const double stride = power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
  for (double k = std::ceil(axis.low / stride); k * stride <= axis.high; ++k) {
    const double value = k == 0 ? 0 : k * stride;  // not minus zero
    ticks.emplace_back(value, fmt::format("{:.4g}", axis.log ? std::pow(10.0, value) : value));
  }
  return ticks;
}

double to_x(double share) { return kLeft + share * (kWidth - kLeft - kRight); }
double to_y(double share) { return kHeight - kBottom - share * (kHeight - kTop - kBottom); }

/// Indices to draw: all, or first, lowest, highest and last of each of the buckets.
std::vector<std::size_t> thin_out(const Curve& curve) {
  const std::size_t count = std::min(curve.x.size(), curve.y.size());
  std::vector<std::size_t> kept;
  if (count <= 4 * kMostBuckets) {
    for (std::size_t i = 0; i < count; ++i) kept.push_back(i);
    return kept;
  }
  for (std::size_t bucket = 0; bucket < kMostBuckets; ++bucket) {
    const std::size_t begin = bucket * count / kMostBuckets, end = (bucket + 1) * count / kMostBuckets;
    std::size_t lowest = begin, highest = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (curve.y[i] < curve.y[lowest]) lowest = i;
      if (curve.y[i] > curve.y[highest]) highest = i;
    }
    for (std::size_t i : {begin, std::min(lowest, highest), std::max(lowest, highest), end - 1}) {
      if (kept.empty() || kept.back() < i) kept.push_back(i);
    }
  }
  return kept;
}

std::string draw_frame(const Plot& plot, const Axis& x_axis, const Axis& y_axis) {
  std::string svg;
  for (const auto& [value, label] : make_ticks(x_axis)) {
    const double x = to_x((value - x_axis.low) / (x_axis.high - x_axis.low));
    svg += fmt::format("<path class='grid' d='M{:.1f} {}V{}'/><text x='{:.1f}' y='{}' text-anchor='middle'>{}</text>",
                       x, kTop, kHeight - kBottom, x, kHeight - kBottom + 16, label);
  }
  for (const auto& [value, label] : make_ticks(y_axis)) {
    const double y = to_y((value - y_axis.low) / (y_axis.high - y_axis.low));
    svg += fmt::format("<path class='grid' d='M{} {:.1f}H{}'/><text x='{}' y='{:.1f}' text-anchor='end'>{}</text>",
                       kLeft, y, kWidth - kRight, kLeft - 6, y + 4, label);
  }
  svg += fmt::format("<path class='axis' d='M{} {}V{}H{}'/>", kLeft, kTop, kHeight - kBottom, kWidth - kRight);
  svg += fmt::format("<text class='title' x='{}' y='18'>{}</text>", kLeft, escape_html(plot.title));
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>", (kLeft + kWidth - kRight) / 2, kHeight - 12,
                     escape_html(plot.x_label));
  const double middle = (kTop + kHeight - kBottom) / 2;
  svg += fmt::format("<text x='14' y='{0}' text-anchor='middle' transform='rotate(-90 14 {0})'>{1}</text>", middle,
                     escape_html(plot.y_label));
  return svg;
}

std::string draw_curve(const Curve& curve, const Axis& x_axis, const Axis& y_axis, const char* color) {
  std::string path, marks;
  bool pen_down = false;
  for (std::size_t i : thin_out(curve)) {
    const std::optional<double> x = x_axis.place(curve.x[i]), y = y_axis.place(curve.y[i]);
    if (!x || !y) {
      pen_down = false;
      continue;
    }
    if (curve.points) {
      marks += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.6' fill='{}'/>", to_x(*x), to_y(*y), color);
    } else {
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', to_x(*x), to_y(*y));
    }
    pen_down = true;
  }
  if (curve.points) return marks;
  return fmt::format("<path class='curve' stroke='{}' d='{}'/>", color, path);
}

std::size_t count_names(const Plot& plot) {
  return static_cast<std::size_t>(
      std::count_if(plot.curves.begin(), plot.curves.end(), [](const Curve& curve) { return !curve.name.empty(); }));
}

double legend_height(const Plot& plot) {
  const std::size_t rows = (count_names(plot) + kNamesPerRow - 1) / kNamesPerRow;
  return kRowHeight * static_cast<double>(rows);
}

std::string draw_legend(const Plot& plot) {
  std::string svg;
  std::size_t place = 0;
  const double column = (kWidth - kLeft - kRight) / static_cast<double>(std::min(kNamesPerRow, count_names(plot) + 1));
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    if (plot.curves[i].name.empty()) continue;
    const double x = kLeft + column * static_cast<double>(place % kNamesPerRow);
    const double y = kHeight + kRowHeight * (0.4 + static_cast<double>(place / kNamesPerRow));
    svg +=
        fmt::format("<text class='legend' x='{:.1f}' y='{:.1f}'><tspan fill='{}'>{}</tspan> {}</text>", x, y,
                    kColors[i % kColors.size()], plot.curves[i].points ? "●" : "━", escape_html(plot.curves[i].name));
    ++place;
  }
  return svg;
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string draw_svg(const Plot& plot) {
  const Axis x_axis = fit_axis(plot, &Curve::x, plot.log_x), y_axis = fit_axis(plot, &Curve::y, plot.log_y);
  std::string svg = fmt::format("<svg viewBox='0 0 {} {}' role='img' aria-label='{}'>", kWidth,
                                kHeight + legend_height(plot), escape_html(plot.title));
  svg += draw_frame(plot, x_axis, y_axis);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    svg += draw_curve(plot.curves[i], x_axis, y_axis, kColors[i % kColors.size()]);
  }
  return svg + draw_legend(plot) + "</svg>";
}

}  // namespace achilles::reproduce
