#include "time_control/shock_propagation.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/correction.hpp"
#include "time_control/shock_joints.hpp"
#include "time_control/shock_loads.hpp"
#include "time_control/shock_patches.hpp"
#include "time_control/shock_workspace.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

constexpr double kNever = -std::numeric_limits<double>::max();  // target of a point that cannot act

/// One group of the contact graph while a step works on it.
class GroupStep {
 public:
  GroupStep(const ShockPropagationOptions& options, double h, StepWorkspace& scratch, std::size_t group)
      : options_(options),
        h_(h),
        scratch_(scratch),
        first_(scratch.shock->patch_start[group]),
        patches_(std::span(scratch.shock->patches).subspan(first_, scratch.shock->patch_start[group + 1] - first_)),
        joints_(joints_of(scratch, group)),
        solve_(scratch.solves[group]) {}

  /// Whether most of what touches did not touch in the last step.
  [[nodiscard]] bool is_new() const {
    int touching = 0, remembered = 0;
    for (const Patch& patch : patches_) {
      for (int i = 0; i < patch.count; ++i) {
        if (patch.gap[i] > options_.slop) continue;
        ++touching;
        remembered += patch.remembered[i] ? 1 : 0;
      }
    }
    return 2 * remembered < touching;
  }

  /// propagation: adds `share` of the change in the weights above to the impulses of the last step; points that are new
  /// start from the weights.
  void feel_weights(const World& world, double share) {
    ShockWorkspace& shock = *scratch_.shock;
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      std::copy_n(patches_[k].load, Patch::kPoints, shock.loads_before[first_ + k].begin());
    }
    hand_down_loads(world, options_.slop, patches_, scratch_);
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      Patch& patch = patches_[k];
      for (int i = 0; i < patch.count; ++i) {
        const double change = patch.load[i] - shock.loads_before[first_ + k][static_cast<std::size_t>(i)];
        patch.normal[i] = std::max(0.0, patch.normal[i] + (patch.remembered[i] ? share : 1.0) * change);
      }
    }
  }

  /// dynamics: sweeps over all contacts and joints, up and down by turns.
  void sweep_all(std::span<BodyVelocity> u) {
    const PatchBodies bodies{scratch_.inverse_mass, u};
    for (Patch& patch : patches_) weigh_patch(patch, scratch_.inverse_mass);
    const double before = measure_all_power(u);
    for (const Patch& patch : patches_) apply_patch(patch, bodies);
    if (before + measure_all_power(u) > 0) start_from_rest(bodies);
    apply_rows(joints_, u);
    solve_ = {};
    while (solve_.iterations < options_.iterations) {
      solve_.residual = sweep(bodies, direction_of(solve_.iterations));
      ++solve_.iterations;
      if (solve_.residual < options_.tolerance) break;
    }
  }

  /// Takes the gaps of the patches to the end of the step, and the targets to what a displacement must close. Returns
  /// whether anything penetrates by more than the slop.
  bool aim_corrections(std::span<const BodyVelocity> u) {
    bool wrong = false;
    for (Patch& patch : patches_) {
      double rate[Patch::kPoints];
      measure_patch(patch, u, rate);
      for (int i = 0; i < patch.count; ++i) {
        patch.gap[i] += h_ * rate[i];
        patch.normal[i] = 0;
        const double depth = -patch.gap[i];
        patch.target[i] = patch.softness > 0 ? kNever : std::min(depth, options_.correction * (depth - options_.slop));
        wrong = wrong || (patch.softness == 0 && depth > options_.slop);
      }
    }
    return wrong;
  }

  /// correction: displacements that push every layer out of those below, then all at once for what is left.
  void correct(std::span<BodyVelocity> displacement) {
    if (options_.propagate) {
      for_each_layer([&](std::span<Patch> layer) {
        for (Patch& patch : layer) weigh_patch(patch, scratch_.shock->translating);
        sweep_corrections(layer, {scratch_.shock->translating, displacement});
      });
    }
    release();
    for (Patch& patch : patches_) std::fill(std::begin(patch.normal), std::end(patch.normal), 0.0);
    sweep_corrections(patches_, {scratch_.inverse_mass, displacement});
  }

  /// How many contacts met fast enough to bounce, and were pushed.
  [[nodiscard]] int count_bounces() const {
    int bounces = 0;
    for (const Patch& patch : patches_) {
      for (int i = 0; i < patch.count; ++i) bounces += bounces_at(patch, i) ? 1 : 0;
    }
    return bounces;
  }

  /// rebound: contacts that met leave with e times the speed, those that touch do not sink in.
  void rebound(std::span<BodyVelocity> u) {
    release();
    for (Patch& patch : patches_) {
      for (int i = 0; i < patch.count; ++i) {
        patch.target[i] = patch.gap[i] > options_.slop || patch.softness > 0 ? kNever : 0.0;
        if (bounces_at(patch, i)) patch.target[i] = patch.rebound[i];
        patch.normal[i] = patch.slip1[i] = patch.slip2[i] = 0;
      }
    }
    const PatchBodies bodies{scratch_.inverse_mass, u};
    for (int k = 0; k < options_.iterations; ++k) {
      if (sweep(bodies, direction_of(k)) < options_.tolerance) break;
    }
  }

 private:
  /// Joints come last: contacts may give, joints may not.
  double sweep(const PatchBodies& bodies, SweepDirection direction) {
    const double contacts = sweep_patches(patches_, bodies, direction);
    return std::max(contacts, sweep_joints(joints_, bodies.u, direction));
  }

  [[nodiscard]] bool bounces_at(const Patch& patch, int i) const {
    return patch.rebound[i] > 0 && !scratch_.records[patch.first + static_cast<std::size_t>(i)].impulse.isZero(0);
  }

  /// Calls work(patches of the layer) from the lowest layer to the highest, with the bodies below held.
  template <class Work>
  void for_each_layer(const Work& work) {
    const std::vector<std::uint32_t>& height = scratch_.shock->layers.height;
    for (std::size_t first = 0; first < patches_.size();) {
      std::size_t last = first;
      for (; last < patches_.size() && patches_[last].layer == patches_[first].layer; ++last) {
        Patch& patch = patches_[last];
        patch.moves_a = scratch_.movable[patch.body_a] != 0 && height[patch.body_a] >= height[patch.body_b];
        patch.moves_b = scratch_.movable[patch.body_b] != 0 && height[patch.body_b] >= height[patch.body_a];
      }
      work(patches_.subspan(first, last - first));
      first = last;
    }
  }

  /// Lets all movable bodies move again.
  void release() {
    for (Patch& patch : patches_) {
      patch.moves_a = scratch_.movable[patch.body_a] != 0;
      patch.moves_b = scratch_.movable[patch.body_b] != 0;
      weigh_patch(patch, scratch_.inverse_mass);
    }
  }

  void sweep_corrections(std::span<Patch> patches, const PatchBodies& bodies) const {
    for (int k = 0; k < options_.correction_iterations; ++k) {
      if (sweep_normals(patches, bodies, direction_of(k)) < 0.01 * options_.slop) break;
    }
  }

  static SweepDirection direction_of(int sweep) { return sweep % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown; }

  [[nodiscard]] double measure_all_power(std::span<const BodyVelocity> u) const {
    double power = 0;
    for (const Patch& patch : patches_) power += measure_power(patch, u);
    return power;
  }

  /// Takes the impulses back that the sweeps were to start from: they would have added energy.
  void start_from_rest(const PatchBodies& bodies) {
    for (Patch& patch : patches_) {
      for (double* impulses : {patch.normal, patch.slip1, patch.slip2}) {
        for (int i = 0; i < Patch::kPoints; ++i) impulses[i] = -impulses[i];
      }
      apply_patch(patch, bodies);
      for (double* impulses : {patch.normal, patch.slip1, patch.slip2}) std::fill_n(impulses, Patch::kPoints, 0.0);
    }
  }

  const ShockPropagationOptions& options_;
  double h_;
  StepWorkspace& scratch_;
  std::size_t first_;
  std::span<Patch> patches_;
  JointSweep joints_;
  SolveReport& solve_;
};

