// What is legal but suspicious about a whole scene: warned of once everything else is known to be right.
#pragma once

#include "scene/build/build.hpp"

namespace achilles::scene_file {

/// Bodies that overlap at the start, and bodies that touch although one is more than 1,000 times as heavy as the other.
/// One warning per two entries of `bodies`, with the worst pair and how many more there are. Meshes and height fields
/// are not measured. Stops with a warning in scenes so crowded that the search would take long.
void warn_of_start_contacts(Build& build);

/// A step in which a body moves by more than half of what it reaches along its way, so that it can pass through others
/// unseen, or turns by more than a radian.
void warn_of_speeds(Build& build);

/// Triangles of meshes without area, and closed surfaces wound clockwise: they have their outside
/// within, so that bodies fall through them.
void warn_of_meshes(Build& build);

/// Moving bodies of less than a tenth of a millimetre or more than a kilometre: mostly a length that is not in metres.
void warn_of_sizes(Build& build);

}  // namespace achilles::scene_file
