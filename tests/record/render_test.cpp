// Pictures show what is there, and PNG files hold the pictures.
#include "record/small_world.hpp"

#include "record/draw/image.hpp"
#include "record/draw/raster.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "record/render.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>

namespace achilles {
namespace {

using test::make_balls;
using test::record;
using test::TemporaryFolder;

/// Undoes compress(); `size` is that of what comes out.
std::string inflate_bytes(std::string_view bytes, std::size_t size) {
  std::string out(size + 1, '\0');
  uLongf written = out.size();
  const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &written,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  EXPECT_EQ(status, Z_OK);
  out.resize(written);
  return out;
}

/// A PNG or APNG read back: its frames as they would be shown.
std::vector<Image> read_png(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto number = [&whole](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = (value << 8U) | static_cast<unsigned char>(whole.at(at + k));
    return static_cast<int>(value);
  };
  std::vector<Image> frames;
  std::array<int, 4> part{};  // width, height, x, y
  Image shown;
  int sequence = 0;
  for (std::size_t at = 8; at < whole.size();) {
    const auto length = static_cast<std::size_t>(number(at));
    const std::string name = whole.substr(at + 4, 4);
    const std::size_t from = at + 8;
    at += 12 + length;
    if (name == "IHDR") {
      shown = Image(number(from), number(from + 4));
      part = {shown.width, shown.height, 0, 0};
    }
    if (name == "fcTL" || name == "fdAT") {
      EXPECT_EQ(number(from), sequence++);
    }
    if (name == "fcTL") part = {number(from + 4), number(from + 8), number(from + 12), number(from + 16)};
    if (name != "IDAT" && name != "fdAT") continue;
    const std::size_t skip = name == "fdAT" ? 4 : 0;
    const auto width = 3 * static_cast<std::size_t>(part[0]);
    const std::string rows = inflate_bytes(std::string_view(whole).substr(from + skip, length - skip),
                                           (width + 1) * static_cast<std::size_t>(part[1]));
    EXPECT_EQ(rows.size(), (width + 1) * static_cast<std::size_t>(part[1]));
    std::string above(width, '\0');
    for (std::size_t y = 0; y < static_cast<std::size_t>(part[1]); ++y) {
      std::string row = rows.substr((width + 1) * y + 1, width);
      const char kind = rows[(width + 1) * y];
      for (std::size_t k = 0; k < width; ++k) {
        const char reference = kind == 2 ? above[k] : kind == 1 && k >= 3 ? row[k - 3] : '\0';
        row[k] = static_cast<char>(row[k] + reference);
      }
      std::copy(row.begin(), row.end(), shown.pixel(part[2], part[3] + static_cast<int>(y)));
      above = row;
    }
    frames.push_back(shown);
  }
  EXPECT_EQ(whole.substr(whole.size() - 8), std::string("IEND\xAE\x42\x60\x82"));  // with its known checksum
  return frames;
}

Image make_image(std::uint64_t seed) {
  Image image(37, 23);
  std::mt19937_64 random(seed);
  for (std::uint8_t& byte : image.rgb) byte = static_cast<std::uint8_t>(random() % 3 == 0 ? random() & 255U : 200);
  return image;
}

TEST(Png, HoldsThePicture) {
  const TemporaryFolder folder;
  const Image image = make_image(5);
  write_png(image, folder.file("a.png"));
  const std::vector<Image> frames = read_png(folder.file("a.png"));
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].rgb, image.rgb);
  EXPECT_THROW(write_png(image, folder.file("no/folder.png")), std::runtime_error);
}

TEST(Png, AnAnimationHoldsItsFramesAlsoWhereNothingOrLittleChanges) {
  const TemporaryFolder folder;
  std::vector<Image> frames{make_image(1), make_image(1), make_image(2), make_image(2)};
  frames[3].pixel(7, 9)[1] = 3;  // one pixel
  frames.push_back(frames[3]);
  AnimatedPng video(folder.file("a.png"), 37, 23, frames.size(), 25);
  for (const Image& frame : frames) video.add(frame);
  video.close();
  const std::vector<Image> read = read_png(folder.file("a.png"));
  ASSERT_EQ(read.size(), frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k) EXPECT_EQ(read[k].rgb, frames[k].rgb) << k;
}

