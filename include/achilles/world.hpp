// The World: everything that changes while a scene runs, as a value. Copying it is a snapshot.
#pragma once

#include <achilles/events.hpp>
#include <achilles/handle.hpp>
#include <achilles/joint.hpp>
#include <achilles/scene.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace achilles {

class ScriptPath;
struct Geometry;
struct GeometryPiece;
struct WorldMemory;

/// The bodies, one array per quantity, indexed by dense body index. Read by every stage.
struct BodyArrays {
  // The model: constant while a step works on it.
  std::vector<BodyKind> kind;
  std::vector<Locks> locks;
  std::vector<double> mass;             // [kg] infinite for fixed and scripted bodies
  std::vector<Mat3> inertia_B;          // [kg m²] about the centre of mass, body axes
  std::vector<Mat3> inverse_inertia_B;  // [1/(kg m²)] zero for fixed and scripted bodies
  std::vector<Vec3> center_B;           // [m] centre of mass in the body's frame
  std::vector<RotationUpdate> rotation;
  std::vector<Vec3> rotation_axis_B;
  std::vector<Vec3> constant_force;   // [N] from the scene
  std::vector<Vec3> constant_torque;  // [N m]
  std::vector<CollisionFilter> filter;
  // The state.
  std::vector<Vec3> position;     // [m] p_WC, of the centre of mass
  std::vector<Quat> orientation;  // q_WB
  std::vector<BodyVelocity> velocity;
  std::vector<Vec3> applied_force;   // [N] by the user, for the next step only
  std::vector<Vec3> applied_torque;  // [N m]
  std::vector<std::uint8_t> asleep;

  [[nodiscard]] std::size_t size() const { return kind.size(); }
  [[nodiscard]] bool is_movable(std::size_t body) const { return kind[body] == BodyKind::kDynamic; }
  /// The body's frame, as scenes and reports write it.
  [[nodiscard]] Pose frame(std::size_t body) const {
    return {position[body] - orientation[body] * center_B[body], orientation[body]};
  }
};

/// One piece of a body's shape. The pieces of all bodies, in body order, are the colliders.
struct WorldPiece {
  std::uint32_t body = 0;
  std::uint32_t material = 0;
  std::shared_ptr<const Geometry> geometry;
  Transform X_CG;  // placement relative to the centre of mass, body axes
};

/// Friction coefficients along the x, y and z axes of the two bodies of a contact, of those whose surface has
/// directions. With both, the coefficients of the contact are their geometric mean.
struct DirectionalFriction {
  std::optional<Vec3> of_a, of_b;
};

/// Which law holds between two materials: the pair's own where the scene gives one, else mixed: friction, restitution,
/// rolling and torsional friction as geometric means (so that a frictionless or plastic side decides), stiffness and
/// damping in series.
class MaterialTable {
 public:
  MaterialTable();
  MaterialTable(std::span<const Material> materials, std::span<const MaterialPair> pairs);
  /// Index of a named material; throws std::invalid_argument when there is none.
  [[nodiscard]] std::uint32_t index_of(std::string_view name) const;
  [[nodiscard]] const ContactLaw& law(std::uint32_t a, std::uint32_t b) const { return laws_[a * names_.size() + b]; }
  /// Of bodies of the materials a and b, in this order; null where friction is the same in all directions.
  [[nodiscard]] const DirectionalFriction* directional_friction(std::uint32_t a, std::uint32_t b) const {
    return law(a, b).anisotropy ? &directional_[a * names_.size() + b] : nullptr;
  }
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  /// Replaces the law of a pair; throws std::invalid_argument, naming the materials, when it is impossible.
  void set_law(std::uint32_t a, std::uint32_t b, const ContactLaw& law);

 private:
  friend struct SnapshotAccess;
  std::vector<std::string> names_;
  std::vector<ContactLaw> laws_;                  // row-major, symmetric
  std::vector<DirectionalFriction> directional_;  // likewise, where some law has an anisotropy; else empty
};

/// What the World remembers for its methods from step to step: a value, but opaque. A copy into one that exists reuses
/// its arrays. One that was moved from can be assigned to and destroyed.
class WorldMemoryOwner {
 public:
  WorldMemoryOwner();
  WorldMemoryOwner(const WorldMemoryOwner& other);
  WorldMemoryOwner(WorldMemoryOwner&& other) noexcept;
  WorldMemoryOwner& operator=(const WorldMemoryOwner& other);
  WorldMemoryOwner& operator=(WorldMemoryOwner&& other) noexcept;
  ~WorldMemoryOwner();

