#include "world/penetration_meter.hpp"

#include "world/colliders.hpp"

#include <bit>

namespace achilles {
namespace {

constexpr std::size_t kPieceBlock = 256;

/// Without a branch per number, so that the compiler takes several at once.
template <std::size_t N>
bool same_bits(const double* a, const double* b) {
  std::uint64_t difference = 0;
  for (std::size_t k = 0; k < N; ++k) {
    difference |= std::bit_cast<std::uint64_t>(a[k]) ^ std::bit_cast<std::uint64_t>(b[k]);
  }
  return difference == 0;
}

bool same_bits(const Vec3& a, const Vec3& b) { return same_bits<3>(a.data(), b.data()); }
bool same_bits(const Quat& a, const Quat& b) { return same_bits<4>(a.coeffs().data(), b.coeffs().data()); }
bool same_bits(const Transform& a, const Transform& b) {
  return same_bits<9>(a.R.data(), b.R.data()) && same_bits(a.p, b.p);
}

}  // namespace

bool PenetrationMeter::is_as_seen(const World& world, std::size_t index) const {
  const WorldPiece& piece = world.pieces[index];
  const Seen& seen = seen_[index];
  const Collider& collider = colliders_[index];
  return same_bits(world.bodies.position[piece.body], seen.position) &&
         same_bits(world.bodies.orientation[piece.body], seen.orientation) && piece.geometry == seen.geometry &&
         same_bits(piece.X_CG, seen.X_CG) && piece.body == collider.body &&
         world.bodies.is_movable(piece.body) == collider.movable && world.bodies.filter[piece.body] == collider.filter;
}

void PenetrationMeter::remember(const World& world, std::size_t index) {
  const WorldPiece& piece = world.pieces[index];
  Seen& seen = seen_[index];
  // Copies of a shared pointer on several threads would contend for its reference count.
  if (seen.geometry != piece.geometry) seen.geometry = piece.geometry;
  seen.X_CG = piece.X_CG;
  seen.position = world.bodies.position[piece.body];
  seen.orientation = world.bodies.orientation[piece.body];
  colliders_[index] = place_collider(world, index, 0);
}

void PenetrationMeter::follow(const World& world, BlockRunner& runner) {
  const std::size_t known = seen_.size();
  seen_.resize(world.pieces.size());
  colliders_.resize(world.pieces.size());
  is_moved_.resize(world.pieces.size());
  runner.run(world.pieces.size(), kPieceBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      is_moved_[i] = i < known && is_as_seen(world, i) ? 0 : 1;
      if (is_moved_[i] != 0) remember(world, i);
    }
  });
  moved_.clear();
  for (std::uint32_t i = 0; i < is_moved_.size(); ++i) {
    if (is_moved_[i] != 0) moved_.push_back(i);
  }
}

MeasuredPenetration PenetrationMeter::measure(const World& world, BlockRunner& runner, DetectWorkspace& scratch) {
  follow(world, runner);
  list_ignored_pairs(world, ignored_);
  return overlaps_.measure(colliders_, moved_, ignored_, runner.threads(), scratch);
}

}  // namespace achilles
