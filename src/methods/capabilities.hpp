// Comparing what a scene or a running world needs with what a method does. The one place where a method refuses.
#pragma once

#include "methods/method_spec.hpp"

#include <achilles/world.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

/// What becomes of a scene that needs a capability that the method lacks: it is refused, or it runs without and the
/// report names what was ignored.
enum class Lack { kRefused, kIgnored };

/// A capability and its words for people.
struct CapabilityInfo {
  bool Capabilities::*flag;
  std::string_view words;
  Lack lack = Lack::kRefused;
};

/// Every capability, in the order of the struct.
[[nodiscard]] std::span<const CapabilityInfo> capability_infos();

/// What the contact laws and joints of the stages for rows take into account (contact_rows.hpp, joint_rows.hpp).
[[nodiscard]] Capabilities row_capabilities();

/// Why this method cannot run this scene, or go on with this world: one sentence per capability that it lacks, with the
/// first thing that needs it. Empty when it can. Of the scene's method the options count, too; a world's are given.
[[nodiscard]] std::vector<std::string> find_obstacles(const MethodSpec& method, const Scene& scene);
[[nodiscard]] std::vector<std::string> find_obstacles(const MethodSpec& method, const MethodDescription& options,
                                                      const World& world);

/// What this method leaves out of this scene although it runs it: friction and restitution of materials, one sentence
/// each with the first material that has some.
[[nodiscard]] std::vector<std::string> find_ignored(const MethodSpec& method, const Scene& scene);

/// The method that a scene names. Throws SceneError when there is none, when it has no such option, solver or impact
/// law, or when it cannot run the scene, with all obstacles.
[[nodiscard]] std::unique_ptr<Method> make_method_for(const Scene& scene);

}  // namespace achilles