Picture picture_of(const TriangleMesh& mesh, const Vec3& at, unsigned color) {
  Picture picture;
  picture.camera = {Vec3(0, -5, 0), Vec3::Zero(), 40 * std::numbers::pi / 180};
  picture.bodies = {{&mesh, {Mat3::Identity(), at}, make_color(color), false}};
  return picture;
}

int count_changed(const Image& a, const Image& b) {
  int count = 0;
  for (std::size_t k = 0; k < a.rgb.size(); k += 3) {
    count += std::equal(&a.rgb[k], &a.rgb[k] + 3, &b.rgb[k]) ? 0 : 1;
  }
  return count;
}

// A sphere of radius r at distance d is seen within asin(r / d) of its centre: a disc of tan(asin(r / d)) times the
// focal length. Pixels that are covered in part count whole, which adds about half the rim's length.
TEST(Drawing, ASphereIsADiscOfTheRightSize) {
  const TriangleMesh ball = triangulate({Sphere{1}}, 128, 1);
  Picture picture = picture_of(ball, Vec3::Zero(), 0xff0000);
  const Image seen = draw(picture, 300, 300);
  picture.bodies.clear();
  const int covered = count_changed(seen, draw(picture, 300, 300));
  const double radius = std::tan(std::asin(1.0 / 5)) * 150 / std::tan(20 * std::numbers::pi / 180);
  const double rim = 2 * std::numbers::pi * radius;
  EXPECT_NEAR(covered, std::numbers::pi * radius * radius + 0.5 * rim, 0.5 * rim);
  // Its middle is in the middle.
  EXPECT_GT(seen.pixel(150, 150)[0], 2 * seen.pixel(150, 150)[1]);
}

TEST(Drawing, TheNearerBodyHidesTheFarther) {
  const TriangleMesh ball = triangulate({Sphere{1}}, 32, 1);
  for (const bool is_red_first : {false, true}) {
    Picture picture = picture_of(ball, Vec3(0, 3, 0), 0x0000ff);
    const DrawnBody red{&ball, {Mat3::Identity(), Vec3::Zero()}, make_color(0xff0000), false};
    picture.bodies.insert(is_red_first ? picture.bodies.begin() : picture.bodies.end(), red);
    const Image seen = draw(picture, 64, 64);
    EXPECT_GT(seen.pixel(32, 32)[0], seen.pixel(32, 32)[2]);
  }
}

TEST(Drawing, WhatIsBehindTheCameraIsNotSeenAndWhatSurroundsItIs) {
  const TriangleMesh ball = triangulate({Sphere{1}}, 32, 1);
  Picture picture = picture_of(ball, Vec3(0, -8, 0), 0xff0000);
  const Image behind = draw(picture, 64, 64);
  picture.bodies.clear();
  EXPECT_EQ(count_changed(behind, draw(picture, 64, 64)), 0);
  const TriangleMesh room = triangulate({Box{Vec3(20, 20, 20)}}, 8, 1);
  picture = picture_of(room, Vec3::Zero(), 0xff0000);
  const Image inside = draw(picture, 64, 64);
  for (const int x : {0, 32, 63}) EXPECT_GT(inside.pixel(x, 32)[0], 2 * inside.pixel(x, 32)[2]);
}

// The sun stands at (-0.45, -0.75, 1.3): the shadow of a ball at height h lies h / 1.3 times (0.45, 0.75) from below
// it.
TEST(Drawing, AShadowLiesWhereTheSunIsHidden) {
  const TriangleMesh ball = triangulate({Sphere{0.3}}, 32, 1);
  Picture picture = picture_of(ball, Vec3(0, 0, 1.3), 0xffffff);
  picture.camera = {Vec3(0, 0, 12), Vec3(0, 0, 0), 40 * std::numbers::pi / 180};
  picture.planes = {{Vec3::UnitZ(), 0}};
  picture.radius = 3;
  const Image seen = draw(picture, 400, 400);
  // Looking straight down with y up in the picture: pixels per metre on the ground.
  const double scale = 200 / std::tan(20 * std::numbers::pi / 180) / 12;
  const auto brightness = [&](double x, double y) {
    const std::uint8_t* p = seen.pixel(static_cast<int>(200 + scale * x), static_cast<int>(200 - scale * y));
    return p[0] + p[1] + p[2];
  };
  EXPECT_LT(brightness(0.45, 0.75), 0.85 * brightness(-0.45, -0.75));
  EXPECT_LT(brightness(0.45, 0.75), 0.85 * brightness(0.75, -0.45));
}

