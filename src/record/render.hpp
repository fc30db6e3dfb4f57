// Pictures of a recording without a display or a graphics card: one PNG, or a
// video (MP4, GIF, animated PNG).
#pragma once

#include "record/draw/raster.hpp"
#include "record/recording.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace achilles {

struct RenderOptions {
  int width = 960, height = 540;  // [pixels]
  std::optional<Camera> camera;   // none: what moves is in the picture, with all of its way where that is not too long
};

/// Keeps the triangles of a recording's shapes and where its camera stands, to draw any of its instants. The recording
/// must outlive it. Throws std::runtime_error where the recording is damaged or has no instants.
class Renderer {
 public:
  Renderer(const Recording& recording, const RenderOptions& options = {});
  /// The state at the last instant not after `time` [s].
  [[nodiscard]] Image draw_at(double time);

 private:
  void find_bounds();
  struct Looks {
    std::uint32_t body = 0;
    Transform pose;
    std::span<const RecordedVisual> visuals;
  };
  void look_at(const Instant& instant, Picture& picture) const;
  [[nodiscard]] Aabb find_subject(const Instant& instant) const;
  void add_looks(const Looks& looks, Picture& picture) const;
  [[nodiscard]] Picture picture_of(const Instant& instant) const;

  const Recording& recording_;
  RenderOptions options_;
  std::vector<Shape> shapes_;
  std::vector<TriangleMesh> meshes_;  // per shape; planes in them are drawn as planes
  std::vector<double> time_;          // [s] of every instant
  std::vector<double> reach_;         // [m] per body: how far from its origin it is seen
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
  Camera camera_;
  Instant instant_;  // scratch
};

/// Writes one picture. Throws std::runtime_error with path and reason.
void render_png(const Recording& recording, double time, const std::string& out_path,
                const RenderOptions& options = {});

struct VideoOptions {
  RenderOptions picture;
  int rate = 25;                     // [1/s] frames
  double speed = 1;                  // simulated seconds per second of the video
  std::optional<double> start, end;  // [s] none: all of the recording
};

/// Whether the name ends in what a video can be: .mp4, .gif, or .png and .apng for an animated PNG.
[[nodiscard]] bool is_video_name(const std::string& path);

/// Writes a video of the kind its name ends in. MP4 is encoded by the program ffmpeg; the others need nothing.
void render_video(const Recording& recording, const std::string& out_path, const VideoOptions& options = {});

}  // namespace achilles
