#include "methods/capabilities.hpp"

#include "methods/method.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

// No scene is refused for the first two and the last two: friction and restitution are properties of every material,
// and of a method without them it is reported that it ignores them; sleeping is an option of the methods that have it;
// continuous collision detection is what a method does by itself.
constexpr std::array kInfos = {
    CapabilityInfo{&Capabilities::friction, "friction", Lack::kIgnored},
    CapabilityInfo{&Capabilities::restitution, "restitution", Lack::kIgnored},
    CapabilityInfo{&Capabilities::rolling_friction, "rolling friction"},
    CapabilityInfo{&Capabilities::torsional_friction, "torsional friction"},
    CapabilityInfo{&Capabilities::anisotropic_friction, "direction-dependent friction"},
    CapabilityInfo{&Capabilities::compliant_contact, "compliant contact"},
    CapabilityInfo{&Capabilities::joints, "joints"},
    CapabilityInfo{&Capabilities::joint_limits, "limits of joints"},
    CapabilityInfo{&Capabilities::joint_motors, "motors"},
    CapabilityInfo{&Capabilities::position_motors, "motors that go to a position"},
    CapabilityInfo{&Capabilities::joint_springs, "springs of joints"},
    CapabilityInfo{&Capabilities::joint_friction, "friction of joints"},
    CapabilityInfo{&Capabilities::joint_compliance, "compliance of joints"},
    CapabilityInfo{&Capabilities::joint_damping, "damping of compliant joints"},
    CapabilityInfo{&Capabilities::joint_drives, "drives with gains"},
    CapabilityInfo{&Capabilities::armature, "armature of joints"},
    CapabilityInfo{&Capabilities::couplings, "couplings of joints"},
    CapabilityInfo{&Capabilities::scripts, "scripts"},
    CapabilityInfo{&Capabilities::rotation_rules, "partial and infinitesimal rotation updates"},
    CapabilityInfo{&Capabilities::contact_callbacks, "contact callbacks"},
    CapabilityInfo{&Capabilities::sleeping, "sleeping"},
    CapabilityInfo{&Capabilities::continuous_collision, "continuous collision detection"},
};

Capabilities find_needs(const ContactLaw& law) {
  return {.friction = law.friction > 0,
          .restitution = law.restitution > 0,
          .rolling_friction = law.rolling_friction > 0,
          .torsional_friction = law.torsional_friction > 0,
          .anisotropic_friction = law.anisotropy.has_value(),
          .compliant_contact = law.stiffness > 0};
}

Capabilities find_needs(const JointDescription& joint) {
  Capabilities needs{.joints = true,
                     .joint_limits = joint.cone.has_value(),
                     .joint_compliance = joint.compliance > 0,
                     .joint_damping = joint.damping > 0};
  for (const JointAxis& axis : joint.axes) {
    needs.joint_drives |= axis.drive.has_value();
    needs.armature |= axis.armature > 0;
    needs.joint_limits |= axis.limits.has_value();
    needs.joint_motors |= axis.motor_speed || axis.motor_position;
    needs.position_motors |= axis.motor_position.has_value();
    needs.joint_springs |= axis.stiffness > 0 || axis.damping > 0;
    needs.joint_friction |= axis.friction > 0;
  }
  return needs;
}

Capabilities find_needs(const WorldJoint& joint) {
  Capabilities needs{.joints = true, .joint_compliance = joint.compliance > 0, .joint_damping = joint.damping > 0};
  for (std::uint32_t k = 0; k < joint.axis_count; ++k) {
    const JointDrive& drive = joint.drives[k];
    needs.joint_drives |= drive.control.kind != DriveControl::Kind::kNone;
    needs.armature |= drive.armature > 0;
    needs.joint_limits |= std::isfinite(drive.lower) || std::isfinite(drive.upper);
    needs.joint_motors |= drive.motor != JointDrive::Motor::kNone;
    needs.position_motors |= drive.motor == JointDrive::Motor::kPosition;
    needs.joint_springs |= drive.stiffness > 0 || drive.damping > 0;
    needs.joint_friction |= drive.friction > 0;
  }
  return needs;
}

constexpr Capabilities kCoupling{.couplings = true};
constexpr Capabilities kScript{.scripts = true};
constexpr Capabilities kRotationRule{.rotation_rules = true};

/// Calls visit(what, name, needs) for everything that may need a capability.
template <class Visit>
void for_each_need(const Scene& scene, const Visit& visit) {
  for (const JointDescription& joint : scene.joints) visit("joint", joint.name, find_needs(joint));
  for (const CouplingDescription& coupling : scene.couplings) visit("coupling", coupling.name, kCoupling);
  for (const ScriptDescription& script : scene.scripts) visit("body", script.body, kScript);
  for (const Material& material : scene.materials) visit("material", material.name, find_needs(material.law));
  for (const MaterialPair& pair : scene.material_pairs) visit("pair with material", pair.first, find_needs(pair.law));
  for (const BodyDescription& body : scene.bodies) {
    if (body.rotation != RotationUpdate::kFinite) visit("body", body.name, kRotationRule);
  }
}

