#include "time_control/shock/shock_propagation.hpp"

#include "math/cache_lines.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/shock/correction.hpp"
#include "time_control/shock/joints.hpp"
#include "time_control/shock/patches.hpp"
#include "time_control/shock/records.hpp"
#include "time_control/shock/shock_workspace.hpp"
#include "time_control/shock/sweeps.hpp"

#include <algorithm>
#include <memory>

namespace achilles {
namespace {

constexpr std::size_t kBodyBlock = 16;  // bodies that one thread takes at a time

template <class Work>
void for_each_block(const World& world, StepWorkspace& scratch, const Work& work) {
  scratch.runner.run(world.bodies.size(), kBodyBlock,
                     [&](std::size_t, std::size_t first, std::size_t last) { work(first, last); });
}

double measure_work_of_scripts(const BodyArrays& bodies, std::span<const ContactRecord> records) {
  if (std::find(bodies.kind.begin(), bodies.kind.end(), BodyKind::kScripted) == bodies.kind.end()) return 0;
  double work = 0;
  for (const ContactRecord& record : records) work += measure_script_work(bodies, record, record.impulse);
  return work;
}

}  // namespace

StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options, StepWorkspace& scratch,
                                     double h) {
  StepReport report;
  if (!scratch.shock) scratch.shock = std::make_shared<ShockWorkspace>();
  const TouchSearch search{options.margin, options.slop, h};
  make_room_for_bodies(world, h, scratch);
  for_each_block(world, scratch, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      prepare_body(world.bodies, i, scratch);
      integrate_velocity(world, i, scratch.inverse_mass, h, scratch.motion);
    }
  });
  find_contacts_recycling(world, options.margin, h, options.recycling, scratch);
  find_layers(world, options, scratch);
  scratch.mark("layers");
  build_patches(world, options, h, scratch);
  build_joint_rows(world, h, options.warm_start, scratch);
  scratch.mark("patches");
  solve_shocks(world, options, h, scratch);
  scratch.mark("sweeps");
  conclude_sweeps(world, options, h, scratch, report);
  scratch.mark("memory and records");
  const bool conserving = options.integrator == Integrator::kConserving;
  for_each_block(world, scratch, [&](std::size_t first, std::size_t last) {
    // From here to the next sweeps a velocity is worked on by the thread that has its body by number.
    for (std::size_t i = first; i < last; ++i) take_line(world.bodies.velocity[i].linear[0]);
    for (std::size_t i = first; i < last; ++i) {
      const bool free = scratch.constrained[i] == 0 && !was_pushed(*scratch.shock, i);
      integrate_position(world, i, h, free && conserving, scratch.motion);
    }
  });
  scratch.mark("positions");
  correct_shocks(world, options, h, scratch);
  correct_joints(world, options.correction_iterations, scratch);
  scratch.mark("correction");
  rebound_shocks(world, options, scratch, report);
  conclude_joints(world, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  report.external_work += measure_work_of_scripts(world.bodies, scratch.records);
  put_to_sleep(world, options.sleeping, search, scratch);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
