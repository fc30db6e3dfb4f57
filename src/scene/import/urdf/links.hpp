// Links of a URDF: mass, shapes, surfaces.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/import/xml.hpp"

#include <map>
#include <string>
#include <vector>

namespace achilles::scene_file {

/// xyz and rpy of the <origin> in an element.
[[nodiscard]] Pose read_urdf_origin(ImportContext& context, const XmlNode& node);

/// Colours of the materials by name.
[[nodiscard]] std::map<std::string, Color> read_urdf_colors(ImportContext& context, const XmlNode& robot);

/// The name of a material with this law, made unless there is one.
std::string add_surface(std::vector<Material>& materials, const std::string& name, const ContactLaw& law);

/// A link; its pose is not known here.
[[nodiscard]] ModelLink read_urdf_link(ImportContext& context, const XmlNode& node,
                                       const std::map<std::string, Color>& colors, std::vector<Material>& materials);

}  // namespace achilles::scene_file
