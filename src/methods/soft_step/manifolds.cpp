#include "math/refill.hpp"
#include "methods/soft_step/stages.hpp"
#include "stepping/contact_stage.hpp"

#include <atomic>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

/// Splits contacts into manifolds: counts those of each contact, finds where they begin, and writes them.
class ManifoldList {
 public:
  ManifoldList(const World& world, double h, const ContactWorkspace& contacts, const std::vector<std::uint8_t>& movable,
               SoftBodyWorkspace& bodies, SoftManifoldWorkspace& work)
      : world_(world),
        all_(contacts),
        contacts_(contacts.contacts.contacts),
        movable_(movable),
        bodies_(bodies),
        work_(work),
        rolling_(world, h, contacts.colliders, work.radii) {}

  void run(BlockRunner& runner) {
    refill(bodies_.slot_of, world_.bodies.size(), std::int32_t{0});
    work_.radii.resize(all_.colliders.size());
    runner.run(work_.radii.size(), kElementsPerBlock, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k) work_.radii[k] = find_radius(*all_.colliders[k].geometry);
    });
    work_.first_manifold.resize(contacts_.size() + 1);
    work_.tallies.resize(BlockRunner::count_blocks(contacts_.size(), kElementsPerBlock));
    runner.run(contacts_.size(), kElementsPerBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
      ManifoldTally& tally = work_.tallies[block] = {};
      for (std::size_t k = first; k < last; ++k) count(k, tally);
    });
    place_blocks();
    runner.run(contacts_.size(), kElementsPerBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
      std::uint32_t next = work_.tallies[block].manifolds;
      for (std::size_t k = first; k < last; ++k) fill(k, next);
    });
  }

 private:
  /// Marks a body that needs a slot; several threads may mark one.
  void mark(std::uint32_t body) { std::atomic_ref(bodies_.slot_of[body]).store(1, std::memory_order_relaxed); }

  [[nodiscard]] const ContactLaw& law_of(const Contact& contact) const {
    return find_contact_law(world_, contact, all_);
  }

  /// Whether point p has the normal and the curvature of the first point of the manifold.
  [[nodiscard]] bool fits(const Contact& contact, std::uint32_t p, std::uint32_t first) const {
    return all_.contacts.points[p].normal.dot(all_.contacts.points[first].normal) > 1 - 1e-9 &&
           (!rolling_.varies(contact) || has_same_radii(contact, p, first));
  }

  [[nodiscard, gnu::noinline]] bool has_same_radii(const Contact& contact, std::uint32_t p, std::uint32_t first) const {
    const RollingRadii one = rolling_.find(contact, all_.contacts.points[p]);
    const RollingRadii other = rolling_.find(contact, all_.contacts.points[first]);
    const double most = 1e-6 * (one.a + one.b + other.a + other.b);
    return std::abs(one.a - other.a) <= most && std::abs(one.b - other.b) <= most;
  }

  /// Writes the number of manifolds of a contact to the place of its first one.
  void count(std::size_t index, ManifoldTally& tally) {
    const Contact& contact = contacts_[index];
    work_.first_manifold[index] = 0;
    if (movable_[contact.body_a] == 0 && movable_[contact.body_b] == 0) return;
    mark(contact.body_a);
    mark(contact.body_b);
    if (law_of(contact).restitution > 0) tally.restitutes = true;
    std::uint32_t manifolds = 1;
    for (std::uint32_t first = contact.first, p = first + 1; p < contact.first + contact.count; ++p) {
      if (p - first < kPointsPerManifold && fits(contact, p, first)) continue;
      first = p;
      ++manifolds;
    }
    work_.first_manifold[index] = manifolds;
    tally.manifolds += manifolds;
  }

  /// From the number of manifolds of each block to its first one.
  void place_blocks() {
    std::uint32_t next = 0;
    work_.restitutes = false;
    for (ManifoldTally& tally : work_.tallies) {
      next += std::exchange(tally.manifolds, next);
      work_.restitutes = work_.restitutes || tally.restitutes;
    }
    work_.first_manifold.back() = next;
    work_.manifolds.resize(next);
    work_.edges.resize(next);
  }

  void fill(std::size_t index, std::uint32_t& next) {
    const Contact& contact = contacts_[index];
    const std::uint32_t manifolds = std::exchange(work_.first_manifold[index], next);
    if (manifolds == 0) return;
    // A single point with torsional friction resists twist: it takes the rows of two points.
    const std::uint16_t fewest = law_of(contact).torsional_friction > 0 ? 1 : 0;
    const bool are_round = bodies_.is_round[contact.body_a] != 0 && bodies_.is_round[contact.body_b] != 0;
    const std::uint16_t masses = are_round ? 0 : kPointsPerManifold;
    const auto add = [&](std::uint32_t first, std::uint32_t points) {
      const auto kind = static_cast<std::uint16_t>(masses + (points > 1 ? points - 1 : fewest));
      work_.manifolds[next] = {static_cast<std::uint32_t>(index), first, static_cast<std::uint16_t>(points), kind};
      work_.edges[next++] = {contact.body_a, contact.body_b};
    };
    const std::uint32_t last = contact.first + contact.count;
    std::uint32_t first = contact.first;
    for (std::uint32_t p = first + 1; manifolds > 1 && p < last; ++p) {
      if (p - first < kPointsPerManifold && fits(contact, p, first)) continue;
      add(first, p - first);
      first = p;
    }
    add(first, last - first);
  }

  const World& world_;
  const ContactWorkspace& all_;
  const std::vector<Contact>& contacts_;
  const std::vector<std::uint8_t>& movable_;
  SoftBodyWorkspace& bodies_;
  SoftManifoldWorkspace& work_;
  RollingRadius rolling_;
};

}  // namespace

