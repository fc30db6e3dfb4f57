// A checked tree becomes a Scene. What only shows once all parts are known is checked here: names, references, files,
// sizes of what `repeat` unfolds.
#pragma once

#include "scene/complaints.hpp"
#include "scene/yaml/node.hpp"

#include "geometry/geometry.hpp"

#include <achilles/scene.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace achilles::scene_file {

/// One entry of `bodies`, unfolded or not: bodies [first, first + count) of the scene come from it.
struct BodySource {
  const Node* node = nullptr;
  std::string name;
  std::size_t first = 0;
  std::size_t count = 0;
  double mass = 0;                         // [kg] of each of them; 0 unless dynamic and without error
  std::vector<GeometryPiece> pieces = {};  // of its shape, empty when there was an error
};

struct Build {
  Complaints& complaints;
  std::string directory;              // where relative file names start
  std::span<const SceneFile> supply;  // files that come with the scene
  Scene scene = {};
  std::vector<BodySource> sources = {};
  std::map<std::string, std::size_t, std::less<>> body_index = {};  // by name
  std::set<std::string, std::less<>> material_names = {};
  double shape_bytes = 0;  // what the shapes of all bodies so far take
};

/// The most a scene may unfold to: bodies, materials, bytes of shapes.
inline constexpr std::size_t kMaxBodies = 1'000'000;
inline constexpr std::size_t kMaxMaterials = 1000;  // every two of them have a law
inline constexpr std::size_t kMaxShapeBytes = std::size_t{2} << 30U;

void build_settings(Build& build, const Node& root);
void build_materials(Build& build, const Node& root);
void build_bodies(Build& build, const Node& root);
void build_joints(Build& build, const Node& root);
void build_couplings(Build& build, const Node& root);
void build_sensors(Build& build, const Node& root);
void build_scripts(Build& build, const Node& root);
void build_triggers(Build& build, const Node& root);
void build_rules(Build& build, const Node& root);

/// position and orientation of a body, trigger or part.
[[nodiscard]] Pose build_pose(Build& build, const Node& node, const std::string& field);
/// The shape under `shape:`; an empty compound when it cannot be made, after complaining.
[[nodiscard]] Shape build_shape(Build& build, const Node& shape, const std::string& field);

/// What is seen of a body.
[[nodiscard]] std::vector<VisualDescription> build_visuals(Build& build, const Node& body, const std::string& field);
[[nodiscard]] std::optional<Color> read_color(const Node& node);
/// The drive along an axis of a joint; nothing where it has none.
[[nodiscard]] std::optional<DriveDescription> build_drive(Build& build, const Node& axis, const std::string& field);
/// The named joint, if it has that free axis; complains and returns nothing otherwise.
const JointDescription* find_joint_axis(Build& build, const Node& name, std::size_t axis, const std::string& field);

/// All names of bodies, repetitions by the name of the entry.
[[nodiscard]] std::vector<std::string> body_names(const Build& build);
/// Complains when the name is empty or too long.
void check_name(Build& build, const Node& node, const std::string& field);
/// The pose of a body at the start, the identity for the world; complains when there is none of that name.
[[nodiscard]] Pose pose_of_body(Build& build, const Node& name, const std::string& field);
/// Complains unless a body has that name; whether it has.
bool check_body_name(Build& build, const Node& name, const std::string& field);

}  // namespace achilles::scene_file
