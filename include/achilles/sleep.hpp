// Bodies that sleep, or are about to: options of methods decide which do.
#pragma once

#include <achilles/world.hpp>

namespace achilles {

/// Whether a body passed the tests of rest in the last step, or sleeps: where none did, waking changes nothing.
[[nodiscard]] bool has_calm_bodies(const World& world);

}  // namespace achilles
