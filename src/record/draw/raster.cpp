#include "record/draw/raster.hpp"

#include "parallel/blocks.hpp"
#include "record/draw/shadow_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <thread>

namespace achilles {
namespace {

constexpr int kSamples = 2;     // per pixel and direction
constexpr double kFill = 0.95;  // of the picture that a fitted box may take
constexpr std::int32_t kNothing = -1;
using Light = Eigen::Vector3d;  // amounts of red, green, blue

Light to_light(const PaletteColor& color) {
  return {to_linear(color.red), to_linear(color.green), to_linear(color.blue)};
}

const Light kSkyTop = to_light(make_color(0xc3d1e2));
const Light kSkyBottom = to_light(make_color(0xeef1f5));
const Light kGround = to_light(make_color(0xe2e5ea));
const Light kLine = to_light(make_color(0x98a2af));
const Light kSun(0.80, 0.77, 0.71);
const Light kSkyLight(0.44, 0.47, 0.52), kBounce(0.30, 0.29, 0.28);

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// The camera's axes on the sample grid.
struct View {
  Vec3 eye, right, up, forward;
  double focal = 1;  // [samples]
  double near = 0;   // [m]
  int columns = 0, rows = 0;

  View(const Camera& camera, int width, int height)
      : eye(camera.eye), columns(kSamples * width), rows(kSamples * height) {
    forward = (camera.target - eye).normalized();
    right = forward.cross(std::abs(forward.z()) > 0.999 ? Vec3::UnitY() : Vec3::UnitZ()).normalized();
    up = right.cross(forward);
    focal = 0.5 * rows / std::tan(0.5 * camera.height);
    near = 1e-3 * (camera.target - eye).norm();
  }
  /// Through a place on the sample grid, of length 1 along the view.
  [[nodiscard]] Vec3 ray(double column, double row) const {
    return forward + right * ((column - 0.5 * columns) / focal) + up * ((0.5 * rows - row) / focal);
  }
};

/// What is nearest at each sample.
struct Samples {
  std::vector<float> nearness;  // [1/m] along the view; 0: nothing
  std::vector<std::int32_t> body;
  std::vector<Eigen::Vector3f> normal;

  explicit Samples(std::size_t count) : nearness(count, 0), body(count, kNothing), normal(count) {}
};

struct Corner {
  Vec3 at;      // right, up, forward of the eye [m]
  Vec3 normal;  // in the world
};

/// The part of a triangle in front of the near plane: at most four corners.
std::vector<Corner> clip(const Corner (&triangle)[3], double near) {
  std::vector<Corner> kept;
  for (int k = 0; k < 3; ++k) {
    const Corner& a = triangle[k];
    const Corner& b = triangle[(k + 1) % 3];
    if (a.at.z() >= near) kept.push_back(a);
    if ((a.at.z() >= near) != (b.at.z() >= near)) {
      const double s = (near - a.at.z()) / (b.at.z() - a.at.z());
      kept.push_back({a.at + s * (b.at - a.at), a.normal + s * (b.normal - a.normal)});
    }
  }
  return kept;
}

void draw_triangle(const View& view, const Corner& a, const Corner& b, const Corner& c, std::int32_t body,
                   Samples& out) {
  const Corner* corner[3] = {&a, &b, &c};
  Vec2 place[3];
  double nearness[3];
  for (int k = 0; k < 3; ++k) {
    nearness[k] = 1 / corner[k]->at.z();
    place[k] = Vec2(0.5 * view.columns + view.focal * corner[k]->at.x() * nearness[k],
                    0.5 * view.rows - view.focal * corner[k]->at.y() * nearness[k]);
  }
  for_each_pixel(place, view.columns, view.rows, [&](int column, int row, const double* weight) {
    const double here = weight[0] * nearness[0] + weight[1] * nearness[1] + weight[2] * nearness[2];
    const std::size_t at =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(view.columns) + static_cast<std::size_t>(column);
    if (here <= out.nearness[at]) return;
    out.nearness[at] = static_cast<float>(here);
    out.body[at] = body;
    // Nearness is linear across the picture, other quantities are so only after multiplying by it.
    Vec3 normal = Vec3::Zero();
    for (int k = 0; k < 3; ++k) normal += weight[k] * nearness[k] * corner[k]->normal;
    out.normal[at] = normal.cast<float>();
  });
}

void draw_bodies(const Picture& picture, const View& view, Samples& out) {
  for (std::size_t k = 0; k < picture.bodies.size(); ++k) {
    const DrawnBody& body = picture.bodies[k];
    for (const auto& triangle : body.mesh->triangles) {
      Corner corner[3];
      for (std::size_t i = 0; i < 3; ++i) {
        const auto& p = body.mesh->positions[triangle[i]];
        const auto& n = body.mesh->normals[triangle[i]];
        const Vec3 d = body.pose * Vec3(p[0], p[1], p[2]) - view.eye;
        corner[i] = {Vec3(d.dot(view.right), d.dot(view.up), d.dot(view.forward)),
                     body.pose.R * Vec3(n[0], n[1], n[2])};
      }
      const std::vector<Corner> kept = clip(corner, view.near);
      for (std::size_t i = 2; i < kept.size(); ++i) {
        draw_triangle(view, kept[0], kept[i - 1], kept[i], static_cast<std::int32_t>(k), out);
      }
    }
  }
}

Light illuminate(const Vec3& point, const Vec3& normal, const ShadowMap& sun) {
  const double facing = std::max(0.0, normal.dot(sun.direction()));
  const Light sky = kBounce + (0.5 + 0.5 * normal.z()) * (kSkyLight - kBounce);
  return facing > 0 ? Light(sky + facing * sun.light(point) * kSun) : sky;
}

/// How much of a pixel of `size` [m] a line of the grid covers. Lines that are too close to each other fade.
double line_cover(double coordinate, double cell, double size) {
  const double distance = std::abs(coordinate - cell * std::round(coordinate / cell));
  return (1 - smooth_step(0, 0.8 * size, distance)) * std::clamp(1.5 - 2 * size / cell, 0.0, 1.0);
}

/// A plane with the grid that is drawn on it.
struct Ground {
  Vec3 normal, u, v;
  double offset = 0, cell = 0;  // [m]

