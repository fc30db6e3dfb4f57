#include "methods/shock_propagation/records.hpp"

#include "math/refill.hpp"
#include "methods/shock_propagation/correction.hpp"
#include "methods/shock_propagation/manifolds.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/contact_stage.hpp"
#include "world/contact_memory.hpp"

#include <bit>
#include <utility>

namespace achilles {
namespace {

class Records {
 public:
  Records(World& world, double touching, ShockWorkspace& work)
      : world_(world), touching_(touching), work_(work), recording_(work.recording) {
    work.records.resize(work.contacts.points.size());
    refill(work.positions.depth, work.partition.blocks.size(), Depth::kWithinSlop);
    recording_.touched.resize(BlockRunner::count_blocks(work.contacts.contacts.size(), TouchedContacts::kCount));
    // Threads share bodies, and bodies the lines of a cache: every thread has marks of its own.
    recording_.marks.resize(static_cast<std::size_t>(work.runner.threads()));
    for (ThreadMarks& marks : recording_.marks) {
      refill(marks.pushed, world.bodies.size(), std::uint8_t{0});
      refill(marks.touched, recording_.touched.size(), std::uint16_t{0});
      marks.kept = 0;
    }
  }

  /// Which contacts of a part touched, and which bodies were pushed.
  void mark(BlockPart& part) {
    ThreadMarks& marks = recording_.marks[BlockRunner::thread_index() % recording_.marks.size()];
    std::uint32_t points = 0, kept = 0;
    for (const ContactManifold& manifold : manifolds_of(part, work_)) {
      bool pushes = false, near = false;
      for (int i = 0; i < manifold.count; ++i) {
        pushes = pushes || manifold.normal[i] != 0 || manifold.slip1[i] != 0 || manifold.slip2[i] != 0;
        near = near || manifold.gap[i] <= touching_;
      }
      if (pushes) marks.pushed[manifold.body_a] = marks.pushed[manifold.body_b] = 1;
      std::uint16_t& bits = marks.touched[manifold.contact / TouchedContacts::kCount];
      const auto bit = static_cast<std::uint16_t>(1U << manifold.contact % TouchedContacts::kCount);
      if (!(pushes || near) || (bits & bit) != 0) continue;  // noted with another manifold of the contact
      bits |= bit;
      points += work_.contacts.contacts[manifold.contact].count;
      kept += work_.matches[manifold.contact] >= 0 ? 1 : 0;
    }
    part.first_cached = points;
    marks.kept += kept;
  }

  /// Where the contacts that touched come to lie in the next memory: they in their order, their points part by part.
  void find_places() {
    sum_ = {};
    for (std::size_t row = 0; row < recording_.touched.size(); ++row) {
      TouchedContacts& touched = recording_.touched[row] = {0, sum_.contacts};
      for (const ThreadMarks& marks : recording_.marks) touched.bits |= marks.touched[row];
      sum_.contacts += static_cast<std::uint32_t>(std::popcount(touched.bits));
    }
    for (BlockPart& part : work_.partition.parts) sum_.points += std::exchange(part.first_cached, sum_.points);
    for (const ThreadMarks& marks : recording_.marks) sum_.kept += marks.kept;
    work_.next_cache.contacts.resize(sum_.contacts);
    work_.next_cache.points.resize(sum_.points);
  }

  /// Impulses of a part as records of their points, and what is remembered of them.
  void write(const BlockPart& part) {
    std::uint32_t cached = part.first_cached;
    for (const ContactManifold& manifold : manifolds_of(part, work_)) {
      const Contact& contact = work_.contacts.contacts[manifold.contact];
      const TouchedContacts& row = recording_.touched[manifold.contact / TouchedContacts::kCount];
      const bool touched = row.holds(manifold.contact);
      if (touched && manifold.first == contact.first) {
        work_.next_cache.contacts[row.place_of(manifold.contact)] = make_cached_contact(contact, cached);
      }
      for (std::uint32_t i = 0; i < manifold.count; ++i) {
        const ContactPoint& point = work_.contacts.points[manifold.first + i];
        const Vec3 impulse =
            manifold.normal[i] * manifold.n + manifold.slip1[i] * manifold.t1 + manifold.slip2[i] * manifold.t2;
        work_.records[manifold.record + i] = make_contact_record(manifold.body_a, manifold.body_b, point, impulse);
        if (!touched) continue;
        work_.next_cache.points[cached++] =
            make_cached_point(point, 0, impulse, contact_place(world_.bodies, contact, point.position));
      }
    }
  }

  [[nodiscard]] const ContactTally& sum() const { return sum_; }

 private:
  const World& world_;
  double touching_;
  ShockWorkspace& work_;
  RecordWorkspace& recording_;
  ContactTally sum_;
};

}  // namespace

void conclude_sweeps(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work,
                     StepReport& report) {
  Records records(world, options.slop, work);
  std::vector<BlockPart>& parts = work.partition.parts;
  const StageSize stages[] = {{parts.size(), 1}, {1, 1}, {parts.size(), 1}};
  work.runner.run_stages(stages, [&](std::size_t stage, std::size_t k, std::size_t) {
    if (stage == 0) {
      records.mark(parts[k]);
    } else if (stage == 1) {
      records.find_places();
    } else {
      records.write(parts[k]);
      set_correction_targets(world, options, h, parts[k], work);
    }
  });
  conclude_memory(world, records.sum(), work, report);
}

}  // namespace achilles
