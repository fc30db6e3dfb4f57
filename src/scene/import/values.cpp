#include "scene/import/values.hpp"

#include "scene/wording.hpp"

#include "geometry/file/text_lines.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {

std::vector<std::string> split_words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<std::vector<double>> parse_numbers(ImportContext& context, std::string_view text, const Place& place,
                                                 std::string_view what) {
  std::vector<double> numbers;
  for (const std::string& word : split_words(text)) {
    const std::optional<double> number = to_number<double>(word);
    if (!number) {
      context.error(place, fmt::format("{}: found '{}'; allowed: finite numbers", what, shorten(word)));
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<bool> parse_flag(ImportContext& context, std::string_view text, const Place& place,
                               std::string_view what) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  context.error(place, fmt::format("{}: found '{}'; allowed: true, 1, false, 0", what, shorten(text)));
  return std::nullopt;
}

std::optional<std::vector<double>> numbers_of(ImportContext& context, const XmlAttribute* attribute) {
  if (attribute == nullptr) return std::nullopt;
  return parse_numbers(context, attribute->value, attribute->place, attribute->name);
}

std::optional<double> number_of(ImportContext& context, const XmlAttribute* attribute) {
  const std::optional<std::vector<double>> numbers = numbers_of(context, attribute);
  if (!numbers) return std::nullopt;
  if (numbers->size() == 1) return numbers->front();
  context.error(attribute->place, fmt::format("{}: found {} numbers; allowed: one", attribute->name, numbers->size()));
  return std::nullopt;
}

std::optional<Vec3> vec3_of(ImportContext& context, const XmlAttribute* attribute) {
  const std::optional<std::vector<double>> numbers = numbers_of(context, attribute);
  if (!numbers) return std::nullopt;
  if (numbers->size() == 3) return Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  context.error(attribute->place, fmt::format("{}: found {} numbers; allowed: 3", attribute->name, numbers->size()));
  return std::nullopt;
}

std::string text_of(const XmlAttribute* attribute) { return attribute == nullptr ? std::string() : attribute->value; }

std::optional<double> number_at(ImportContext& context, const XmlNode& node, std::string_view key) {
  return number_of(context, node.find_attribute(key));
}

std::optional<Vec3> vec3_at(ImportContext& context, const XmlNode& node, std::string_view key) {
  return vec3_of(context, node.find_attribute(key));
}

std::string text_at(const XmlNode& node, std::string_view key) { return text_of(node.find_attribute(key)); }

Quat from_roll_pitch_yaw(const Vec3& rpy) {
  return (Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()))
      .normalized();
}

Pose compose(const Pose& X_AB, const Pose& X_BC) { return {X_AB.p + X_AB.q * X_BC.p, (X_AB.q * X_BC.q).normalized()}; }

Pose inverse_of(const Pose& X_AB) {
  const Quat q = X_AB.q.conjugate();
  return {-(q * X_AB.p), q};
}

Pose turn_about(const Vec3& point, const Vec3& axis, double angle) {
  const Quat q(Eigen::AngleAxisd(angle, axis.normalized()));
  return {point - q * point, q};
}

}  // namespace achilles::scene_file
