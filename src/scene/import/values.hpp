// Numbers and rotations as robot files write them.
#pragma once

#include "scene/import/context.hpp"

#include <achilles/math.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

/// The words of a text, separated by blanks.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);

/// All numbers of a text. Complains and returns nothing when a word is no finite number.
[[nodiscard]] std::optional<std::vector<double>> parse_numbers(ImportContext& context, std::string_view text,
                                                               const Place& place, std::string_view what);

/// "true", "1", "false" or "0"; complains and returns nothing when the text is none of these.
[[nodiscard]] std::optional<bool> parse_flag(ImportContext& context, std::string_view text, const Place& place,
                                             std::string_view what);

/// The value of an attribute, nothing where it is not written; complains when it is not what is asked for. `what` is
/// the name of the attribute in messages.
[[nodiscard]] std::optional<double> number_of(ImportContext& context, const XmlAttribute* attribute);
[[nodiscard]] std::optional<Vec3> vec3_of(ImportContext& context, const XmlAttribute* attribute);
[[nodiscard]] std::optional<std::vector<double>> numbers_of(ImportContext& context, const XmlAttribute* attribute);
[[nodiscard]] std::string text_of(const XmlAttribute* attribute);

/// The same of an element's attribute.
[[nodiscard]] std::optional<double> number_at(ImportContext& context, const XmlNode& node, std::string_view key);
[[nodiscard]] std::optional<Vec3> vec3_at(ImportContext& context, const XmlNode& node, std::string_view key);
[[nodiscard]] std::string text_at(const XmlNode& node, std::string_view key);

/// R = Rz(yaw) Ry(pitch) Rx(roll), as URDF and SDF write it.
[[nodiscard]] Quat from_roll_pitch_yaw(const Vec3& rpy);

[[nodiscard]] Pose compose(const Pose& X_AB, const Pose& X_BC);
[[nodiscard]] Pose inverse_of(const Pose& X_AB);
/// A turn by an angle [rad] about an axis through a point.
[[nodiscard]] Pose turn_about(const Vec3& point, const Vec3& axis, double angle);

}  // namespace achilles::scene_file
