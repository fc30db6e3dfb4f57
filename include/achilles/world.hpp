// The World: everything that changes while a scene runs, as a value. Copying it is a snapshot.
#pragma once

#include <achilles/events.hpp>
#include <achilles/joint.hpp>
#include <achilles/manifold_memory.hpp>
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

/// Names a body for as long as it lives; a handle to a removed body is recognized, also when its place was taken again.
struct BodyHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  bool operator==(const BodyHandle&) const = default;
};

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

 private:
  friend struct SnapshotAccess;
  std::vector<std::string> names_;
  std::vector<ContactLaw> laws_;                  // row-major, symmetric
  std::vector<DirectionalFriction> directional_;  // likewise, where some law has an anisotropy; else empty
};

/// What the next step remembers of a contact point of this one.
struct CachedPoint {
  std::uint64_t feature = 0;
  double approach = 0;          // [m/s] speed at which the surfaces met, where an impulse acted
  Vec3 impulse = Vec3::Zero();  // [N s] on the second body, world axes
  Vec3 place = Vec3::Zero();    // [m] from the centre of mass, body axes, of the first movable one of the two bodies
};

struct CachedContact {
  std::uint32_t collider_a = 0, collider_b = 0;
  std::uint32_t first = 0, count = 0;  // points[first .. first + count)
};

/// Contacts that touched in the last step: impulses by pair and feature, sorted by (collider_a, collider_b): state,
/// because warm starts shape the next bits. Those of sleepers lie apart, where no step comes by.
struct ContactCache {
  std::vector<CachedContact> contacts;
  std::vector<CachedPoint> points;
};

/// What is known of the rest of bodies, [Erleben04, sec. 6.5].
struct SleepState {
  std::vector<std::uint32_t> calm_steps;  // per body: steps in a row that passed the tests
  std::vector<double> energy;             // [J/kg] per body: kinetic energy by mass when it became calm
  std::vector<std::uint32_t> island;      // per body: sleepers with the same number wake together
  std::vector<std::uint32_t> next;        // per body: a ring of those that lay down together; itself when awake
  std::vector<ContactCache> contacts;     // per body: of a sleeper, what the step after its waking remembers
  std::uint32_t islands = 0;              // numbers given out
  Vec3 gravity = Vec3::Zero();            // [m/s²] under which the sleepers lay down
};

/// The reader that follows which bodies sleep, and what it has yet to receive. Not part of the state: a copy has none.
struct SleepLog {
  const void* reader = nullptr;      // null: the next reader begins anew
  std::vector<std::uint32_t> woken;  // since the reader last looked

  SleepLog() = default;
  ~SleepLog() = default;
  SleepLog(const SleepLog&) noexcept : SleepLog() {}
  SleepLog(SleepLog&&) noexcept : SleepLog() {}
  SleepLog& operator=(const SleepLog&) noexcept {
    reader = nullptr;
    return *this;
  }
  SleepLog& operator=(SleepLog&&) noexcept {
    reader = nullptr;
    return *this;
  }
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
  /// Dense index of a living body; throws std::out_of_range for a dead handle.
  [[nodiscard]] std::uint32_t index_of(BodyHandle handle) const;
  [[nodiscard]] BodyHandle handle_of(std::uint32_t index) const;
  /// Handle by name; throws std::out_of_range, naming it, when there is none.
  [[nodiscard]] BodyHandle find(std::string_view name) const;

  /// Adds a joint between living bodies, as they stand; throws std::invalid_argument with the reason when it is
  /// impossible. Returns its index.
  std::uint32_t add_joint(const JointDescription& description);
  /// Removes a joint; indices above it shift down by one. Whether its bodies collide stays as it was. Throws
  /// std::out_of_range when there is none.
  void remove_joint(std::uint32_t index);
  /// Changes what the motor along a free axis does from the next step on. Throws std::out_of_range for an index that
  /// there is not, std::invalid_argument for an axis that no motor can drive or numbers that are impossible.
  void set_motor(std::uint32_t index, std::size_t axis, const MotorTarget& target);
  /// Lets a drive act along a free axis from the next step on, in place of what motor or drive it had; null for none.
  /// Throws as set_motor does.
  void set_drive(std::uint32_t index, std::size_t axis, const std::optional<DriveDescription>& drive);
  /// Rate of the position along a free axis of a joint [rad/s] or [m/s]; throws std::out_of_range where there is none.
  [[nodiscard]] double joint_rate(std::uint32_t index, std::size_t axis) const;
  /// Couples axes of joints; throws std::invalid_argument with the reason when that is impossible. Returns its index.
  std::uint32_t add_coupling(const CouplingDescription& description);
  /// Index by name; throws std::out_of_range, naming it, when there is none.
  [[nodiscard]] std::uint32_t find_joint(std::string_view name) const;

  /// Lets a scripted body follow a script from now on; throws std::invalid_argument when it is not scripted, when times
  /// do not rise, or when a number, or the place that follows, is not finite.
  void add_script(const ScriptDescription& description);
  /// Gives every body with a script the constant velocity that takes it to its place at time + h.
  void aim_scripts(double h);

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
  ContactCache contact_cache;
  ManifoldMemory manifold_memory;  // of the methods that reuse contacts
  std::vector<WorldJoint> joints;
  std::vector<JointState> joint_states;  // per joint
  std::vector<std::string> joint_names;  // per joint
  std::vector<DrivePoint> drive_points;  // targets of the drives of all joints
  std::vector<WorldCoupling> couplings;
  std::vector<WorldCouplingTerm> coupling_terms;
  std::vector<std::string> coupling_names;  // per coupling
  std::vector<WorldScript> scripts;
  SleepState sleep;
  SleepLog sleep_log;
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
  std::vector<std::uint32_t> slot_of_;  // per body
};

}  // namespace achilles
