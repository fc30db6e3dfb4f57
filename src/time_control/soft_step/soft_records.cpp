#include "time_control/soft_step/soft_records.hpp"

#include "time_control/contact_stage.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace achilles {
namespace {

constexpr std::size_t kContactBlock = 64;
constexpr std::size_t kChunk = 2048;  // contacts: what is recorded of as many stays in the second-level cache of a core

class SoftRecords {
 public:
  SoftRecords(World& world, StepWorkspace& scratch)
      : world_(world), scratch_(scratch), soft_(scratch.soft), contacts_(scratch.contacts.contacts) {}

  void run(StepReport& report) {
    const std::size_t points = scratch_.contacts.points.size();
    scratch_.records.resize(points);
    scratch_.point_approach.resize(points);
    soft_.touched.resize(contacts_.size());
    soft_.tallies.resize(BlockRunner::count_blocks(contacts_.size(), kContactBlock));
    // Room for all: that more of them touch than ever must not cost memory.
    scratch_.next_cache.contacts.reserve(contacts_.capacity());
    scratch_.next_cache.points.reserve(scratch_.contacts.points.capacity());
    list_stages();
    scratch_.runner.run_stages(soft_.stage_sizes, [&](std::size_t stage, std::size_t first, std::size_t last) {
      const std::size_t begin = stage / 3 * kChunk;
      if (stage % 3 == 0) {
        record(begin + first, begin + last);
      } else if (stage % 3 == 1) {
        place(begin, std::min(begin + kChunk, contacts_.size()));
      } else {
        remember(begin + first, begin + last);
      }
    });
    conclude(report);
  }

 private:
  /// Chunk after chunk, blocks of contacts are recorded, told where they belong in the memory, and remembered while
  /// they are in the cache.
  void list_stages() {
    soft_.stage_sizes.clear();
    soft_.stage_sizes.reserve(3 * BlockRunner::count_blocks(contacts_.capacity(), kChunk));
    for (std::size_t first = 0; first < contacts_.size(); first += kChunk) {
      const StageSize blocks{std::min(kChunk, contacts_.size() - first), kContactBlock};
      for (const StageSize& stage : {blocks, StageSize{1, 1}, blocks}) soft_.stage_sizes.push_back(stage);
    }
  }

  void record(std::size_t first, std::size_t last) {
    SoftTally& tally = soft_.tallies[first / kContactBlock] = {};
    for (std::size_t k = first; k < last; ++k) record(k, tally);
  }

  /// From what the blocks have to where they begin.
  void place(std::size_t first, std::size_t last) {
    for (std::size_t block = first / kContactBlock; block * kContactBlock < last; ++block) {
      const SoftTally own = std::exchange(soft_.tallies[block], sum_);
      sum_.contacts += own.contacts;
      sum_.points += own.points;
      sum_.kept += own.kept;
    }
    ContactCache& next = scratch_.next_cache;
    if (next.contacts.size() < sum_.contacts) next.contacts.resize(sum_.contacts);
    if (next.points.size() < sum_.points) next.points.resize(sum_.points);
  }

  void remember(std::size_t first, std::size_t last) {
    SoftTally at = soft_.tallies[first / kContactBlock];
    for (std::size_t k = first; k < last; ++k) {
      if (soft_.touched[k] != 0) remember_contact(contacts_[k], at);
    }
  }

  void record(std::size_t index, SoftTally& tally) {
    const Contact& contact = contacts_[index];
    bool touched = false;
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch_.contacts.points[p];
      scratch_.records[p] = {contact.body_a, contact.body_b, point.position, point.normal, point.gap, Vec3::Zero()};
      scratch_.point_approach[p] = 0;
      touched = touched || point.gap <= 0;
    }
    for (std::uint32_t m = soft_.first_manifold[index]; m < soft_.first_manifold[index + 1]; ++m) take_impulses(m);
    for (std::uint32_t p = contact.first; p < contact.first + contact.count && !touched; ++p) {
      touched = !scratch_.records[p].impulse.isZero(0);
    }
    soft_.touched[index] = touched ? 1 : 0;
    if (!touched) return;
    ++tally.contacts;
    tally.points += contact.count;
    if (scratch_.matches[index] >= 0) ++tally.kept;
  }

  void take_impulses(std::uint32_t m) {
    const SoftManifold& manifold = soft_.manifolds[m];
    const SoftImpulse& from = soft_.impulses[m];
    const auto records = std::span(scratch_.records).subspan(manifold.first, manifold.count);
    Vec3 tangential = Vec3::Zero();
    for (int k = 0; k < 3; ++k) tangential[k] = static_cast<double>(from.tangent[k]);
    // Friction acts at the centre of the patch; its points share it so that force and moment about the normal are
    // right.
    Vec3 center = Vec3::Zero();
    for (const ContactRecord& record : records) center += record.position;
    center /= manifold.count;
    double spread = 0;
    for (const ContactRecord& record : records) spread += (record.position - center).squaredNorm();
    const double twist = spread > 0 ? static_cast<double>(from.twist) / spread : 0;
    for (std::uint32_t k = 0; k < manifold.count; ++k) {
      ContactRecord& record = records[k];
      const PointImpulse& point = k == 0 ? from.first : soft_.further[manifold.first + k];
      record.impulse = static_cast<double>(point.normal) * record.normal + tangential / manifold.count +
                       twist * record.normal.cross(record.position - center);
      scratch_.point_approach[manifold.first + k] = -static_cast<double>(point.approach);
    }
  }

  void conclude(StepReport& report) {
    scratch_.next_cache.contacts.resize(sum_.contacts);
    scratch_.next_cache.points.resize(sum_.points);
    report.new_contacts += static_cast<int>(sum_.contacts - sum_.kept);
    report.lost_contacts = static_cast<int>(world_.contact_cache.contacts.size()) - static_cast<int>(sum_.kept);
    report.contacts = static_cast<int>(scratch_.contacts.points.size());
    report.groups = static_cast<int>(scratch_.groups.size());
    exchange_caches(world_, scratch_);
  }

  void remember_contact(const Contact& contact, SoftTally& at) {
    ContactCache& next = scratch_.next_cache;
    next.contacts[at.contacts++] = {contact.collider_a, contact.collider_b, at.points, contact.count};
    const BodyArrays& bodies = world_.bodies;
    const std::uint32_t body = bodies.is_movable(contact.body_a) ? contact.body_a : contact.body_b;
    const Mat3 R_BW = bodies.orientation[body].toRotationMatrix().transpose();
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch_.contacts.points[p];
      const Vec3& impulse = scratch_.records[p].impulse;
      next.points[at.points++] = {point.feature, impulse.isZero(0) ? 0 : scratch_.point_approach[p], impulse,
                                  R_BW * (point.position - bodies.position[body])};
    }
  }

  World& world_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  const std::vector<Contact>& contacts_;
  SoftTally sum_;  // of the chunks so far
};

}  // namespace

void record_soft_contacts(World& world, StepWorkspace& scratch, StepReport& report) {
  SoftRecords(world, scratch).run(report);
}

}  // namespace achilles