void solve_all(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch) {
  ShockWorkspace& shock = *scratch.shock;
  shock.loads_before.resize(shock.patches.size());
  shock.loads.resize(world.bodies.size());
  for_each_group(scratch, [&](std::size_t group) {
    GroupStep step(options, h, scratch, group);
    if (options.propagate && (options.weight_feeling < 1 || step.is_new())) {
      step.feel_weights(world, 1 - options.weight_feeling);
    }
    step.sweep_all(world.bodies.velocity);
  });
}

void correct_all(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch) {
  std::vector<BodyVelocity>& displacement = scratch.shock->displacement;
  refill(displacement, world.bodies.size(), BodyVelocity{});
  copy_to(scratch.inverse_mass, scratch.shock->translating);
  for (BodyInverseMass& mass : scratch.shock->translating) mass.angular.setZero();
  for_each_group(scratch, [&](std::size_t group) {
    GroupStep step(options, h, scratch, group);
    if (step.aim_corrections(world.bodies.velocity)) step.correct(displacement);
  });
  displace_bodies(world, displacement, scratch.movable);
}

void rebound_all(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch,
                 StepReport& report) {
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    GroupStep step(options, h, scratch, group);
    const int bounces = step.count_bounces();
    if (bounces == 0) continue;
    report.impacts += bounces;
    step.rebound(world.bodies.velocity);
    for (std::uint32_t k = scratch.shock->patch_start[group]; k < scratch.shock->patch_start[group + 1]; ++k) {
      const Patch& patch = scratch.shock->patches[k];
      for (int i = 0; i < patch.count; ++i) {
        const Vec3 impulse = patch.normal[i] * patch.n + patch.slip1[i] * patch.t1 + patch.slip2[i] * patch.t2;
        scratch.records[patch.first + static_cast<std::size_t>(i)].impulse += impulse;
      }
    }
  }
}

}  // namespace

StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options, StepWorkspace& scratch,
                                     double h) {
  StepReport report;
  if (!scratch.shock) scratch.shock = std::make_shared<ShockWorkspace>();
  const TouchSearch search{options.margin, options.slop, h};
  wake_touched(world, options.sleeping, search, scratch);
  prepare_bodies(world, h, scratch);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts_recycling(world, options.margin, h, options.recycling, scratch);
  find_layers(world, options, scratch);
  build_patches(world, options, h, scratch);
  build_joint_rows(world, h, options.warm_start, scratch);
  solve_all(world, options, h, scratch);
  record_patches(scratch);
  remember_contacts(world, options.slop, scratch, report);
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  correct_all(world, options, h, scratch);
  correct_joints(world, options.correction_iterations, scratch);
  rebound_all(world, options, h, scratch, report);
  conclude_joints(world, h, scratch, report);
  report.joint_error = update_joint_positions(world);
  for (const ContactRecord& record : scratch.records) {
    report.external_work += measure_script_work(world.bodies, record, record.impulse);
  }
  put_to_sleep(world, options.sleeping, search, scratch);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
