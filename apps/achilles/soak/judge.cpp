#include "soak/judge.hpp"

#include "constraint/joint_pose.hpp"
#include "record/certify/body_arms.hpp"
#include "record/certify/certify.hpp"
#include "record/certify/evidence.hpp"
#include "record/certify/promises.hpp"
#include "record/elastic_energy.hpp"
#include "soak/friction_judge.hpp"
#include "world/colliders.hpp"

#include "collision/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace achilles::program::soak {
namespace {

constexpr double kShare = 0.01;  // of arms and energies

using Json = nlohmann::ordered_json;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// Keeps the first time and the worst excess of every kind.
class Defects {
 public:
  template <class Describe>
  void see(const char* kind, double value, double allowed, double time, const Describe& describe) {
    if (value <= allowed) return;
    auto [at, is_new] = defects_.try_emplace(kind, Defect{kind, time, 0, ""});
    const double excess = std::isfinite(value) ? value / allowed : std::numeric_limits<double>::max();
    if (!is_new && excess <= at->second.excess) return;
    at->second.excess = excess;
    at->second.detail = describe();
  }
  [[nodiscard]] std::vector<Defect> list() const {
    std::vector<Defect> list;
    for (const char* kind : kKinds) {
      if (const auto at = defects_.find(kind); at != defects_.end()) list.push_back(at->second);
    }
    return list;
  }

 private:
  std::map<std::string, Defect> defects_;
};

class MotionJudge {
 public:
  MotionJudge(const Recording& recording, World world)
      : world_(std::move(world)),
        sizes_(measure_sizes(world_)),
        promises_(promises_of(recording.head())),
        friction_(world_, recording.head().step),
        step_(recording.head().step) {
    has_inertia_ = promises_.inertia;
  }

  /// False when nothing more can be judged.
  bool see(const Instant& instant, std::size_t index) {
    place(instant, world_);
    if (const auto body = world_.first_not_finite()) {
      defects_.see("nan", 1, 0, instant.time, [&] { return "'" + world_.names[*body] + "' is nowhere"; });
      return false;
    }
    see_depths(index);
    if (has_inertia_) see_energy(instant, index);
    see_joints();
    if (has_inertia_) {
      const SlidingFault fault = friction_.see(instant, world_, contacts_);
      defects_.see("friction", fault.excess, 1, instant.time, [&] { return fault.detail; });
    }
    return true;
  }
  [[nodiscard]] Defects& defects() { return defects_; }

 private:
  void see_depths(std::size_t index) {
    place_colliders(world_, 0, colliders_);
    list_ignored_pairs(world_, ignored_);
    DetectOptions options;
    options.collide.margin = 0;
    detect_contacts(colliders_, ignored_, options, detection_, contacts_);
    std::map<Pair, double> depths;
    for (const Contact& contact : contacts_.contacts) {
      double& depth = depths[std::minmax(contact.body_a, contact.body_b)];
      for (const ContactPoint& point : contacts_.points_of(contact)) depth = std::max(depth, -point.gap);
    }
    if (index == 0) {
      first_depths_ = depths;
      for (const auto& [pair, depth] : depths) overlap_ += depth;
    }
    for (const auto& [pair, depth] : depths) {
      const auto began = first_depths_.find(pair);
      const double size = std::min(sizes_[pair.first], sizes_[pair.second]);
      const double allowed = (began == first_depths_.end() ? 0 : began->second) + promises_.give * size;
      defects_.see("penetration", depth, allowed, world_.time, [&, d = depth, p = pair] {
        return fmt::format("'{}' and '{}' overlap by {:.3g} m, {:.2g} % of the smaller", world_.names[p.first],
                           world_.names[p.second], d, 100 * d / size);
      });
    }
  }

