// What the parts of the MJCF reader hand to each other.
#pragma once

#include "scene/import/mjcf/document.hpp"
#include "scene/import/model.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace achilles::scene_file {

/// A hinge or slide of the file, and where it went: an axis of a joint of the model.
struct MjcfJoint {
  std::string name;
  Place place;
  bool slides = false;
  double start = 0;        // [rad] or [m] where the scene starts
  double written = 0;      // [rad] or [m] of the pose that the file writes (`ref`)
  double spring_rest = 0;  // [rad] or [m] (`springref`)
  std::optional<std::pair<double, double>> range;
  double effort = 0;            // [N m] or [N] that actuators may do; 0: no limit
  int link = -1;                // that it moves
  std::size_t model_joint = 0;  // index in Model::joints
  std::size_t axis = 0;
};

/// Friction of a surface as MuJoCo mixes it.
struct MjcfSurface {
  double sliding = 1;
  double torsional = 0.005;  // [m]
  double rolling = 0.0001;   // [m]
  int condim = 3;
  int priority = 0;
  bool operator==(const MjcfSurface&) const = default;
};

struct MjcfSite {
  int link = -1;
  Pose pose;  // in the link's frame, or in the world
};

struct MjcfMesh {
  std::string file;
  std::string missing;  // why there is no file
  Vec3 scale = Vec3::Ones();
  std::vector<Vec3> points;
  Place place;
};

struct MjcfHeights {
  std::vector<std::vector<double>> rows;
  Vec2 cell = Vec2::Ones();
  double base = 0;
};

/// Terms of a fixed tendon: joints by name, and coefficients.
struct MjcfTendon {
  std::vector<std::pair<std::string, double>> terms;
  Place place;
};

/// A joint of a body before it is known which joint of the scene it becomes.
struct MjcfPendingJoint {
  enum class Kind { kHinge, kSlide, kBall };
  Kind kind = Kind::kHinge;
  MjcfJoint joint;
  JointAxis axis;                 // in the world
  std::optional<ReachCone> cone;  // of a ball joint
  Vec3 at = Vec3::Zero();         // [m] world
};

/// An element of a body with the frame around it, in the body.
using MjcfPart = std::pair<const XmlNode*, Pose>;

struct MjcfRobot {
  const MjcfDocument& document;
  ImportContext& context;
  Model model = {};
  std::vector<MjcfSurface> surfaces = {};  // the material of the same index
  std::map<std::string, MjcfMesh> meshes = {};
  std::map<std::string, std::optional<MjcfHeights>> heights = {};  // nothing where they cannot be read
  std::map<std::string, Color> colors = {};                        // of materials
  std::vector<MjcfJoint> joints = {};                              // hinges and slides
  std::map<std::string, std::size_t> joint_index = {};
  std::map<std::string, int> link_index = {};  // of bodies
  std::vector<int> world_links = {};           // of the world's geoms
  std::vector<Pose> written = {};              // of each link, as the file has it before its joints move
  std::map<std::string, MjcfSite> sites = {};
  std::map<std::string, int> geom_links = {};  // of named geoms
  std::map<std::string, MjcfTendon> tendons = {};
  std::vector<double> qpos = {};  // of the keyframe; empty: as written
  std::vector<double> ctrl = {};
  std::size_t next_qpos = 0;
};

/// Meshes, height fields and colours.
void read_mjcf_assets(MjcfRobot& robot);
/// The bodies below <worldbody>, their geoms and joints.
void read_mjcf_bodies(MjcfRobot& robot);
/// The joints of a body in a row: each turns or shifts the frame in which the next ones stand, and moves `pose`, that
/// of the body. Sets `free` where one is a free joint.
[[nodiscard]] std::vector<MjcfPendingJoint> read_mjcf_joints(MjcfRobot& robot, const std::vector<MjcfPart>& joints,
                                                             const std::string& child_class, const std::string& body,
                                                             const XmlNode*& free, Pose& pose);
/// Geoms of a body become its shapes, its surface and, where the file gives none, its mass.
void add_mjcf_geoms(MjcfRobot& robot, const std::vector<std::pair<const XmlNode*, Pose>>& geoms,
                    const std::string& child_class, bool weighs, ModelLink& link);
/// Each geom of the world becomes a fixed link of its own.
void add_mjcf_world_geom(MjcfRobot& robot, const XmlNode& geom, const Pose& frame, const std::string& child_class);
/// Materials of all surfaces, and the laws between them.
void write_mjcf_surfaces(MjcfRobot& robot);
/// Fixed tendons. What one does to a single joint, that joint does itself.
void read_mjcf_tendons(MjcfRobot& robot);
/// Equality constraints and exclusions.
void read_mjcf_constraints(MjcfRobot& robot);
/// Drives of the joints.
void read_mjcf_actuators(MjcfRobot& robot);
void read_mjcf_sensors(MjcfRobot& robot);

/// "NAME" of an element, or `standard` with a number where it has none.
[[nodiscard]] std::string name_of(const XmlNode& node, std::string_view standard, std::size_t number);
/// The joint of that name; complains at `place` and returns nullptr when there is none.
[[nodiscard]] MjcfJoint* find_mjcf_joint(MjcfRobot& robot, const std::string& name, const Place& place);
/// The link of a body, -1 for the world; complains and returns nothing when there is none.
[[nodiscard]] std::optional<int> find_mjcf_body(MjcfRobot& robot, const std::string& name, const Place& place);
[[nodiscard]] JointAxis& axis_of(MjcfRobot& robot, const MjcfJoint& joint);

}  // namespace achilles::scene_file