  [[nodiscard]] WorldMemory& operator*() { return *held_; }
  [[nodiscard]] const WorldMemory& operator*() const { return *held_; }

 private:
  std::unique_ptr<WorldMemory> held_;
};

/// A scripted body and the way it goes.
struct WorldScript {
  std::uint32_t body = 0;  // dense index
  ScriptDescription description;
  Pose start;
  std::shared_ptr<const ScriptPath> path;
};

class World {
 public:
  World();
  /// Builds the bodies of a checked scene. Throws std::invalid_argument where a shape has no volume or a mass is
  /// impossible.
  explicit World(const Scene& scene);

  /// Adds a body; throws std::invalid_argument with the reason when the description is impossible.
  BodyHandle add_body(const BodyDescription& description);
  /// Removes a body, its joints and what the world remembers of its contacts. Dense indices above it shift down by one.
  void remove_body(BodyHandle handle);
  [[nodiscard]] bool is_alive(BodyHandle handle) const;
  /// Whether the handle names a body that is alive or was removed.
  [[nodiscard]] bool has_existed(BodyHandle handle) const;
  /// Dense index of a living body; throws std::out_of_range for a dead handle.
  [[nodiscard]] std::uint32_t index_of(BodyHandle handle) const;
  [[nodiscard]] BodyHandle handle_of(std::uint32_t index) const;
  /// Handle by name; throws std::out_of_range, naming it, when there is none.
  [[nodiscard]] BodyHandle find(std::string_view name) const;

  /// Adds a joint between living bodies, as they stand; throws std::invalid_argument with the reason when it is
  /// impossible.
  JointHandle add_joint(const JointDescription& description);
  /// Removes a joint; dense indices above it shift down by one. Whether its bodies collide stays as it was. Throws
  /// std::out_of_range when there is none.
  void remove_joint(JointHandle handle);
  void remove_joint(std::uint32_t index);
  [[nodiscard]] bool is_alive(JointHandle handle) const;
  /// Dense index of a living joint; throws std::out_of_range for a removed one.
  [[nodiscard]] std::uint32_t index_of(JointHandle handle) const;
  /// Throws std::out_of_range for a dense index that there is not.
  [[nodiscard]] JointHandle joint_handle(std::uint32_t index) const;
  /// Handle by name; throws std::out_of_range, naming it, when there is none.
  [[nodiscard]] JointHandle find_joint(std::string_view name) const;
  /// Changes what the motor along a free axis does from the next step on. Throws std::out_of_range for a joint that
  /// there is not, std::invalid_argument for an axis that no motor can drive or numbers that are impossible.
  void set_motor(JointHandle handle, std::size_t axis, const MotorTarget& target);
  void set_motor(std::uint32_t index, std::size_t axis, const MotorTarget& target);
  /// Lets a drive act along a free axis from the next step on, in place of what motor or drive it had; null for none.
  /// Throws as set_motor does.
  void set_drive(JointHandle handle, std::size_t axis, const std::optional<DriveDescription>& drive);
  void set_drive(std::uint32_t index, std::size_t axis, const std::optional<DriveDescription>& drive);
  /// Rate of the position along a free axis of a joint [rad/s] or [m/s]; throws std::out_of_range where there is none.
  [[nodiscard]] double joint_rate(JointHandle handle, std::size_t axis) const;
  [[nodiscard]] double joint_rate(std::uint32_t index, std::size_t axis) const;
  /// Couples axes of joints; throws std::invalid_argument with the reason when that is impossible. Returns its index.
  std::uint32_t add_coupling(const CouplingDescription& description);

  /// Replaces the law between two materials, or within one, from the next step on; bodies of either wake. Throws
  /// std::invalid_argument when there is no such material or the law is impossible.
  void set_contact_law(std::string_view first, std::string_view second, const ContactLaw& law);
  /// The same of the friction coefficient alone, which then holds in all directions.
  void set_friction(std::string_view first, std::string_view second, double friction);

  /// Lets a scripted body follow a script from now on; throws std::invalid_argument when it is not scripted, when times
  /// do not rise, or when a number, or the place that follows, is not finite.
  void add_script(const ScriptDescription& description);
  /// Gives every body with a script the constant velocity that takes it to its place at time + h.
  void aim_scripts(double h);
  /// The same for a part of a step, which begins at `start` [s].
  void aim_scripts(double start, double h);

  /// Two bodies, by dense index, that pass through each other from now on.
  void ignore_pair(std::uint32_t first, std::uint32_t second);

