// Whether a recording is what its method promises, from the recorded motion and without trusting the method.
//
// Poses and velocities are taken as recorded; energies, momenta, penetrations, joint errors are computed anew from them
// and from the scene. Between two instants a body is taken along the simplest path that leads from one to the other:
// its centre on a straight line (a parabola where it fell freely), its orientation at constant spin. How far the true
// path can be from that one follows from how much the velocity changed, and counts in the body's favour.
#pragma once

#include "record/recording.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace achilles {

enum class Finding {
  kHolds,
  kFails,
  kMeasured,   // the method promises nothing here: a figure, no judgement
  kUnchecked,  // nothing in the recording that it could be seen from
};

/// One property: the worst place in the recording and how bad it is there.
struct Verdict {
  std::string property;
  Finding finding = Finding::kUnchecked;
  double worst = 0;
  std::optional<double> limit;  // in the unit of `worst`
  std::string unit;
  std::optional<std::size_t> instant;  // where it is worst, or the end of the interval that it lies in
  double time = 0;                     // [s] of the worst
  std::string detail;                  // for people: which bodies, what was compared
};

struct Certificate {
  std::string recording, method;
  std::size_t instants = 0;
  double start = 0, end = 0;  // [s]
  std::vector<Verdict> verdicts;

  /// Nothing that is promised fails.
  [[nodiscard]] bool holds() const;
};

struct CertifyOptions {
  int threads = 1;
  /// Called with the share of the work that is done; false ends it, with std::runtime_error.
  std::function<bool(double)> progress;
};

/// Throws std::runtime_error with path and reason where the recording cannot be read.
[[nodiscard]] Certificate certify(const Recording& recording, const CertifyOptions& options = {});

[[nodiscard]] nlohmann::ordered_json to_json(const Certificate& certificate);
[[nodiscard]] std::string_view name_of(Finding finding);

}  // namespace achilles
