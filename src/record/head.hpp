// The part of a recording that does not change while it grows: what is simulated and how.
#pragma once

#include "record/files/stored_files.hpp"
#include "record/hdf5_file.hpp"
#include "record/robots/robot_head.hpp"

#include <achilles/scene.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace achilles {

struct RecordedBody {
  std::string name;
  BodyKind kind = BodyKind::kDynamic;
  std::uint32_t shape = 0;      // index into RecordingHead::shapes
  double mass = 0;              // [kg] infinite unless dynamic
  Vec3 center = Vec3::Zero();   // [m] of mass, in the body's frame
  Mat3 inertia = Mat3::Zero();  // [kg m²] about the centre of mass, body axes
  std::string material;
  Locks locks;
};

struct RecordingHead {
  std::string version;  // of the Achilles that wrote it
  std::string scene_name, scene_file, source;
  std::string scene_text;              // reading it again gives the scene of the run
  std::string method, impact, solver;  // as run: defaults filled in
  std::string options;                 // JSON object
  std::string overrides;               // JSON [[path, value], ..], already applied to scene_text
  std::int64_t threads = 1;
  double step = 0;              // [s]
  double duration = 0;          // [s]
  std::optional<double> every;  // [s] between instants, as requested; recordings of old do not have it
  Vec3 gravity = Vec3::Zero();
  std::vector<RecordedBody> bodies;
  std::vector<std::string> shapes;  // JSON, see json_shape.hpp; bodies of equal shape share one
  std::vector<StoredFile> files;    // that the scene names
  RobotHead robots;
};

/// What a method is called and what it defaults to where the scene leaves that open.
struct MethodNames {
  std::string method, impact, solver;
};
[[nodiscard]] MethodNames resolve_method_names(const MethodDescription& method);

[[nodiscard]] RecordingHead make_head(const World& world, const Scene& scene, int threads,
                                      const std::vector<Override>& overrides, std::span<const SensorInfo> sensors = {});
void write_head(const Hdf5File& file, const RecordingHead& head);
/// Throws std::runtime_error where the file is no recording, one of a later format, or contradicts itself.
[[nodiscard]] RecordingHead read_head(const Hdf5File& file);

/// Where the chain of digests starts.
[[nodiscard]] std::uint64_t head_digest(const RecordingHead& head);

}  // namespace achilles
