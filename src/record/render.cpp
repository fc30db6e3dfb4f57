#include "record/render.hpp"

#include "math/finite.hpp"
#include "record/draw/gif.hpp"
#include "record/draw/mp4.hpp"
#include "record/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::size_t kBoundsInstants = 40;
constexpr int kSegments = 32;
constexpr double kAround = 2.5;         // a picture is at least this many times as large as what moves
constexpr double kLeastShare = 8;       // and at least this part of its whole way
constexpr double kTimeRounding = 1e-9;  // a sum of steps is not exactly the time that people name
constexpr std::size_t kPaletteFrames = 6;

/// visit(plane, pose) for every plane of a shape.
template <class Visit>
void for_each_plane(const Shape& shape, const Transform& pose, Visit&& visit) {
  if (const auto* plane = std::get_if<Plane>(&shape.kind)) visit(*plane, pose);
  if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
    for (const CompoundPart& part : compound->parts) for_each_plane(part.shape, pose * to_transform(part.pose), visit);
  }
}

/// The shape without its planes, which are endless and drawn as such.
Shape without_planes(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape.kind)) return {Compound{}};
  if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
    Compound kept;
    for (const CompoundPart& part : compound->parts) kept.parts.push_back({without_planes(part.shape), part.pose});
    return {kept};
  }
  return shape;
}

double reach_of(const TriangleMesh& mesh) {
  double reach = 0;
  for (const auto& p : mesh.positions) reach = std::max(reach, Vec3(p[0], p[1], p[2]).norm());
  return reach;
}

}  // namespace

Renderer::Renderer(const Recording& recording, const RenderOptions& options)
    : recording_(recording), options_(options), time_(recording.instants()) {
  if (time_.empty()) throw std::runtime_error(recording.path() + ": there is no instant to draw");
  if (options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384) {
    throw std::runtime_error("a picture has between 1 and 16384 pixels in each direction");
  }
  recording.read_rows("time", 0, time_.size(), time_);
  for (std::size_t k = 0; k < recording.head().shapes.size(); ++k) {
    shapes_.push_back(recording.shape(k));
    meshes_.push_back(triangulate(without_planes(shapes_.back()), kSegments, 1));
  }
  find_bounds();
  const double aspect = static_cast<double>(options.width) / options.height;
  camera_ = options.camera ? *options.camera : fit_camera(low_, high_, aspect);
}

/// Around what moves, over the whole recording; the outermost hundredth does not decide, so that a fragment that flies
/// off does not make all else a dot.
void Renderer::find_bounds() {
  const std::vector<RecordedBody>& bodies = recording_.head().bodies;
  std::vector<double> reach(bodies.size());
  bool has_moving = false;
  for (std::size_t k = 0; k < bodies.size(); ++k) reach[k] = reach_of(meshes_[bodies[k].shape]);
  for (const RecordedVisual& visual : recording_.head().robots.visuals) {
    const double farthest = visual.pose.p.norm() + reach_of(meshes_[visual.shape]);
    reach[visual.body] = std::max(reach[visual.body], farthest);
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    has_moving = has_moving || (bodies[k].kind != BodyKind::kFixed && reach[k] > 0);
  }
  reach_ = reach;
  std::array<std::vector<double>, 3> low, high;
  for_each_row(recording_, "position", spread_instants(time_.size(), kBoundsInstants),
               [&](std::span<const double> row, std::size_t) {
                 for (std::size_t k = 0; k < bodies.size(); ++k) {
                   if (reach[k] <= 0 || (has_moving && bodies[k].kind == BodyKind::kFixed)) continue;
                   for (std::size_t axis = 0; axis < 3; ++axis) {
                     if (!std::isfinite(row[3 * k + axis])) continue;
                     low[axis].push_back(row[3 * k + axis] - reach[k]);
                     high[axis].push_back(row[3 * k + axis] + reach[k]);
                   }
                 }
               });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto pick = [](std::vector<double>& list, double share, double otherwise) {
      if (list.empty()) return otherwise;
      std::sort(list.begin(), list.end());
      return list[static_cast<std::size_t>(share * static_cast<double>(list.size() - 1))];
    };
    const bool is_many = low[axis].size() > 300;
    low_[static_cast<int>(axis)] = pick(low[axis], is_many ? 0.01 : 0.0, -1);
    high_[static_cast<int>(axis)] = pick(high[axis], is_many ? 0.99 : 1.0, 1);
  }
}

/// The whole way of what moves or, where that would make what moves a dot, a part of it around that.
void Renderer::look_at(const Instant& instant, Picture& picture) const {
  Vec3 low = low_, high = high_;
  const Aabb subject = find_subject(instant);
  const double path = (high_ - low_).norm();
  const double wanted = std::max(kAround * (subject.upper - subject.lower).norm(), path / kLeastShare);
  if (!options_.camera && wanted < path && (subject.lower.array() <= subject.upper.array()).all()) {
    const Vec3 half = Vec3::Constant(0.5 * wanted / std::sqrt(3.0));
    low = subject.center() - half;
    high = subject.center() + half;
    picture.camera = fit_camera(low, high, static_cast<double>(options_.width) / options_.height);
  } else {
    picture.camera = camera_;
  }
  picture.middle = 0.5 * (low + high);
  picture.radius = std::max(1e-9, 0.5 * (high - low).norm());
}

/// Around what moves, at one instant.
Aabb Renderer::find_subject(const Instant& instant) const {
  Aabb box;
  const std::vector<RecordedBody>& bodies = recording_.head().bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Vec3 p = instant.pose(k).p;
    if (bodies[k].kind == BodyKind::kFixed || reach_[k] <= 0 || !p.allFinite()) continue;
    box.include(p + Vec3::Constant(reach_[k]));
    box.include(p - Vec3::Constant(reach_[k]));
  }
  return box;
}

