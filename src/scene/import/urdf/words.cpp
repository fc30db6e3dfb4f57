#include "scene/import/urdf/urdf.hpp"
#include "scene/import/vocabulary.hpp"

#include <array>

namespace achilles::scene_file {
namespace {

constexpr bool kSkipped = false;

// Motors, transmissions and safety limits of controllers act on nothing here: URDF says what a motor could do, not what
// it does.
constexpr auto kUrdfWords = std::to_array<ElementWords>({
    {"/robot", "name", "version"},
    {"robot/material", "name", ""},
    {"material/color", "rgba", ""},
    {"material/texture", "", "", kSkipped},
    {"robot/link", "name", "type"},
    {"link/inertial", "", ""},
    {"inertial/mass", "value", ""},
    {"inertial/inertia", "ixx ixy ixz iyy iyz izz", ""},
    {"origin", "xyz rpy", ""},
    {"link/visual", "name", ""},
    {"link/collision", "name", ""},
    {"geometry", "", ""},
    {"geometry/box", "size", ""},
    {"geometry/sphere", "radius", ""},
    {"geometry/cylinder", "radius length", ""},
    {"geometry/capsule", "radius length", ""},
    {"geometry/mesh", "filename scale", ""},
    {"visual/material", "name", ""},
    {"collision/material", "", "", kSkipped},
    {"link/contact", "", ""},
    {"contact/lateral_friction", "value", ""},
    {"contact/restitution", "value", ""},
    {"robot/joint", "name type", ""},
    {"joint/parent", "link", ""},
    {"joint/child", "link", ""},
    {"joint/axis", "xyz", ""},
    {"joint/limit", "lower upper effort", "velocity"},
    {"joint/dynamics", "damping friction", ""},
    {"joint/mimic", "joint multiplier offset", ""},
    {"joint/calibration", "", "", kSkipped},
    {"joint/safety_controller", "", "", kSkipped},
    {"joint/hardwareInterface", "", "", kSkipped},
    {"robot/transmission", "", "", kSkipped},
    {"robot/ros2_control", "", "", kSkipped},
    {"robot/gazebo", "reference", ""},
    {"gazebo/mu1", "", "value"},
    {"gazebo/material", "", "", kSkipped},
    {"gazebo/mu2", "", "value"},
});

}  // namespace

void report_urdf_words(ImportContext& context, const XmlNode& robot) {
  report_unknown_words(context, robot, kUrdfWords);
  report_repeated_words(context, robot, kUrdfWords, "material link joint gazebo visual collision");
}

}  // namespace achilles::scene_file