  /// Wakes a body, by dense index, and all that fell asleep with it.
  void wake(std::uint32_t body);
  void wake(std::span<const std::uint32_t> list);
  void wake_all();
  /// Puts an awake body to sleep, to wake together with `with`, a sleeper or the body itself.
  void lie_down(std::uint32_t body, std::uint32_t with);
  /// Lays the remembered contacts among sleepers aside, where waking finds them: after bodies lay down.
  void lay_contacts_aside();

  /// A volume that reports which bodies overlap it; returns its index. Throws std::invalid_argument for an impossible
  /// shape.
  std::uint32_t add_trigger(const TriggerDescription& description);
  /// Ticks every `period` seconds from now; returns its index. Throws std::invalid_argument for a period below a
  /// microsecond.
  std::uint32_t add_timer(double period);

  /// Places a body's frame; sleeping bodies wake.
  void set_pose(BodyHandle handle, const Pose& pose);
  void set_velocity(BodyHandle handle, const BodyVelocity& velocity);
  /// Adds a force [N] at a world point for the next step.
  void apply_force(BodyHandle handle, const Vec3& force, const Vec3& point_W);
  /// Adds a torque [N m] for the next step.
  void apply_torque(BodyHandle handle, const Vec3& torque);
  /// The body's frame, and the velocity of its centre of mass with its spin.
  [[nodiscard]] Pose pose(BodyHandle handle) const;
  [[nodiscard]] BodyVelocity velocity(BodyHandle handle) const;
  /// Changes velocities at once by an impulse [N s] at a world point; locked degrees of freedom stay locked.
  void apply_impulse(BodyHandle handle, const Vec3& impulse, const Vec3& point_W);

  [[nodiscard]] double kinetic_energy() const;    // [J]
  [[nodiscard]] double potential_energy() const;  // [J] −Σ m g·x, and of the springs of joints
  [[nodiscard]] Vec3 linear_momentum() const;     // [N s] of the movable bodies
  [[nodiscard]] Vec3 angular_momentum() const;    // [N m s] about the origin

  /// 64-bit hash of every bit of the state that the next step depends on.
  [[nodiscard]] std::uint64_t state_hash() const;
  /// Whether all positions and velocities are finite; the first body that is not, if any.
  [[nodiscard]] std::optional<std::uint32_t> first_not_finite() const;

  /// Writes the whole world; reading it back continues bit for bit.
  void save(std::ostream& out) const;
  /// Throws std::runtime_error when the stream is not a complete world of this version.
  [[nodiscard]] static World load(std::istream& in);

  /// Contact cache, kept manifolds and sleep state: of the methods, and part of every copy and saved world.
  [[nodiscard]] WorldMemory& memory() { return *memory_; }
  [[nodiscard]] const WorldMemory& memory() const { return *memory_; }

  // Plain data, read and written by the stages of a step.
  Vec3 gravity{0, 0, -9.81};  // [m/s²]
  double time = 0;            // [s]
  std::int64_t step_index = 0;
  BodyArrays bodies;
  std::vector<std::string> names;                    // per body
  std::vector<std::shared_ptr<const Shape>> shapes;  // per body, as described
  std::vector<std::uint32_t> body_material;          // per body
  std::vector<WorldPiece> pieces;
  MaterialTable materials;
  std::vector<WorldJoint> joints;
  std::vector<JointState> joint_states;  // per joint
  std::vector<std::string> joint_names;  // per joint
  std::vector<JointLoad> joint_loads;    // per joint, of the last step: a result, not saved
  std::vector<DrivePoint> drive_points;  // targets of the drives of all joints
  std::vector<WorldCoupling> couplings;
  std::vector<WorldCouplingTerm> coupling_terms;
  std::vector<std::string> coupling_names;  // per coupling
  std::vector<WorldScript> scripts;
  std::vector<WorldTrigger> triggers;
  EventState events;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      ignored_pairs;  // bodies that do not collide; first < second, sorted

 private:
  friend struct SnapshotAccess;
  struct Slot {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    std::uint32_t alive = 0;
  };
  void ignore(const RuleDescription& rule, std::span<const BodyDescription> descriptions);
  BodyHandle claim_slot(std::uint32_t index);
  void append_pieces(std::uint32_t body, std::span<const GeometryPiece> geometry);
  void return_contacts(std::uint32_t body);
  void sort_contacts();
  void erase_joint(std::uint32_t index);

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_;    // per body
  std::vector<std::uint32_t> joint_ids_;  // per joint, ascending
  std::uint32_t last_joint_id_ = 0;
  WorldMemoryOwner memory_;
};

}  // namespace achilles
