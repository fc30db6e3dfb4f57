#include "scene/build/read.hpp"

#include "scene/yaml/scalar.hpp"

#include <algorithm>

namespace achilles::scene_file {

const Node* usable(const Node& mapping, std::string_view key) {
  const Node* child = mapping.find(key);
  return child != nullptr && !child->bad ? child : nullptr;
}

const Node& children(const Node& mapping, std::string_view key) {
  static const Node none;
  const Node* child = usable(mapping, key);
  return child != nullptr ? *child : none;
}

bool has_bad_part(const Node& node) {
  return node.bad || node.lacks || std::any_of(node.items.begin(), node.items.end(), has_bad_part);
}

double number_at(const Node& node) { return read_number(node).value; }

Vec2 vec2_at(const Node& node) { return {number_at(node.items[0]), number_at(node.items[1])}; }

Vec3 vec3_at(const Node& node) {
  return {number_at(node.items[0]), number_at(node.items[1]), number_at(node.items[2])};
}

Quat unit_quaternion_at(const Node& node) {
  Eigen::Vector4d q(number_at(node.items[1]), number_at(node.items[2]), number_at(node.items[3]),
                    number_at(node.items[0]));
  q /= q.cwiseAbs().maxCoeff();  // so that squares neither overflow nor vanish
  return Quat(Eigen::Vector4d(q / q.norm()));
}

std::optional<double> read_number(const Node& mapping, std::string_view key) {
  const Node* child = usable(mapping, key);
  return child != nullptr ? std::optional<double>(number_at(*child)) : std::nullopt;
}

std::optional<Vec3> read_vec3(const Node& mapping, std::string_view key) {
  const Node* child = usable(mapping, key);
  return child != nullptr ? std::optional<Vec3>(vec3_at(*child)) : std::nullopt;
}

std::optional<std::string> read_text(const Node& mapping, std::string_view key) {
  const Node* child = usable(mapping, key);
  return child != nullptr ? std::optional<std::string>(child->text) : std::nullopt;
}

Vec3 unit(const Vec3& v) {
  const Vec3 scaled = v / v.cwiseAbs().maxCoeff();
  return scaled / scaled.norm();
}

}  // namespace achilles::scene_file
