// Values of an SDF's elements, and its frames: every pose may be written relative to a frame that is named.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/xml.hpp"

#include <achilles/math.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace achilles::scene_file {

/// The text of a child element; empty where there is none.
[[nodiscard]] std::string sdf_text(const XmlNode& node, std::string_view child);
[[nodiscard]] double sdf_number(ImportContext& context, const XmlNode& node, std::string_view child, double standard);
/// The same; complains of a number below 0.
[[nodiscard]] double sdf_at_least_0(ImportContext& context, const XmlNode& node, std::string_view child,
                                    double standard);
[[nodiscard]] Vec3 sdf_vec3(ImportContext& context, const XmlNode& node, std::string_view child, const Vec3& standard);
/// "true" or "1", "false" or "0"; complains of anything else.
[[nodiscard]] bool sdf_flag(ImportContext& context, const XmlNode& node, std::string_view child, bool standard);
/// Major and minor number of a `version`; the newest where there is none.
[[nodiscard]] std::pair<int, int> sdf_version(ImportContext& context, const XmlNode& node);
/// The numbers of its <pose>, whatever they are relative to.
[[nodiscard]] Pose sdf_pose(ImportContext& context, const XmlNode& node);

/// The frames of one model, or of a world: its links, joints, <frame>s and models, placed in it.
class SdfFrames {
 public:
  SdfFrames(ImportContext& context, const XmlNode& model);
  /// The frame of that name in the model; empty, `__model__` or, in a world, `world` means the model itself, and
  /// `MODEL::FRAME` a frame of a model in it. Complains when there is none, or when frames stand relative to each other
  /// in a circle.
  [[nodiscard]] Pose find(const std::string& name, const Place& place);
  /// The pose of an element in the model; `standard` is the frame that it is relative to unless it says so. The pose of
  /// a model is that of its `placement_frame`.
  [[nodiscard]] Pose place(const XmlNode& node, const std::string& standard);
  /// The pose of an element of a link in the link, which stands at X_ML in the model.
  [[nodiscard]] Pose place_in_link(const XmlNode& node, const Pose& X_ML);
  /// The link that a frame is attached to; the name itself where it is no frame.
  [[nodiscard]] std::string find_link(std::string name) const;

 private:
  struct Frame {
    const XmlNode* node = nullptr;
    std::string standard;  // what its pose is relative to unless it says so
    std::optional<Pose> pose;
    bool is_open = false;
  };
  ImportContext& context_;
  bool is_world_;
  int depth_ = 0;  // of frames that are being placed
  std::string first_link_;
  std::map<std::string, Frame> frames_;
};

}  // namespace achilles::scene_file