template <class Visit>
void for_each_need(const World& world, const Visit& visit) {
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    visit("joint", world.joint_names[k], find_needs(world.joints[k]));
  }
  for (const std::string& coupling : world.coupling_names) visit("coupling", coupling, kCoupling);
  for (const WorldScript& script : world.scripts) visit("body", world.names[script.body], kScript);
  const auto materials = static_cast<std::uint32_t>(world.materials.names().size());
  for (std::uint32_t a = 0; a < materials; ++a) {
    for (std::uint32_t b = a; b < materials; ++b) {
      visit("material", world.materials.names()[a], find_needs(world.materials.law(a, b)));
    }
  }
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies.rotation[i] != RotationUpdate::kFinite) visit("body", world.names[i], kRotationRule);
  }
}

/// One sentence per capability that is needed and that the method lacks in the given way.
template <class Needing>
std::vector<std::string> list_lacking(const MethodSpec& method, const MethodDescription& options,
                                      const Needing& needing, Lack lack) {
  struct Missing {
    int count = 0;
    std::string first;
  };
  std::array<Missing, kInfos.size()> missing;
  const MethodVariant* variant = options.name == method.name ? find_variant(method, options) : nullptr;
  const Capabilities& can = variant != nullptr ? variant->capabilities : method.capabilities;
  const std::string name_of_variant =
      variant == nullptr ? "" : " with " + std::string(variant->option) + ": " + std::string(variant->word);
  for_each_need(needing, [&](const char* what, const std::string& name, Capabilities needs) {
    // Without joints, what acts along their axes need not be listed.
    if (needs.joints && !can.joints) needs = {.joints = true};
    for (std::size_t k = 0; k < kInfos.size(); ++k) {
      if (!(needs.*kInfos[k].flag) || can.*kInfos[k].flag || kInfos[k].lack != lack) continue;
      if (missing[k].count++ == 0) missing[k].first = std::string(what) + " '" + name + "'";
    }
  });
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < kInfos.size(); ++k) {
    const int more = missing[k].count - 1;
    if (more < 0) continue;
    sentences.push_back("method " + std::string(method.name) + name_of_variant +
                        (lack == Lack::kRefused ? " has no " : " ignores ") + std::string(kInfos[k].words) +
                        "; needed by " + missing[k].first + (more > 0 ? " and " + std::to_string(more) + " more" : ""));
  }
  return sentences;
}

}  // namespace

std::span<const CapabilityInfo> capability_infos() { return kInfos; }

Capabilities row_capabilities() {
  return {.friction = true,
          .restitution = true,
          .rolling_friction = true,
          .torsional_friction = true,
          .compliant_contact = true,
          .joints = true,
          .joint_limits = true,
          .joint_motors = true,
          .position_motors = true,
          .joint_springs = true,
          .joint_friction = true,
          .joint_compliance = true,
          .joint_damping = true,
          .joint_drives = true,
          .armature = true,
          .couplings = true,
          .scripts = true,
          .rotation_rules = true};
}

std::vector<std::string> find_obstacles(const MethodSpec& method, const Scene& scene) {
  return list_lacking(method, scene.method, scene, Lack::kRefused);
}

std::vector<std::string> find_obstacles(const MethodSpec& method, const MethodDescription& options,
                                        const World& world) {
  return list_lacking(method, options, world, Lack::kRefused);
}

std::vector<std::string> find_ignored(const MethodSpec& method, const Scene& scene) {
  return list_lacking(method, scene.method, scene, Lack::kIgnored);
}

std::unique_ptr<Method> make_method_for(const Scene& scene) {
  const auto complain = [&](const std::string& message) {
    return Diagnostic{Diagnostic::Severity::kError, scene.file, 0, 0, "method", message};
  };
  const MethodSpec* method = find_method(scene.method.name);
  if (method == nullptr) throw SceneError({complain("there is no method '" + scene.method.name + "'")});
  std::vector<Diagnostic> diagnostics;
  for (const std::string& obstacle : find_obstacles(*method, scene)) diagnostics.push_back(complain(obstacle));
  if (!diagnostics.empty()) throw SceneError(std::move(diagnostics));
  try {
    return make_method(scene.method);
  } catch (const std::invalid_argument& error) {
    throw SceneError({complain(error.what())});
  }
}

}  // namespace achilles
