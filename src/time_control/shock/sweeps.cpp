#include "time_control/shock/sweeps.hpp"

#include "time_control/shock/group.hpp"
#include "time_control/shock/loads.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr double kNever = -std::numeric_limits<double>::max();  // target of a point that cannot act
constexpr double kStanding = 0.02;  // of the speed of a step's fall: contacts of what stands move slower, on average
constexpr double kRest = 0.1;       // of the tolerance: contacts that move slower, on average, are at rest
constexpr std::size_t kFewPatches = 64;  // up to which a group that bounces
constexpr int kImpactSweeps = 300;       // may sweep so often
constexpr int kFewSweeps = 1;            // that a group at rest needs: what comes after them is a program of its own

bool is_small(const ShockGroup& group) { return group.patches.size() <= kFewPatches; }

/// What sweeps leave wrong of a load the next step goes on with; what they leave wrong of an impact stays, and shows:
/// ten sweeps keep 94 % of the energy of a break at billiards, and not its symmetry. Small groups that bounce sweep
/// longer.
int count_sweeps_at_most(const ShockPropagationOptions& options, const ShockGroup& group) {
  const auto bounces = [](const PatchBlock& block) { return block.bounces; };
  const bool is_small_impact = is_small(group) && std::any_of(group.blocks.begin(), group.blocks.end(), bounces);
  return is_small_impact ? std::max(options.iterations, kImpactSweeps) : options.iterations;
}

/// Sweeps over the patches and joints of a group, up and down by turns, until a sweep changes next to nothing. Joints
/// come last in each: contacts may give, joints may not.
class Sweeps {
 public:
  Sweeps(const ShockPropagationOptions& options, const ShockGroup& group, const PatchBodies& bodies,
         StepWorkspace& scratch)
      : options_(options),
        group_(group),
        bodies_(bodies),
        values_(group.values(scratch)),
        most_(count_sweeps_at_most(options, group)) {}

  /// The program is as many sweeps more, as far as there may be more, or all of them; false when there are none.
  bool prolong(int sweeps) {
    first_ = report_.iterations;
    count_ = ended_ ? 0 : std::min(sweeps, most_ - first_);
    return count_ > 0;
  }
  bool prolong() { return prolong(most_); }

  [[nodiscard]] std::size_t stages() const { return static_cast<std::size_t>(count_) * (group_.stage_count() + 1); }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    const std::size_t at = stage % (group_.stage_count() + 1);
    return {at < group_.stage_count() ? group_.blocks_of(place(stage)) : 1, 1};
  }
  void run(std::size_t stage, std::size_t k) {
    if (ended_) return;
    if (stage % (group_.stage_count() + 1) == group_.stage_count()) {
      conclude(direction(stage));
      return;
    }
    const std::size_t block = group_.block_at(place(stage), k);
    values_[block] = sweep_patches(group_.patches_of(block), bodies_, direction(stage));
  }
  [[nodiscard]] const SolveReport& report() const { return report_; }

 private:
  [[nodiscard]] SweepDirection direction(std::size_t stage) const {
    return direction_of(first_ + static_cast<int>(stage / (group_.stage_count() + 1)));
  }
  /// The stage of the group, which come in the other order on the way down.
  [[nodiscard]] std::size_t place(std::size_t stage) const {
    const std::size_t at = stage % (group_.stage_count() + 1);
    return direction(stage) == SweepDirection::kUp ? at : group_.stage_count() - 1 - at;
  }
  void conclude(SweepDirection direction) {
    report_.residual = sweep_joints(group_.joints, bodies_.u, direction);
    for (const double change : values_) report_.residual = std::max(report_.residual, change);
    ++report_.iterations;
    ended_ = report_.residual < options_.tolerance;
  }

  const ShockPropagationOptions& options_;
  const ShockGroup& group_;
  PatchBodies bodies_;
  std::span<double> values_;
  SolveReport report_;
  int most_;
  int first_ = 0, count_ = 0;  // sweeps of the program
  bool ended_ = false;
};

/// The impulses of the last step, applied: what the sweeps start from, with those of the joints.
class WarmStart {
 public:
  WarmStart(const ShockGroup& group, const PatchBodies& bodies, StepWorkspace& scratch)
      : group_(group), bodies_(bodies), values_(group.values(scratch)) {}

