#include "scene/import/mjcf/mjcf.hpp"
#include "scene/import/vocabulary.hpp"

#include <array>

namespace achilles::scene_file {
namespace {

constexpr bool kNotRead = false;

#define ACHILLES_MJCF_ORIENTATION "quat axisangle euler xyaxes zaxis "
#define ACHILLES_MJCF_ACTUATOR "name class joint tendon gear ctrllimited forcelimited ctrlrange forcerange "

// Unimportant: what is only seen, what chooses among algorithms that are others here, and what programs keep for
// themselves. All that would change the motion of the model and is not read is missing from this list on purpose.
constexpr auto kMjcfWords = std::to_array<ElementWords>({
    {"/mujoco", "model", ""},
    {"compiler",
     "angle autolimits eulerseq meshdir assetdir inertiafromgeom strippath boundmass settotalmass coordinate",
     "texturedir fitaabb fusestatic discardvisual usethread convexhull alignfree saveinertial exactmeshinertia"},
    {"option", "gravity timestep density viscosity wind magnetic",
     "integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints "
     "impratio "
     "apirate"},
    {"size", "", "", kNotRead},
    {"visual", "", "", kNotRead},
    {"statistic", "", "", kNotRead},
    {"custom", "", "", kNotRead},
    {"mujoco/asset", "", ""},
    {"mujoco/worldbody", "childclass", ""},
    {"mujoco/contact", "", ""},
    {"mujoco/equality", "", ""},
    {"mujoco/tendon", "", ""},
    {"mujoco/actuator", "", ""},
    {"mujoco/sensor", "", ""},
    {"mujoco/keyframe", "", ""},
    {"default", "class", ""},
    {"texture", "", "", kNotRead},
    {"skin", "", "", kNotRead},
    {"material", "name class rgba",
     "texture emission specular shininess reflectance metallic roughness texrepeat texuniform"},
    {"material/layer", "", "", kNotRead},
    {"mesh", "name class file scale vertex face", "smoothnormal maxhullvert normal texcoord content_type"},
    {"asset/hfield", "name file nrow ncol size elevation", "content_type"},
    {"light", "", "", kNotRead},
    {"camera", "", "", kNotRead},
    {"body", "name childclass pos mocap " ACHILLES_MJCF_ORIENTATION, "user"},
    {"frame", "childclass pos " ACHILLES_MJCF_ORIENTATION, "name"},
    {"inertial", "pos mass diaginertia fullinertia " ACHILLES_MJCF_ORIENTATION, ""},
    {"freejoint", "name", "group align"},
    {"joint",
     "name class type pos axis limited range ref springref stiffness damping frictionloss armature "
     "actuatorfrcrange actuatorfrclimited",
     "group user"},
    {"geom",
     "name class type size fromto pos contype conaffinity condim priority friction mass density rgba material mesh "
     "hfield group " ACHILLES_MJCF_ORIENTATION,
     "user solmix fitscale"},
    {"site", "name class pos type fromto " ACHILLES_MJCF_ORIENTATION, "size rgba material group user"},
    {"exclude", "name body1 body2", "class"},
    {"equality/connect", "name class active body1 body2 anchor site1 site2", ""},
    {"equality/weld", "name class active body1 body2 relpose anchor site1 site2", ""},
    {"equality/joint", "name class active joint1 joint2 polycoef", ""},
    {"equality/tendon", "name class active tendon1 tendon2 polycoef", ""},
    {"tendon/fixed", "name class stiffness damping frictionloss armature limited range springlength",
     "group rgba width material user"},
    {"default/tendon", "stiffness damping frictionloss armature limited range springlength",
     "group rgba width material user"},
    {"default/equality", "active", ""},
    {"fixed/joint", "joint coef", ""},
    {"motor", ACHILLES_MJCF_ACTUATOR, "group user"},
    {"position", ACHILLES_MJCF_ACTUATOR "kp kv dampratio inheritrange timeconst", "group user"},
    {"velocity", ACHILLES_MJCF_ACTUATOR "kv inheritrange", "group user"},
    {"general", ACHILLES_MJCF_ACTUATOR "gaintype gainprm biastype biasprm dyntype", "group user dynprm"},
    {"keyframe/key", "name qpos ctrl qvel act mpos mquat time", ""},
    {"sensor/jointpos", "name joint noise cutoff", "user"},
    {"sensor/jointvel", "name joint noise cutoff", "user"},
    {"sensor/jointactuatorfrc", "name joint noise cutoff", "user"},
    {"sensor/accelerometer", "name site noise cutoff", "user"},
    {"sensor/gyro", "name site noise cutoff", "user"},
    {"sensor/touch", "name site noise cutoff", "user"},
    {"sensor/rangefinder", "name site noise cutoff", "user"},
    {"sensor/framepos", "name objtype objname reftype refname noise cutoff", "user"},
    {"sensor/framequat", "name objtype objname reftype refname noise cutoff", "user"},
    {"sensor/framelinvel", "name objtype objname reftype refname noise cutoff", "user"},
    {"sensor/frameangvel", "name objtype objname reftype refname noise cutoff", "user"},
});

#undef ACHILLES_MJCF_ORIENTATION
#undef ACHILLES_MJCF_ACTUATOR

}  // namespace

void report_mjcf_words(ImportContext& context, const XmlNode& mujoco) {
  report_unknown_words(context, mujoco, kMjcfWords);
}

}  // namespace achilles::scene_file
