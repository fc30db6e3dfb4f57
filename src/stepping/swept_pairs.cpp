#include "stepping/swept_pairs.hpp"

#include "math/refill.hpp"

namespace achilles {

void SweptPairs::begin(const World& world) {
  const std::size_t n = world.bodies.size();
  refill(first_pair, n, -1);
  refill(first_collider, n + 1, 0U);
  for (const WorldPiece& piece : world.pieces) ++first_collider[piece.body + 1];
  for (std::size_t i = 0; i < n; ++i) first_collider[i + 1] += first_collider[i];
  body_of.clear();
  for (const WorldPiece& piece : world.pieces) body_of.push_back(piece.body);
  proxies.resize(world.pieces.size());
  pairs.clear();
}

void SweptPairs::add(const ColliderPair& pair) {
  const auto index = static_cast<std::int32_t>(pairs.size());
  SweptPair one;
  one.pair = pair;
  const std::array<std::uint32_t, 2> two{body_of[pair.a], body_of[pair.b]};
  for (std::size_t k = 0; k < 2; ++k) {
    one.next[k] = first_pair[two[k]];
    first_pair[two[k]] = index;
  }
  pairs.push_back(one);
}

void SweptPairs::find_all(std::span<const IgnoredPair> ignored, BlockRunner& runner) {
  find_pairs(proxies, ignored, TreeOptions{}, runner, broad_phase, found);
  for (const ColliderPair& pair : found) add(pair);
}

void SweptPairs::find_more(std::uint32_t collider, std::span<const IgnoredPair> ignored) {
  for (std::uint32_t other = 0; other < proxies.size(); ++other) {
    if (!boxes_intersect(proxies[collider], proxies[other]) ||
        !may_collide(proxies[collider], proxies[other], ignored)) {
      continue;
    }
    const ColliderPair pair{std::min(collider, other), std::max(collider, other)};
    bool known = false;
    for_each_of(body_of[collider],
                [&](std::int32_t k) { known = known || pairs[static_cast<std::size_t>(k)].pair == pair; });
    if (!known) add(pair);
  }
}

}  // namespace achilles
