#include "time_control/soft_step/pack_contacts.hpp"

#include "math/refill.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <numbers>

namespace achilles {
namespace {

std::int32_t claim_slot(const BodyArrays& bodies, std::uint32_t body, SoftWorkspace& soft) {
  if (bodies.kind[body] == BodyKind::kFixed) return 0;
  std::int32_t& slot = soft.slot_of[body];
  if (slot == 0) {
    slot = static_cast<std::int32_t>(soft.body_of.size());
    soft.body_of.push_back(body);
  }
  return slot;
}

void store(const Vec3& value, Lane (&lanes)[3], std::size_t lane) {
  for (int k = 0; k < 3; ++k) lanes[k][lane] = static_cast<float>(value[k]);
}

/// No contact in any lane.
ContactLanes make_empty_lanes() {
  ContactLanes empty{};
  for (ContactLanes::Point& point : empty.points) std::fill(std::begin(point.gap), std::end(point.gap), kNoPoint);
  return empty;
}

/// Gives every manifold a lane: colour after colour, eight to the lanes, those of the overflow alone.
void assign_lanes(SoftWorkspace& soft) {
  const Coloring& coloring = soft.coloring;
  soft.start.clear();
  soft.lane_of.resize(soft.manifolds.size());
  std::uint32_t count = 0;
  for (std::size_t color = 0; color <= coloring.colors(); ++color) {
    soft.start.push_back(count);
    const std::span<const std::uint32_t> edges = coloring.edges_of(color);
    const bool overflow = color == coloring.colors();
    for (std::size_t k = 0; k < edges.size(); ++k) {
      soft.lane_of[edges[k]] = static_cast<std::uint32_t>(count * kLanes + (overflow ? k * kLanes : k));
    }
    count += static_cast<std::uint32_t>(overflow ? edges.size() : (edges.size() + kLanes - 1) / kLanes);
  }
  soft.start.push_back(count);
  soft.lanes.resize(count);
  refill(soft.manifold_at, count * kLanes, std::int32_t{-1});
  for (std::size_t m = 0; m < soft.lane_of.size(); ++m)
    soft.manifold_at[soft.lane_of[m]] = static_cast<std::int32_t>(m);
}

}  // namespace

void list_manifolds(const World& world, StepWorkspace& scratch) {
  SoftWorkspace& soft = scratch.soft;
  soft.manifolds.clear();
  soft.edges.clear();
  soft.first_manifold.clear();
  soft.restitutes = false;
  soft.body_of.assign(1, 0);
  refill(soft.slot_of, world.bodies.size(), std::int32_t{0});
  for (std::uint32_t index = 0; index < scratch.contacts.contacts.size(); ++index) {
    const Contact& contact = scratch.contacts.contacts[index];
    soft.first_manifold.push_back(static_cast<std::uint32_t>(soft.manifolds.size()));
    if (scratch.movable[contact.body_a] == 0 && scratch.movable[contact.body_b] == 0) continue;
    claim_slot(world.bodies, contact.body_a, soft);
    claim_slot(world.bodies, contact.body_b, soft);
    const ContactLaw& law = world.materials.law(scratch.colliders[contact.collider_a].material,
                                                scratch.colliders[contact.collider_b].material);
    soft.restitutes = soft.restitutes || law.restitution > 0;
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const Vec3& normal = scratch.contacts.points[p].normal;
      const bool joins = p > contact.first && soft.manifolds.back().count < kPointsPerManifold &&
                         normal.dot(scratch.contacts.points[soft.manifolds.back().first].normal) > 1 - 1e-9;
      if (joins) {
        ++soft.manifolds.back().count;
      } else {
        soft.manifolds.push_back({index, p, 1});
        soft.edges.push_back({contact.body_a, contact.body_b});
      }
    }
  }
  soft.first_manifold.push_back(static_cast<std::uint32_t>(soft.manifolds.size()));
  for (const WorldJoint& joint : world.joints) {
    if (scratch.movable[joint.body_a] == 0 && scratch.movable[joint.body_b] == 0) continue;
    claim_slot(world.bodies, joint.body_a, soft);
    claim_slot(world.bodies, joint.body_b, soft);
  }
  color_edges(soft.edges, scratch.movable, soft.coloring);
  assign_lanes(soft);
}

Softness make_softness(double frequency, double damping, double h) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double a1 = 2 * damping + h * omega;
  const double a2 = h * omega * a1;
  const double a3 = 1 / (1 + a2);
  return {static_cast<float>(omega / a1), static_cast<float>(a2 * a3), static_cast<float>(a3)};
}

double choose_frequency(const SoftStepOptions& options, double h) { return std::min(options.frequency, 1 / (5 * h)); }

