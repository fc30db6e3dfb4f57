// Random legal scenes: plausible structures with everything that the scene format has.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace achilles::program::soak {

struct GeneratedScene {
  std::string family;  // "stack", "chain", ...
  nlohmann::ordered_json scene;
};

/// Scene `index` of a seed: depends on these two numbers alone. It names no method. Mesh files are those of
/// write_meshes.
[[nodiscard]] GeneratedScene generate_scene(std::uint64_t seed, std::uint64_t index);

}  // namespace achilles::program::soak
