#include "time_control/shock/correction.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"
#include "time_control/correction.hpp"
#include "time_control/shock/group.hpp"
#include "time_control/shock/patches.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr double kNever = -std::numeric_limits<double>::max();  // target of a point that cannot act
constexpr double kSettled = 0.01;                               // of the slop: sweeps that move less than this end
constexpr double kWrong = 1, kLost = 2;  // of a block: some penetration is beyond the slop, is deep
constexpr std::size_t kClusterBlock = 4;
constexpr std::size_t kBodyBlock = 128;

/// Patches of a group by layers and clusters; linear in both.
void find_clusters(const ShockGroup& group, const StepWorkspace& scratch, LayerClusters& clusters) {
  const std::vector<std::uint32_t>& height = scratch.shock->layers.height;
  const auto upper = [&](const Patch& patch) {
    return height[patch.body_a] >= height[patch.body_b] ? patch.body_a : patch.body_b;
  };
  clusters.parent.resize(height.size());
  clusters.count.resize(height.size());
  for (const Patch& patch : group.patches) {
    for (const std::uint32_t body : {patch.body_a, patch.body_b}) {
      clusters.parent[body] = body;
      clusters.count[body] = 0;
    }
  }
  for (const Patch& patch : group.patches) {
    if (height[patch.body_a] != height[patch.body_b]) continue;
    join_sets(clusters.parent, patch.body_a, patch.body_b);
  }
  clusters.roots.clear();
  std::uint32_t highest = 0;
  for (const Patch& patch : group.patches) {
    const std::uint32_t root = find_root(clusters.parent, upper(patch));
    if (clusters.count[root]++ > 0) continue;
    clusters.roots.push_back(root);
    highest = std::max(highest, height[root]);
  }
  refill(clusters.layer_start, highest + 2, 0U);
  for (const std::uint32_t root : clusters.roots) ++clusters.layer_start[height[root] + 1];
  std::partial_sum(clusters.layer_start.begin(), clusters.layer_start.end(), clusters.layer_start.begin());
  clusters.sorted.resize(clusters.roots.size());
  for (const std::uint32_t root : clusters.roots) clusters.sorted[clusters.layer_start[height[root]]++] = root;
  for (std::size_t k = clusters.layer_start.size() - 1; k > 0; --k) {
    clusters.layer_start[k] = clusters.layer_start[k - 1];
  }
  clusters.layer_start[0] = 0;
  clusters.cluster_start.clear();
  std::uint32_t next = 0;
  for (const std::uint32_t root : clusters.sorted) {
    clusters.cluster_start.push_back(next);
    next += clusters.count[root];
    clusters.count[root] = clusters.cluster_start.back();
  }
  clusters.cluster_start.push_back(next);
  clusters.patches.resize(next);
  for (std::uint32_t k = 0; k < group.patches.size(); ++k) {
    clusters.patches[clusters.count[find_root(clusters.parent, upper(group.patches[k]))]++] = k;
  }
}

/// Holds the body of a patch that is below the other.
void hold_lower(Patch& patch, const StepWorkspace& scratch) {
  const std::vector<std::uint32_t>& height = scratch.shock->layers.height;
  patch.moves_a = scratch.movable[patch.body_a] != 0 && height[patch.body_a] >= height[patch.body_b];
  patch.moves_b = scratch.movable[patch.body_b] != 0 && height[patch.body_b] >= height[patch.body_a];
}

/// Penetration beyond the slop shall be taken out.
void aim_patch(Patch& patch, const ShockPropagationOptions& options) {
  for (int i = 0; i < patch.count; ++i) {
    const double depth = -patch.gap[i];
    patch.target[i] = patch.softness > 0 ? kNever : std::min(depth, options.correction * (depth - options.slop));
    patch.normal[i] = 0;
  }
}

