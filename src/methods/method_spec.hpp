// What the rest of the program knows of a method: one value, defined in spec.cpp of the method's folder. The scene
// reader, the schema, `check`, `methods`, `compare` and `certify` read it; nothing else knows a method by its name.
#pragma once

#include <achilles/scene.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

class Method;  // method.hpp

/// One option of a method, as written under `method:` in a scene.
struct OptionInfo {
  enum class Type { kNumber, kInteger, kBoolean, kWord };
  std::string_view name;
  Type type = Type::kNumber;
  OptionValue standard;  // the default
  double minimum = 0;    // allowed range of a number or an integer, ends included
  double maximum = 0;
  std::vector<std::string_view> words;         // allowed words, for kWord
  std::string_view meaning;                    // one line, with the unit
  std::string_view needs = {};                 // boolean option without which it does nothing; empty: none
  std::vector<std::string_view> solvers = {};  // of a solver's option: those that take it; empty: the method's own
};

/// What of a scene a method takes into account; or, of a scene, what it needs. See capabilities.hpp.
struct Capabilities {
  bool friction = false;
  bool restitution = false;
  bool rolling_friction = false;
  bool torsional_friction = false;
  bool anisotropic_friction = false;  // friction that depends on the direction
  bool compliant_contact = false;     // stiffness and damping of materials
  bool joints = false;
  bool joint_limits = false;
  bool joint_motors = false;
  bool position_motors = false;  // joint motors that go to a position
  bool joint_springs = false;
  bool joint_friction = false;
  bool joint_compliance = false;
  bool joint_damping = false;  // beside compliance
  bool joint_drives = false;   // by force, or to a speed or position with gains
  bool armature = false;       // inertia of rotors along the axes of joints
  bool couplings = false;      // of joints with joints
  bool scripts = false;
  bool contact_callbacks = false;  // of programs that change or reject contacts
  bool rotation_rules = false;     // partial and infinitesimal rotation updates of bodies
  bool sleeping = false;
  bool continuous_collision = false;  // no impact is missed between two steps
};

/// What moves bodies out of each other, besides the impulses that keep them apart.
enum class Stabilization {
  kNone,
  kPositions,   // they are lifted by as much as they sank: their weight times the depth
  kVelocities,  // they leave within a step what they sank: as fast as depth / step
};

/// What `certify` may hold the recordings of a method to.
struct Promises {
  std::string_view depth_option = {};  // option [m]: nothing is deeper at any time; empty: no promise
  std::string_view rest_speed_option =
      {};                   // option [m/s]: what touches closes no faster after a step, but for two steps of gravity
  bool energy = false;      // none appears from nowhere, but for what steps of first order err by
  bool free_flight = true;  // what touches nothing keeps its energy and angular momentum, but for rounding
  bool momentum = true;     // bodies among themselves keep it
  bool angular = true;      // and angular momentum, but for what steps of first order err by
  bool inertia = true;      // positions follow velocities
  bool impulses = false;    // the recorded ones are all there were in the step
  double rounding = 1e-9;   // relative, of momentum: sums over many bodies and steps in double precision
  bool cone = true;         // impulses lie in Coulomb's cone
  Stabilization stabilization = Stabilization::kNone;
  bool joints = false;       // joints hold together
  double give = 0.01;        // share of the size of a body by which its contacts may give way
  double mass_ratio = 1e3;   // of bodies that touch or hang on each other, up to which it is known to hold
  bool zeno_points = false;  // it stops at Zeno points, by design
};

/// Another algorithm under the name of a method: what differs where an option has a certain word.
struct MethodVariant {
  std::string_view option, word;
  std::vector<std::string_view> options = {};  // of the method's, those that the algorithm has
  Capabilities capabilities = {};
  Promises promises = {};
};

/// What a scene requests of a method, checked against its spec.
struct MethodRequest {
  const MethodDescription& description;
  std::string solver;  // by name; empty: the method has none
  std::string impact;  // likewise
};

struct MethodSpec {
  std::string_view name;
  std::string_view source = {};
  std::string_view summary = {};               // one line
  std::vector<std::string_view> solvers = {};  // accepted under `solver:`, the first is the default; empty: it has none
  std::vector<std::string_view> impact_laws =
      {};  // accepted under `impact:`, the first is the default; empty: it has none
  std::vector<OptionInfo> options = {};
  Capabilities capabilities = {};
  Promises promises = {};
  std::vector<MethodVariant> variants = {};
  bool real_time =
      false;  // made for many bodies in real time: reports name it where another method is slower than that
  std::unique_ptr<Method> (*make)(const MethodRequest& request) = nullptr;
};

/// Every method of this build, by name. A method is in it by the mere existence of src/methods/<folder>/spec.cpp, which
/// defines `std::vector<MethodSpec> <folder>_specs()`: the build makes the list (cmake/modules.cmake).
[[nodiscard]] std::span<const MethodSpec> method_specs();

/// The spec of a method, or nullptr.
[[nodiscard]] const MethodSpec* find_method(std::string_view name);

/// The variant that the options of a scene choose, or nullptr where the spec itself holds.
[[nodiscard]] const MethodVariant* find_variant(const MethodSpec& spec, const MethodDescription& description);

/// The method a scene names. Throws std::invalid_argument naming what is wrong: a name, an option, its type or
/// range.
[[nodiscard]] std::unique_ptr<Method> make_method(const MethodDescription& description);

}  // namespace achilles
