// MJCF, the model format of MuJoCo.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/import/xml.hpp"

namespace achilles::scene_file {

/// The model as it stands at the keyframe that the options name, at "home" where there is one and none is named, or as
/// it is written; joints that would stand beyond their limits stand at them. Includes must be expanded.
[[nodiscard]] Model read_mjcf(ImportContext& context, const XmlNode& mujoco);

/// Every word that is neither used nor unimportant for motion is reported.
void report_mjcf_words(ImportContext& context, const XmlNode& mujoco);

}  // namespace achilles::scene_file
