#include "time_control/shock/patches.hpp"

#include "math/cache_lines.hpp"
#include "math/refill.hpp"
#include "math/tangents.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/shock/shock_workspace.hpp"
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

// Of the World's pieces, which no step writes to: what one core reads, another writes slowly.
const ContactLaw& law_of(const World& world, const Contact& contact) {
  return world.materials.law(world.pieces[contact.collider_a].material, world.pieces[contact.collider_b].material);
}

bool touched_before(const World& world, std::int32_t match) {
  if (match < 0) return false;
  const CachedContact& cached = world.contact_cache.contacts[static_cast<std::size_t>(match)];
  const auto* first = world.contact_cache.points.data() + cached.first;
  return std::any_of(first, first + cached.count, [](const CachedPoint& point) { return !point.impulse.isZero(0); });
}

Patch make_patch(const ContactView& view, std::uint32_t first, double h, const StepWorkspace& scratch) {
  const std::vector<std::uint32_t>& height = scratch.shock->layers.height;
  Patch patch;
  patch.body_a = view.contact.body_a;
  patch.body_b = view.contact.body_b;
  patch.first = first;
  patch.contact = view.index;
  patch.layer = StackLayers::layer_of(height[patch.body_a], height[patch.body_b]);
  patch.moves_a = scratch.movable[patch.body_a] != 0;
  patch.moves_b = scratch.movable[patch.body_b] != 0;
  patch.friction = view.law.friction;
  patch.rolling = view.law.rolling_friction;
  patch.torsional = view.law.torsional_friction;
  if (view.law.stiffness > 0) patch.softness = 1 / (h * (h * view.law.stiffness + view.law.damping));
  patch.n = scratch.contacts.points[first].normal;
  std::tie(patch.t1, patch.t2) = make_tangents(patch.n);
  return patch;
}

/// Speed at the instant of touch, between the velocities at the two ends of the step; see constraint/contact_rows.cpp.
double measure_approach(double before, double free, double gap, double h) {
  const double way = -free * h;
  const double fraction = gap > 0 && way > 0 ? std::min(gap / way, 1.0) : 0.0;
  return -before - fraction * (free - before);
}

class PatchBuilder {
 public:
  PatchBuilder(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch)
      : world_(world), options_(options), h_(h), scratch_(scratch) {}

  void sort(const PatchBlock& block) const {
    const auto keys = scratch_.shock->domains.keys.begin();
    std::sort(keys + block.first_key, keys + block.last_key);
  }

