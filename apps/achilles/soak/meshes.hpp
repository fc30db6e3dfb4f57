// The mesh files that soak scenes name.
#pragma once

#include <string>

namespace achilles::program::soak {

/// Writes `meshes/*.obj` into a folder, beside the scenes that name them. Closed meshes of edge 1 about the origin
/// (cube, tetrahedron, wedge, beam with an L section, torus) and open ones with edges of 2 and their surface near z = 0
/// (bumps; crack: two halves 0.1 apart).
void write_meshes(const std::string& folder);

}  // namespace achilles::program::soak
