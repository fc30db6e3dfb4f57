// Whether a world came from a scene.
#pragma once

#include <achilles/scene.hpp>
#include <achilles/world.hpp>

#include <memory>
#include <span>
#include <string>

namespace achilles {

/// What shows that a world did not come from a scene: the first body of the scene that has another name, kind or shape
/// there or never was, or the first such trigger; empty where there is none. Bodies removed or added while the scene
/// ran show nothing, and neither do poses, masses, materials and joints, which may be changed then. `shapes` are those
/// of the scene's bodies. Shapes are the same where their numbers agree to 1e-9 of the largest: the text of a scene
/// that a program built has rounded directions. Linear in the number of bodies where worlds share their shapes, as
/// copies do; else in the number of vertices.
[[nodiscard]] std::string find_foreign_part(const World& world, const Scene& scene,
                                            std::span<const std::shared_ptr<const Shape>> shapes);

}  // namespace achilles
