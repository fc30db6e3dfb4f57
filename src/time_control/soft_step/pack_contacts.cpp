#include "time_control/soft_step/pack_contacts.hpp"

#include "world/contact_memory.hpp"

#include <algorithm>
#include <numbers>

namespace achilles {
namespace {

void store(const Vec3& value, Lane (&lanes)[3], std::size_t lane) {
  for (int k = 0; k < 3; ++k) lanes[k][lane] = static_cast<float>(value[k]);
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

void ContactPacker::pack(std::size_t index) const {
  const auto manifolds = std::span(soft_.manifold_at).subspan(index * kLanes, kLanes);
  fetch(index);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    clear_lane(index, lane);
    if (manifolds[lane] >= 0) pack_lane(soft_.manifolds[static_cast<std::size_t>(manifolds[lane])], index, lane);
  }
}

/// No contact, of no points.
void ContactPacker::clear_lane(std::size_t index, std::size_t lane) const {
  ContactLanes& c = soft_.lanes.contacts[index];
  ColdLanes& cold = soft_.lanes.cold[index];
  c.slot_a[lane] = c.slot_b[lane] = 0;
  store(Vec3::Zero(), c.normal, lane);
  store(Vec3::Zero(), c.across, lane);
  store(Vec3::Zero(), cold.warm_tangent, lane);
  c.friction[lane] = cold.restitution[lane] = 0;
  c.tangent_total[0][lane] = c.tangent_total[1][lane] = 0;
  for (PointLanes& point : std::span(soft_.lanes.points).subspan(c.first_point, c.points)) {
    store(Vec3::Zero(), point.arm, lane);
    point.gap[lane] = kNoPoint;
    point.impulse[lane] = point.total[lane] = 0;
  }
  if (c.patch < 0) return;
  PatchLanes& patch = soft_.lanes.patches[static_cast<std::size_t>(c.patch)];
  patch.twist_reach[lane] = patch.twist_impulse[lane] = patch.twist_total[lane] = 0;
}

/// The contacts of one colour lie all over the memory: what later lanes need is asked for while these are filled, and
/// before that, what says where it is.
void ContactPacker::fetch(std::size_t index) const {
  constexpr std::size_t kLine = 64, kFar = 3;
  const auto ask = [](const void* from, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += kLine) __builtin_prefetch(static_cast<const char*>(from) + k);
  };
  const auto manifolds_of = [&](std::size_t lanes) {
    return std::span(soft_.manifold_at)
        .subspan(std::min(lanes * kLanes, soft_.manifold_at.size()))
        .first(lanes < soft_.lanes.contacts.size() ? kLanes : 0);
  };
  for (const std::int32_t m : manifolds_of(index + 2 * kFar)) {
    if (m >= 0) ask(&soft_.manifolds[static_cast<std::size_t>(m)], 1);
  }
  for (const std::int32_t m : manifolds_of(index + kFar)) {
    if (m < 0) continue;
    const SoftManifold& manifold = soft_.manifolds[static_cast<std::size_t>(m)];
    ask(&scratch_.contacts.contacts[manifold.contact], sizeof(Contact));
    ask(&scratch_.matches[manifold.contact], 1);
    ask(&scratch_.contacts.points[manifold.first], manifold.count * sizeof(ContactPoint));
  }
  for (const std::int32_t m : manifolds_of(index + 1)) {
    if (m < 0) continue;
    const SoftManifold& manifold = soft_.manifolds[static_cast<std::size_t>(m)];
    const Contact& contact = scratch_.contacts.contacts[manifold.contact];
    ask(&world_.bodies.position[contact.body_a], sizeof(Vec3));
    ask(&world_.bodies.position[contact.body_b], sizeof(Vec3));
    const std::int32_t match = scratch_.matches[manifold.contact];
    if (match < 0) continue;
    const CachedContact& cached = world_.contact_cache.contacts[static_cast<std::size_t>(match)];
    ask(world_.contact_cache.points.data() + cached.first, cached.count * sizeof(CachedPoint));
  }
}

void ContactPacker::pack_lane(const SoftManifold& manifold, std::size_t index, std::size_t lane) const {
  const Contact& contact = scratch_.contacts.contacts[manifold.contact];
  const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                               scratch_.colliders[contact.collider_b].material);
  ContactLanes& c = soft_.lanes.contacts[index];
  c.slot_a[lane] = soft_.slot_of[contact.body_a];
  c.slot_b[lane] = soft_.slot_of[contact.body_b];
  c.friction[lane] = static_cast<float>(law.friction);
  soft_.lanes.cold[index].restitution[lane] = static_cast<float>(law.restitution);
  store(scratch_.contacts.points[manifold.first].normal, c.normal, lane);
  store(world_.bodies.position[contact.body_a] - world_.bodies.position[contact.body_b], c.across, lane);
  if (c.patch >= 0) {
    soft_.lanes.patches[static_cast<std::size_t>(c.patch)].twist_reach[lane] =
        static_cast<float>(law.torsional_friction);
  }
  pack_points(manifold, index, lane);
}

void ContactPacker::pack_points(const SoftManifold& manifold, std::size_t index, std::size_t lane) const {
  const Contact& contact = scratch_.contacts.contacts[manifold.contact];
  const auto points = std::span(scratch_.contacts.points).subspan(manifold.first, manifold.count);
  const Vec3& normal = points.front().normal;
  Vec3 center = Vec3::Zero(), tangent = Vec3::Zero();
  for (const ContactPoint& point : points) center += point.position;
  center /= static_cast<double>(points.size());
  double twist = 0;
  const ContactLanes& c = soft_.lanes.contacts[index];
  for (std::size_t k = 0; k < points.size(); ++k) {
    PointLanes& to = soft_.lanes.points[c.first_point + k];
    store(points[k].position - world_.bodies.position[contact.body_a], to.arm, lane);
    to.gap[lane] = static_cast<float>(points[k].gap);
    const CachedPoint* cached =
        options_.warm_start
            ? recall(contact, manifold.contact, static_cast<std::uint32_t>(manifold.first + k - contact.first))
            : nullptr;
    if (cached == nullptr) continue;
    const Vec3 impulse = share_ * cached->impulse;
    const double along = normal.dot(impulse);
    to.impulse[lane] = static_cast<float>(std::max(along, 0.0));
    tangent += impulse - along * normal;
    if (points.size() > 1) twist += normal.dot((points[k].position - center).cross(impulse));
  }
  store(tangent, soft_.lanes.cold[index].warm_tangent, lane);
  if (c.patch < 0) return;
  soft_.lanes.patches[static_cast<std::size_t>(c.patch)].twist_impulse[lane] = static_cast<float>(twist);
}

void ContactPacker::unpack(std::size_t index) const {
  const ContactLanes& c = soft_.lanes.contacts[index];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int32_t m = soft_.manifold_at[index * kLanes + lane];
    if (m < 0) continue;
    SoftImpulse& to = soft_.impulses[static_cast<std::size_t>(m)];
    for (std::uint32_t k = 0; k < soft_.manifolds[static_cast<std::size_t>(m)].count; ++k) {
      to.normal[k] = soft_.lanes.points[c.first_point + k].total[lane];
      to.approach[k] = soft_.lanes.approach[c.first_point + k].speed[lane];
    }
    for (int k = 0; k < 3; ++k) {
      to.tangent[k] =
          c.tangent_total[0][lane] * c.tangent[0][k][lane] + c.tangent_total[1][lane] * c.tangent[1][k][lane];
    }
    to.twist = c.patch < 0 ? 0 : soft_.lanes.patches[static_cast<std::size_t>(c.patch)].twist_total[lane];
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
