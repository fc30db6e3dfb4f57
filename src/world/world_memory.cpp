#include "world/world_memory.hpp"

#include <utility>

namespace achilles {

WorldMemoryOwner::WorldMemoryOwner() : held_(std::make_unique<WorldMemory>()) {}

WorldMemoryOwner::WorldMemoryOwner(const WorldMemoryOwner& other)
    : held_(other.held_ ? std::make_unique<WorldMemory>(*other.held_) : std::make_unique<WorldMemory>()) {}

WorldMemoryOwner::WorldMemoryOwner(WorldMemoryOwner&& other) noexcept : held_(std::move(other.held_)) {
  if (held_) held_->sleep_log.reader = nullptr;  // it follows the World that it knows
}

WorldMemoryOwner& WorldMemoryOwner::operator=(const WorldMemoryOwner& other) {
  if (this == &other) return *this;
  if (!held_ || !other.held_) return *this = WorldMemoryOwner(other);
  *held_ = *other.held_;
  return *this;
}

WorldMemoryOwner& WorldMemoryOwner::operator=(WorldMemoryOwner&& other) noexcept {
  std::swap(held_, other.held_);
  for (WorldMemoryOwner* owner : {this, &other}) {
    if (owner->held_) owner->held_->sleep_log.reader = nullptr;
  }
  return *this;
}

WorldMemoryOwner::~WorldMemoryOwner() = default;

}  // namespace achilles
