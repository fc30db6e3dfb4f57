// Shapes as JSON, in the words of the scene file, so that a recording can be drawn and checked without the files its
// scene was read from: hulls, meshes, heightfields and distance maps carry their numbers.
//
//   {"sphere": {"radius": r}}            {"box": {"size": [x, y, z]}}       {"capsule": {"radius": r, "length": l}}
//   {"cylinder": {"radius": r, "height": h}}                                {"cone": {"radius": r, "height": h}}
//   {"plane": {"normal": [x, y, z], "offset": d}}
//   {"hull": {"points": [[x, y, z], ..]}}
//   {"mesh": {"vertices": [[x, y, z], ..], "triangles": [[a, b, c], ..]}}
//   {"heightfield": {"rows": r, "columns": c, "cell": [x, y], "heights": [h, ..]}}   row-major, rows along y, centred
//   {"distance_map": {"cell": c, "sampling": d, "vertices": [..], "triangles": [..]}}
//   {"compound": [{"shape": {..}, "position": [x, y, z], "orientation": [w, x, y, z]}, ..]}
//
// with "file" beside the numbers where they came from a file.
#pragma once

#include <achilles/shape.hpp>

#include <nlohmann/json.hpp>

namespace achilles {

[[nodiscard]] nlohmann::ordered_json shape_to_json(const Shape& shape);

/// Throws std::runtime_error naming the field where the value is not a shape.
[[nodiscard]] Shape shape_from_json(const nlohmann::ordered_json& value);

}  // namespace achilles
