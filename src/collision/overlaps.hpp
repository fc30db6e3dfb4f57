// How deep placed geometries overlap, followed from look to look: what has not moved is not measured anew.
#pragma once

#include "collision/detect.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// How deep a pose interpenetrates: the deepest pair and how deep, 0 when nothing overlaps. Independent of contacts.
struct MeasuredPenetration {
  double depth = 0;  // [m]
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
};

/// The pairs that overlap, as of the last look.
class Overlaps {
 public:
  struct Overlap {
    ColliderPair pair;
    double depth = 0;  // [m] not 0
  };

  /// Updates from the colliders, of which `moved` (ascending) are not as they were at the last update; the others'
  /// geometries must be the same objects. Where the number of colliders or what is ignored (sorted) has changed, all
  /// count as moved. The result is that of looking at all anew. `scratch` helps where many have moved. Where few have
  /// the cost is theirs, but for one byte per collider and one look at every pair that overlaps. Throws
  /// std::invalid_argument when a pose is not finite; the next look then begins anew.
  [[nodiscard]] MeasuredPenetration measure(std::span<const Collider> colliders, std::span<const std::uint32_t> moved,
                                            std::span<const IgnoredPair> ignored, int threads,
                                            DetectWorkspace& scratch);

  /// Sorted by pair; a pair of bodies is there once for every two colliders of theirs that overlap.
  [[nodiscard]] std::span<const Overlap> list() const { return overlaps_; }

 private:
  [[nodiscard]] bool are_few(std::span<const Collider> colliders, std::span<const std::uint32_t> moved) const;
  void find_pairs_of_few(std::span<const Collider> colliders, std::span<const std::uint32_t> moved);
  void update_tree(std::span<const Collider> colliders, std::span<const std::uint32_t> moved);
  void find_pairs_of_many(std::span<const Collider> colliders, bool all, DetectWorkspace::Impl& scratch);
  void measure_pairs(std::span<const Collider> colliders, BlockRunner& runner);
  void merge_overlaps();

  std::vector<Overlap> overlaps_;  // sorted by pair
  MeasuredPenetration deepest_;    // of them
  bool is_known_ = false;          // whether overlaps_ is current
  std::vector<IgnoredPair> ignored_;
  std::vector<std::uint8_t> is_moved_;    // per collider
  AabbTree tree_;                         // of what is bounded
  std::vector<std::uint32_t> unbounded_;  // the others
  bool tree_stands_ = false;              // for the last look

  // Scratch.
  std::vector<ColliderPair> pairs_;  // that may overlap, one of them moved
  std::vector<double> depths_;       // of those
  std::vector<Overlap> next_;
  std::vector<std::vector<ContactPoint>> points_;  // per thread
  std::vector<std::uint32_t> build_ids_;
  std::vector<BoxF> build_boxes_;
};

}  // namespace achilles
