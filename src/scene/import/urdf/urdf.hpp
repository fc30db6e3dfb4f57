// URDF, the Unified Robot Description Format of ROS.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/import/xml.hpp"

namespace achilles::scene_file {

/// The robot as it stands with all joints at the positions that the options give, at 0, or at the limit nearest to
/// 0. Root at the origin.
[[nodiscard]] Model read_urdf(ImportContext& context, const XmlNode& robot);

/// Every word that is neither used nor unimportant for motion is reported.
void report_urdf_words(ImportContext& context, const XmlNode& robot);

}  // namespace achilles::scene_file