  void begin_energy(double energy) {
    start_ = energy;
    const double g = world_.gravity.norm();
    double lowest = std::numeric_limits<double>::infinity();
    const BodyArrays& bodies = world_.bodies;
    const auto height = [&](std::size_t k) { return g > 0 ? -bodies.position[k].dot(world_.gravity) / g : 0; };
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (bodies.is_movable(k)) lowest = std::min(lowest, height(k) - 0.5 * sizes_[k]);
    }
    double above = 0, weight = 0;  // [J]
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!bodies.is_movable(k)) continue;
      above += bodies.mass[k] * g * (height(k) - lowest);
      weight += bodies.mass[k] * g * sizes_[k];
      lift_ += bodies.mass[k] * g * overlap_;
    }
    // Positions are rounded as the sizes are, and velocities to that in a step.
    double rounding = 0;  // [J]
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (bodies.is_movable(k)) rounding += bodies.mass[k] * std::pow(promises_.rounding * sizes_[k] / step_, 2);
    }
    scale_ = std::max({world_.kinetic_energy() + elastic_.measure(world_).total() + above, weight, rounding});
  }

  void see_energy(const Instant& instant, std::size_t index) {
    const double kinetic = world_.kinetic_energy();
    double potential = elastic_.measure(world_).total();
    for (std::size_t k = 0; k < world_.bodies.size(); ++k) {
      if (world_.bodies.is_movable(k))
        potential -= world_.bodies.mass[k] * world_.gravity.dot(world_.bodies.position[k]);
    }
    if (index == 0) begin_energy(kinetic + potential);
    if (index > 0) work_ += instant.scalars.external_work;
    given_ = std::max(given_, std::abs(work_));
    const double rise = kinetic + potential - start_ - work_;
    const double allowed = kShare * (scale_ + given_) + lift_;
    const auto describe = [&] {
      return fmt::format("{:.4g} J more than at the start and the work of {:.3g} J explain; scale {:.3g} J", rise,
                         work_, scale_);
    };
    defects_.see("energy", rise, allowed, world_.time, describe);
    if (rise > scale_ + given_ + lift_) defects_.see("explosion", rise, allowed, world_.time, describe);
    see_speeds(start_ + work_ - potential + lift_);
  }

  /// `available` [J] is all that could be kinetic.
  void see_speeds(double available) {
    const BodyArrays& bodies = world_.bodies;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!bodies.is_movable(k)) continue;
      const Vec3 w_B = bodies.orientation[k].conjugate() * bodies.velocity[k].angular;
      const double kinetic =
          0.5 * bodies.mass[k] * bodies.velocity[k].linear.squaredNorm() + 0.5 * w_B.dot(bodies.inertia_B[k] * w_B);
      const double allowed = std::max(0.0, available) + kShare * (scale_ + given_);
      defects_.see("speed", kinetic, allowed, world_.time, [&] {
        return fmt::format("'{}' has {:.3g} J of the {:.3g} J that there can be", world_.names[k], kinetic, available);
      });
    }
  }

  void see_joints() {
    for (std::size_t k = 0; k < world_.joints.size(); ++k) {
      const WorldJoint& joint = world_.joints[k];
      const double arms = joint.anchor_A.norm() + joint.anchor_B.norm();
      const JointPose pose =
          place_joint(joint, world_.bodies, has_inertia_ ? elastic_.positions()[k] : std::array<double, 2>{});
      if (joint.compliance == 0 || joint.kind == JointKind::kHinge2) {
        const double error = measure_joint_error(joint, pose);
        defects_.see("joint", error, kShare * arms, world_.time, [&] {
          return fmt::format("'{}' is {:.3g} m apart, {:.2g} % of its arms", world_.joint_names[k], error,
                             100 * error / arms);
        });
      }
      see_limits(k, pose, joint.kind == JointKind::kSlider ? kShare * arms : kShare);
    }
  }

  /// `allowed`: 1 % of the arms, as a length or as an angle.
  void see_limits(std::size_t k, const JointPose& pose, double allowed) {
    const WorldJoint& joint = world_.joints[k];
    for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
      const JointDrive& drive = joint.drives[axis];
      const double at = pose.position[axis];
      defects_.see("joint", std::max(drive.lower - at, at - drive.upper), allowed, world_.time, [&] {
        return fmt::format("'{}' is at {:.4g}, outside its limits {:.4g} to {:.4g}", world_.joint_names[k], at,
                           drive.lower, drive.upper);
      });
    }
  }

  World world_;
  std::vector<double> sizes_;  // [m] per body
  PromisedBounds promises_;
  bool has_inertia_ = true;  // velocities are those of Newton's world
  FrictionJudge friction_;
  double step_ = 0;  // [s]
  Defects defects_;
  // Scratch of the detection.
  std::vector<Collider> colliders_;
  std::vector<IgnoredPair> ignored_;
  DetectWorkspace detection_;
  ContactSet contacts_;
  std::map<Pair, double> first_depths_;  // [m] at the start
  double overlap_ = 0;                   // [m] the sum of these
  ElasticEnergy elastic_;
  double start_ = 0;  // [J]
  double scale_ = 0;  // [J] what energies are compared with
  double lift_ = 0;   // [J] that removing the overlaps of the start may add
  double work_ = 0;   // [J] of motors, scripts and forces so far
  double given_ = 0;  // [J] the most of it
};

