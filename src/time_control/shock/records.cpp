#include "time_control/shock/records.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/shock/correction.hpp"
#include "time_control/shock/patches.hpp"
#include "world/contact_memory.hpp"

#include <bit>
#include <utility>

namespace achilles {
namespace {

class Records {
 public:
  Records(World& world, double touching, StepWorkspace& scratch)
      : world_(world), touching_(touching), scratch_(scratch), shock_(*scratch.shock) {
    scratch.records.resize(scratch.contacts.points.size());
    refill(shock_.block_value, shock_.domains.blocks.size(), 0.0);
    shock_.touched.resize(BlockRunner::count_blocks(scratch.contacts.contacts.size(), TouchedContacts::kCount));
    // Threads share bodies, and bodies the lines of a cache: every thread has marks of its own.
    shock_.marks.resize(static_cast<std::size_t>(scratch.runner.threads()));
    for (ThreadMarks& marks : shock_.marks) {
      refill(marks.pushed, world.bodies.size(), std::uint8_t{0});
      refill(marks.touched, shock_.touched.size(), std::uint16_t{0});
      marks.kept = 0;
    }
  }

  /// Which contacts of a piece touched, and which bodies were pushed.
  void mark(PatchPiece& piece) {
    ThreadMarks& marks = shock_.marks[BlockRunner::thread_index() % shock_.marks.size()];
    std::uint32_t points = 0, kept = 0;
    for (const Patch& patch : patches_of(piece, shock_)) {
      bool pushes = false, near = false;
      for (int i = 0; i < patch.count; ++i) {
        pushes = pushes || patch.normal[i] != 0 || patch.slip1[i] != 0 || patch.slip2[i] != 0;
        near = near || patch.gap[i] <= touching_;
      }
      if (pushes) marks.pushed[patch.body_a] = marks.pushed[patch.body_b] = 1;
      std::uint16_t& bits = marks.touched[patch.contact / TouchedContacts::kCount];
      const auto bit = static_cast<std::uint16_t>(1U << patch.contact % TouchedContacts::kCount);
      if (!(pushes || near) || (bits & bit) != 0) continue;  // its other patches may have told already
      bits |= bit;
      points += scratch_.contacts.contacts[patch.contact].count;
      kept += scratch_.matches[patch.contact] >= 0 ? 1 : 0;
    }
    piece.first_cached = points;
    marks.kept += kept;
  }

  /// Where the contacts that touched come to lie in the next memory: they in their order, their points piece by piece.
  void find_places() {
    sum_ = {};
    for (std::size_t row = 0; row < shock_.touched.size(); ++row) {
      TouchedContacts& touched = shock_.touched[row] = {0, sum_.contacts};
      for (const ThreadMarks& marks : shock_.marks) touched.bits |= marks.touched[row];
      sum_.contacts += static_cast<std::uint32_t>(std::popcount(touched.bits));
    }
    for (PatchPiece& piece : shock_.domains.pieces) sum_.points += std::exchange(piece.first_cached, sum_.points);
    for (const ThreadMarks& marks : shock_.marks) sum_.kept += marks.kept;
    scratch_.next_cache.contacts.resize(sum_.contacts);
    scratch_.next_cache.points.resize(sum_.points);
  }

  /// Impulses of a piece as records of their points, and what is remembered of them.
  void write(const PatchPiece& piece) {
    std::uint32_t cached = piece.first_cached;
    for (const Patch& patch : patches_of(piece, shock_)) {
      const Contact& contact = scratch_.contacts.contacts[patch.contact];
      const TouchedContacts& row = shock_.touched[patch.contact / TouchedContacts::kCount];
      const bool touched = row.holds(patch.contact);
      if (touched && patch.first == contact.first) {
        scratch_.next_cache.contacts[row.place_of(patch.contact)] = {contact.collider_a, contact.collider_b, cached,
                                                                     contact.count};
      }
      for (std::uint32_t i = 0; i < patch.count; ++i) {
        const ContactPoint& point = scratch_.contacts.points[patch.first + i];
        const Vec3 impulse = patch.normal[i] * patch.n + patch.slip1[i] * patch.t1 + patch.slip2[i] * patch.t2;
        scratch_.records[patch.record + i] = {patch.body_a, patch.body_b, point.position,
                                              point.normal, point.gap,    impulse};
        if (!touched) continue;
        scratch_.next_cache.points[cached++] = {point.feature, 0, impulse,
                                                contact_place(world_.bodies, contact, point.position)};
      }
    }
  }

  [[nodiscard]] const SoftTally& sum() const { return sum_; }

 private:
  const World& world_;
  double touching_;
  StepWorkspace& scratch_;
  ShockWorkspace& shock_;
  SoftTally sum_;
};

}  // namespace

void conclude_sweeps(World& world, const ShockPropagationOptions& options, double h, StepWorkspace& scratch,
                     StepReport& report) {
  Records records(world, options.slop, scratch);
  std::vector<PatchPiece>& pieces = scratch.shock->domains.pieces;
  const StageSize stages[] = {{pieces.size(), 1}, {1, 1}, {pieces.size(), 1}};
  scratch.runner.run_stages(stages, [&](std::size_t stage, std::size_t k, std::size_t) {
    if (stage == 0) {
      records.mark(pieces[k]);
    } else if (stage == 1) {
      records.find_places();
    } else {
      records.write(pieces[k]);
      aim_correction(world, options, h, pieces[k], scratch);
    }
  });
  conclude_memory(world, records.sum(), scratch, report);
}

}  // namespace achilles