  /// Counts patches and points. What one thread found is here taken over by the one that sweeps it.
  void count(PatchPiece& piece) const {
    piece.last = piece.first_record = 0;
    for (const std::uint64_t key : keys_of(piece)) {
      const Contact& contact = contact_of(key);
      piece.first_record += contact.count;
      for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
        take_line(scratch_.contacts.points[p].feature);
      }
      for_each_patch(contact, [&](std::uint32_t, std::uint32_t) { ++piece.last; });
    }
  }

  /// Numbers the patches and their points, which are counted by now, and makes room for them.
  void number() const {
    ShockWorkspace& shock = *scratch_.shock;
    std::uint32_t next = 0, record = 0;
    for (PatchBlock& block : shock.domains.blocks) {
      block.bounces = false;
      block.first = next;
      for (std::uint32_t k = block.first_piece; k < block.last_piece; ++k) {
        PatchPiece& piece = shock.domains.pieces[k];
        piece.first = next;
        next += piece.last;
        piece.last = next;
        record += std::exchange(piece.first_record, record);
      }
      block.last = next;
    }
    shock.patches.resize(next);
    shock.block_value.resize(shock.domains.blocks.size());
    shock.rising.resize(next);
  }

  /// Writes the patches of a piece, which are numbered by now.
  void fill(PatchPiece& piece) const {
    bool bounces = false;
    piece.touching = piece.remembered = 0;
    piece.unrest = 0;
    Patch* next = scratch_.shock->patches.data() + piece.first;
    std::uint32_t record = piece.first_record;
    for (const std::uint64_t key : keys_of(piece)) {
      const Contact& contact = contact_of(key);
      const ContactView view{contact, static_cast<std::uint32_t>(key), law_of(world_, contact)};
      for_each_patch(contact, [&](std::uint32_t first, std::uint32_t last) {
        Patch& patch = *next++;
        patch = make_patch(view, first, h_, scratch_);
        patch.record = record;
        record += last - first;
        for (std::uint32_t p = first; p < last; ++p) add_point(view, scratch_.contacts.points[p], patch);
        weigh_patch(patch, scratch_.inverse_mass);
        double before[Patch::kPoints], free[Patch::kPoints];
        measure_patch(patch, scratch_.velocity_before, before);
        measure_patch(patch, world_.bodies.velocity, free);
        for (int i = 0; i < patch.count; ++i) {
          set_target(view.law, {before[i], free[i]}, i, patch);
          bounces = bounces || patch.rebound[i] > 0;
          if (patch.gap[i] > options_.slop) continue;
          ++piece.touching;
          piece.unrest += before[i] * before[i];
          piece.remembered += patch.remembered[i] ? 1 : 0;
        }
      });
    }
    if (!bounces) return;
    std::atomic_ref(scratch_.shock->domains.blocks[piece.block].bounces).store(true, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::span<const std::uint64_t> keys_of(const PatchPiece& piece) const {
    return std::span(scratch_.shock->domains.keys).subspan(piece.first_key, piece.last_key - piece.first_key);
  }
  [[nodiscard]] const Contact& contact_of(std::uint64_t key) const {
    return scratch_.contacts.contacts[static_cast<std::uint32_t>(key)];
  }

  /// Calls visit(first, last) for points in a row that share a normal and fit into one patch.
  template <class Visit>
  void for_each_patch(const Contact& contact, const Visit& visit) const {
    const std::vector<ContactPoint>& points = scratch_.contacts.points;
    const std::uint32_t end = contact.first + contact.count;
    for (std::uint32_t first = contact.first; first < end;) {
      std::uint32_t last = first + 1;
      while (last < end && last < first + Patch::kPoints &&
             points[last].normal.dot(points[first].normal) > kSameNormal) {
        ++last;
      }
      visit(first, last);
      first = last;
    }
  }

  void add_point(const ContactView& view, const ContactPoint& point, Patch& patch) const {
    const int i = patch.count++;
    const BodyArrays& bodies = world_.bodies;
    const Vec3 r_a = point.position - bodies.position[patch.body_a];
    const Vec3 r_b = point.position - bodies.position[patch.body_b];
    const Vec3 turn_a = r_a.cross(patch.n), turn_b = r_b.cross(patch.n);
    for (int axis = 0; axis < 3; ++axis) {
      patch.arm_a[axis][i] = r_a[axis];
      patch.arm_b[axis][i] = r_b[axis];
      patch.turn_a[axis][i] = turn_a[axis];
      patch.turn_b[axis][i] = turn_b[axis];
    }
    patch.gap[i] = point.gap;
    patch.remembered[i] = options_.warm_start && set_warm_start(view, point, i, patch);
  }

  /// Normal velocities of a point [m/s].
  struct PointSpeeds {
    double before, free;  // at the end of the last step, and with what external forces add
  };

  void set_target(const ContactLaw& law, const PointSpeeds& speeds, int i, Patch& patch) const {
    const double gap = patch.gap[i];
    if (law.stiffness > 0) {
      const double resistance = h_ * law.stiffness + law.damping;
      patch.target[i] = -law.stiffness * gap / resistance;
      return;
    }
    patch.target[i] = gap > options_.slop ? -gap / h_ : 0.0;
    const double approach = measure_approach(speeds.before, speeds.free, gap, h_);
    const bool bounces = law.restitution > 0 && approach > options_.restitution_threshold && -speeds.free * h_ >= gap;
    if (bounces) patch.rebound[i] = law.restitution * approach;
  }

  /// False when the last step knew nothing of this point.
  bool set_warm_start(const ContactView& view, const ContactPoint& point, int i, Patch& patch) const {
    const std::int32_t match = scratch_.matches[view.index];
    if (match < 0) return false;
    const CachedPoint* cached =
        find_cached_point(world_.contact_cache, match, point.feature,
                          contact_place(world_.bodies, view.contact, point.position), options_.margin);
    if (cached == nullptr) return false;
    patch.normal[i] = std::max(0.0, patch.n.dot(cached->impulse));
    if (!(patch.friction > 0)) return true;
    patch.slip1[i] = patch.t1.dot(cached->impulse);
    patch.slip2[i] = patch.t2.dot(cached->impulse);
    return true;
  }

  const World& world_;
  const ShockPropagationOptions& options_;
  double h_;
  StepWorkspace& scratch_;
};

}  // namespace

