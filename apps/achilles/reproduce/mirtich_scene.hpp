// What the parts of Mirtich's experiments share.
#pragma once

#include "reproduce/experiment.hpp"
#include "reproduce/watch.hpp"

#include <achilles/scene.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace achilles::reproduce {

inline void append(Curve& curve, double x, double y) {
  curve.x.push_back(x);
  curve.y.push_back(y);
}

inline std::string mirtich_file(const Setting& setting, const std::string& name) {
  return (setting.scenes / "mirtich" / (name + ".yaml")).string();
}

/// The frame of the paper, with a collision tolerance [m] three to four orders below the size of the bodies.
inline std::vector<Override> as_in_paper(double tolerance) {
  return {{"time.step", fmt::format("{:.17g}", 1.0 / 30)}, {"method.tolerance", fmt::format("{:g}", tolerance)}};
}

}  // namespace achilles::reproduce