  [[nodiscard]] std::size_t stages() const { return group_.stage_count() + 1; }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    return {stage < group_.stage_count() ? group_.blocks_of(stage) : 1, 1};
  }
  void run(std::size_t stage, std::size_t k) {
    if (stage == group_.stage_count()) {
      gain_ = std::accumulate(values_.begin(), values_.end(), 0.0);
      return;
    }
    const std::size_t block = group_.block_at(stage, k);
    double gain = 0;
    for (const Patch& patch : group_.patches_of(block)) gain += apply_patch(patch, bodies_);
    values_[block] = gain;
  }

  [[nodiscard]] bool is_sound() const { return !(gain_ > 0); }

 private:
  const ShockGroup& group_;
  PatchBodies bodies_;
  std::span<double> values_;
  double gain_ = 0;  // of the bodies, by the contacts' impulses [J]
};

/// Takes of impulses that add energy as much back as adds none: with a share s of them goes an energy
/// E(s) = a s + b s², so that −a/b is left, next to nothing after a blow. A group must not forget its weights for a few
/// that are too large: it would fall freely until it has learnt them anew, overshoot them for that, and never come to
/// rest. So a sweep comes first, which takes those back that push what parts; what it leaves rarely adds energy. Groups
/// of few patches start without any, and without a sweep: a blow may have gone through all of them.
class StartWithoutGain {
 public:
  StartWithoutGain(const ShockGroup& group, const PatchBodies& bodies, StepWorkspace& scratch)
      : group_(group), bodies_(bodies), values_(group.values(scratch)) {}

  // All impulses are taken back, which tells E(1), then a is found of bodies that move without them; then the share.
  [[nodiscard]] std::size_t stages() const { return 2 * group_.stage_count() + 3; }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    const std::size_t n = group_.stage_count();
    if (stage == n || stage == n + 2) return {1, 1};
    return {stage == n + 1 ? group_.blocks.size() : group_.blocks_of(stage < n ? stage : stage - n - 3), 1};
  }
  void run(std::size_t stage, std::size_t k) {
    const std::size_t n = group_.stage_count();
    if (stage < n) {
      const std::size_t block = group_.block_at(stage, k);
      values_[block] = apply(group_.patches_of(block), -1);
    } else if (stage == n) {
      gain_ = -add_values();
    } else if (stage == n + 1) {
      values_[k] = 0;
      for (const Patch& patch : group_.patches_of(k)) values_[k] -= measure_power(patch, bodies_.u);
    } else if (stage == n + 2) {
      share_ = find_share_left(add_values());
    } else {
      (void)apply(group_.patches_of(group_.block_at(stage - n - 3, k)), -share_);
    }
  }

 private:
  [[nodiscard]] double add_values() const { return std::accumulate(values_.begin(), values_.end(), 0.0); }

  /// From E(1) = a + b.
  [[nodiscard]] double find_share_left(double a) const {
    if (is_small(group_)) return 0;
    if (!(gain_ > 0)) return 1;
    const double b = gain_ - a;
    return b > 0 ? std::clamp(-a / b, 0.0, 1.0) : 0.0;
  }

  /// The impulses are multiplied and act; the bodies gain what comes back [J].
  double apply(std::span<Patch> patches, double by) const {
    double gain = 0;
    for (Patch& patch : patches) {
      for (double* impulses : {patch.normal, patch.slip1, patch.slip2}) {
        for (int i = 0; i < Patch::kPoints; ++i) impulses[i] *= by;
      }
      patch.couple *= by;
      gain += apply_patch(patch, bodies_);
    }
    return gain;
  }

  const ShockGroup& group_;
  PatchBodies bodies_;
  std::span<double> values_;
  double gain_ = 0;   // E(1)
  double share_ = 0;  // s
};

/// A start and, where it is sound, the sweeps after it, as one program: what stands then goes through few stages.
struct SweepsFromStart {
  WarmStart& start;
  Sweeps& sweeps;

  [[nodiscard]] std::size_t stages() const { return start.stages() + sweeps.stages(); }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    return stage < start.stages() ? start.size(stage) : sweeps.size(stage - start.stages());
  }
  void run(std::size_t stage, std::size_t k) {
    if (stage < start.stages()) {
      start.run(stage, k);
    } else if (start.is_sound()) {
      sweeps.run(stage - start.stages(), k);
    }
  }
};