float find_radius(const Geometry& geometry) {
  if (const auto* sphere = std::get_if<SphereGeometry>(&geometry.kind)) return static_cast<float>(sphere->radius);
  if (const auto* capsule = std::get_if<CapsuleGeometry>(&geometry.kind)) return static_cast<float>(capsule->radius);
  const bool is_turned =
      std::holds_alternative<CylinderGeometry>(geometry.kind) || std::holds_alternative<ConeGeometry>(geometry.kind);
  return is_turned ? kTurned : 0.0F;
}

double find_turned_radius(const Collider& collider, const Vec3& point, const Vec3& outward, const Vec3& turn) {
  constexpr double kAligned = 1 - 1e-10;  // cosine: a few rounding errors of the contact's position
  constexpr double kFlat = 1e-6;          // sine below which the disc itself touches
  const Vec3 d = collider.X_WG.R.transpose() * outward, p = collider.X_WG.to_local(point);
  const Vec3 w = collider.X_WG.R.transpose() * turn;
  const double sine = std::hypot(d.x(), d.y()), distance = std::hypot(p.x(), p.y());
  if (sine <= kFlat || p.head<2>().dot(d.head<2>()) < kAligned * sine * distance) return 0;
  const double along = w.dot(d), rolled = (w.z() - along * d.z()) / sine;  // (θ×d)·t = (a·θ − (θ·d)(a·d))/|a×d|
  const double squared = w.squaredNorm() - along * along;
  if (squared <= 0) return 0;
  const double share = std::min(1.0, rolled * rolled / squared);
  return share * 2 * distance / (std::hypot(sine, rolled) + sine);
}

RollingRadii RollingRadius::find_varying(const Contact& contact, const ContactPoint& point) const {
  return {find_one(contact.collider_a, contact.body_a, point, -0.5),
          find_one(contact.collider_b, contact.body_b, point, 0.5)};
}

double RollingRadius::find_one(std::uint32_t collider, std::uint32_t body, const ContactPoint& point,
                               double side) const {
  const float radius = radii_[collider];
  if (radius != kTurned) return static_cast<double>(radius);
  const Vec3 surface = point.position + side * point.gap * point.normal;
  return find_turned_radius(colliders_[collider], surface, side < 0 ? point.normal : Vec3(-point.normal),
                            h_ * world_.bodies.velocity[body].angular);
}

void list_manifolds(const World& world, double h, BlockRunner& runner, const ContactWorkspace& contacts,
                    const std::vector<std::uint8_t>& movable, SoftBodyWorkspace& bodies, SoftManifoldWorkspace& work) {
  ManifoldList(world, h, contacts, movable, bodies, work).run(runner);
}

}  // namespace achilles
