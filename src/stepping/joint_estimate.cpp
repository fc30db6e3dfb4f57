#include "stepping/joint_estimate.hpp"

#include "math/refill.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>

namespace achilles {

bool knows_no_joint_impulse(const World& world) {
  return std::all_of(world.joint_states.begin(), world.joint_states.end(), [](const JointState& state) {
    return std::all_of(state.impulses.begin(), state.impulses.end(), [](double impulse) { return impulse == 0; });
  });
}

void estimate_joint_impulses(World& world, double h, ImplicitWorkspace& local, StepWorkspace& scratch) {
  constexpr int kSweeps = 50;
  ImplicitOptions options;
  options.solve = {.solver = NonsmoothCgOptions{.iterations = kSweeps}, .eliminate_joints = false};
  options.friction = false;
  options.contacts = false;
  options.rounds = 3;  // the impulses of the last one are not kept
  (void)solve_implicit_positions(world, options, h, local, scratch);
  local.start.restore(world.bodies);
  copy_to(local.free, world.bodies.velocity);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
  }
}

}  // namespace achilles