/// Pushed out of what lies below, a body that only leans is lifted with all it carries, and falls: a wall that was hit
/// swayed by that for ever. What stands sinks in by no more than it would fall in the step; layers are for the rest.
double deep_beyond_slop(const World& world, double h) { return h * h * world.gravity.norm(); }

/// How far a displacement is from what the patch asks for, at its worst point [m].
double measure_lack(const Patch& patch, std::span<const BodyVelocity> displacement) {
  double moved[Patch::kPoints], lack = 0;
  measure_patch(patch, displacement, moved);
  for (int i = 0; i < patch.count; ++i) lack = std::max(lack, patch.target[i] - moved[i]);
  return lack;
}

/// Keeps a layer from rising, on the average over its loads, farther above what lies below it than it is deep in it.
/// Loads in balance do the work of all weights above, over any displacement: a layer that was lifted as a whole where
/// one of its bodies is deep at one corner would gain energy at all contacts that it opens, with all that it carries.
class LayerLimit {
 public:
  LayerLimit(const World& world, StepWorkspace& scratch)
      : records_(scratch.records), displacement_(scratch.shock->displacement), limited_(scratch.shock->limited) {
    const double g = world.gravity.norm();
    if (g > 0) up_ = -world.gravity / g;
  }

  /// Shortens the displacement of the layer's bodies. `for_each_patch` calls back with all patches that hold it on what
  /// lies below, or together.
  template <class ForEach>
  void apply(const ForEach& for_each_patch) const {
    Work work;
    for_each_patch([&](const Patch& patch) { weigh(patch, work); });
    const double most = std::max(0.0, work.below + work.deep);
    if (!(work.risen > most)) return;
    for_each_patch([&](const Patch& patch) {
      if (patch.moves_a) shorten(patch.body_a, most / work.risen);
      if (patch.moves_b) shorten(patch.body_b, most / work.risen);
    });
  }

 private:
  /// Upward loads times how far the layer rose, what lies below it did, and the layer was deep [N s m].
  struct Work {
    double risen = 0, below = 0, deep = 0;
  };

  void weigh(const Patch& patch, Work& work) const {
    const double rise_a = up_.dot(displacement_[patch.body_a].linear);
    const double rise_b = up_.dot(displacement_[patch.body_b].linear);
    for (int i = 0; i < patch.count; ++i) {
      const Vec3& impulse = records_[patch.record + static_cast<std::size_t>(i)].impulse;
      const double load = up_.dot(impulse);  // on b
      work.risen += load * ((patch.moves_b ? rise_b : 0) - (patch.moves_a ? rise_a : 0));
      work.below += load * ((patch.moves_a ? 0 : rise_a) - (patch.moves_b ? 0 : rise_b));
      work.deep += std::abs(up_.dot(patch.n)) * patch.n.dot(impulse) * std::max(0.0, patch.target[i]);
    }
  }

  void shorten(std::uint32_t body, double share) const {
    if (limited_[body] != 0) return;
    limited_[body] = 1;
    displacement_[body].linear *= share;
  }

  std::span<const ContactRecord> records_;
  std::span<BodyVelocity> displacement_;
  std::span<std::uint8_t> limited_;
  Vec3 up_ = Vec3::Zero();
};

/// correction: every cluster of a layer that is deep in what lies below it, where that was moved to, is pushed out of
/// it, layer after layer.
class LayerPushes {
 public:
  LayerPushes(const World& world, const ShockPropagationOptions& options, double deep, const ShockGroup& group,
              StepWorkspace& scratch)
      : options_(options),
        deep_(deep),
        group_(group),
        scratch_(scratch),
        clusters_(scratch.shock->clusters),
        bodies_{scratch.shock->translating, scratch.shock->displacement},
        limit_(world, scratch) {}

