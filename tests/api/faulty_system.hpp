// Makes one call of the system fail, or kills the process there. Calls are counted from arm() on.
#pragma once

#include "support/sanitizers.hpp"

#include <cstdint>

namespace achilles::testing {

enum class Fault {
  kNone,        // calls that write are counted
  kFailOnce,    // that write fails: no space left
  kFailOn,      // and all after it
  kKill,        // the process is killed in place of it
  kTear,        // the process is killed when half of its pages are written
  kNoMemory,    // that allocation fails; allocations are counted
  kCountMemory  // allocations are counted
};

/// Of write, pwrite, ftruncate, fsync and rename, or of operator new; on this thread alone. Under sanitizers,
/// which have functions of their own in these places, nothing fails.
void arm(Fault fault, std::int64_t call);
/// Calls since arm(); nothing fails any more.
std::int64_t disarm();

/// What this thread did since forget_disk(), as a loss of power would see it. All zero under sanitizers.
struct DiskUse {
  std::int64_t syncs = 0;    // calls of fsync
  std::int64_t writes = 0;   // calls of pwrite and ftruncate since the last fsync
  std::int64_t renames = 0;  // since the last fsync
  std::int64_t early = 0;    // renames without an fsync since the last one
};
void forget_disk();
[[nodiscard]] DiskUse disk_use();

}  // namespace achilles::testing
