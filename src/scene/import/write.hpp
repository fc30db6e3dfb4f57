// A robot as the tree of a scene.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/yaml/node.hpp"

#include <string>
#include <string_view>

namespace achilles::scene_file {

[[nodiscard]] Node make_text(std::string_view text, const Place& place);
[[nodiscard]] Node make_number(double value, const Place& place);
[[nodiscard]] Node make_vec3(const Vec3& v, const Place& place);
[[nodiscard]] Node make_mapping(const Place& place);
[[nodiscard]] Node make_sequence(const Place& place);
/// Adds a child to a mapping.
void put(Node& mapping, std::string_view key, Node value);
/// Adds position and orientation where they are not those of the frame itself.
void put_pose(Node& mapping, const Pose& pose, const Place& place);

/// Every link, joint, coupling, sensor and rule; nothing is checked here.
[[nodiscard]] Node write_model(ImportContext& context, const Model& model);

}  // namespace achilles::scene_file
