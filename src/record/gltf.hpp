// A recording as glTF 2.0 with animation, in one binary file (.glb) for Blender and other viewers.
//
// One node per body, named after it, under a root that turns z up into glTF's y up; meshes and colours are shared. The
// animation moves every dynamic and scripted body through the recorded instants, straight from one to the next and the
// short way round for rotations. Contacts and scalars have no place in glTF and are left out. A body whose state is not
// finite stays where it last was.
#pragma once

#include "record/recording.hpp"

#include <cstddef>
#include <string>

namespace achilles {

struct GltfOptions {
  std::size_t budget = 200'000'000;  // [bytes] of animation; more is decimated in time, and held in memory meanwhile
  int segments = 32;                 // sides of round shapes
};

/// Throws std::runtime_error with path and reason when the recording is damaged or the file cannot be written.
void export_gltf(const Recording& recording, const std::string& out_path, const GltfOptions& options = {});

}  // namespace achilles
