// A scene that a program built, as text in the scene format.
#pragma once

#include <achilles/scene.hpp>

namespace achilles {

/// JSON, so YAML, that describes the same scene; reading it again gives it up to the rounding of directions and
/// quaternions that are made unit. Meshes without a file come as files of their own, which are added to Scene::files.
/// Throws std::invalid_argument where the format has no words for something.
[[nodiscard]] std::string write_scene_text(Scene& scene);

}  // namespace achilles
