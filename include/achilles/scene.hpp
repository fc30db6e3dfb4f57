// A scene: the checked description of what is simulated, before anything moves.
#pragma once

#include <achilles/error.hpp>
#include <achilles/events.hpp>
#include <achilles/shape.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace achilles {

enum class BodyKind : std::uint8_t { kDynamic, kFixed, kScripted };

/// Bits of the degrees of freedom that a body is not allowed, in world axes.
struct Locks {
  static constexpr std::uint8_t kX = 1, kY = 2, kZ = 4, kRx = 8, kRy = 16, kRz = 32;
  std::uint8_t bits = 0;
};

/// How the orientation follows the spin over a step, [Erleben04, sec. 4.14].
enum class RotationUpdate : std::uint8_t { kFinite, kPartial, kInfinitesimal };

/// How two surfaces act on each other. All quantities physical; 0 stiffness means rigid contact.
struct ContactLaw {
  double friction = 0.5;           // Coulomb's µ
  double restitution = 0;          // [0, 1]; the report names the impact law that reads it
  double rolling_friction = 0;     // [m] resisting torque per normal force
  double torsional_friction = 0;   // [m]
  double stiffness = 0;            // [N/m], compliant contact
  double damping = 0;              // [N s/m]
  std::optional<Vec2> anisotropy;  // friction along the body's x and y axes; `friction` then holds along z
};

struct Material {
  std::string name;
  ContactLaw law;
};

struct MaterialPair {
  std::string first;
  std::string second;
  ContactLaw law;
};

/// Red, green, blue and opacity, each from 0 to 1.
using Color = std::array<double, 4>;

/// What a body looks like, besides its shape: it neither collides nor weighs.
struct VisualDescription {
  Shape shape;
  Pose pose;                   // in the body's frame
  std::optional<Color> color;  // the body's own unless given
};

/// Names the ground to joints: a fixed body without a shape at the origin, which the world makes when a joint names it.
inline constexpr std::string_view kWorldBody = "world";

struct BodyDescription {
  std::string name;
  BodyKind kind = BodyKind::kDynamic;
  Shape shape;
  std::optional<double> mass;     // [kg]
  std::optional<double> density;  // [kg/m³]; 1000 when neither is given
  std::optional<Mat3> inertia;    // [kg m²] about the centre of mass, body axes
  std::optional<Vec3> center;     // [m] centre of mass in the body's frame, where the shape's own is not meant
  Pose pose;                      // of the body's frame
  Vec3 velocity = Vec3::Zero();   // [m/s] of the centre of mass
  Vec3 spin = Vec3::Zero();       // [rad/s] world axes
  std::string material = "default";
  Locks locks;
  RotationUpdate rotation = RotationUpdate::kFinite;
  Vec3 rotation_axis = Vec3::UnitX();  // body axes; for RotationUpdate::kPartial
  Vec3 force = Vec3::Zero();           // [N] constant, world axes, at the centre of mass
  Vec3 torque = Vec3::Zero();          // [N m] constant, world axes
  std::string group;                   // for `rules`; empty: the body's own name
  CollisionFilter collision;
  std::optional<Color> color;              // chosen by the renderer unless given
  std::vector<VisualDescription> visuals;  // drawn in place of the shape; empty: the shape itself
};

enum class JointKind : std::uint8_t { kBall, kHinge, kSlider, kHinge2, kUniversal, kFixed, kPlanar, kDistance };

/// A controlled motor along a free axis: λ/h = stiffness (target − φ) + damping (target rate − w), both at the end of
/// the step, so that it is stable at any gain; or a given force. The target is linear between its points and constant
/// before the first and after the last.
struct DriveDescription {
  enum class Kind : std::uint8_t { kForce, kSpeed, kPosition };
  Kind kind = Kind::kPosition;
  std::vector<std::pair<double, double>> target;  // (time [s], value [N m], [N], [rad/s], [m/s], [rad] or [m])
  double stiffness = 0;                           // [N m/rad] or [N/m], of kPosition
  double damping = 0;                             // [N m s/rad] or [N s/m], of kPosition and kSpeed
  double max_force = std::numeric_limits<double>::infinity();  // [N m] or [N]
  double max_rate = std::numeric_limits<double>::infinity();   // [1/s] of the target's unit: how fast it is followed
};

/// What acts along one free axis of a joint. Angles in radians, lengths in metres.
struct JointAxis {
  Vec3 axis = Vec3::UnitZ();                        // world axes, at the start
  std::optional<std::pair<double, double>> limits;  // [rad] or [m]
  std::optional<double> motor_speed;                // [rad/s] or [m/s]
  std::optional<double> motor_position;             // [rad] or [m]; a motor has a speed or a position
  double motor_max = 0;                             // [N m] or [N]
  double friction = 0;                              // [N m] or [N]
  double stiffness = 0;                             // [N m/rad] or [N/m]
  double damping = 0;                               // [N m s/rad] or [N s/m]
  double rest = 0;                                  // [rad] or [m] where the spring pulls to
  std::optional<DriveDescription> drive;            // in place of a motor
  double armature = 0;                              // [kg m²] or [kg] of a rotor that turns with the axis
};

