// --set PATH=VALUE on the tree of a scene.
#pragma once

#include "scene/complaints.hpp"
#include "scene/format/spec.hpp"
#include "scene/yaml/node.hpp"

#include <achilles/scene.hpp>

#include <span>

namespace achilles::scene_file {

/// Applies the overrides in order. A path goes by keys, by names in a list whose items have names (`bodies.left.mass`)
/// and by numbers in any list (`gravity.2`, `materials.pairs.0.friction`). What the format allows and the scene lacks
/// is made, a vector from its default; the value `null` takes a key away. A path that leads nowhere is complained about
/// with what is allowed at that point.
void apply_overrides(Node& root, std::span<const Override> overrides, const Format& format, Complaints& complaints);

}  // namespace achilles::scene_file
