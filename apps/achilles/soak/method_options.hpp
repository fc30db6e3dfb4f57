// Random legal settings of a method: solver, impact law, options.
#pragma once

#include "methods/method_spec.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace achilles::program::soak {

/// What stands under `method:` besides the name; empty for three runs of four. Depends on the numbers of the scene and
/// on the method alone. At most one option: a word or truth value that is not the default, or a number of half to twice
/// its default; beside it a solver and an impact law of the method.
[[nodiscard]] nlohmann::ordered_json draw_method_options(std::uint64_t seed, std::uint64_t index,
                                                         const MethodSpec& method);

}  // namespace achilles::program::soak
