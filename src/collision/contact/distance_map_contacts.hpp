// Contacts of distance maps before they are thinned out.
#pragma once

#include "collision/contact/contact.hpp"
#include "geometry/distance_map_geometry.hpp"

namespace achilles {

enum class SampleSearch : std::uint8_t { kTree, kAll };  // the tree only saves time: both find the same

struct MapQuery {
  double margin = 0;  // [m]
  SampleSearch search = SampleSearch::kTree;
  double beside = 0;  // [m] that a corner may lie beside the edge that its own edge touches
};

/// Appends every sample of distance map `b` that is in or near `a`, a geometry of any kind, and the points of `a` that
/// are in or near `b`; normals from a to b. [Erleben04, sec. 6.2.2] prunes a ball by the interpolated distance of its
/// centre and loses contacts to the error of the map; here that error is allowed for, so that the tree changes nothing.
/// Distances within that error of the surface are the mesh's.
void append_map_contacts(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                         const MapQuery& query, std::vector<ContactPoint>& points);

/// The least gap of any sample, positive apart; the other side of a pair with a distance map may be anything. `scratch`
/// is overwritten.
[[nodiscard]] ContactPoint find_least_map_gap(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                              const Transform& X_WB, std::vector<ContactPoint>& scratch);

}  // namespace achilles
