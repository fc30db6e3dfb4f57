// One group of the contact graph while a step of `shock-propagation` works on it, and how its stages are run.
#pragma once

#include "time_control/shock/joints.hpp"
#include "time_control/shock/shock_workspace.hpp"
#include "time_control/step_workspace.hpp"

#include <span>

namespace achilles {

struct ShockGroup {
  ShockGroup(StepWorkspace& scratch, std::size_t group)
      : index(group),
        first_block(scratch.shock->domains.first_block(group)),
        blocks(std::span(scratch.shock->domains.blocks)
                   .subspan(first_block, scratch.shock->domains.last_block(group) - first_block)),
        stages(std::span(scratch.shock->domains.stage_start)
                   .subspan(
                       scratch.shock->domains.group_start[group],
                       scratch.shock->domains.group_start[group + 1] - scratch.shock->domains.group_start[group] + 1)),
        first_patch(blocks.front().first),
        patches(std::span(scratch.shock->patches).subspan(first_patch, blocks.back().last - first_patch)),
        joints(joints_of(scratch, group)) {}

  std::size_t index;
  std::uint32_t first_block;
  std::span<PatchBlock> blocks;
  std::span<const std::uint32_t> stages;  // first block of each, and one past the last
  std::uint32_t first_patch;
  std::span<Patch> patches;
  JointSweep joints;

  [[nodiscard]] std::size_t stage_count() const { return stages.size() - 1; }
  [[nodiscard]] std::size_t blocks_of(std::size_t stage) const { return stages[stage + 1] - stages[stage]; }
  /// Index, in the group, of a block of a stage.
  [[nodiscard]] std::size_t block_at(std::size_t stage, std::size_t k) const { return stages[stage] - first_block + k; }
  /// A number of each block, for what a stage finds of it.
  [[nodiscard]] std::span<double> values(StepWorkspace& scratch) const {
    return std::span(scratch.shock->block_value).subspan(first_block, blocks.size());
  }
  [[nodiscard]] std::span<Patch> patches_of(std::size_t block) const {
    return patches.subspan(blocks[block].first - first_patch, blocks[block].last - blocks[block].first);
  }
};

/// Runs program.run(stage, k) for k < program.size(stage).count, stage after stage up to program.stages(); a group in
/// several blocks on all threads, else on the calling one.
template <class Program>
void run_program(const ShockGroup& group, StepWorkspace& scratch, Program& program) {
  if (group.blocks.size() == 1) {
    for (std::size_t stage = 0; stage < program.stages(); ++stage) {
      for (std::size_t k = 0; k < program.size(stage).count; ++k) program.run(stage, k);
    }
    return;
  }
  std::vector<StageSize>& sizes = scratch.shock->stages;
  sizes.clear();
  for (std::size_t stage = 0; stage < program.stages(); ++stage) sizes.push_back(program.size(stage));
  scratch.runner.run_stages(sizes, [&](std::size_t stage, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) program.run(stage, k);
  });
}

/// Calls work(group) for all groups: those of one block side by side, the others one after the other, each on all
/// threads.
template <class Work>
void for_each_shock_group(StepWorkspace& scratch, const Work& work) {
  const PatchDomains& domains = scratch.shock->domains;
  scratch.runner.run(scratch.groups.size(), 1, [&](std::size_t group, std::size_t, std::size_t) {
    if (!domains.is_cut(group)) work(group);
  });
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    if (domains.is_cut(group)) work(group);
  }
}

inline SweepDirection direction_of(int sweep) { return sweep % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown; }

}  // namespace achilles
