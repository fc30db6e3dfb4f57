#include "geometry/mesh_file.hpp"
#include "geometry/file/polygon.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/sample.hpp"
#include "support/full_size.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace achilles {
namespace {

using sample::Random;

std::string as_obj(const Mesh& mesh) {
  std::ostringstream out;
  out.precision(17);
  for (const Vec3& v : mesh.vertices) out << "v " << v.x() << ' ' << v.y() << ' ' << v.z() << '\n';
  for (const auto& t : mesh.triangles) out << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
  return out.str();
}

std::string as_off(const Mesh& mesh) {
  std::ostringstream out;
  out.precision(17);
  out << "OFF\n# made by rule\n" << mesh.vertices.size() << ' ' << mesh.triangles.size() << " 0\n";
  for (const Vec3& v : mesh.vertices) out << v.x() << ' ' << v.y() << ' ' << v.z() << '\n';
  for (const auto& t : mesh.triangles) out << "3 " << t[0] << ' ' << t[1] << ' ' << t[2] << '\n';
  return out.str();
}

std::string as_text_stl(const Mesh& mesh) {
  std::ostringstream out;
  out.precision(17);
  out << "solid part\n";
  for (const auto& t : mesh.triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int c : t) {
      const Vec3& v = mesh.vertices[static_cast<std::size_t>(c)];
      out << "vertex " << v.x() << ' ' << v.y() << ' ' << v.z() << '\n';
    }
    out << "endloop\nendfacet\n";
  }
  out << "endsolid part\n";
  return out.str();
}

std::string as_binary_stl(const Mesh& mesh) {
  std::string bytes(80, 's');
  const auto append = [&](auto value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // the tests run on little-endian machines
  };
  append(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) append(0.0F);
    for (const int c : t) {
      for (int i = 0; i < 3; ++i) append(static_cast<float>(mesh.vertices[static_cast<std::size_t>(c)][i]));
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

std::string error_of(std::string_view bytes, MeshFormat format) {
  try {
    (void)read_mesh(bytes, format, "part");
  } catch (const MeshFileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MeshFile, EveryFormatGivesBackTheMeshThatWasWritten) {
  // Coordinates with 17 digits come back bit for bit; eighths survive the single precision of a binary STL too.
  const Mesh mesh = sample::box_mesh({1, 2, 3.5}, 4);
  const std::vector<std::pair<std::string, MeshFormat>> files = {{as_obj(mesh), MeshFormat::kObj},
                                                                 {as_off(mesh), MeshFormat::kOff},
                                                                 {as_text_stl(mesh), MeshFormat::kStl},
                                                                 {as_binary_stl(mesh), MeshFormat::kStl}};
  for (const auto& [bytes, format] : files) {
    const Mesh read = read_mesh(bytes, format, "part");
    ASSERT_EQ(read.triangles.size(), mesh.triangles.size());
    EXPECT_EQ(read.vertices.size(), mesh.vertices.size()) << "repeated vertices are joined";
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(read.vertices[static_cast<std::size_t>(read.triangles[t][k])],
                  mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][k])]);
      }
    }
    EXPECT_TRUE(compute_closedness(read.vertices, read.triangles).is_closed());
  }
}

TEST(MeshFile, CoordinatesKeepDoublePrecision) {
  const Mesh mesh = read_mesh("v 0.1 0 0\nv 1.0000000000000002 +1e-3 0\nv 0 1 .5\nf 1 2 3", MeshFormat::kObj, "part");
  EXPECT_EQ(mesh.vertices[0].x(), 0.1);
  EXPECT_EQ(mesh.vertices[1].x(), 1.0000000000000002);
  EXPECT_EQ(mesh.vertices[1].y(), 1e-3);
}

TEST(MeshFile, ScaleMultipliesLengths) {
  const Mesh mesh = read_mesh("v 1 2 3\nv 2 0 0\nv 0 1 0\nf 1 2 3", MeshFormat::kObj, "part", 0.5);
  EXPECT_EQ(mesh.vertices[0], Vec3(0.5, 1, 1.5));
  EXPECT_THROW((void)read_mesh("v 1 2 3\nv 2 0 0\nv 0 1 0\nf 1 2 3", MeshFormat::kObj, "part", -1), MeshFileError);
}

