// Stages of a step of soft-step, besides the sweeps over contacts and joints. Loops work on any part of their elements:
// each element writes to its own places alone.
#pragma once

#include "methods/soft_step/soft_step.hpp"
#include "methods/soft_step/workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

inline void store_vector(const Vec3& value, float (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(value[k]);
}

// Bodies: bodies.cpp.

/// Velocities gain their share of the forces, and each body writes its staging record.
void stage_bodies(World& world, double h, Elements bodies, BodyWorkspace& step, SoftBodyWorkspace& work);
/// Writes the staging record again, after the velocity or the inverse mass have changed.
void stage_body(const World& world, double h, std::size_t body, const BodyWorkspace& step, SoftBodyWorkspace& work);
/// Room for the rows. `any_masses`: some batch needs more of a body than the inverse mass of a round one.
void resize_rows(bool any_masses, SoftBodyWorkspace& work);
void load_bodies(Elements rows, const BodyWorkspace& step, SoftBodyWorkspace& work);
/// Adds the forces of a substep of length h [s] to the velocities.
void integrate_row_velocities(Elements rows, float h, SoftBodyWorkspace& work);
/// The same, and applies the impulses of the previous substep again.
void integrate_warm_velocities(Elements rows, float h, SoftBodyWorkspace& work);
void integrate_displacements(Elements rows, float h, SoftBodyWorkspace& work);
/// Bodies that contacts or joints touch follow their rows, the others fly exactly, in double precision.
void store_bodies(World& world, double h, Elements bodies, BodyWorkspace& step, const SoftBodyWorkspace& work);

// Manifolds: manifolds.cpp.

/// Radius of curvature of a collider's surface [m], or kTurned if it depends on the contact.
inline constexpr float kTurned = -1;
[[nodiscard]] float find_radius(const Geometry& geometry);

/// Radius of curvature of a surface of revolution at a contact, in the direction in which the body rolls there. A
/// surface with outward normal d (unit) at its point turns by θ. To second order its support in the fixed direction d
/// grows by ½ d·θ×(θ×r) + ½ (θ×d)ᵀ W (θ×d), with W the radii of curvature: the point of contact moves on. A centre of
/// curvature that turns with the body, ρ behind the point, gives the same if ρ |θ×d|² = (θ×d)ᵀ W (θ×d). For spheres and
/// the round parts of capsules ρ is the radius, for corners and edges that stay it is 0. With the axis of revolution a
/// the support is r₀ √(d_t² + d_u²) besides a linear part, t = a×d/|a×d| the direction of the parallel and u the
/// direction of the part of d across the axis, so that over a turn with δ = θ×d·t
///
///   ρ = (δ/|θ×d|)² · 2 r₀/(√(sin²α + δ²) + sin α),   sin α = |a×d|, r₀ the distance of the point from the axis.
///
/// For small δ and a pure roll that is r₀/sin α: the centre lies on the axis (Meusnier). `outward` is the normal of the
/// surface at `point` (both world), `turn` how far the body turns within the step [rad]. Zero where the point is not
/// the farthest of its parallel in that direction: it is carried along then.
[[nodiscard]] double find_turned_radius(const Collider& collider, const Vec3& point, const Vec3& outward,
                                        const Vec3& turn);

/// The radii of the two surfaces at a contact point [m].
struct RollingRadii {
  double a = 0, b = 0;
  bool operator==(const RollingRadii&) const = default;
};

class RollingRadius {
 public:
  RollingRadius(const World& world, double h, const std::vector<Collider>& colliders, const std::vector<float>& radii)
      : world_(world), h_(h), colliders_(colliders), radii_(radii) {}

  /// Whether points of a contact may have different radii.
  [[nodiscard]] bool varies(const Contact& contact) const {
    return radii_[contact.collider_a] == kTurned || radii_[contact.collider_b] == kTurned;
  }
  [[nodiscard]] RollingRadii find(const Contact& contact, const ContactPoint& point) const {
    if (varies(contact)) return find_varying(contact, point);
    return {static_cast<double>(radii_[contact.collider_a]), static_cast<double>(radii_[contact.collider_b])};
  }

 private:
  [[nodiscard]] RollingRadii find_varying(const Contact& contact, const ContactPoint& point) const;
  /// The surface is `side` of the gap away from the contact point.
  [[nodiscard]] double find_one(std::uint32_t collider, std::uint32_t body, const ContactPoint& point,
                                double side) const;

  const World& world_;
  double h_;
  const std::vector<Collider>& colliders_;
  const std::vector<float>& radii_;
};

/// Splits contacts into manifolds, and sets slot_of to 1 for every body that contacts of a dynamic body touch, else to
/// 0.
void list_manifolds(const World& world, double h, BlockRunner& runner, const ContactWorkspace& contacts,
                    const std::vector<std::uint8_t>& movable, SoftBodyWorkspace& bodies, SoftManifoldWorkspace& work);

// Slots and batches: layout.cpp.

/// Gives every body with slot_of 1 and every body of a joint with a dynamic body a slot: dynamic bodies that are near
/// each other are consecutive, but where there are few they keep the order of the bodies.
void assign_slots(const World& world, const std::vector<std::uint8_t>& movable, SoftBodyWorkspace& bodies,
                  KeySortWorkspace& sort);
/// Cuts many slots into blocks, so that one thread sweeps the contacts inside a block without waiting for others.
void cut_slots(const std::vector<GraphEdge>& edges, const SoftBodyWorkspace& bodies, SlotPartitionWorkspace& work);
/// Gives every manifold a SIMD lane. Manifolds of one batch share no dynamic body; nor do border contacts of one
/// colour, nor the blocks of one round. Manifolds with as many rows lie together, and within a colour those of near
/// bodies, so that a thread with a part of a colour has the bodies of the colours before in its core's cache. While
/// slots, colours and kinds of manifolds stay as they are, so does the layout.
void lay_out_batches(BlockRunner& runner, const SoftBodyWorkspace& bodies, const SoftManifoldWorkspace& manifolds,
                     const Partition& partition, ContactLayout& layout, LayoutWorkspace& work);

// Contacts to batches and back: records.cpp.

/// Frequency of contacts and joints as springs [Hz], for substeps of length h [s]: with a higher one, impulses carried
/// from substep to substep make slow modes of stacks and nets gain energy, see docs/throughput.md.
[[nodiscard]] double choose_frequency(const SoftStepOptions& options, double h);
/// A damped spring in impulses over a substep of length h [Catto11, p. 43].
[[nodiscard]] Softness make_softness(double frequency, double damping, double h);

/// Writes staging records in the order of the contacts, impulses of the previous step included, and returns impulses.
/// Every call writes to the places of its own manifold alone.
class ContactStaging {
 public:
  ContactStaging(const World& world, const SoftStepOptions& options, double h, const ContactWorkspace& contacts,
                 SoftWorkspace& soft);
  /// Makes room, after the layout.
  void resize() const;
  void stage(std::size_t manifold) const;
  [[nodiscard]] StagedContacts staged() const;
  /// Impulses of batches to their manifolds.
  void unpack(const BatchRange& range) const;

 private:
  /// Impulses of the previous step along the surface, per substep.
  struct WarmFriction {
    Vec3 tangential = Vec3::Zero();  // [N s]
    double moment = 0;               // [N m s] about the normal through the first point
  };

  void return_further(std::size_t batch) const;
  /// Arms begin at `origin`.
  [[nodiscard]] WarmFriction stage_points(const SoftManifold& manifold, const Contact& contact, const Vec3& origin,
                                          StagedManifold& to) const;
  /// The cached point of point `place` of contact `index`, or null.
  [[nodiscard]] const CachedPoint* recall(const Contact& contact, std::uint32_t index, std::uint32_t place) const;

  const World& world_;
  const SoftStepOptions& options_;
  const ContactWorkspace& contacts_;
  const SoftBodyWorkspace& bodies_;
  const SoftManifoldWorkspace& manifolds_;
  const ContactLayout& layout_;
  StagingWorkspace& work_;
  RollingRadius rolling_;
  double share_;  // of a step's impulse in a substep
};

/// Fills the records of all contact points, replaces the World's contact cache by the contacts that touched and counts
/// which of them are new: in fixed blocks, the same for any number of threads.
void record_soft_contacts(World& world, SoftScratch& scratch, StepReport& report);

}  // namespace achilles
