// SDF, the Simulation Description Format of Gazebo.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/import/xml.hpp"

namespace achilles::scene_file {

/// Puts the model of every file that <include> names in the place of the element.
void expand_sdf_includes(ImportContext& context, XmlNode& sdf);

/// All models of the file, or of its first world, with all joints at position 0. Includes must be expanded.
[[nodiscard]] Model read_sdf(ImportContext& context, const XmlNode& sdf);

/// Every word that is neither used nor unimportant for motion is reported.
void report_sdf_words(ImportContext& context, const XmlNode& sdf);

}  // namespace achilles::scene_file
