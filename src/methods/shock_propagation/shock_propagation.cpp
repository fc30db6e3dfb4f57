#include "methods/shock_propagation/shock_propagation.hpp"

#include "methods/shock_propagation/correction.hpp"
#include "methods/shock_propagation/find_layers.hpp"
#include "methods/shock_propagation/joints.hpp"
#include "methods/shock_propagation/manifolds.hpp"
#include "methods/shock_propagation/rebound.hpp"
#include "methods/shock_propagation/records.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"
#include "methods/shock_propagation/sweeps.hpp"
#include "parallel/cache_lines.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/correction.hpp"
#include "stepping/joint_check.hpp"
#include "stepping/joint_stiffness.hpp"
#include "stepping/rebound.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr double kJointTolerance = 1e-3;  // of the slop
constexpr std::size_t kBodyBlock = 16;    // bodies that one thread takes at a time

template <class Visit>
void for_each_block(const World& world, ShockWorkspace& work, const Visit& visit) {
  work.runner.run(world.bodies.size(), kBodyBlock,
                  [&](std::size_t, std::size_t first, std::size_t last) { visit(first, last); });
}

double measure_work_of_scripts(const BodyArrays& bodies, std::span<const ContactRecord> records) {
  if (std::find(bodies.kind.begin(), bodies.kind.end(), BodyKind::kScripted) == bodies.kind.end()) return 0;
  double work = 0;
  for (const ContactRecord& record : records) work += measure_script_work(bodies, record, record.impulse);
  return work;
}

}  // namespace

StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options, ShockWorkspace& work,
                                     double h) {
  StepReport report;
  const double joint_error = measure_relative_joint_error(world);
  const TouchSearch search{options.speculative_distance, options.slop, h};
  work.collide = options.collide;
  make_room_for_bodies(world, {world.time, h}, work);
  for_each_block(world, work, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      prepare_body(world.bodies, i, work);
      integrate_velocity(world, i, work.inverse_mass, h, work.motion);
    }
  });
  limit_geometric_stiffness(world, h, work);
  remember_free_motion(world, work);
  find_contacts_with_reuse(world, options.speculative_distance, h, options.reuse_distance, work);
  find_layers(world, options, work);
  work.mark("layers");
  build_manifolds(world, options, h, work);
  build_joint_rows(world, h, options.warm_start, work);
  work.mark("manifolds");
  solve_shocks(world, options, work);
  work.mark("sweeps");
  conclude_sweeps(world, options, h, work, report);
  work.mark("memory and records");
  const bool conserving = options.integrator == Integrator::kConserving;
  for_each_block(world, work, [&](std::size_t first, std::size_t last) {
    // From here to the next sweeps a velocity is worked on by the thread that has its body by number.
    for (std::size_t i = first; i < last; ++i) acquire_line_for_writing(world.bodies.velocity[i].linear[0]);
    for (std::size_t i = first; i < last; ++i) {
      const bool free = work.constrained[i] == 0 && !was_pushed(work.recording, i);
      integrate_position(world, i, h, free && conserving, work.motion);
    }
  });
  work.mark("positions");
  correct_shocks(world, options, h, work);
  close_joints(world, kJointTolerance * options.slop, work);
  work.mark("correction");
  rebound_shocks(world, options, h, work, report);
  conclude_joints(world, {world.time, h}, work, report);
  check_joints(world, {world.time, h}, joint_error, report);
  report.external_work += measure_work_of_scripts(world.bodies, work.records);
  put_to_sleep(world, options.sleeping, search, work);
  return report;
}

}  // namespace achilles