namespace {

constexpr std::size_t kSupportBlock = 64;

/// What the analysis of stacks sees of the present contacts: each once, by the thread that found its points.
class SupportSearch {
 public:
  SupportSearch(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch)
      : world_(world), options_(options), scratch_(scratch), shock_(*scratch.shock) {
    const double g = world.gravity.norm();
    if (g > 0) up_ = -world.gravity / g;
    shock_.contact_support.resize(scratch.contacts.contacts.size());
  }

  void look_at(std::size_t index) {
    const Contact& contact = scratch_.contacts.contacts[index];
    double gap = options_.slop, lift = 0;
    bool touches = false;
    for (const ContactPoint& point : scratch_.contacts.points_of(contact)) {
      touches = touches || point.gap <= options_.slop;
      if (lift == 0 || point.gap < gap) lift = up_.dot(point.normal);
      gap = std::min(gap, point.gap);
    }
    touches = touches || touched_before(world_, scratch_.matches[index]);
    shock_.contact_support[index] = {{contact.body_a, contact.body_b, lift}, touches};
  }

  void find_heights() {
    shock_.support.clear();
    for (const ContactSupport& support : shock_.contact_support) {
      if (support.touches) shock_.support.push_back(support.edge);
    }
    if (options_.gravity_layers && !up_.isZero(0)) {
      find_stack_layers(shock_.support, scratch_.movable, shock_.layers);
    } else {
      find_distance_layers(shock_.support, scratch_.movable, shock_.layers);
    }
  }

 private:
  const World& world_;
  const ShockPropagationOptions& options_;
  StepWorkspace& scratch_;
  ShockWorkspace& shock_;
  Vec3 up_ = Vec3::Zero();
};

}  // namespace

void find_layers(const World& world, const ShockPropagationOptions& options, StepWorkspace& scratch) {
  SupportSearch search(world, options, scratch);
  const StageSize stages[] = {{scratch.contacts.contacts.size(), kSupportBlock}, {2, 1}};
  scratch.runner.run_stages(stages, [&](std::size_t stage, std::size_t first, std::size_t last) {
    if (stage == 0) {
      for (std::size_t index = first; index < last; ++index) search.look_at(index);
    } else {  // neither needs the other
      first == 0 ? search.find_heights() : find_cells(world, scratch, scratch.shock->domains);
    }
  });
}

void build_patches(const World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch) {
  PatchDomains& domains = scratch.shock->domains;
  const bool anew = cut_domains(world, scratch, domains);
  const PatchBuilder builder(world, options, h, scratch);
  const std::size_t pieces = domains.pieces.size();
  const StageSize stages[] = {{anew ? domains.blocks.size() : 0, 1}, {pieces, 1}, {1, 1}, {pieces, 1}};
  scratch.runner.run_stages(stages, [&](std::size_t stage, std::size_t k, std::size_t) {
    switch (stage) {
      case 0:
        builder.sort(domains.blocks[k]);
        break;
      case 1:
        builder.count(domains.pieces[k]);
        break;
      case 2:
        builder.number();
        break;
      default:
        builder.fill(domains.pieces[k]);
        break;
    }
  });
  refill(scratch.solves, scratch.groups.size(), SolveReport{});
}

}  // namespace achilles
