#include "methods/shock_propagation/manifolds.hpp"

#include "math/refill.hpp"
#include "math/tangents.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"
#include "parallel/cache_lines.hpp"
#include "stepping/contact_stage.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace achilles {
namespace {

constexpr double kSameNormal = 1 - 1e-12;  // cosine

/// What the points of one contact share.
struct ContactView {
  const Contact& contact;
  std::uint32_t index;
  const ContactLaw& law;
};

ContactManifold make_manifold(const ContactView& view, std::uint32_t first, double h, const ShockWorkspace& work) {
  const std::vector<std::uint32_t>& height = work.stack.layers.height;
  ContactManifold manifold;
  manifold.body_a = view.contact.body_a;
  manifold.body_b = view.contact.body_b;
  manifold.first = first;
  manifold.contact = view.index;
  manifold.layer = StackLayers::layer_of(height[manifold.body_a], height[manifold.body_b]);
  manifold.moves_a = work.movable[manifold.body_a] != 0;
  manifold.moves_b = work.movable[manifold.body_b] != 0;
  manifold.friction = view.law.friction;
  manifold.rolling = view.law.rolling_friction;
  manifold.torsional = view.law.torsional_friction;
  if (view.law.stiffness > 0) manifold.softness = 1 / (h * (h * view.law.stiffness + view.law.damping));
  manifold.n = work.contacts.points[first].normal;
  std::tie(manifold.t1, manifold.t2) = make_tangents(manifold.n);
  return manifold;
}

/// Speed at the instant of touch, between the velocities at the two ends of the step; see constraint/contact_rows.cpp.
double measure_approach(double before, double free, double gap, double h) {
  const double way = -free * h;
  const double fraction = gap > 0 && way > 0 ? std::min(gap / way, 1.0) : 0.0;
  return -before - fraction * (free - before);
}

class ManifoldBuilder {
 public:
  ManifoldBuilder(const World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work)
      : world_(world), options_(options), h_(h), work_(work) {}

  void sort(const ManifoldBlock& block) const {
    const auto keys = work_.partition.keys.begin();
    std::sort(keys + block.first_key, keys + block.last_key);
  }

  /// Counts manifolds and points. What one thread found is here taken over by the one that sweeps it.
  void count(BlockPart& part) const {
    part.last = part.first_record = 0;
    for (const std::uint64_t key : keys_of(part)) {
      const Contact& contact = contact_of(key);
      part.first_record += contact.count;
      for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
        acquire_line_for_writing(work_.contacts.points[p].feature);
      }
      for_each_manifold(contact, [&](std::uint32_t, std::uint32_t) { ++part.last; });
    }
  }

  /// Numbers the manifolds and their points, which are counted by now, and makes room for them.
  void number() const {
    std::uint32_t next = 0, record = 0;
    for (ManifoldBlock& block : work_.partition.blocks) {
      block.bounces = false;
      block.first = next;
      for (std::uint32_t k = block.first_part; k < block.last_part; ++k) {
        BlockPart& part = work_.partition.parts[k];
        part.first = next;
        next += part.last;
        part.last = next;
        record += std::exchange(part.first_record, record);
      }
      block.last = next;
    }
    work_.manifolds.resize(next);
    work_.results.resize(work_.partition.blocks.size());
    work_.loads.order.resize(next);
  }

