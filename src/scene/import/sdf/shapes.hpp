// Shapes and surfaces of an SDF's links.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"
#include "scene/import/sdf/frames.hpp"
#include "scene/import/xml.hpp"

#include <vector>

namespace achilles::scene_file {

/// Coulomb's coefficient of a <collision> that gives none.
inline constexpr double kSdfFriction = 1;

/// Adds a <collision> or <visual>, which stands at `pose` in the link, and the surface of the first.
void read_sdf_shape(ImportContext& context, const XmlNode& node, const Pose& pose, std::vector<Material>& materials,
                    ModelLink& link);

/// The laws between all materials.
void pair_sdf_materials(const std::vector<Material>& materials, std::vector<MaterialPair>& pairs);

}  // namespace achilles::scene_file