TEST(MeshFile, ObjCornersMayBeRelativeTexturedAndContinued) {
  const std::string text =
      "mtllib x.mtl\no thing\nv 0 0 0\nv 1 0 0 # corner\nv 1 1 0\r\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
      "f 1/1/1 2//1 \\\n 3/1\nf -4 -2 -1\n";
  const Mesh mesh = read_mesh(text, MeshFormat::kObj, "part");
  ASSERT_EQ(mesh.triangles.size(), 2U);
  EXPECT_EQ(mesh.triangles[0], (std::array<int, 3>{0, 1, 2}));
  EXPECT_EQ(mesh.triangles[1], (std::array<int, 3>{0, 2, 3}));
}

TEST(MeshFile, ErrorsNameFileAndLine) {
  const std::string start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  using enum MeshFormat;
  EXPECT_EQ(error_of(start + "f 1 2 4\n", kObj),
            "part:4: the face names vertex 3 (counted from 0), but there are 3 vertices");
  EXPECT_EQ(error_of(start + "f 1 2\n", kObj), "part:4: a face needs at least three vertices");
  EXPECT_EQ(error_of(start + "f 1 2 0\n", kObj), "part:4: \"0\" does not name a vertex");
  EXPECT_EQ(error_of(start + "f 1 2 -9\n", kObj), "part:4: vertex -9 lies before the first");
  EXPECT_EQ(error_of(start + "v 1 nan 2\n", kObj), "part:4: \"nan\" is not a finite number");
  EXPECT_EQ(error_of(start + "v 1 1e999 2\n", kObj), "part:4: \"1e999\" is not a finite number");
  EXPECT_EQ(error_of(start + "v 1 2\n", kObj), "part:4: a vertex needs three coordinates, but there are 2");
  EXPECT_EQ(error_of(start + "v 1 2 3x\n", kObj), "part:4: \"3x\" is not a finite number");
  EXPECT_EQ(error_of(start + "face 1 2 3\n", kObj), "part:4: \"face\" is not a word of an OBJ file");
  EXPECT_EQ(error_of(start, kObj), "part: the file holds no triangle");
  EXPECT_EQ(error_of("", kStl).find("part: neither a text STL"), 0U);
  EXPECT_EQ(error_of("solid x\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", kStl),
            "part:5: a loop must have three vertices");
  EXPECT_EQ(error_of("solid x\nfacet\nouter loop\nvertex 0 0 0\n", kStl),
            "part:4: the file ends before its solid does");
  EXPECT_EQ(error_of("OFF\n3 1 0\n0 0 0\n1 0 0\n", kOff), "part:4: the file ends before its vertices");
  EXPECT_EQ(error_of("OFF\n2147483647 2147483647 0\n0 0 0\n", kOff), "part:3: the file ends before its vertices");
  EXPECT_EQ(error_of("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", kOff),
            "part:6: the face names vertex 3 (counted from 0), but there are 3 vertices");
  EXPECT_EQ(error_of("PLY\n", kOff), "part:1: an OFF file starts with OFF, not with \"PLY\"");
}

TEST(MeshFile, BinaryStlWithANaNOrTheWrongLengthIsRefused) {
  std::string bytes = as_binary_stl(sample::box_mesh({1, 1, 1}, 1));
  const float nan = std::nanf("");
  std::memcpy(bytes.data() + 84 + 50 + 12, &nan, 4);
  EXPECT_EQ(error_of(bytes, MeshFormat::kStl), "part: corner 0 of triangle 1 is not finite");
  bytes.pop_back();
  // Twelve triangles take 84 + 12 · 50 = 684 bytes; one is missing.
  EXPECT_NE(error_of(bytes, MeshFormat::kStl).find("announces 12 triangles, which does not fit its 683 bytes"),
            std::string::npos);
}

