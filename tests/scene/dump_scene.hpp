// Every value of a scene as text, numbers to the bit, so that two scenes are the same where their dumps are.
#pragma once

#include <achilles/scene.hpp>

#include <string>

namespace achilles {

/// One line per value. Leaves out where the scene was read from, its text and its warnings.
[[nodiscard]] std::string dump_scene(const Scene& scene);

/// The first line in which two dumps differ, with its number; empty when they are equal.
[[nodiscard]] std::string first_difference(const std::string& a, const std::string& b);

}  // namespace achilles
