#include "time_control/soft_step/pack_contacts.hpp"

#include "world/contact_memory.hpp"

#include <algorithm>
#include <numbers>

namespace achilles {
namespace {

void store(const Vec3& value, float (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(value[k]);
}

}  // namespace

Softness make_softness(double frequency, double damping, double h) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double a1 = 2 * damping + h * omega;
  const double a2 = h * omega * a1;
  const double a3 = 1 / (1 + a2);
  return {static_cast<float>(omega / a1), static_cast<float>(a2 * a3), static_cast<float>(a3)};
}

double choose_frequency(const SoftStepOptions& options, double h) { return std::min(options.frequency, 1 / (5 * h)); }

ContactPacker::ContactPacker(const World& world, const SoftStepOptions& options, StepWorkspace& scratch)
    : world_(world), options_(options), scratch_(scratch), soft_(scratch.soft), share_(1.0 / options.substeps) {}

void ContactPacker::prepare() const {
  soft_.drafts.reserve(soft_.manifolds.capacity() + 1);
  soft_.draft_places.reserve(soft_.manifolds.capacity() + 1);
  soft_.drafts.resize(soft_.manifolds.size() + 1);
  soft_.draft_places.resize(soft_.manifolds.size() + 1);
  if (!soft_.lanes.patches.empty()) soft_.point_drafts.reserve(scratch_.contacts.points.capacity() + 1);
  soft_.point_drafts.resize(soft_.lanes.patches.empty() ? 1 : scratch_.contacts.points.size() + 1);
  soft_.impulses.reserve(soft_.manifolds.capacity());
  soft_.impulses.resize(soft_.manifolds.size());
  if (!soft_.lanes.patches.empty()) {
    soft_.further.reserve(scratch_.contacts.points.capacity());
    soft_.further.resize(scratch_.contacts.points.size());
  }
  soft_.drafts[0] = {};
  soft_.draft_places[0] = {};
  soft_.point_drafts[0] = {};
}

Drafts ContactPacker::drafts() const {
  return {soft_.manifold_at.data(), soft_.drafts.data() + 1, soft_.draft_places.data() + 1,
          soft_.point_drafts.data() + 1};
}

void ContactPacker::draft(std::size_t index) const {
  const SoftManifold& manifold = soft_.manifolds[index];
  const Contact& contact = scratch_.contacts.contacts[manifold.contact];
  const ContactLaw& law =
      world_.materials.law(soft_.materials[contact.collider_a], soft_.materials[contact.collider_b]);
  soft_.draft_places[index + 1] = {soft_.slot_of[contact.body_a], soft_.slot_of[contact.body_b],
                                   static_cast<std::int32_t>(manifold.first), manifold.is_patch() ? manifold.count : 0};
  ManifoldDraft& to = soft_.drafts[index + 1];
  const Vec3& center_a = world_.bodies.position[contact.body_a];
  store(scratch_.contacts.points[manifold.first].normal, to.normal);
  store(center_a - world_.bodies.position[contact.body_b], to.across);
  to.friction = static_cast<float>(law.friction);
  to.restitution = static_cast<float>(law.restitution);
  draft_points(manifold, contact, to);
  if (manifold.is_patch()) soft_.point_drafts[manifold.first + 1].torsion = static_cast<float>(law.torsional_friction);
}

void ContactPacker::draft_points(const SoftManifold& manifold, const Contact& contact, ManifoldDraft& to) const {
  const auto points = std::span(scratch_.contacts.points).subspan(manifold.first, manifold.count);
  const bool patch = manifold.is_patch();
  const Vec3& normal = points.front().normal;
  Vec3 center = Vec3::Zero(), tangent = Vec3::Zero();
  for (const ContactPoint& point : points) center += point.position;
  center /= static_cast<double>(points.size());
  double twist = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    PointDraft point;
    store(points[k].position - world_.bodies.position[contact.body_a], point.arm);
    point.gap = static_cast<float>(points[k].gap);
    const CachedPoint* cached =
        options_.warm_start
            ? recall(contact, manifold.contact, static_cast<std::uint32_t>(manifold.first + k - contact.first))
            : nullptr;
    if (cached != nullptr) {
      const Vec3 impulse = share_ * cached->impulse;
      const double along = normal.dot(impulse);
      point.impulse = static_cast<float>(std::max(along, 0.0));
      tangent += impulse - along * normal;
      if (points.size() > 1) twist += normal.dot((points[k].position - center).cross(impulse));
    }
    if (patch) soft_.point_drafts[manifold.first + k + 1] = point;
    if (k > 0) continue;
    std::copy_n(point.arm, 3, to.arm);
    to.gap = point.gap;
    to.impulse = point.impulse;
  }
  store(tangent, to.warm_tangent);
  if (patch) soft_.point_drafts[manifold.first + 1].twist = static_cast<float>(twist);
}

void ContactPacker::unpack(const LaneRange& range) const {
  return_impulses(soft_.lanes, range, soft_.manifold_at.data(), soft_.impulses.data());
  for (std::size_t k = range.first; k < range.last; ++k) {
    if (soft_.lanes.contacts[k].points > 1) return_further(k);
  }
}

/// To the points after the first.
void ContactPacker::return_further(std::size_t index) const {
  const ContactLanes& c = soft_.lanes.contacts[index];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int32_t m = soft_.manifold_at[index * kLanes + lane];
    if (m < 0) continue;
    const SoftManifold& manifold = soft_.manifolds[static_cast<std::size_t>(m)];
    for (std::uint32_t k = 1; k < manifold.count; ++k) {
      soft_.further[manifold.first + k] = {soft_.lanes.points[c.first_point + k].total[lane],
                                           soft_.lanes.approach[c.first_point + k].speed[lane]};
    }
  }
}

const CachedPoint* ContactPacker::recall(const Contact& contact, std::uint32_t index, std::uint32_t place) const {
  const ContactPoint& point = scratch_.contacts.points[contact.first + place];
  const std::int32_t match = scratch_.matches[index];
  if (match < 0) return nullptr;
  const CachedContact& cached = world_.contact_cache.contacts[static_cast<std::size_t>(match)];
  // Points of a contact that was recycled come in the same order as before.
  if (place < cached.count && world_.contact_cache.points[cached.first + place].feature == point.feature) {
    return &world_.contact_cache.points[cached.first + place];
  }
  for (std::uint32_t i = cached.first; i < cached.first + cached.count; ++i) {
    if (world_.contact_cache.points[i].feature == point.feature) return &world_.contact_cache.points[i];
  }
  return find_cached_point(world_.contact_cache, match, point.feature,
                           contact_place(world_.bodies, contact, point.position), options_.margin);
}

}  // namespace achilles