ContactPacker::ContactPacker(const World& world, const SoftStepOptions& options, double h, StepWorkspace& scratch)
    : world_(world), options_(options), scratch_(scratch), soft_(scratch.soft) {
  const double frequency = choose_frequency(options, h);
  between_ = make_softness(frequency, options.damping, h);
  // What is held by the ground may be stiffer.
  grounded_ = make_softness(2 * frequency, options.damping, h);
  share_ = 1.0 / options.substeps;
}

void ContactPacker::pack(std::size_t index) const {
  static const ContactLanes empty = make_empty_lanes();
  ContactLanes& c = soft_.lanes[index];
  const auto manifolds = std::span(soft_.manifold_at).subspan(index * kLanes, kLanes);
  if (std::find(manifolds.begin(), manifolds.end(), -1) != manifolds.end()) c = empty;
  if (index + 1 < soft_.lanes.size()) fetch(index + 1);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (manifolds[lane] >= 0) pack_lane(soft_.manifolds[static_cast<std::size_t>(manifolds[lane])], c, lane);
  }
}

/// The contacts of one colour lie all over the memory: what the next lanes need is asked for while these are filled.
void ContactPacker::fetch(std::size_t index) const {
  constexpr std::size_t kLine = 64;
  const auto ask = [](const void* from, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += kLine) __builtin_prefetch(static_cast<const char*>(from) + k);
  };
  for (const std::int32_t m : std::span(soft_.manifold_at).subspan(index * kLanes, kLanes)) {
    if (m < 0) continue;
    const SoftManifold& manifold = soft_.manifolds[static_cast<std::size_t>(m)];
    ask(&scratch_.contacts.points[manifold.first], manifold.count * sizeof(ContactPoint));
    const std::int32_t match = scratch_.matches[manifold.contact];
    if (match < 0) continue;
    const CachedContact& cached = world_.contact_cache.contacts[static_cast<std::size_t>(match)];
    ask(world_.contact_cache.points.data() + cached.first, cached.count * sizeof(CachedPoint));
  }
}

void ContactPacker::pack_lane(const SoftManifold& manifold, ContactLanes& c, std::size_t lane) const {
  const Contact& contact = scratch_.contacts.contacts[manifold.contact];
  const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                               scratch_.colliders[contact.collider_b].material);
  const bool moves_a = scratch_.movable[contact.body_a] != 0, moves_b = scratch_.movable[contact.body_b] != 0;
  c.slot_a[lane] = soft_.slot_of[contact.body_a];
  c.slot_b[lane] = soft_.slot_of[contact.body_b];
  c.writes_a[lane] = moves_a ? c.slot_a[lane] : 0;
  c.writes_b[lane] = moves_b ? c.slot_b[lane] : 0;
  const Softness& softness = moves_a && moves_b ? between_ : grounded_;
  c.bias_rate[lane] = softness.bias_rate;
  c.mass_scale[lane] = softness.mass_scale;
  c.impulse_scale[lane] = softness.impulse_scale;
  c.friction[lane] = static_cast<float>(law.friction);
  c.restitution[lane] = static_cast<float>(law.restitution);
  c.twist_reach[lane] = static_cast<float>(law.torsional_friction);
  c.twist_total[lane] = 0;
  store(Vec3::Zero(), c.tangent_total, lane);
  store(scratch_.contacts.points[manifold.first].normal, c.normal, lane);
  pack_points(manifold, contact, c, lane);
}

void ContactPacker::pack_points(const SoftManifold& manifold, const Contact& contact, ContactLanes& c,
                                std::size_t lane) const {
  const auto points = std::span(scratch_.contacts.points).subspan(manifold.first, manifold.count);
  const Vec3& normal = points.front().normal;
  Vec3 center = Vec3::Zero(), tangent = Vec3::Zero();
  for (const ContactPoint& point : points) center += point.position;
  center /= static_cast<double>(points.size());
  double twist = 0;
  for (std::size_t k = 0; k < kPointsPerManifold; ++k) {
    ContactLanes::Point& to = c.points[k];
    to.impulse[lane] = c.total[k][lane] = 0;
    if (k >= points.size()) {
      store(Vec3::Zero(), to.arm_a, lane);
      store(Vec3::Zero(), to.arm_b, lane);
      to.gap[lane] = kNoPoint;
      continue;
    }
    store(points[k].position - world_.bodies.position[contact.body_a], to.arm_a, lane);
    store(points[k].position - world_.bodies.position[contact.body_b], to.arm_b, lane);
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
  store(tangent, c.warm_tangent, lane);
  c.twist_impulse[lane] = static_cast<float>(twist);
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