/// What a body looks like: its visuals or, where it has none, its shape.
void Renderer::add_looks(const Looks& looks, Picture& picture) const {
  const std::vector<RecordedBody>& bodies = recording_.head().bodies;
  const auto to_color = [](const Color& c) {
    return PaletteColor{static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
  };
  const auto own = std::find_if(recording_.head().robots.colors.begin(), recording_.head().robots.colors.end(),
                                [&](const RecordedColor& color) { return color.body == looks.body; });
  const PaletteColor color = own != recording_.head().robots.colors.end()
                                 ? to_color(own->color)
                                 : kPalette[palette_index(bodies[looks.body].kind, looks.body)];
  const auto add = [&](std::uint32_t shape, const Transform& pose, const PaletteColor& of) {
    const TriangleMesh& mesh = meshes_[shape];
    if (mesh.triangles.empty()) return;
    const auto& kind = shapes_[shape].kind;
    const bool is_round = std::holds_alternative<Sphere>(kind) || std::holds_alternative<Cylinder>(kind);
    picture.bodies.push_back({&mesh, pose, of, is_round});
  };
  if (looks.visuals.empty()) add(bodies[looks.body].shape, looks.pose, color);
  for (const RecordedVisual& visual : looks.visuals) {
    add(visual.shape, looks.pose * to_transform(visual.pose), visual.color ? to_color(*visual.color) : color);
  }
}

Picture Renderer::picture_of(const Instant& instant) const {
  Picture picture;
  look_at(instant, picture);
  const std::vector<RecordedVisual>& visuals = recording_.head().robots.visuals;  // by body
  auto visual = visuals.begin();
  const std::vector<RecordedBody>& bodies = recording_.head().bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    Pose pose = instant.pose(k);
    if (!is_finite(pose)) continue;
    pose.q.normalize();
    const Transform placed = to_transform(pose);
    const Shape& shape = shapes_[bodies[k].shape];
    for_each_plane(shape, placed, [&picture](const Plane& plane, const Transform& at) {
      const Vec3 normal = at.R * plane.normal;
      picture.planes.push_back({normal, plane.offset + normal.dot(at.p)});
    });
    const auto body = static_cast<std::uint32_t>(k);
    const auto first = std::find_if(visual, visuals.end(), [&](const RecordedVisual& v) { return v.body >= body; });
    visual = std::find_if(first, visuals.end(), [&](const RecordedVisual& v) { return v.body > body; });
    add_looks({body, placed, {first, visual}}, picture);
  }
  return picture;
}

Image Renderer::draw_at(double time) {
  const double rounding = kTimeRounding * std::max(1.0, std::abs(time));
  const auto after = std::upper_bound(time_.begin(), time_.end(), time + rounding);
  const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - time_.begin() - 1));
  recording_.read(at, instant_);
  return draw(picture_of(instant_), options_.width, options_.height);
}

void render_png(const Recording& recording, double time, const std::string& out_path, const RenderOptions& options) {
  write_png(Renderer(recording, options).draw_at(time), out_path);
}

namespace {

/// The frames of a video: how many, and the simulated time of each.
struct Frames {
  double start = 0;  // [s]
  double step = 0;   // [s]
  std::size_t count = 0;

  [[nodiscard]] double time(std::size_t k) const { return start + static_cast<double>(k) * step; }
};

template <class Writer>
void write_frames(Renderer& renderer, const Frames& frames, Writer&& writer) {
  for (std::size_t k = 0; k < frames.count; ++k) writer.add(renderer.draw_at(frames.time(k)));
  writer.close();
}

/// Colours of the whole video, from a few of its frames.
GifPalette make_palette(Renderer& renderer, const Frames& frames) {
  std::vector<Image> samples;
  for (const std::size_t k : spread_instants(frames.count, kPaletteFrames)) {
    samples.push_back(renderer.draw_at(frames.time(k)));
  }
  return GifPalette(samples);
}

}  // namespace

bool is_video_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".gif" || extension == ".mp4" || extension == ".png" || extension == ".apng";
}

void render_video(const Recording& recording, const std::string& out_path, const VideoOptions& options) {
  if (!is_video_name(out_path)) throw std::runtime_error(out_path + ": videos end in .mp4, .gif, .png or .apng");
  if (options.rate < 1 || options.rate > 1000 || !(options.speed > 0)) {
    throw std::runtime_error("a video has between 1 and 1000 frames per second and runs forward");
  }
  Renderer renderer(recording, options.picture);
  Frames frames;
  frames.start = options.start.value_or(recording.time(0));
  frames.step = options.speed / options.rate;
  const double end = options.end.value_or(recording.time(recording.instants() - 1));
  const double count = std::floor((end - frames.start) / frames.step + 1e-9) + 1;
  if (!(count >= 1 && count <= 1e6))
    throw std::runtime_error(out_path + ": a video has between 1 and 1,000,000 frames");
  frames.count = static_cast<std::size_t>(count);
  const int width = options.picture.width;
  const int height = options.picture.height;
  const std::string extension = std::filesystem::path(out_path).extension().string();
  if (extension == ".mp4") {
    write_frames(renderer, frames, Mp4Encoder(out_path, width, height, options.rate));
  } else if (extension == ".gif") {
    write_frames(renderer, frames, AnimatedGif(out_path, width, height, options.rate, make_palette(renderer, frames)));
  } else {
    write_frames(renderer, frames, AnimatedPng(out_path, width, height, frames.count, options.rate));
  }
}

}  // namespace achilles
