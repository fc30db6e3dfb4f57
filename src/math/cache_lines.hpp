// Lines of the cache that pass from core to core.
//
// A core must own a line to write to it. A line that another core wrote comes with the first store, and many such
// stores in a row are on their way at once: 1 ns a line from a core nearby, 3 from afar. A line that another core has
// only read, or that this one has read since the other wrote, must be asked for, and stores wait for that one after the
// other: 7 ns and 28 (AMD Zen, measured). So:
//
//   what one core writes in every step and another reads, the other should own when it has read it
//   what is about to be written or read and written, here and there, is better owned in a row before
#pragma once

#include <atomic>

namespace achilles {

/// Makes the line that a value lies in this core's: writes to it what it holds, together with reading it. Nobody else
/// may write to the value meanwhile.
template <class T>
void take_line(T& value) {
  std::atomic_ref(value).store(value, std::memory_order_relaxed);
}

}  // namespace achilles
