// From contacts in double precision to lanes in single precision.
#pragma once

#include "time_control/soft_step/soft_step.hpp"

namespace achilles {

/// What contacts between bodies are, and joints: stiffer than that, impulses carried from substep to substep make slow
/// modes of stacks and nets gain energy, see docs/throughput.md. [Hz] for substeps of length h.
[[nodiscard]] double choose_frequency(const SoftStepOptions& options, double h);

/// A damped spring in impulses over a substep of length h [Catto11, p. 43].
[[nodiscard]] Softness make_softness(double frequency, double damping, double h);

/// Drafts manifolds in the order of the contacts, impulses of the last step included: what lanes are filled with lies
/// together then, wherever the world, the contacts and the memory have it. Every call touches its own manifold alone.
class ContactPacker {
 public:
  ContactPacker(const World& world, const SoftStepOptions& options, StepWorkspace& scratch);
  /// Makes room, when manifolds have their lanes.
  void prepare() const;
  void draft(std::size_t manifold) const;
  [[nodiscard]] Drafts drafts() const;
  /// Hands what the contacts at these places of the lanes got back to their manifolds.
  void unpack(const LaneRange& range) const;

 private:
  void return_further(std::size_t index) const;
  void draft_points(const SoftManifold& manifold, const Contact& contact, ManifoldDraft& to) const;
  /// What is remembered of the point at this place in contact `index`.
  [[nodiscard]] const CachedPoint* recall(const Contact& contact, std::uint32_t index, std::uint32_t place) const;

  const World& world_;
  const SoftStepOptions& options_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  double share_;  // of a step's impulse in a substep
};

}  // namespace achilles
