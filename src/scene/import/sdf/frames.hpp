// Values of an SDF's elements, and its frames: every pose may be written relative to a frame that is named.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/xml.hpp"

#include <achilles/math.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace achilles::scene_file {

/// The text of a child element; empty where there is none.
[[nodiscard]] std::string sdf_text(const XmlNode& node, std::string_view child);
[[nodiscard]] double sdf_number(ImportContext& context, const XmlNode& node, std::string_view child, double standard);
[[nodiscard]] Vec3 sdf_vec3(ImportContext& context, const XmlNode& node, std::string_view child, const Vec3& standard);
/// The numbers of its <pose>, whatever they are relative to.
[[nodiscard]] Pose sdf_pose(ImportContext& context, const XmlNode& node);

/// The frames of one model: its links, joints and <frame>s, placed in the model.
class SdfFrames {
 public:
  SdfFrames(ImportContext& context, const XmlNode& model);
  /// The frame of that name in the model; empty or `__model__` means the model itself. Complains when there is none, or
  /// when frames stand relative to each other in a circle.
  [[nodiscard]] Pose find(const std::string& name, const Place& place);
  /// The pose of an element in the model; `standard` is the frame that it is relative to unless it names one.
  [[nodiscard]] Pose place(const XmlNode& node, const std::string& standard);

 private:
  struct Frame {
    const XmlNode* node = nullptr;
    std::string standard;  // what its pose is relative to unless it names a frame
    std::optional<Pose> pose;
    bool is_open = false;
  };
  ImportContext& context_;
  std::map<std::string, Frame> frames_;
};

}  // namespace achilles::scene_file
