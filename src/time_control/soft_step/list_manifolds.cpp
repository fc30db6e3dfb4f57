#include "time_control/soft_step/list_manifolds.hpp"

#include "math/refill.hpp"
#include "time_control/soft_step/cells.hpp"
#include "time_control/soft_step/order_lanes.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace achilles {
namespace {

constexpr std::size_t kContactBlock = 256;

class ManifoldList {
 public:
  ManifoldList(const World& world, StepWorkspace& scratch)
      : world_(world), scratch_(scratch), soft_(scratch.soft), contacts_(scratch.contacts.contacts) {}

  void run() {
    refill(soft_.slot_of, world_.bodies.size(), std::int32_t{0});
    soft_.first_manifold.resize(contacts_.size() + 1);
    soft_.tallies.resize(BlockRunner::count_blocks(contacts_.size(), kContactBlock));
    scratch_.runner.run(contacts_.size(), kContactBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
      SoftTally& tally = soft_.tallies[block] = {};
      for (std::size_t k = first; k < last; ++k) count(k, tally);
    });
    place_blocks();
    scratch_.runner.run(contacts_.size(), kContactBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
      std::uint32_t at = soft_.tallies[block].contacts;
      for (std::size_t k = first; k < last; ++k) fill(k, at);
    });
  }

  /// Gives the bodies that are tied slots, in their order, and cuts these into cells.
  void give_slots() {
    for (const WorldJoint& joint : world_.joints) {
      if (is_moved(joint.body_a, joint.body_b)) tie(joint.body_a), tie(joint.body_b);
    }
    soft_.body_of.clear();
    soft_.watched_bodies.clear();
    for (std::uint32_t body = 0; body < soft_.slot_of.size(); ++body) {
      if (soft_.slot_of[body] != 0) claim_slot(body);
    }
    soft_.movers = static_cast<std::uint32_t>(soft_.body_of.size());
    soft_.watched = static_cast<std::uint32_t>(soft_.watched_bodies.size());
    // Those with slots up to 0 come before the others.
    soft_.watched_bodies.push_back(0);  // stands for what never moves
    std::rotate(soft_.watched_bodies.begin(), soft_.watched_bodies.end() - 1, soft_.watched_bodies.end());
    soft_.body_of.insert(soft_.body_of.begin(), soft_.watched_bodies.rbegin(), soft_.watched_bodies.rend());
    order_slots(world_, soft_);
    cut_cells(soft_);
  }

 private:
  [[nodiscard]] bool is_moved(std::uint32_t a, std::uint32_t b) const {
    return scratch_.movable[a] != 0 || scratch_.movable[b] != 0;
  }

  /// Marks a body that will need a slot; several threads may do so at once.
  void tie(std::uint32_t body) { std::atomic_ref(soft_.slot_of[body]).store(1, std::memory_order_relaxed); }

  /// Slots count from 1 up if impulses move the body, from -1 down if it moves by itself.
  void claim_slot(std::uint32_t body) {
    std::int32_t& slot = soft_.slot_of[body] = 0;
    if (world_.bodies.kind[body] == BodyKind::kFixed) return;
    if (scratch_.movable[body] != 0) {
      soft_.body_of.push_back(body);
      slot = static_cast<std::int32_t>(soft_.body_of.size());
    } else {
      soft_.watched_bodies.push_back(body);
      slot = -static_cast<std::int32_t>(soft_.watched_bodies.size());
    }
  }

  [[nodiscard]] const ContactLaw& law_of(const Contact& contact) const {
    return world_.materials.law(soft_.materials[contact.collider_a], soft_.materials[contact.collider_b]);
  }

  /// Whether point p has the normal of the first point of the manifold.
  [[nodiscard]] bool joins(std::uint32_t p, std::uint32_t first) const {
    return scratch_.contacts.points[p].normal.dot(scratch_.contacts.points[first].normal) > 1 - 1e-9;
  }

  /// Leaves the number of its manifolds where their first belongs.
  void count(std::size_t index, SoftTally& tally) {
    const Contact& contact = contacts_[index];
    soft_.first_manifold[index] = 0;
    if (!is_moved(contact.body_a, contact.body_b)) return;
    tie(contact.body_a);
    tie(contact.body_b);
    if (law_of(contact).restitution > 0) tally.kept = 1;
    std::uint32_t manifolds = 1;
    for (std::uint32_t first = contact.first, p = first + 1; p < contact.first + contact.count; ++p) {
      if (p - first < kPointsPerManifold && joins(p, first)) continue;
      first = p;
      ++manifolds;
    }
    soft_.first_manifold[index] = manifolds;
    tally.contacts += manifolds;
  }

  /// From how many manifolds the blocks have to where they begin.
  void place_blocks() {
    std::uint32_t next = 0;
    soft_.restitutes = false;
    for (SoftTally& tally : soft_.tallies) {
      next += std::exchange(tally.contacts, next);
      soft_.restitutes = soft_.restitutes || tally.kept != 0;
    }
    soft_.first_manifold.back() = next;
    soft_.manifolds.resize(next);
    soft_.edges.resize(next);
  }

  void fill(std::size_t index, std::uint32_t& at) {
    const Contact& contact = contacts_[index];
    const std::uint32_t manifolds = std::exchange(soft_.first_manifold[index], at);
    if (manifolds == 0) return;
    // A single point that resists turning is a patch: it takes the rows of two.
    const std::uint16_t fewest = law_of(contact).torsional_friction > 0 ? 1 : 0;
    const std::uint16_t any =
        soft_.round[contact.body_a] != 0 && soft_.round[contact.body_b] != 0 ? 0 : kPointsPerManifold;
    const auto add = [&](std::uint32_t first, std::uint32_t points) {
      const auto kind = static_cast<std::uint16_t>(any + (points > 1 ? points - 1 : fewest));
      soft_.manifolds[at] = {static_cast<std::uint32_t>(index), first, static_cast<std::uint16_t>(points), kind};
      soft_.edges[at++] = {contact.body_a, contact.body_b};
    };
    const std::uint32_t last = contact.first + contact.count;
    std::uint32_t first = contact.first;
    for (std::uint32_t p = first + 1; manifolds > 1 && p < last; ++p) {
      if (p - first < kPointsPerManifold && joins(p, first)) continue;
      add(first, p - first);
      first = p;
    }
    add(first, last - first);
  }

  const World& world_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  const std::vector<Contact>& contacts_;
};

}  // namespace

void list_manifolds(const World& world, StepWorkspace& scratch) {
  ManifoldList list(world, scratch);
  list.run();
  scratch.mark("manifolds");
  // Three that ask nothing of each other and are not worth being cut.
  scratch.runner.run(3, 1, [&](std::size_t task, std::size_t, std::size_t) {
    if (task == 0) color_edges(scratch.soft.edges, scratch.movable, scratch.soft.coloring);
    if (task == 1) list.give_slots();
    if (task == 2) find_groups(scratch.edges, scratch.movable, scratch.groups);
  });
  scratch.mark("colours and groups");
  assign_lanes(scratch.runner, scratch.soft);
}

}  // namespace achilles
