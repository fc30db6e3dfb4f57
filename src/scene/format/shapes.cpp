// The keys of shapes.
#include "scene/format/format.hpp"

#include <utility>

namespace achilles::scene_file {

Spec compound_part_spec() {
  std::vector<Field> fields = {{"shape", reference("shape"), "Shape of the part.", true}};
  for (Field& field : pose_fields()) fields.push_back(std::move(field));
  fields[1].meaning = "Of the part in the body's frame.";
  return mapping("a part of a compound", std::move(fields), {orientation_alternatives()});
}

Spec shape_spec() {
  const Field radius{"radius", positive("m"), "Radius.", true};
  const Field height{"height", positive("m"), "Height along z; the origin is half-way up.", true};
  const Field scale{"scale", either({positive(), vector(3)}),
                    "Factor on the file's lengths, one for all or one per axis; a negative one mirrors.", false, "1"};
  const auto mesh_file = Field{"file", text(), "Mesh file, relative to the scene file.", true};
  const Field decompose{
      "decompose",
      mapping("a decomposition", {{"parts", integer_in(1, 256), "How many parts at most.", false, "16"},
                                  {"error", positive("m"), "How far the parts may stick out of the mesh.", true}}),
      "Replaces a closed mesh by convex hulls that together hold it, so that a dynamic body can have it."};
  std::vector<Field> kinds = {
      {"sphere", mapping("a sphere", {radius}), "Ball about the origin."},
      {"box", mapping("a box", {{"size", vector(3, "m", {0, Range{}.upper, true}), "Full edges.", true}}),
       "Box about the origin."},
      {"capsule", mapping("a capsule", {radius, {"length", positive("m"), "Of the straight part, along z.", true}}),
       "All points within radius of a segment."},
      {"cylinder", mapping("a cylinder", {radius, height}), "Solid cylinder along z."},
      {"cone", mapping("a cone", {radius, height}), "Solid cone along z, apex up."},
      {"plane",
       mapping("a plane",
               {{"normal", direction(), "Points out of the solid; only its direction counts.", true},
                {"offset", number("m"), "Distance of the plane from the origin along the normal.", false, "0"}}),
       "Half-space, solid where n·x < offset; not for dynamic bodies."},
      {"hull",
       mapping("a hull",
               {{"points", list(vector(3, "m"), 4), "Points whose hull is meant."},
                {"file", text(), "Mesh or point file whose points are meant, relative to the scene file."},
                scale},
               {{{"points", "file"}, true}}),
       "Convex hull of points."},
      {"mesh", mapping("a mesh", {mesh_file, scale, decompose}), "Triangles."},
      {"heightfield",
       mapping(
           "a heightfield",
           {{"heights", list(list(number("m"), 2), 2), "Rows of heights, x running along a row, y from row to row."},
            {"file", text(), "Text file of rows of numbers, relative to the scene file."},
            {"cell", either({positive("m"), vector(2, "m", {0, Range{}.upper, true})}),
             "Distance between heights, one for both or along x and y.", true}},
           {{{"heights", "file"}, true}}),
       "Surface over a grid centred on the origin; not for dynamic bodies."},
      {"distance_map",
       mapping(
           "a distance map",
           {mesh_file,
            {"cell", positive("m"), "Distance between samples.", true},
            {"sampling", not_negative("m"),
             "Distance between the points of an edge that are looked up in other shapes; at least the diagonal of a "
             "cell.",
             false, "0"},
            scale}),
       "Closed mesh that collides through its sampled signed distance."},
      {"compound", list(reference("compound_part"), 1), "Several shapes that move as one."},
  };
  const std::vector<std::string> names = names_of(kinds);
  return mapping("a shape", std::move(kinds), {{names, true}});
}

}  // namespace achilles::scene_file