  Ground(const DrawnPlane& plane, double radius)
      : normal(plane.normal),
        u(std::abs(normal.x()) < 0.9 ? Vec3(Vec3::UnitX() - normal.x() * normal).normalized()
                                     : normal.unitOrthogonal()),
        v(normal.cross(u)),
        offset(plane.offset),
        cell(std::pow(10.0, std::round(std::log10(radius / 3)))) {}
};

Light shade_ground(const Ground& ground, const Vec3& point, double size, const ShadowMap& sun) {
  const double a = point.dot(ground.u);
  const double b = point.dot(ground.v);
  const double cell = ground.cell;
  const double thin = std::max(line_cover(a, cell, size), line_cover(b, cell, size));
  const double bold = std::max(line_cover(a, 5 * cell, size), line_cover(b, 5 * cell, size));
  const Light color = kGround + std::min(1.0, 0.4 * thin + 0.5 * bold) * (kLine - kGround);
  return color.cwiseProduct(illuminate(point, ground.normal, sun));
}

Light shade_body(const DrawnBody& body, Light color, const Vec3& point, Vec3 normal, const Vec3& ray,
                 const ShadowMap& sun) {
  if (normal.dot(ray) > 0) normal = -normal;
  if (body.is_round && body.pose.to_local(point).prod() < 0) color *= 0.7;
  const Light light = illuminate(point, normal, sun);
  const Vec3 half = (sun.direction() - ray.normalized()).normalized();
  const double gloss = 0.12 * std::pow(std::max(0.0, normal.dot(half)), 40.0) * sun.light(point);
  return color.cwiseProduct(light) + gloss * kSun;
}

/// All that is the same for every sample of a picture.
struct Stage {
  const Picture& picture;
  View view;
  ShadowMap sun;
  Samples samples;
  std::vector<Light> colors;  // of the bodies
  std::vector<Ground> grounds;