void see_end(const Recording& recording, Defects& defects) {
  const Json report = Json::parse(recording.report(), nullptr, false);
  if (!report.is_object()) return;
  const auto& stopped = report["stopped"];
  const double end = recording.time(recording.instants() - 1);
  if (stopped.is_null()) {
    const double missing = recording.head().duration - end;
    defects.see("stop", missing, recording.head().step, end,
                [&] { return fmt::format("ends {:.3g} s early without a reason", missing); });
    return;
  }
  const std::string reason = stopped["reason"];
  if (reason == "zeno-point" && promises_of(recording.head()).zeno_points) return;
  const char* kind = reason == "not-finite" ? "nan" : "stop";
  defects.see(kind, 1, 0.5, end, [&] { return reason + ": " + stopped["message"].get<std::string>(); });
}

/// Whether the report of the run states of what is wrong, a kind of defect or a property of the certificate, that its
/// method went beyond what it is good for.
bool reports(const Json& report, const std::string& what) {
  if (!report.is_object()) return false;
  if (report["stopped"].is_object()) return true;
  // Warnings of a run begin with what they are about.
  static const std::map<std::string, std::string> kWords{{"explosion", "energy"},
                                                         {"energy", "energy"},
                                                         {"speed", "energy"},
                                                         {"joint", "joint"},
                                                         {"penetration", "penetration"},
                                                         {"joints", "joint"},
                                                         {"interpenetration", "penetration"},
                                                         {"complementarity", "residual"}};
  const auto word = kWords.find(what);
  const Json& warnings = report["warnings"];
  return word != kWords.end() && std::any_of(warnings.begin(), warnings.end(), [&](const Json& warning) {
           return warning.get<std::string>().starts_with(word->second + ": ");
         });
}

/// The properties that fail.
std::vector<std::string> see_certificate(const Recording& recording, Defects& defects) {
  const Certificate certificate = certify(recording);
  std::vector<std::string> properties;
  std::string failing;
  double excess = 0, time = 0;
  for (const Verdict& verdict : certificate.verdicts) {
    if (verdict.finding != Finding::kFails) continue;
    properties.push_back(verdict.property);
    failing += fmt::format("{}{} {:.3g} of {:.3g} {} ({})", failing.empty() ? "" : "; ", verdict.property,
                           verdict.worst, verdict.limit.value_or(0), verdict.unit, verdict.detail);
    excess = std::max(excess, verdict.worst / std::max(verdict.limit.value_or(0), 1e-300));
    time = std::max(time, verdict.time);
  }
  if (!failing.empty()) defects.see("certify", std::max(excess, 2.0), 1, time, [&] { return failing; });
  return properties;
}

}  // namespace

std::vector<Defect> judge(const Recording& recording) {
  MotionJudge motion(recording, rebuild_world(recording));
  Instant instant;
  bool is_finite = true;
  for (std::size_t k = 0; k < recording.instants() && is_finite; ++k) {
    recording.read(k, instant);
    is_finite = motion.see(instant, k);
  }
  see_end(recording, motion.defects());
  std::vector<std::string> failing;
  if (is_finite) failing = see_certificate(recording, motion.defects());
  std::vector<Defect> defects = motion.defects().list();
  const Json report = Json::parse(recording.report(), nullptr, false);
  const auto is_in_report = [&](const std::string& what) { return reports(report, what); };
  for (Defect& defect : defects) {
    defect.is_reported = defect.kind == "certify" ? std::all_of(failing.begin(), failing.end(), is_in_report)
                                                  : is_in_report(defect.kind);
  }
  return defects;
}

}  // namespace achilles::program::soak
