// Scenes written in a test, and what the reader says about them.
#pragma once

#include <achilles/scene.hpp>

#include <string>
#include <vector>

namespace achilles {

/// A scene of the head, two boxes above each other and what is added.
[[nodiscard]] std::string with_two_boxes(const std::string& more = {});
/// A scene of one ball with further keys, indented by the caller's line breaks not at all: "mass: 2\nspin: [0, 0, 1]".
[[nodiscard]] std::string with_ball(const std::string& keys, const std::string& more = {});
/// The ball of such a scene once read.
[[nodiscard]] BodyDescription read_ball(const std::string& keys);

/// Everything wrong with a scene; empty when it can be used.
[[nodiscard]] std::vector<Diagnostic> errors_of(const std::string& text, const std::vector<Override>& overrides = {});
/// The only error of a scene, as the user sees it; says how many there were when it is not one.
[[nodiscard]] std::string error_of(const std::string& text, const std::vector<Override>& overrides = {});
/// The texts of all warnings.
[[nodiscard]] std::vector<std::string> warnings_of(const std::string& text);

}  // namespace achilles
