// How many contacts and joints lie between a body and others. Where bodies that sank are moved out of each other, what
// a body is moved by adds up along such a chain: the top of a stack rises by the depths of all contacts below it.
#pragma once

#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace achilles {

class ContactChains {
 public:
  /// `pairs` of bodies that touch or hang on each other. Linear in both.
  void find(const World& world, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs);

  /// Per body: links on the shortest chain from what cannot move; 1 where there is none.
  [[nodiscard]] std::span<const std::uint32_t> layers() const { return layers_; }
  /// At least half the links of the longest of the shortest chains through the movable bodies that a body is connected
  /// with, its layer where that is more, and 1: what pushes all of them apart by d at every link moves none of them
  /// farther than that many times d from their middle, or from what cannot move.
  [[nodiscard]] std::uint32_t reach(std::uint32_t body) const;

 private:
  /// Links from the bodies in queue_ to all that can be reached through movable bodies; the last one reached is the
  /// last in queue_.
  void spread(const World& world, std::vector<std::uint32_t>& links);

  std::vector<std::uint32_t> first_, neighbors_;  // per body: neighbors_[first_[k] .. first_[k + 1])
  std::vector<std::uint32_t> layers_, spans_;     // per body
  std::vector<std::uint32_t> queue_, scratch_;
};

}  // namespace achilles
