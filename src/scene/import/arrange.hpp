// What all robot formats need after reading: fixed joints merged, mass for links that have none, a base, a ground.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/model.hpp"

namespace achilles::scene_file {

/// Fixed joints vanish: what they hold to something fixed becomes fixed, and what they hold to a moving link becomes
/// part of it, unless surfaces or collision filters of the two differ or the options keep fixed joints.
void merge_fixed_joints(ImportContext& context, Model& model);

/// Roots, the links that no joint holds, are made fixed or stay free. kAuto: those without mass are fixed.
void settle_base(ImportContext& context, Model& model);

/// Joints of one body in a row need links between them, and some files have links without mass on moving joints. Such a
/// link takes a tenth of the mass of the next link behind it that has one, as a point on the joint between them: total
/// mass, its centre and inertia stay what they are, whatever turns about that point, because the other link gives up
/// exactly what the point has. So that the link can turn it has besides a hundredth of that link's mean inertia about
/// the point, which is added. A link without mass behind which there is none cannot move and becomes part of the one
/// before it, with a message.
void share_mass(ImportContext& context, Model& model);

/// Keeps every joint where it starts: a drive with gains along each axis that has none, with the options' gains.
void hold_joints(ImportContext& context, Model& model);

/// Adds a plane that just touches the lowest point of a free robot, unless the file has something fixed to stand on.
void add_ground(ImportContext& context, Model& model);

}  // namespace achilles::scene_file
