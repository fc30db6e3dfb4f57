#include "methods/soft_step/stages.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/contact_stage.hpp"
#include "world/contact_memory.hpp"

#include <algorithm>
#include <numbers>
#include <span>
#include <utility>

namespace achilles {
namespace {

/// Contacts whose records stay in a core's cache until they are copied to the contact cache: a contact of two points
/// has about 512 bytes of records, points and cached points.
constexpr std::size_t kChunk = kCoreCache / 512;

/// Records of the step and the World's contact cache for the next one. Chunk after chunk: blocks of contacts are
/// recorded, their places in the cache counted, and then copied there.
class SoftRecords {
 public:
  SoftRecords(World& world, SoftScratch& scratch)
      : world_(world),
        scratch_(scratch),
        manifolds_(scratch.soft.manifolds),
        staging_(scratch.soft.staging),
        work_(scratch.soft.records),
        contacts_(scratch.contacts.contacts) {}

  void run(StepReport& report) {
    const std::size_t points = scratch_.contacts.points.size();
    scratch_.records.resize(points);
    scratch_.point_approach.resize(points);
    work_.touched.resize(contacts_.size());
    work_.tallies.resize(BlockRunner::count_blocks(contacts_.size(), kElementsPerBlock));
    // Room for all contacts: a step in which more of them touch than ever before must not allocate.
    scratch_.next_cache.contacts.reserve(contacts_.capacity());
    scratch_.next_cache.points.reserve(scratch_.contacts.points.capacity());
    list_phases();
    scratch_.runner.run_stages(work_.phases, [&](std::size_t phase, std::size_t first, std::size_t last) {
      const std::size_t begin = phase / 3 * kChunk;
      if (phase % 3 == 0) {
        record(begin + first, begin + last);
      } else if (phase % 3 == 1) {
        place(begin, std::min(begin + kChunk, contacts_.size()));
      } else {
        remember(begin + first, begin + last);
      }
    });
    conclude(report);
  }

 private:
  void list_phases() {
    static_assert(kChunk % kElementsPerBlock == 0);
    work_.phases.clear();
    work_.phases.reserve(3 * BlockRunner::count_blocks(contacts_.capacity(), kChunk));
    for (std::size_t first = 0; first < contacts_.size(); first += kChunk) {
      const StageSize blocks{std::min(kChunk, contacts_.size() - first), kElementsPerBlock};
      for (const StageSize& phase : {blocks, StageSize{1, 1}, blocks}) work_.phases.push_back(phase);
    }
  }

  void record(std::size_t first, std::size_t last) {
    ContactTally& tally = work_.tallies[first / kElementsPerBlock] = {};
    for (std::size_t k = first; k < last; ++k) record(k, tally);
  }

  /// From the numbers of contacts and points of each block to its first ones.
  void place(std::size_t first, std::size_t last) {
    for (std::size_t block = first / kElementsPerBlock; block * kElementsPerBlock < last; ++block) {
      const ContactTally own = std::exchange(work_.tallies[block], sum_);
      sum_.contacts += own.contacts;
      sum_.points += own.points;
      sum_.kept += own.kept;
    }
    ContactCache& next = scratch_.next_cache;
    if (next.contacts.size() < sum_.contacts) next.contacts.resize(sum_.contacts);
    if (next.points.size() < sum_.points) next.points.resize(sum_.points);
  }

  void remember(std::size_t first, std::size_t last) {
    ContactTally next = work_.tallies[first / kElementsPerBlock];
    for (std::size_t k = first; k < last; ++k) {
      if (work_.touched[k] != 0) remember_contact(contacts_[k], next);
    }
  }

  void record(std::size_t index, ContactTally& tally) {
    const Contact& contact = contacts_[index];
    bool touched = false;
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch_.contacts.points[p];
      scratch_.records[p] = make_contact_record(contact.body_a, contact.body_b, point, Vec3::Zero());
      scratch_.point_approach[p] = 0;
      touched = touched || point.gap <= 0;
    }
    for (std::uint32_t m = manifolds_.first_manifold[index]; m < manifolds_.first_manifold[index + 1]; ++m) {
      take_impulses(m);
    }
    for (std::uint32_t p = contact.first; p < contact.first + contact.count && !touched; ++p) {
      touched = !scratch_.records[p].impulse.isZero(0);
    }
    work_.touched[index] = touched ? 1 : 0;
    if (!touched) return;
    ++tally.contacts;
    tally.points += contact.count;
    if (scratch_.matches[index] >= 0) ++tally.kept;
  }

