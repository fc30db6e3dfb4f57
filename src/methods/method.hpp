// A method: one way to advance the world by a step. It owns its options and the memory that its steps work in.
#pragma once

#include "stepping/sleep_stage.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <optional>
#include <utility>

namespace achilles {

class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// Moves the bodies by h [s]; what is disturbed has been woken. Leaves time and step index of the world alone: they
  /// belong to the driver (advance.hpp). Numerical difficulty is a status in the report, not an exception; the time of
  /// a stop is the one at which the bodies stand. The result depends on the world and the options alone, not on earlier
  /// steps.
  [[nodiscard]] virtual StepReport step(World& world, double h) = 0;

  /// How bodies sleep in a step of h [s]; nothing when the method does not know of sleeping.
  [[nodiscard]] virtual std::optional<Sleeping> find_sleeping(double /*h*/) const { return std::nullopt; }

  /// Threads, profile, and after a step its contact records and joint loads.
  [[nodiscard]] virtual StepWorkspace& workspace() = 0;
};

/// A method that is one function of world, options and workspace.
template <class Options, class Workspace, StepReport (*kAdvance)(World&, const Options&, Workspace&, double)>
class FunctionMethod : public Method {
 public:
  explicit FunctionMethod(Options options) : options_(std::move(options)) {}

  [[nodiscard]] StepReport step(World& world, double h) override { return kAdvance(world, options_, workspace_, h); }
  [[nodiscard]] StepWorkspace& workspace() override { return workspace_; }

 protected:
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  Options options_;
  Workspace workspace_;
};

}  // namespace achilles
