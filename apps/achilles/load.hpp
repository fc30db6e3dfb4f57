// Loading a scene with the options of the command line.
#pragma once

#include "commands.hpp"

#include <achilles/scene.hpp>

#include <vector>

namespace achilles::program {

/// `PATH=VALUE`, as --set takes it. Throws BadInput.
[[nodiscard]] std::vector<Override> parse_sets(const SceneArguments& arguments);

/// The scene with --method and every --set applied. Throws SceneError.
[[nodiscard]] Scene load(const SceneArguments& arguments);

/// Prints the scene's warnings to stderr.
void print_warnings(const Scene& scene);

}  // namespace achilles::program
