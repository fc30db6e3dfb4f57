#include "methods/advance.hpp"

#include "stepping/sleep_balance.hpp"

#include <cmath>

namespace achilles {
namespace {

/// Sums of steps drift by rounding: a time next to a multiple of the step is that multiple. Depends on the present time
/// alone, so that resumed runs have the same time.
double remove_drift(double time, double h) {
  const double multiple = h * std::round(time / h);
  return std::abs(time - multiple) <= 1e-6 * h ? multiple : time;
}

}  // namespace

StepReport advance(World& world, Method& method, double h) {
  if (const std::optional<Sleeping> sleeping = method.find_sleeping(h)) {
    wake_unbalanced(world, sleeping->options, h, method.workspace());
    wake_touched(world, sleeping->options, sleeping->search, method.workspace());
  }
  return advance_woken(world, method, h);
}

StepReport advance_woken(World& world, Method& method, double h) {
  const StepReport report = method.step(world, h);
  world.time = remove_drift(report.stopped ? report.stopped->time : world.time + h, h);
  ++world.step_index;
  return report;
}

}  // namespace achilles
