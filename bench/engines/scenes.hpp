// The scenes of the benchmark.
#pragma once

#include <achilles/scene.hpp>

namespace achilles::bench {

/// A flat pyramid of unit boxes, `base` in its lowest row, 1.1 m apart.
[[nodiscard]] Scene make_pyramid(int base);

/// A pit 10 × 10 m wide into which balls and boxes of about 1 m fall, half and half.
[[nodiscard]] Scene make_pit(int bodies);

}  // namespace achilles::bench