/// How far a ball joint may swing and twist, [Erleben04, sec. 4.10.3]. Directions are in world axes, at the start.
struct ReachCone {
  Vec3 axis = Vec3::UnitZ();                       // of the cone, which the first body carries
  std::optional<Vec3> limb;                        // axis of the second body that stays in it; that of the cone
  std::optional<Vec3> side;                        // in which the first half-angle counts; any
  std::array<double, 2> swing{};                   // [rad] half-angles of the elliptic cone, above 0 and below π
  std::optional<std::pair<double, double>> twist;  // [rad] about the limb, 0 at the start
};

struct JointDescription {
  std::string name;
  JointKind kind = JointKind::kBall;
  std::string first;              // body name
  std::string second;             // body name
  Vec3 at = Vec3::Zero();         // [m] world, at the start
  std::optional<Vec3> at_second;  // second anchor, for `distance`
  std::vector<JointAxis> axes;    // one or two, by kind
  std::optional<double> length;   // [m] for `distance`
  std::optional<ReachCone> cone;  // for `ball`: its coordinates 0 and 1 are then swing and twist
  double compliance = 0;          // [m/N] softness of the joint itself
  double damping = 0;             // [N s/m] beside that softness
  bool collide = false;           // whether the two bodies collide with each other
};

/// One row of a coupling: coefficient times position along a free axis of a joint.
struct CouplingTerm {
  std::string joint;
  std::size_t axis = 0;
  double coefficient = 1;
};

/// Keeps Σ coefficient · position = offset: gears, mimic joints, fixed tendons. Positions are 0 at the start.
struct CouplingDescription {
  std::string name;
  std::vector<CouplingTerm> terms;
  double offset = 0;
};

/// What a sensor measures; see achilles/sensor.hpp for the values and their units.
enum class SensorKind : std::uint8_t {
  kJointPosition,
  kJointVelocity,
  kJointTorque,
  kImu,
  kContactForce,
  kTouch,
  kFrame,
  kDistanceRay
};

struct SensorDescription {
  std::string name;
  SensorKind kind = SensorKind::kJointPosition;
  std::string joint;               // of the kinds of joints
  std::size_t axis = 0;            // of those, which free axis
  std::string body;                // of all other kinds
  Pose pose;                       // of kImu, kFrame and kDistanceRay: of the sensor in the body's frame
  Vec3 direction = Vec3::UnitX();  // of kDistanceRay: unit, in the sensor's axes
  double range = 10;               // [m] of kDistanceRay: it looks no farther
};

/// Motion of a scripted body, [Erleben04, ch. 3].
struct ScriptDescription {
  std::string body;
  std::vector<Vec3> space;                       // [m] points of the space spline
  std::vector<std::pair<double, double>> speed;  // (time [s], arc length [m])
  std::vector<std::pair<double, Quat>> turn;     // (time [s], orientation)
};

struct TriggerDescription {
  std::string name;
  Shape shape;
  Pose pose;
};

/// Bodies of these groups (or with these names) do not collide.
struct RuleDescription {
  std::string first;
  std::string second;
};

using OptionValue = std::variant<bool, double, std::string>;

struct MethodDescription {
  std::string name = "lcp-fixed";
  std::string impact;                          // empty: the method's default
  std::string solver;                          // empty: the method's default
  std::map<std::string, OptionValue> options;  // checked against the method's table
};

/// What a run listens for besides triggers; see achilles/events.hpp.
struct EventsDescription {
  EventOptions options;
  std::vector<double> timers;  // [s] periods
};

/// A file that a scene names: a mesh, points, heights.
struct SceneFile {
  std::string name;                          // as the scene writes it
  std::shared_ptr<const std::string> bytes;  // what it held when it was read
};

struct Scene {
  std::string name;
  std::string source;
  Vec3 gravity{0, 0, -9.81};  // [m/s²]
  double step = 0.01;         // [s]
  double duration = 10;       // [s]
  MethodDescription method;
  std::vector<Material> materials;  // always holds "default"
  std::vector<MaterialPair> material_pairs;
  std::vector<BodyDescription> bodies;  // unfolded: `repeat`, `planar` and `parent` are applied
  std::vector<JointDescription> joints;
  std::vector<CouplingDescription> couplings;
  std::vector<SensorDescription> sensors;
  std::vector<ScriptDescription> scripts;
  std::vector<TriggerDescription> triggers;
  std::vector<RuleDescription> rules;
  std::optional<EventsDescription> events;

  std::string file;                  // where it was read from
  std::string text;                  // the YAML itself with every --set applied: reading it again gives this scene
  std::vector<SceneFile> files;      // what it names, each once
  std::vector<Diagnostic> warnings;  // legal but suspicious
};

/// One `--set PATH=VALUE`: path into the scene file, value in YAML.
struct Override {
  std::string path;
  std::string value;
};

/// Reads, checks and unfolds a scene file. Throws SceneError with every error found. Mesh and hull files are looked up
/// relative to the scene file. A robot file (URDF, MJCF, SDF) is read as achilles/import.hpp states.
[[nodiscard]] Scene load_scene(const std::string& file, const std::vector<Override>& overrides = {});

/// The same from text in memory; `file` names it in messages and is where relative paths start. Files that come with
/// the text, by name, are used in place of those on the disk; where one of these differs the scene has a warning.
[[nodiscard]] Scene parse_scene(std::string_view text, const std::string& file = "<text>",
                                const std::vector<Override>& overrides = {}, const std::vector<SceneFile>& files = {});

/// JSON Schema of the scene format, for editors.
[[nodiscard]] std::string scene_schema();

}  // namespace achilles
