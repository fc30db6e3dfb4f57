#include "time_control/shock/records.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/shock/correction.hpp"
#include "time_control/shock/patches.hpp"
#include "world/contact_memory.hpp"

namespace achilles {
namespace {

class Records {
 public:
  Records(World& world, double touching, StepWorkspace& scratch)
      : world_(world), touching_(touching), scratch_(scratch), shock_(*scratch.shock) {
    scratch.records.resize(scratch.contacts.points.size());
    refill(shock_.block_value, shock_.domains.blocks.size(), 0.0);
    refill(shock_.touched, shock_.domains.keys.size(), std::uint8_t{0});
    // Threads share bodies, and bodies the lines of a cache: every thread has marks of its own.
    shock_.pushed.resize(static_cast<std::size_t>(scratch.runner.threads()));
    for (std::vector<std::uint8_t>& marks : shock_.pushed) refill(marks, world.bodies.size(), std::uint8_t{0});
  }

  /// Which contacts of a piece touched, and which bodies were pushed.
  void mark(const PatchPiece& piece) {
    std::vector<std::uint8_t>& pushed = shock_.pushed[BlockRunner::thread_index() % shock_.pushed.size()];
    for_each_patch(piece, [&](const Patch& patch, std::uint32_t key) {
      bool pushes = false, near = false;
      for (int i = 0; i < patch.count; ++i) {
        pushes = pushes || patch.normal[i] != 0 || patch.slip1[i] != 0 || patch.slip2[i] != 0;
        near = near || patch.gap[i] <= touching_;
      }
      if (pushes || near) shock_.touched[key] = 1;
      if (pushes) pushed[patch.body_a] = pushed[patch.body_b] = 1;
    });
  }

  /// Where the contacts that touched come to lie in the next memory: in the order of the contacts.
  void find_places() {
    const std::vector<Contact>& contacts = scratch_.contacts.contacts;
    shock_.places.resize(contacts.size());
    for (std::uint32_t key = 0; key < shock_.domains.keys.size(); ++key) {
      shock_.places[contact_at(key)].contacts = shock_.touched[key];
    }
    sum_ = {};
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      if (shock_.places[k].contacts == 0) continue;
      shock_.places[k] = sum_;
      ++sum_.contacts;
      sum_.points += contacts[k].count;
      if (scratch_.matches[k] >= 0) ++sum_.kept;
    }
    scratch_.next_cache.contacts.resize(sum_.contacts);
    scratch_.next_cache.points.resize(sum_.points);
  }

  /// Impulses of a piece as records of their points, and what is remembered of them.
  void write(const PatchPiece& piece) {
    for_each_patch(piece, [&](const Patch& patch, std::uint32_t key) {
      const Contact& contact = scratch_.contacts.contacts[patch.contact];
      const bool touched = shock_.touched[key] != 0;
      const SoftTally at = shock_.places[patch.contact];
      if (touched) {
        scratch_.next_cache.contacts[at.contacts] = {contact.collider_a, contact.collider_b, at.points, contact.count};
      }
      for (int i = 0; i < patch.count; ++i) {
        const std::uint32_t p = patch.first + static_cast<std::uint32_t>(i);
        const ContactPoint& point = scratch_.contacts.points[p];
        const Vec3 impulse = patch.normal[i] * patch.n + patch.slip1[i] * patch.t1 + patch.slip2[i] * patch.t2;
        scratch_.records[p] = {patch.body_a, patch.body_b, point.position, point.normal, point.gap, impulse};
        if (!touched) continue;
        scratch_.next_cache.points[at.points + p - contact.first] = {
            point.feature, 0, impulse, contact_place(world_.bodies, contact, point.position)};
      }
    });
  }

  [[nodiscard]] const SoftTally& sum() const { return sum_; }

 private:
  [[nodiscard]] std::uint32_t contact_at(std::uint32_t key) const {
    return static_cast<std::uint32_t>(shock_.domains.keys[key]);
  }

  /// Calls visit(patch, key) for the patches of a piece with the place of their contact among the keys.
  template <class Visit>
  void for_each_patch(const PatchPiece& piece, const Visit& visit) const {
    std::uint32_t key = piece.first_key;
    for (const Patch& patch : patches_of(piece, shock_)) {
      while (contact_at(key) != patch.contact) ++key;
      visit(patch, key);
    }
  }

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
  const std::vector<PatchPiece>& pieces = scratch.shock->domains.pieces;
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
