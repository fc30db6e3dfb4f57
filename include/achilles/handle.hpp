// Names of bodies and joints that stay valid while others are added and removed.
#pragma once

#include <cstdint>

namespace achilles {

/// Names a body for as long as it lives; a handle to a removed body is recognized, also when its place was taken again.
/// A handle made by default names none.
struct BodyHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  bool operator==(const BodyHandle&) const = default;
};

/// Names a joint for as long as it lives; no joint of the World ever has that of a removed one. A handle made by
/// default names none.
struct JointHandle {
  std::uint32_t id = 0;
  bool operator==(const JointHandle&) const = default;
};

}  // namespace achilles