// Whatever the bytes, a reader gives a mesh whose indices and coordinates are sound, or MeshFileError; nothing else.
TEST(MeshFile, DamagedFilesNeverGetPastTheReader) {
  Random random(21);
  const Mesh mesh = sample::box_mesh({1, 2, 3.5}, 2);
  const std::vector<std::pair<std::string, MeshFormat>> files = {{as_obj(mesh), MeshFormat::kObj},
                                                                 {as_off(mesh), MeshFormat::kOff},
                                                                 {as_text_stl(mesh), MeshFormat::kStl},
                                                                 {as_binary_stl(mesh), MeshFormat::kStl}};
  int accepted = 0, refused = 0;
  for (int trial = 0; trial < (is_full() ? 100000 : 5000); ++trial) {
    auto [bytes, format] = files[static_cast<std::size_t>(random.integer(0, 3))];
    const auto anywhere = [&, size = static_cast<int>(bytes.size())] {
      return static_cast<std::size_t>(random.integer(0, size - 1));
    };
    const int damages = random.integer(1, 4);
    for (int i = 0; i < damages; ++i) bytes[anywhere()] = static_cast<char>(random.integer(0, 255));
    if (trial % 3 == 0) bytes.resize(anywhere());
    try {
      const Mesh read = read_mesh(bytes, format, "part");
      check_mesh(read.vertices, read.triangles);
      ++accepted;
    } catch (const MeshFileError&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

TEST(MeshFile, MissingFileAndUnknownFormatAreNamed) {
  EXPECT_THROW((void)load_mesh_file("/nowhere/at/all.obj"), MeshFileError);
  EXPECT_THROW((void)load_mesh_file("thing.blend"), MeshFileError);
}

TEST(MeshFile, LoadsFromDiskByExtension) {
  const auto path = std::filesystem::temp_directory_path() / "achilles_mesh_file_test.OBJ";
  std::ofstream(path) << as_obj(sample::sphere_mesh(1));
  EXPECT_EQ(load_mesh_file(path).triangles.size(), 32U);
  EXPECT_EQ(load_points_file(path, 2).size(), 18U);
  std::filesystem::remove(path);
}

TEST(PointsFile, TextWithCommasBlanksCommentsAndNamesIsRead) {
  const auto points = read_points("x, y, z\n# a cloud\n1,2,3\n\n4 5 6\n7;8;9e-1\n", "cloud", 2);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[2], Vec3(14, 16, 1.8));
  EXPECT_THROW((void)read_points("1 2\n", "cloud"), MeshFileError);
  EXPECT_THROW((void)read_points("1 2 3\nx y z\n", "cloud"), MeshFileError);
  EXPECT_THROW((void)read_points("", "cloud"), MeshFileError);
}

TEST(HeightsFile, RowsMustBeEquallyLong) {
  const Heightfield field = read_heights("0 1 2\n3 4 5\n", "hills", {0.5, 0.25});
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  EXPECT_EQ(field.heights[3], 3);
  EXPECT_THROW((void)read_heights("0 1 2\n3 4\n", "hills", {1, 1}), MeshFileError);
}

// Area is kept by any correct triangulation of a simple polygon, and all triangles of a correct one have its winding.
TEST(Polygon, TriangulationOfAConcavePolygonCoversExactlyIt) {
  Random random(22);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.integer(3, 40);
    const Quat q = random.rotation();
    std::vector<Vec3> points;
    std::vector<int> corners;
    double twice_area = 0;
    std::vector<Vec2> flat;
    for (int i = 0; i < n; ++i) {
      // Star-shaped about the origin, hence simple.
      const double angle = 2 * 3.14159265358979 * i / n, r = random.uniform(0.2, 1);
      flat.emplace_back(r * std::cos(angle), r * std::sin(angle));
      points.emplace_back(q * Vec3(flat.back().x(), flat.back().y(), 0));
      corners.push_back(i);
    }
    for (std::size_t i = 0; i < flat.size(); ++i) {
      const Vec2 &a = flat[i], &b = flat[(i + 1) % flat.size()];
      twice_area += a.x() * b.y() - a.y() * b.x();
    }
    std::vector<std::array<int, 3>> triangles;
    append_triangulation(points, corners, triangles);
    ASSERT_EQ(triangles.size(), static_cast<std::size_t>(n - 2));
    double sum = 0;
    for (const auto& t : triangles) {
      const auto at = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
      const double part = q.inverse()._transformVector((at(1) - at(0)).cross(at(2) - at(0))).z();
      EXPECT_GT(part, -1e-14);
      sum += part;
    }
    EXPECT_NEAR(sum, twice_area, 1e-13);
  }
}

}  // namespace
}  // namespace achilles