  /// Writes the manifolds of a part, which are numbered by now.
  void fill(BlockPart& part) const {
    bool bounces = false;
    part.touching = part.remembered = 0;
    part.squared_speed = 0;
    ContactManifold* next = work_.manifolds.data() + part.first;
    std::uint32_t record = part.first_record;
    for (const std::uint64_t key : keys_of(part)) {
      const Contact& contact = contact_of(key);
      const ContactView view{contact, static_cast<std::uint32_t>(key), find_contact_law(world_, contact, work_)};
      for_each_manifold(contact, [&](std::uint32_t first, std::uint32_t last) {
        ContactManifold& manifold = *next++;
        manifold = make_manifold(view, first, h_, work_);
        manifold.record = record;
        record += last - first;
        for (std::uint32_t p = first; p < last; ++p) add_point(view, work_.contacts.points[p], manifold);
        compute_responses(manifold, work_.inverse_mass);
        double before[ContactManifold::kPoints], free[ContactManifold::kPoints];
        measure_normal_velocity(manifold, work_.velocity_before, before);
        measure_normal_velocity(manifold, world_.bodies.velocity, free);
        for (int i = 0; i < manifold.count; ++i) {
          set_target(view.law, {before[i], free[i]}, i, manifold);
          bounces = bounces || manifold.rebound[i] > 0;
          if (manifold.gap[i] > options_.slop) continue;
          ++part.touching;
          part.squared_speed += before[i] * before[i];
          part.remembered += manifold.remembered[i] ? 1 : 0;
        }
      });
    }
    if (!bounces) return;
    std::atomic_ref(work_.partition.blocks[part.block].bounces).store(true, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::span<const std::uint64_t> keys_of(const BlockPart& part) const {
    return std::span(work_.partition.keys).subspan(part.first_key, part.last_key - part.first_key);
  }
  [[nodiscard]] const Contact& contact_of(std::uint64_t key) const {
    return work_.contacts.contacts[static_cast<std::uint32_t>(key)];
  }

  /// Calls visit(first, last) for points in a row that share a normal and fit into one manifold.
  template <class Visit>
  void for_each_manifold(const Contact& contact, const Visit& visit) const {
    const std::vector<ContactPoint>& points = work_.contacts.points;
    const std::uint32_t end = contact.first + contact.count;
    for (std::uint32_t first = contact.first; first < end;) {
      std::uint32_t last = first + 1;
      while (last < end && last < first + ContactManifold::kPoints &&
             points[last].normal.dot(points[first].normal) > kSameNormal) {
        ++last;
      }
      visit(first, last);
      first = last;
    }
  }

  void add_point(const ContactView& view, const ContactPoint& point, ContactManifold& manifold) const {
    const int i = manifold.count++;
    const BodyArrays& bodies = world_.bodies;
    const Vec3 r_a = point.position - bodies.position[manifold.body_a];
    const Vec3 r_b = point.position - bodies.position[manifold.body_b];
    const Vec3 turn_a = r_a.cross(manifold.n), turn_b = r_b.cross(manifold.n);
    for (int axis = 0; axis < 3; ++axis) {
      manifold.arm_a[axis][i] = r_a[axis];
      manifold.arm_b[axis][i] = r_b[axis];
      manifold.turn_a[axis][i] = turn_a[axis];
      manifold.turn_b[axis][i] = turn_b[axis];
    }
    manifold.gap[i] = point.gap;
    manifold.remembered[i] = options_.warm_start && set_warm_start(view, point, i, manifold);
  }

  /// Normal velocities of a point [m/s].
  struct PointSpeeds {
    double before, free;  // at the end of the last step, and with what external forces add
  };

  void set_target(const ContactLaw& law, const PointSpeeds& speeds, int i, ContactManifold& manifold) const {
    const double gap = manifold.gap[i];
    if (law.stiffness > 0) {
      const double resistance = h_ * law.stiffness + law.damping;
      manifold.target[i] = -law.stiffness * gap / resistance;
      return;
    }
    manifold.target[i] = gap > options_.slop ? -gap / h_ : 0.0;
    const double approach = measure_approach(speeds.before, speeds.free, gap, h_);
    const bool bounces = law.restitution > 0 && approach > options_.restitution_threshold && -speeds.free * h_ >= gap;
    if (bounces) manifold.rebound[i] = law.restitution * approach;
  }

  /// False when the last step knew nothing of this point.
  bool set_warm_start(const ContactView& view, const ContactPoint& point, int i, ContactManifold& manifold) const {
    const std::int32_t match = work_.matches[view.index];
    if (match < 0) return false;
    const CachedPoint* cached =
        find_cached_point(world_.memory().contact_cache, match, point.feature,
                          contact_place(world_.bodies, view.contact, point.position), options_.speculative_distance);
    if (cached == nullptr) return false;
    manifold.normal[i] = std::max(0.0, manifold.n.dot(cached->impulse));
    if (!(manifold.friction > 0)) return true;
    manifold.slip1[i] = manifold.t1.dot(cached->impulse);
    manifold.slip2[i] = manifold.t2.dot(cached->impulse);
    return true;
  }

  const World& world_;
  const ShockPropagationOptions& options_;
  double h_;
  ShockWorkspace& work_;
};

}  // namespace

void build_manifolds(const World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work) {
  ShockPartition& partition = work.partition;
  const bool is_new = make_manifold_blocks(work, partition);
  const ManifoldBuilder builder(world, options, h, work);
  const std::size_t parts = partition.parts.size();
  const StageSize stages[] = {{is_new ? partition.blocks.size() : 0, 1}, {parts, 1}, {1, 1}, {parts, 1}};
  work.runner.run_stages(stages, [&](std::size_t stage, std::size_t k, std::size_t) {
    switch (stage) {
      case 0:
        builder.sort(partition.blocks[k]);
        break;
      case 1:
        builder.count(partition.parts[k]);
        break;
      case 2:
        builder.number();
        break;
      default:
        builder.fill(partition.parts[k]);
        break;
    }
  });
  refill(work.solves, work.islands.size(), SolveReport{});
}

}  // namespace achilles
