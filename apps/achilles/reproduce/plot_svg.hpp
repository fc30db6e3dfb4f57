// A plot as a picture that every browser shows and that scales.
#pragma once

#include "reproduce/experiment.hpp"

#include <string>

namespace achilles::reproduce {

/// An <svg> element. Values that are not finite, and those at or below zero on a logarithmic axis, leave a hole in
/// their curve. Curves of many points are thinned to what the width can show, peaks kept.
[[nodiscard]] std::string draw_svg(const Plot& plot);

/// For text and attributes of HTML and SVG.
[[nodiscard]] std::string escape_html(const std::string& text);

}  // namespace achilles::reproduce
