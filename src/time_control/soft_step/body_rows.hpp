// Bodies of the World as rows that the kernels of soft-step work on, and back.
#pragma once

#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Ranges are of bodies for draft and unload, else of rows.
class BodyRows {
 public:
  BodyRows(World& world, double h, StepWorkspace& scratch)
      : world_(world), scratch_(scratch), soft_(scratch.soft), h_(h) {}

  /// Velocities gain their share of the forces, and each body leaves what its row will be filled with.
  void draft(std::size_t first, std::size_t last) const;
  /// Room for the rows; `any_masses`: some are asked for more than round bodies have.
  void prepare(bool any_masses) const;
  void load(std::size_t first, std::size_t last) const;
  /// The forces of a substep of length h [s].
  void accelerate(std::size_t first, std::size_t last, float h) const;
  /// The same with the impulses of the substep before.
  void accelerate_on(std::size_t first, std::size_t last, float h) const;
  void move(std::size_t first, std::size_t last, float h) const;
  /// Bodies that touch something follow their rows, the others fly exactly.
  void unload(std::size_t first, std::size_t last) const;

 private:
  void draft_body(std::size_t body) const;
  void load_mass(std::size_t row) const;
  void unload_body(std::size_t body) const;

  World& world_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  double h_;
};

}  // namespace achilles