  [[nodiscard]] std::size_t stages() const { return clusters_.layer_start.size() - 1; }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    return {clusters_.layer_start[stage + 1] - clusters_.layer_start[stage], kClusterBlock};
  }
  void run(std::size_t stage, std::size_t k) {
    const std::size_t cluster = clusters_.layer_start[stage] + k;
    const std::uint32_t first = clusters_.cluster_start[cluster];
    const std::span<std::uint32_t> list =
        std::span(clusters_.patches).subspan(first, clusters_.cluster_start[cluster + 1] - first);
    if (std::none_of(list.begin(), list.end(),
                     [&](std::uint32_t patch) { return measure_lack(group_.patches[patch], bodies_.u) > deep_; })) {
      return;
    }
    // Bodies were made in some order; to sweep in it carries a push farther than to leap from cell to cell.
    std::sort(list.begin(), list.end(),
              [&](std::uint32_t i, std::uint32_t j) { return group_.patches[i].first < group_.patches[j].first; });
    for (const std::uint32_t patch : list) {
      hold_lower(group_.patches[patch], scratch_);
      weigh_normals(group_.patches[patch], bodies_.inverse_mass);
    }
    for (int sweep = 0; sweep < options_.correction_iterations; ++sweep) {
      if (sweep_normals(group_.patches, list, bodies_, direction_of(sweep)) < kSettled * options_.slop) break;
    }
    limit_.apply([&](const auto& visit) {
      for (const std::uint32_t patch : list) visit(group_.patches[patch]);
    });
  }

 private:
  const ShockPropagationOptions& options_;
  double deep_;  // [m] beyond the slop
  const ShockGroup& group_;
  const StepWorkspace& scratch_;
  LayerClusters& clusters_;
  PatchBodies bodies_;
  LayerLimit limit_;
};

/// final: sweeps over all contacts, nothing held.
class FinalPushes {
 public:
  FinalPushes(const ShockPropagationOptions& options, const ShockGroup& group, StepWorkspace& scratch)
      : options_(options),
        group_(group),
        scratch_(scratch),
        bodies_{scratch.inverse_mass, scratch.shock->displacement},
        values_(group.values(scratch)) {}

  [[nodiscard]] std::size_t stages() const {
    return 1 + static_cast<std::size_t>(options_.correction_iterations) * (group_.stage_count() + 1);
  }
  [[nodiscard]] StageSize size(std::size_t stage) const {
    if (stage == 0) return {group_.blocks.size(), 1};
    const std::size_t at = (stage - 1) % (group_.stage_count() + 1);
    return {at < group_.stage_count() ? group_.blocks_of(place(stage - 1)) : 1, 1};
  }
  void run(std::size_t stage, std::size_t k) {
    if (stage == 0) {
      release(group_.patches_of(k));
      return;
    }
    if (ended_) return;
    if ((stage - 1) % (group_.stage_count() + 1) == group_.stage_count()) {
      ended_ = *std::max_element(values_.begin(), values_.end()) < kSettled * options_.slop;
      return;
    }
    const std::size_t block = group_.block_at(place(stage - 1), k);
    values_[block] = sweep_normals(group_.patches_of(block), bodies_, direction(stage - 1));
  }

 private:
  [[nodiscard]] SweepDirection direction(std::size_t stage) const {
    return direction_of(static_cast<int>(stage / (group_.stage_count() + 1)));
  }
  [[nodiscard]] std::size_t place(std::size_t stage) const {
    const std::size_t at = stage % (group_.stage_count() + 1);
    return direction(stage) == SweepDirection::kUp ? at : group_.stage_count() - 1 - at;
  }
  void release(std::span<Patch> patches) const {
    for (Patch& patch : patches) {
      patch.moves_a = scratch_.movable[patch.body_a] != 0;
      patch.moves_b = scratch_.movable[patch.body_b] != 0;
      weigh_normals(patch, scratch_.inverse_mass);
      std::fill(std::begin(patch.normal), std::end(patch.normal), 0.0);
    }
  }

  const ShockPropagationOptions& options_;
  const ShockGroup& group_;
  const StepWorkspace& scratch_;
  PatchBodies bodies_;
  std::span<double> values_;
  bool ended_ = false;
};