  void take_impulses(std::uint32_t m) {
    const SoftManifold& manifold = manifolds_.manifolds[m];
    const ManifoldImpulse& from = staging_.impulses[m];
    const auto records = std::span(scratch_.records).subspan(manifold.first, manifold.count);
    Vec3 tangential = Vec3::Zero();
    for (int k = 0; k < 3; ++k) tangential[k] = static_cast<double>(from.tangent[k]);
    if (manifold.count == 1) {
      records[0].impulse = static_cast<double>(from.first.normal) * records[0].normal + tangential;
      scratch_.point_approach[manifold.first] = -static_cast<double>(from.first.approach);
      return;
    }
    // Points get their shares of the friction; the moment about the normal becomes forces that cancel each other.
    Vec3 center = Vec3::Zero();
    for (const ContactRecord& record : records) center += record.position;
    center /= manifold.count;
    double spread = 0;
    for (const ContactRecord& record : records) spread += (record.position - center).squaredNorm();
    const double twist = spread > 0 ? static_cast<double>(from.twist) / spread : 0;
    for (std::uint32_t k = 0; k < manifold.count; ++k) {
      ContactRecord& record = records[k];
      const PointImpulse& point = k == 0 ? from.first : staging_.further_impulses[manifold.first + k];
      record.impulse = static_cast<double>(point.normal) * record.normal +
                       static_cast<double>(point.share) * tangential +
                       twist * record.normal.cross(record.position - center);
      scratch_.point_approach[manifold.first + k] = -static_cast<double>(point.approach);
    }
  }

  void conclude(StepReport& report) {
    scratch_.next_cache.contacts.resize(sum_.contacts);
    scratch_.next_cache.points.resize(sum_.points);
    conclude_memory(world_, sum_, scratch_, report);
  }

  void remember_contact(const Contact& contact, ContactTally& at) {
    ContactCache& next = scratch_.next_cache;
    next.contacts[at.contacts++] = make_cached_contact(contact, at.points);
    const BodyArrays& bodies = world_.bodies;
    const std::uint32_t body = bodies.is_movable(contact.body_a) ? contact.body_a : contact.body_b;
    const Mat3 R_BW = bodies.orientation[body].toRotationMatrix().transpose();
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch_.contacts.points[p];
      next.points[at.points++] = make_cached_point(point, scratch_.point_approach[p], scratch_.records[p].impulse,
                                                   R_BW * (point.position - bodies.position[body]));
    }
  }

  World& world_;
  SoftScratch& scratch_;
  const SoftManifoldWorkspace& manifolds_;
  const StagingWorkspace& staging_;
  SoftRecordWorkspace& work_;
  const std::vector<Contact>& contacts_;
  ContactTally sum_;  // of the chunks so far
};

}  // namespace

double choose_frequency(const SoftStepOptions& options, double h) { return std::min(options.frequency, 1 / (5 * h)); }

Softness make_softness(double frequency, double damping, double h) {
  const double omega = 2 * std::numbers::pi * frequency;
  const double a1 = 2 * damping + h * omega;
  const double a2 = h * omega * a1;
  const double a3 = 1 / (1 + a2);
  return {static_cast<float>(omega / a1), static_cast<float>(a2 * a3), static_cast<float>(a3)};
}

ContactStaging::ContactStaging(const World& world, const SoftStepOptions& options, double h,
                               const ContactWorkspace& contacts, SoftWorkspace& soft)
    : world_(world),
      options_(options),
      contacts_(contacts),
      bodies_(soft.bodies),
      manifolds_(soft.manifolds),
      layout_(soft.layout),
      work_(soft.staging),
      rolling_(world, h, contacts.colliders, soft.manifolds.radii),
      share_(1.0 / options.substeps) {}

void ContactStaging::resize() const {
  const std::size_t manifolds = manifolds_.manifolds.size(), points = contacts_.contacts.points.size();
  const bool any_twist = !layout_.batches.twists.empty();
  work_.manifolds.reserve(manifolds_.manifolds.capacity() + 1);
  work_.places.reserve(manifolds_.manifolds.capacity() + 1);
  work_.impulses.reserve(manifolds_.manifolds.capacity());
  work_.manifolds.resize(manifolds + 1);
  work_.places.resize(manifolds + 1);
  work_.impulses.resize(manifolds);
  if (any_twist) {
    work_.points.reserve(contacts_.contacts.points.capacity() + 1);
    work_.further_impulses.reserve(contacts_.contacts.points.capacity());
    work_.further_impulses.resize(points);
  }
  work_.points.resize(any_twist ? points + 1 : 1);
  work_.manifolds[0] = {};
  work_.places[0] = {};
  work_.points[0] = {};
}

StagedContacts ContactStaging::staged() const {
  return {layout_.manifold_at.data(), work_.manifolds.data() + 1, work_.places.data() + 1, work_.points.data() + 1};
}