/// Share of its imbalance that a group hands down before the sweeps: all of it where most of what touches did not touch
/// in the last step, else 1 − f while it stands, which is to say that its contacts move, but slowly.
double find_share(const World& world, const ShockPropagationOptions& options, double h, const ShockGroup& group,
                  const PatchDomains& domains) {
  const double fall = h * world.gravity.norm();
  if (!options.propagate || fall == 0) return 0;
  std::uint32_t touching = 0, remembered = 0;
  double unrest = 0;
  for (const PatchBlock& block : group.blocks) {
    for (std::uint32_t k = block.first_piece; k < block.last_piece; ++k) {
      touching += domains.pieces[k].touching;
      remembered += domains.pieces[k].remembered;
      unrest += domains.pieces[k].unrest;
    }
  }
  if (2 * remembered < touching) return 1;
  const auto moves_faster = [&](double speed) { return unrest > touching * speed * speed; };
  return moves_faster(kRest * options.tolerance) && !moves_faster(kStanding * fall) ? 1 - options.weight_feeling : 0.0;
}

bool bounces_at(const Patch& patch, int i, const StepWorkspace& scratch) {
  return patch.rebound[i] > 0 && !scratch.records[patch.record + static_cast<std::size_t>(i)].impulse.isZero(0);
}

/// How many contacts met fast enough to bounce, and were pushed.
int count_bounces(const ShockGroup& group, const StepWorkspace& scratch) {
  int bounces = 0;
  for (std::size_t block = 0; block < group.blocks.size(); ++block) {
    if (!group.blocks[block].bounces) continue;
    for (const Patch& patch : group.patches_of(block)) {
      for (int i = 0; i < patch.count; ++i) bounces += bounces_at(patch, i, scratch) ? 1 : 0;
    }
  }
  return bounces;
}

void aim_rebound(const ShockGroup& group, double slop, const StepWorkspace& scratch) {
  for (Patch& patch : group.patches) {
    patch.moves_a = scratch.movable[patch.body_a] != 0;
    patch.moves_b = scratch.movable[patch.body_b] != 0;
    weigh_patch(patch, scratch.inverse_mass);
    patch.couple.setZero();
    for (int i = 0; i < patch.count; ++i) {
      patch.target[i] = patch.gap[i] > slop || patch.softness > 0 ? kNever : 0.0;
      if (bounces_at(patch, i, scratch)) patch.target[i] = patch.rebound[i];
      patch.normal[i] = patch.slip1[i] = patch.slip2[i] = 0;
    }
  }
}

}  // namespace

void solve_shocks(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch) {
  ShockWorkspace& shock = *scratch.shock;
  shock.pushes.resize(shock.patches.size());
  shock.loads.resize(world.bodies.size());
  ++shock.weighing;
  const PatchBodies bodies{scratch.inverse_mass, world.bodies.velocity};
  for_each_shock_group(scratch, [&](std::size_t index) {
    const ShockGroup group(scratch, index);
    WarmStart start(group, bodies, scratch);
    Sweeps sweeps(options, group, bodies, scratch);
    apply_rows(group.joints, bodies.u);
    const double share = find_share(world, options, h, group, shock.domains);
    if (share > 0) {
      run_program(group, scratch, start);
    } else {
      (void)sweeps.prolong(kFewSweeps);
      SweepsFromStart both{start, sweeps};
      run_program(group, scratch, both);
    }
    if (!start.is_sound()) {
      if (!is_small(group) && sweeps.prolong(kFewSweeps)) run_program(group, scratch, sweeps);
      StartWithoutGain less(group, bodies, scratch);
      run_program(group, scratch, less);
    }
    if (share > 0) hand_down_loads(world, {options.slop, share}, group, scratch);
    if (sweeps.prolong()) run_program(group, scratch, sweeps);
    scratch.solves[index] = sweeps.report();
  });
}

void rebound_shocks(World& world, const ShockPropagationOptions& options, StepWorkspace& scratch, StepReport& report) {
  const PatchBodies bodies{scratch.inverse_mass, world.bodies.velocity};
  for (std::size_t index = 0; index < scratch.groups.size(); ++index) {
    const ShockGroup group(scratch, index);
    const int bounces = count_bounces(group, scratch);
    if (bounces == 0) continue;
    report.impacts += bounces;
    aim_rebound(group, options.slop, scratch);
    Sweeps sweeps(options, group, bodies, scratch);
    if (sweeps.prolong()) run_program(group, scratch, sweeps);
    for (const Patch& patch : group.patches) {
      for (int i = 0; i < patch.count; ++i) {
        const Vec3 impulse = patch.normal[i] * patch.n + patch.slip1[i] * patch.t1 + patch.slip2[i] * patch.t2;
        scratch.records[patch.record + static_cast<std::size_t>(i)].impulse += impulse;
      }
    }
  }
}

}  // namespace achilles