  Stage(const Picture& drawn, int width, int height)
      : picture(drawn),
        view(drawn.camera, width, height),
        sun(drawn),
        samples(static_cast<std::size_t>(view.columns) * static_cast<std::size_t>(view.rows)) {
    draw_bodies(picture, view, samples);
    for (const DrawnBody& body : picture.bodies) colors.push_back(to_light(body.color));
    for (const DrawnPlane& plane : picture.planes) grounds.emplace_back(plane, picture.radius);
  }
};

/// What is seen around a place on the sample grid.
struct Sight {
  double column = 0, row = 0;
  double nearness = 0;  // [1/m]
  std::int32_t body = kNothing;
  Vec3 normal = Vec3::Zero();  // of any length
};

Light shade(const Stage& stage, const Sight& sight) {
  const auto& [picture, view, sun, samples, colors, grounds] = stage;
  const Vec3 ray = view.ray(sight.column, sight.row);
  const double down = smooth_step(0.0, 1.0, sight.row / view.rows);
  Light light = kSkyTop + down * (kSkyBottom - kSkyTop);
  double nearest = sight.nearness > 0 ? 1 / sight.nearness : INFINITY;
  if (sight.body != kNothing) {
    const auto body = static_cast<std::size_t>(sight.body);
    light =
        shade_body(picture.bodies[body], colors[body], view.eye + nearest * ray, sight.normal.normalized(), ray, sun);
  }
  for (const Ground& ground : grounds) {
    const double height = ground.normal.dot(view.eye) - ground.offset;
    const double closing = -ground.normal.dot(ray);
    if (height <= 0 || closing <= 0 || height / closing >= nearest) continue;
    const double t = height / closing;
    const Vec3 point = view.eye + t * ray;
    const double fade = 1 - smooth_step(4 * picture.radius, 14 * picture.radius, (point - picture.middle).norm());
    if (fade <= 0) continue;
    const double size = kSamples * t / view.focal / std::max(0.1, closing / ray.norm());
    light += fade * (shade_ground(ground, point, size, sun) - light);
    nearest = t;
  }
  return light.cwiseMin(1.0);
}

/// One pixel. Where no body is seen it is smooth and shaded as a whole, else sample by sample.
Light shade_pixel(const Stage& stage, int x, int y) {
  constexpr int kCount = kSamples * kSamples;
  Sight sights[kCount];
  bool is_empty = true;
  for (int k = 0; k < kCount; ++k) {
    const int column = kSamples * x + k % kSamples, row = kSamples * y + k / kSamples;
    const std::size_t at =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(stage.view.columns) + static_cast<std::size_t>(column);
    sights[k] = {column + 0.5, row + 0.5, static_cast<double>(stage.samples.nearness[at]), stage.samples.body[at],
                 stage.samples.normal[at].cast<double>()};
    is_empty = is_empty && sights[k].body == kNothing;
  }
  if (is_empty) return shade(stage, {kSamples * (x + 0.5), kSamples * (y + 0.5)});
  Light sum = Light::Zero();
  for (const Sight& sight : sights) sum += shade(stage, sight);
  return sum / kCount;
}

/// The least light that is shown as each byte but 0.
std::array<double, 255> list_steps() {
  std::array<double, 255> steps{};
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = to_linear((static_cast<float>(k) + 0.5F) / 255);
  return steps;
}

std::uint8_t to_byte(double light) {
  static const std::array<double, 255> steps = list_steps();
  return static_cast<std::uint8_t>(std::upper_bound(steps.begin(), steps.end(), light) - steps.begin());
}

}  // namespace

Camera fit_camera(const Vec3& low, const Vec3& high, double aspect) {
  Camera camera;
  const Vec3 size = high - low;
  const bool is_flat = size.y() < 0.25 * size.x();
  const Vec3 direction = (is_flat ? Vec3(0.25, -1, 0.3) : Vec3(0.75, -1, 0.55)).normalized();
  const Vec3 right = Vec3::UnitZ().cross(direction).normalized();
  const Vec3 above = direction.cross(right);
  const double tall = kFill * std::tan(0.5 * camera.height);
  camera.target = 0.5 * (low + high);
  double distance = 1e-6;
  for (int k = 0; k < 8; ++k) {
    // A corner (x, y) across and z towards the camera at distance d is seen at x / (d - z), which must stay in the
    // picture.
    const Vec3 corner(((k & 1) != 0 ? 0.5 : -0.5) * size.x(), ((k & 2) != 0 ? 0.5 : -0.5) * size.y(),
                      ((k & 4) != 0 ? 0.5 : -0.5) * size.z());
    const double across = std::max(std::abs(corner.dot(right)) / (tall * aspect), std::abs(corner.dot(above)) / tall);
    distance = std::max(distance, corner.dot(direction) + across);
  }
  camera.eye = camera.target + distance * direction;
  return camera;
}

Image draw(const Picture& picture, int width, int height) {
  const Stage stage(picture, width, height);
  Image image(width, height);
  const auto draw_row = [&](int y) {
    for (int x = 0; x < width; ++x) {
      const Light light = shade_pixel(stage, x, y);
      for (int k = 0; k < 3; ++k) image.pixel(x, y)[k] = to_byte(light[k]);
    }
  };
  BlockRunner runner;
  runner.set_threads(static_cast<int>(std::thread::hardware_concurrency()));
  runner.run(static_cast<std::size_t>(height), 16, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t y = first; y < last; ++y) draw_row(static_cast<int>(y));
  });
  return image;
}

}  // namespace achilles
