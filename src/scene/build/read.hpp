// Values out of a tree that was checked. What is missing or was complained about reads as absent.
#pragma once

#include "scene/yaml/node.hpp"

#include <achilles/math.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace achilles::scene_file {

/// The child of that key, unless it is missing or bad.
[[nodiscard]] const Node* usable(const Node& mapping, std::string_view key);
/// The child of that key if it is a list or a mapping, else an empty node, so that loops over it do nothing.
[[nodiscard]] const Node& children(const Node& mapping, std::string_view key);

/// Whether anything in the node was complained about, so that it cannot be built.
[[nodiscard]] bool has_bad_part(const Node& node);

[[nodiscard]] double number_at(const Node& node);
[[nodiscard]] Vec2 vec2_at(const Node& node);
[[nodiscard]] Vec3 vec3_at(const Node& node);
[[nodiscard]] Quat unit_quaternion_at(const Node& node);

[[nodiscard]] std::optional<double> read_number(const Node& mapping, std::string_view key);
[[nodiscard]] std::optional<Vec3> read_vec3(const Node& mapping, std::string_view key);
[[nodiscard]] std::optional<std::string> read_text(const Node& mapping, std::string_view key);

/// The same length 1; exact for vectors of any finite length.
[[nodiscard]] Vec3 unit(const Vec3& v);

}  // namespace achilles::scene_file
