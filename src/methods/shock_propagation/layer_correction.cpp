#include "methods/shock_propagation/layer_correction.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace achilles {
namespace {

constexpr std::size_t kComponentBlock = 4;

using Heights = std::span<const std::uint32_t>;  // per body

std::uint32_t upper_body(const ContactManifold& manifold, Heights height) {
  return height[manifold.body_a] >= height[manifold.body_b] ? manifold.body_a : manifold.body_b;
}

/// The root of every component, and how many manifolds have their upper body in it.
void find_components(const ShockIsland& island, Heights height, LayerComponents& components) {
  components.parent.resize(height.size());
  components.count.resize(height.size());
  for (const ContactManifold& manifold : island.manifolds) {
    for (const std::uint32_t body : {manifold.body_a, manifold.body_b}) {
      components.parent[body] = body;
      components.count[body] = 0;
    }
  }
  for (const ContactManifold& manifold : island.manifolds) {
    if (height[manifold.body_a] != height[manifold.body_b]) continue;
    join_sets(components.parent, manifold.body_a, manifold.body_b);
  }
  components.roots.clear();
  for (const ContactManifold& manifold : island.manifolds) {
    const std::uint32_t root = find_root(components.parent, upper_body(manifold, height));
    if (components.count[root]++ == 0) components.roots.push_back(root);
  }
}

/// Manifolds by layers and components; linear in both.
void sort_by_components(const ShockIsland& island, Heights height, LayerComponents& components) {
  std::uint32_t highest = 0;
  for (const std::uint32_t root : components.roots) highest = std::max(highest, height[root]);
  refill(components.layer_start, highest + 2, 0U);
  for (const std::uint32_t root : components.roots) ++components.layer_start[height[root] + 1];
  std::partial_sum(components.layer_start.begin(), components.layer_start.end(), components.layer_start.begin());
  components.sorted.resize(components.roots.size());
  for (const std::uint32_t root : components.roots) components.sorted[components.layer_start[height[root]]++] = root;
  for (std::size_t k = components.layer_start.size() - 1; k > 0; --k) {
    components.layer_start[k] = components.layer_start[k - 1];
  }
  components.layer_start[0] = 0;
  components.component_start.clear();
  std::uint32_t next = 0;
  for (const std::uint32_t root : components.sorted) {
    components.component_start.push_back(next);
    next += components.count[root];
    components.count[root] = components.component_start.back();
  }
  components.component_start.push_back(next);
  components.manifolds.resize(next);
  for (std::uint32_t k = 0; k < island.manifolds.size(); ++k) {
    components.manifolds[components.count[find_root(components.parent, upper_body(island.manifolds[k], height))]++] = k;
  }
}

/// Holds the body of a manifold that is below the other; no impulse yet.
void hold_lower(ContactManifold& manifold, const ManifoldBodies& bodies, const ShockWorkspace& work) {
  const std::vector<std::uint32_t>& height = work.stack.layers.height;
  const std::uint32_t a = manifold.body_a, b = manifold.body_b;
  manifold.moves_a = work.movable[a] != 0 && height[a] >= height[b];
  manifold.moves_b = work.movable[b] != 0 && height[b] >= height[a];
  compute_normal_responses(manifold, bodies.inverse_mass);
  std::fill(std::begin(manifold.normal), std::end(manifold.normal), 0.0);
}

/// How far a displacement is from the targets of a manifold, at its worst point [m].
double measure_shortfall(const ContactManifold& manifold, std::span<const BodyVelocity> displacement) {
  double moved[ContactManifold::kPoints], shortfall = 0;
  measure_normal_velocity(manifold, displacement, moved);
  for (int i = 0; i < manifold.count; ++i) shortfall = std::max(shortfall, manifold.target[i] - moved[i]);
  return shortfall;
}

/// Pushes every component of a layer that is deep in what lies below it, where that was moved to, out of it.
class LayerCorrection {
 public:
  LayerCorrection(const LayerLimits& limits, const ShockIsland& island, ShockWorkspace& work)
      : limits_(limits),
        island_(island),
        work_(work),
        components_(work.positions.components),
        bodies_{work.positions.translating, work.positions.displacement} {}

  template <class Visit>
  void list(const Visit& visit) const {
    for (std::size_t layer = 0; layer + 1 < components_.layer_start.size(); ++layer) {
      visit(Phase{.work = Phase::Work::kCorrectLayer,
                  .count = components_.layer_start[layer + 1] - components_.layer_start[layer],
                  .part_size = kComponentBlock,
                  .index = layer});
    }
  }
  void correct(std::size_t component) {
    const std::uint32_t first = components_.component_start[component];
    const std::span<std::uint32_t> list =
        std::span(components_.manifolds).subspan(first, components_.component_start[component + 1] - first);
    if (std::none_of(list.begin(), list.end(), [&](std::uint32_t manifold) {
          return measure_shortfall(island_.manifolds[manifold], bodies_.u) > limits_.deep;
        })) {
      return;
    }
    // To sweep in the order in which bodies were made carries a push farther than to go from block to block.
    std::sort(list.begin(), list.end(), [&](std::uint32_t i, std::uint32_t j) {
      return island_.manifolds[i].first < island_.manifolds[j].first;
    });
    for (const std::uint32_t manifold : list) hold_lower(island_.manifolds[manifold], bodies_, work_);
    for (int sweep = 0; sweep < limits_.sweeps; ++sweep) {
      if (sweep_normals(island_.manifolds, list, bodies_, direction_of(sweep)) < limits_.settled) break;
    }
  }

 private:
  LayerLimits limits_;
  const ShockIsland& island_;
  const ShockWorkspace& work_;
  LayerComponents& components_;
  ManifoldBodies bodies_;
};

/// The same for an island in one block, which has its layers in order; a layer is pushed as a whole.
void correct_layers_of_block(const LayerLimits& limits, const ShockIsland& island, ShockWorkspace& work) {
  const ManifoldBodies bodies{work.positions.translating, work.positions.displacement};
  for (std::size_t first = 0, last = 0; first < island.manifolds.size(); first = last) {
    bool is_deep = false;
    for (; last < island.manifolds.size() && island.manifolds[last].layer == island.manifolds[first].layer; ++last) {
      is_deep = is_deep || measure_shortfall(island.manifolds[last], bodies.u) > limits.deep;
    }
    if (!is_deep) continue;
    const std::span<ContactManifold> layer = island.manifolds.subspan(first, last - first);
    for (ContactManifold& manifold : layer) hold_lower(manifold, bodies, work);
    for (int sweep = 0; sweep < limits.sweeps; ++sweep) {
      if (sweep_normals(layer, bodies, direction_of(sweep)) < limits.settled) break;
    }
  }
}

}  // namespace

void correct_layers(const LayerLimits& limits, const ShockIsland& island, ShockWorkspace& work) {
  if (island.blocks.size() == 1) {
    correct_layers_of_block(limits, island, work);
    return;
  }
  find_components(island, work.stack.layers.height, work.positions.components);
  sort_by_components(island, work.stack.layers.height, work.positions.components);
  LayerCorrection layers(limits, island, work);
  const LayerComponents& components = work.positions.components;
  run_phases(
      island, work, [&](const auto& visit) { layers.list(visit); },
      [&](const Phase& phase, std::size_t k) { layers.correct(components.layer_start[phase.index] + k); });
}

}  // namespace achilles