TEST(Drawing, AFittedBoxIsWhollyInThePicture) {
  for (const Vec3& size : {Vec3(1, 1, 1), Vec3(10, 1, 1), Vec3(1, 10, 1), Vec3(1, 1, 10), Vec3(0, 0, 0.1)}) {
    for (const double aspect : {0.5, 1.0, 2.5}) {
      const Camera camera = fit_camera(-size, size, aspect);
      const Vec3 forward = (camera.target - camera.eye).normalized();
      const Vec3 right = forward.cross(Vec3::UnitZ()).normalized();
      const Vec3 up = right.cross(forward);
      const double tall = std::tan(0.5 * camera.height);
      for (int k = 0; k < 8; ++k) {
        const Vec3 corner((k & 1) != 0 ? size.x() : -size.x(), (k & 2) != 0 ? size.y() : -size.y(),
                          (k & 4) != 0 ? size.z() : -size.z());
        const Vec3 d = corner - camera.eye;
        EXPECT_GT(d.dot(forward), 0);
        EXPECT_LE(std::abs(d.dot(right)) / d.dot(forward), tall * aspect);
        EXPECT_LE(std::abs(d.dot(up)) / d.dot(forward), tall);
      }
    }
  }
}

// A ball that moves away from another: the picture of a time between two instants is that of the earlier. Alone it
// would look the same everywhere, because the camera follows it.
TEST(Rendering, ShowsTheLastInstantNotAfterTheTime) {
  const TemporaryFolder folder;
  const Scene scene = make_balls(2);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    for (const double t : {0.0, 1.0, 2.0}) {
      world.time = t;
      world.bodies.position[0] = Vec3(3 * t, 0, 0);
      recorder.instant(world, {}, 0);
    }
    recorder.finish(RunReport{});
  }
  const Recording recording(folder.file("run.h5"));
  RenderOptions options;
  options.width = options.height = 60;
  Renderer renderer(recording, options);
  EXPECT_EQ(renderer.draw_at(0.99).rgb, renderer.draw_at(-5).rgb);
  EXPECT_EQ(renderer.draw_at(1.0).rgb, renderer.draw_at(1.5).rgb);
  EXPECT_EQ(renderer.draw_at(2.0).rgb, renderer.draw_at(1e9).rgb);
  EXPECT_GT(count_changed(renderer.draw_at(0), renderer.draw_at(1)), 10);
  render_png(recording, 1.0, folder.file("a.png"), options);
  EXPECT_EQ(read_png(folder.file("a.png"))[0].rgb, renderer.draw_at(1.0).rgb);
  VideoOptions video;
  video.picture = options;
  video.rate = 2;
  render_video(recording, folder.file("v.png"), video);
  const std::vector<Image> frames = read_png(folder.file("v.png"));
  ASSERT_EQ(frames.size(), 5U);  // 0, 0.5, 1, 1.5, 2 s
  EXPECT_EQ(frames[3].rgb, renderer.draw_at(1.5).rgb);
}

TEST(Rendering, RefusesWhatCannotBeDrawn) {
  const TemporaryFolder folder;
  record(folder.file("run.h5"), make_balls(1), 0);
  EXPECT_THROW(Renderer(Recording(folder.file("run.h5"))), std::runtime_error);
  record(folder.file("run.h5"), make_balls(1), 1);
  const Recording recording(folder.file("run.h5"));
  RenderOptions options;
  options.width = 0;
  EXPECT_THROW(Renderer(recording, options), std::runtime_error);
}

// States that are not finite are left out of the picture, and do not keep the others from being drawn.
TEST(Rendering, StatesThatAreNotFiniteAreLeftOut) {
  const TemporaryFolder folder;
  const Scene scene = make_balls(2);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    world.bodies.position[0] = Vec3(NAN, 0, 0);
    recorder.instant(world, {}, 0);
    recorder.finish(RunReport{});
  }
  const Recording recording(folder.file("run.h5"));
  RenderOptions options;
  options.width = options.height = 40;
  const Image seen = Renderer(recording, options).draw_at(0);
  EXPECT_NE(std::count(seen.rgb.begin(), seen.rgb.end(), seen.rgb[0]), static_cast<std::ptrdiff_t>(seen.rgb.size()));
}

}  // namespace
}  // namespace achilles
