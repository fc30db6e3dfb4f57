// One scene under one method in a process of its own, so that crashes and hangs are results.
#pragma once

#include "soak/judge.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace achilles::program::soak {

struct Trial {
  nlohmann::ordered_json scene;
  std::string method;                                                 // empty: the scene's own
  std::string file;                                                   // where given, the scene is read from there
  nlohmann::ordered_json options = nlohmann::ordered_json::object();  // of the method, as in a scene
};

struct Outcome {
  std::string refused;  // why the method does not take the scene; empty: it ran
  std::vector<Defect> defects;
  double seconds = 0;  // [s] processor time

  [[nodiscard]] bool has(const std::string& kind) const;
};

struct TrialOptions {
  std::string folder;  // where mesh files lie and recordings are written
  double limit = 10;   // [s] processor time of a run and its judgement, then it counts as a hang
  int jobs = 1;        // processes at a time
};

/// The scene as the text of a file under this method.
[[nodiscard]] std::string write_scene(const Trial& trial);

/// Runs all, `jobs` at a time; calls done(index, outcome) in the order in which they end. Stops early, with what is
/// under way finished, when `go_on` returns false.
void run_trials(std::span<const Trial> trials, const TrialOptions& options,
                const std::function<void(std::size_t, const Outcome&)>& done, const std::function<bool()>& go_on);

[[nodiscard]] Outcome run_trial(const Trial& trial, const TrialOptions& options);

}  // namespace achilles::program::soak
