#include "record/report/run_warnings.hpp"

#include "constraint/joint_pose.hpp"
#include "methods/capabilities.hpp"
#include "record/certify/body_arms.hpp"
#include "record/elastic_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

constexpr double kTolerableShare = 0.01;  // of energies
constexpr double kNoticeable = 1;         // [s] of wall time: shorter runs are not called slow

/// What there is at the start [J].
double measure_start(const World& world, const std::vector<double>& sizes) {
  const BodyArrays& bodies = world.bodies;
  const double g = world.gravity.norm();
  const auto height = [&](std::size_t k) { return g > 0 ? -bodies.position[k].dot(world.gravity) / g : 0; };
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies.is_movable(k)) lowest = std::min(lowest, height(k));
  }
  double above = 0, weight = 0;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (!bodies.is_movable(k)) continue;
    above += bodies.mass[k] * g * (height(k) - lowest);
    weight += bodies.mass[k] * g * sizes[k];
  }
  return std::max(world.kinetic_energy() + ElasticEnergy().measure(world).total() + above, weight);
}

/// The number given for the option that names the promised depth, else its default; infinite where none is promised.
double find_tolerance(const MethodSpec& method, const Scene& scene) {
  const auto given = scene.method.options.find(std::string(method.promises.depth_option));
  if (given != scene.method.options.end()) {
    if (const auto* number = std::get_if<double>(&given->second)) return *number;
  }
  for (const OptionInfo& option : method.options) {
    const auto* standard =
        option.name == method.promises.depth_option ? std::get_if<double>(&option.standard) : nullptr;
    if (standard != nullptr) return *standard;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void RunWarnings::begin(const World& world, const Scene& scene) {
  *this = RunWarnings{};
  method_ = find_method(scene.method.name);
  if (method_ != nullptr) {
    const MethodVariant* variant = find_variant(*method_, scene.method);
    promises_ = variant != nullptr ? variant->promises : method_->promises;
    tolerance_ = find_tolerance(*method_, scene);
    ignored_ = find_ignored(*method_, scene);
  }
  for (const MethodSpec& other : method_specs()) {
    if (other.real_time && &other != method_ && find_obstacles(other, scene).empty()) faster_.emplace_back(other.name);
  }
  sizes_ = measure_sizes(world);
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    joints_.push_back(measure(world, k));
    compare_masses(world, world.joints[k].body_a, world.joints[k].body_b);
  }
  speed_ = world.gravity.norm() * scene.step;
  energy_ = measure_start(world, sizes_);
}

RunWarnings::JointShares RunWarnings::measure(const World& world, std::size_t index) {
  const WorldJoint& joint = world.joints[index];
  const double arm = measure_joint_arm(joint, world.bodies);
  if (!(arm > 0)) return {};
  const JointPose pose = place_joint(joint, world.bodies, world.joint_states[index].position);
  return {is_rigid(joint) ? measure_joint_error(joint, pose) / arm : 0, measure_overshoot(joint, pose, arm)};
}

void RunWarnings::see_joints(const World& world) {
  // What programs add to a running world began without error.
  joints_.resize(world.joints.size());
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const JointShares now = measure(world, k), start = joints_[k];
    const auto keep = [&](double share, double began, Joint& worst) {
      if (share > std::max({kJointShare, began, worst.share})) {
        worst = {share, world.joint_names[k], world.joints[k].kind == JointKind::kSlider};
      }
    };
    keep(now.error, start.error, loosest_);
    keep(now.overshoot, start.overshoot, farthest_);
  }
}

void RunWarnings::compare_masses(const World& world, std::uint32_t a, std::uint32_t b) {
  if (!world.bodies.is_movable(a) || !world.bodies.is_movable(b)) return;
  const auto [light, heavy] = std::minmax(world.bodies.mass[a], world.bodies.mass[b]);
  if (heavy > heaviest_.share * light) heaviest_ = {heavy / light, world.names[a], world.names[b]};
}

void RunWarnings::see(const World& world, std::span<const ContactRecord> contacts) {
  if (sizes_.size() != world.bodies.size()) {
    sizes_ = measure_sizes(world);
  }
  see_joints(world);
  for (const ContactRecord& contact : contacts) {
    const std::uint32_t a = contact.body_a, b = contact.body_b;
    if (!contact.impulse.isZero(0)) compare_masses(world, a, b);
    const double size = std::min(sizes_[a], sizes_[b]);
    if (world.materials.law(world.body_material[a], world.body_material[b]).stiffness > 0) continue;  // gives way
    if (-contact.gap > deepest_.share * size) deepest_ = {-contact.gap / size, world.names[a], world.names[b]};
  }
}

std::vector<std::string> RunWarnings::list(const RunReport& report, double work) const {
  std::vector<std::string> warnings;
  if (method_ == nullptr) return warnings;
  for (const std::string& sentence : ignored_) warnings.push_back("ignored: " + sentence);
  if (deepest_.share > promises_.give) {
    warnings.push_back(
        fmt::format("penetration: '{}' and '{}' overlap by up to {:.2g} % of the smaller one; {} is good for {:g} %: "
                    "a shorter step makes it less",
                    deepest_.first, deepest_.second, 100 * deepest_.share, method_->name, 100 * promises_.give));
  }
  if (report.penetration.max > start_depth_ + tolerance_) {
    warnings.push_back(fmt::format("penetration: bodies overlap by up to {:.3g} m; {} is set to hold {:.3g} m",
                                   report.penetration.max, method_->name, start_depth_ + tolerance_));
  }
  if (heaviest_.share > promises_.mass_ratio) {
    warnings.push_back(
        fmt::format("mass ratio: '{}' and '{}' act on each other, one is {:.3g} times as heavy as the other; {} is "
                    "known to hold up to {:g}",
                    heaviest_.first, heaviest_.second, heaviest_.share, method_->name, promises_.mass_ratio));
  }
  if (loosest_.share > 0) {
    warnings.push_back(fmt::format("joint: '{}' comes apart by up to {:.2g} % of its arm: a shorter step makes it less",
                                   loosest_.name, 100 * loosest_.share));
  }
  if (farthest_.share > 0) {
    warnings.push_back(
        fmt::format("limit: '{}' is up to {:.2g} % of {} beyond its limits: a shorter step makes it less",
                    farthest_.name, 100 * farthest_.share, farthest_.slides ? "its arm" : "a radian"));
  }
  if (speed_ > 0 && report.residual_max > speed_) {
    warnings.push_back(
        fmt::format("residual: the solver left a residual of {:.3g} m/s, more than gravity gives in a step: more "
                    "iterations or another solver make it less",
                    report.residual_max));
  }
  const double gain = report.energy.max_gain;
  if (promises_.inertia && energy_ + work > 0 && gain > kTolerableShare * (energy_ + work)) {
    warnings.push_back(
        fmt::format("energy: {:.3g} J appeared that nothing explains, {:.2g} % of what there was and was put in", gain,
                    100 * gain / (energy_ + work)));
  }
  if (!method_->real_time && report.wall_seconds > kNoticeable && report.real_time_factor < 1) {
    std::string hint;
    for (const std::string& name : faster_)
      hint += (hint.empty() ? "; made for speed and fit for the scene: " : ", ") + name;
    warnings.push_back(
        fmt::format("real time: the run takes {:.3g} times real time{}", 1 / report.real_time_factor, hint));
  }
  return warnings;
}

}  // namespace achilles
