// Reading robot files: URDF, MJCF and SDF become the same Scene that a YAML file gives.
#pragma once

#include <achilles/scene.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

/// What a robot file leaves open, or what is to be read differently.
struct ImportOptions {
  enum class Base { kAuto, kFree, kFixed };
  enum class Meshes { kHull, kDecompose, kDistanceMap };

  bool strict = false;            // what is not supported is an error instead of a warning
  Base base = Base::kAuto;        // whether what has no joint to the ground may move; kAuto: as in the file's format
  bool keep_fixed = false;        // bodies held by fixed joints stay bodies of their own
  bool self_collision = false;    // of URDF, whose links do not collide with each other otherwise
  bool ground = true;             // a plane under a free robot whose file has no ground
  Meshes meshes = Meshes::kHull;  // what meshes collide as
  double mesh_error = 2e-3;       // [m] of a decomposition, and the spacing of the samples of a distance map
  int mesh_parts = 16;            // of a decomposition, at most
  double hold_stiffness = 0;      // [N m/rad] or [N/m] of a drive that keeps each joint where it starts; 0: none
  double hold_damping = 0;        // [N m s/rad] or [N s/m]
  std::string keyframe;           // of MJCF: where to start; empty: "home" where there is one; "none": none
  std::map<std::string, double> start;          // joint positions to start from [rad] or [m]
  std::map<std::string, std::string> packages;  // folders that package:// and model:// stand for
  std::set<std::string> leave_out;              // any of kLeftOutWords
};

/// What ImportOptions::leave_out may hold: a method that lacks one of these runs the rest of the robot.
inline constexpr const char* kLeftOutWords[] = {"drives", "armature", "couplings", "springs", "friction",
                                                "limits", "sensors",  "loops",     "rolling"};

/// Whether the text is XML, so a robot file and not a scene in YAML.
[[nodiscard]] bool is_robot_text(std::string_view text);

/// Reads any file: robot files with these options, and scenes in YAML.
[[nodiscard]] Scene load_scene(const std::string& file, const std::vector<Override>& overrides,
                               const ImportOptions& options);

/// Reads a robot file. `text` of the scene is YAML that gives the same scene. Throws SceneError with every error found;
/// what the scene cannot hold is in its warnings, with file and line.
[[nodiscard]] Scene import_robot(const std::string& file, const ImportOptions& options = {},
                                 const std::vector<Override>& overrides = {});
[[nodiscard]] Scene import_robot_text(std::string_view text, const std::string& file, const ImportOptions& options = {},
                                      const std::vector<Override>& overrides = {});

/// The text of a scene with the names of its files changed, so that they are found from `folder`.
[[nodiscard]] std::string move_scene_text(const Scene& scene, const std::string& folder);

}  // namespace achilles