/// The same for a group in one block, which has its layers in order; a layer is pushed as a whole.
void push_layers(const World& world, const ShockPropagationOptions& options, double deep, const ShockGroup& group,
                 StepWorkspace& scratch) {
  const PatchBodies bodies{scratch.shock->translating, scratch.shock->displacement};
  const LayerLimit limit(world, scratch);
  for (std::size_t first = 0, last = 0; first < group.patches.size(); first = last) {
    bool is_deep = false;
    for (; last < group.patches.size() && group.patches[last].layer == group.patches[first].layer; ++last) {
      is_deep = is_deep || measure_lack(group.patches[last], bodies.u) > deep;
    }
    if (!is_deep) continue;
    const std::span<Patch> layer = group.patches.subspan(first, last - first);
    for (Patch& patch : layer) {
      hold_lower(patch, scratch);
      weigh_normals(patch, bodies.inverse_mass);
    }
    for (int sweep = 0; sweep < options.correction_iterations; ++sweep) {
      if (sweep_normals(layer, bodies, direction_of(sweep)) < kSettled * options.slop) break;
    }
    limit.apply([&](const auto& visit) { std::for_each(layer.begin(), layer.end(), visit); });
  }
}

void prepare_displacements(std::size_t bodies, StepWorkspace& scratch) {
  ShockWorkspace& shock = *scratch.shock;
  shock.displacement.resize(bodies);
  shock.translating.resize(bodies);
  shock.limited.resize(bodies);
  scratch.runner.run(bodies, kBodyBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      shock.displacement[i] = {};
      shock.limited[i] = 0;
      shock.translating[i] = scratch.inverse_mass[i];
      shock.translating[i].angular.setZero();
    }
  });
}

}  // namespace

void aim_correction(const World& world, const ShockPropagationOptions& options, double h, const PatchPiece& piece,
                    StepWorkspace& scratch) {
  double deepest = 0;
  for (Patch& patch : patches_of(piece, *scratch.shock)) {
    double rate[Patch::kPoints];
    measure_patch(patch, world.bodies.velocity, rate);
    for (int i = 0; i < patch.count; ++i) {
      patch.gap[i] += h * rate[i];
      if (patch.softness == 0) deepest = std::max(deepest, -patch.gap[i]);
    }
    aim_patch(patch, options);
  }
  const double deep = options.slop + deep_beyond_slop(world, h);
  const std::atomic_ref state(scratch.shock->block_value[piece.block]);
  double none = 0;
  if (deepest > deep) {
    state.store(kLost, std::memory_order_relaxed);
  } else if (deepest > options.slop) {
    state.compare_exchange_strong(none, kWrong, std::memory_order_relaxed);
  }
}

void correct_shocks(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch) {
  ShockWorkspace& shock = *scratch.shock;
  const auto find_worst = [](auto first, auto last) { return first == last ? 0.0 : *std::max_element(first, last); };
  if (find_worst(shock.block_value.begin(), shock.block_value.end()) < kWrong) return;
  prepare_displacements(world.bodies.size(), scratch);
  for_each_shock_group(scratch, [&](std::size_t index) {
    const ShockGroup group(scratch, index);
    const std::span<const double> values = group.values(scratch);
    const double worst = find_worst(values.begin(), values.end());
    if (worst < kWrong) return;
    const bool by_layers = options.propagate && worst == kLost;
    const double deep = deep_beyond_slop(world, h);
    if (by_layers && group.blocks.size() == 1) push_layers(world, options, deep, group, scratch);
    if (by_layers && group.blocks.size() > 1) {
      find_clusters(group, scratch, shock.clusters);
      LayerPushes layers(world, options, deep, group, scratch);
      run_program(group, scratch, layers);
    }
    FinalPushes final(options, group, scratch);
    run_program(group, scratch, final);
  });
  displace_bodies(world, shock.displacement, scratch.movable);
}

}  // namespace achilles
