// What is common to all that a scene is read from: from its tree on.
#pragma once

#include "scene/complaints.hpp"
#include "scene/yaml/node.hpp"

#include <achilles/scene.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

/// Applies the overrides, checks the tree and builds the scene from it. `text` is what the tree was parsed from; empty:
/// the tree is written. `files` come with the scene, see parse_scene. Throws SceneError with every error found.
[[nodiscard]] Scene load_tree(Node root, std::string_view text, const std::string& file,
                              const std::vector<Override>& overrides, Complaints& complaints,
                              std::span<const SceneFile> files = {});

}  // namespace achilles::scene_file