void ContactStaging::stage(std::size_t index) const {
  const SoftManifold& manifold = manifolds_.manifolds[index];
  const Contact& contact = contacts_.contacts.contacts[manifold.contact];
  const ContactLaw& law = find_contact_law(world_, contact, contacts_);
  const ContactPoint& first = contacts_.contacts.points[manifold.first];
  const RollingRadii radii = rolling_.find(contact, first);
  work_.places[index + 1] = {bodies_.slot_of[contact.body_a],
                             bodies_.slot_of[contact.body_b],
                             static_cast<std::int32_t>(manifold.first),
                             manifold.resists_twist() ? manifold.count : 0,
                             static_cast<float>(radii.a),
                             static_cast<float>(radii.b)};
  StagedManifold& to = work_.manifolds[index + 1];
  const Vec3& center_a = world_.bodies.position[contact.body_a];
  store_vector(first.normal, to.normal);
  to.friction = static_cast<float>(law.friction);
  to.restitution = static_cast<float>(law.restitution);
  const WarmFriction warm = stage_points(manifold, contact, center_a + radii.a * first.normal, to);
  store_vector(warm.tangential, to.warm_tangent);
  // Where a manifold resists twist the gap at the centre of friction is added by the kernel.
  const double beyond = radii.a + radii.b + (manifold.resists_twist() ? 0 : first.gap);
  store_vector(center_a - world_.bodies.position[contact.body_b] + beyond * first.normal, to.across);
  if (!manifold.resists_twist()) return;
  work_.points[manifold.first + 1].twist = static_cast<float>(warm.moment);
  work_.points[manifold.first + 1].torsion = static_cast<float>(law.torsional_friction);
}

ContactStaging::WarmFriction ContactStaging::stage_points(const SoftManifold& manifold, const Contact& contact,
                                                          const Vec3& origin, StagedManifold& to) const {
  const auto points = std::span(contacts_.contacts.points).subspan(manifold.first, manifold.count);
  const Vec3& normal = points.front().normal;
  WarmFriction warm;
  for (std::size_t k = 0; k < points.size(); ++k) {
    StagedPoint point;
    store_vector(points[k].position - 0.5 * points[k].gap * normal - origin, point.arm);
    point.gap = static_cast<float>(points[k].gap);
    const CachedPoint* cached =
        options_.warm_start
            ? recall(contact, manifold.contact, static_cast<std::uint32_t>(manifold.first + k - contact.first))
            : nullptr;
    if (cached != nullptr) {
      const Vec3 impulse = share_ * cached->impulse;
      const double along = normal.dot(impulse);
      point.impulse = static_cast<float>(std::max(along, 0.0));
      warm.tangential += impulse - along * normal;
      if (k > 0) warm.moment += normal.dot((points[k].position - points.front().position).cross(impulse));
    }
    if (manifold.resists_twist()) work_.points[manifold.first + k + 1] = point;
    if (k > 0) continue;
    std::copy_n(point.arm, 3, to.arm);
    to.gap = point.gap;
    to.impulse = point.impulse;
  }
  return warm;
}

void ContactStaging::unpack(const BatchRange& range) const {
  return_impulses(layout_.batches, range, layout_.manifold_at.data(), work_.impulses.data());
  for (std::size_t k = range.first; k < range.last; ++k) {
    if (layout_.batches.contacts[k].points > 1) return_further(k);
  }
}

/// Impulses of the points after the first.
void ContactStaging::return_further(std::size_t index) const {
  const ContactBatches& batches = layout_.batches;
  const std::uint32_t first_point = batches.contacts[index].first_point;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::int32_t m = layout_.manifold_at[index * kLanes + lane];
    if (m < 0) continue;
    const SoftManifold& manifold = manifolds_.manifolds[static_cast<std::size_t>(m)];
    for (std::uint32_t k = 1; k < manifold.count; ++k) {
      work_.further_impulses[manifold.first + k] = {batches.points[first_point + k].total[lane],
                                                    batches.approach[first_point + k].speed[lane],
                                                    batches.approach[first_point + k].share[lane]};
    }
  }
}

const CachedPoint* ContactStaging::recall(const Contact& contact, std::uint32_t index, std::uint32_t place) const {
  const ContactPoint& point = contacts_.contacts.points[contact.first + place];
  const std::int32_t match = contacts_.matches[index];
  if (match < 0) return nullptr;
  const CachedContact& cached = world_.memory().contact_cache.contacts[static_cast<std::size_t>(match)];
  // Points of a contact that was reused come in the same order as before.
  if (place < cached.count && world_.memory().contact_cache.points[cached.first + place].feature == point.feature) {
    return &world_.memory().contact_cache.points[cached.first + place];
  }
  for (std::uint32_t i = cached.first; i < cached.first + cached.count; ++i) {
    if (world_.memory().contact_cache.points[i].feature == point.feature)
      return &world_.memory().contact_cache.points[i];
  }
  return find_cached_point(world_.memory().contact_cache, match, point.feature,
                           contact_place(world_.bodies, contact, point.position), options_.speculative_distance);
}

void record_soft_contacts(World& world, SoftScratch& scratch, StepReport& report) {
  SoftRecords(world, scratch).run(report);
}

}  // namespace achilles
