#include "soak/judge.hpp"

#include "commands.hpp"
#include "constraint/joint_pose.hpp"
#include "record/certify/body_arms.hpp"
#include "record/certify/certify.hpp"
#include "record/certify/evidence.hpp"
#include "record/certify/promises.hpp"
#include "record/elastic_energy.hpp"
#include "soak/friction_judge.hpp"
#include "world/colliders.hpp"

#include "collision/detect.hpp"
#include "math/disjoint_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace achilles::program::soak {
namespace {

constexpr double kShare = 0.01;  // of energies

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
        friction_(world_, recording.head().step, promises_.impulses),
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
      const FrictionFault fault = friction_.see(instant, world_, contacts_);
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
      lift_ = measure_lift(depths);
    }
    for (const auto& [pair, depth] : depths) {
      const auto began = first_depths_.find(pair);
      const double size = std::min(sizes_[pair.first], sizes_[pair.second]);
      const double allowed =
          (began == first_depths_.end() ? 0 : began->second) + promises_.give * size + find_compression(pair);
      defects_.see("penetration", depth, allowed, world_.time, [&, d = depth, p = pair] {
        return fmt::format("'{}' and '{}' overlap by {:.3g} m, {:.2g} % of the smaller", world_.names[p.first],
                           world_.names[p.second], d, 100 * d / size);
      });
    }
  }

  /// [m] What a compliant contact gives way when it takes up all the energy there is: ½ k d² = E.
  [[nodiscard]] double find_compression(const Pair& pair) const {
    const double stiffness =
        world_.materials.law(world_.body_material[pair.first], world_.body_material[pair.second]).stiffness;
    return stiffness > 0 ? std::sqrt(2 * (scale_ + std::max(0.0, work_)) / stiffness) : 0;
  }

  /// What overlaps at the start may add [J]: bodies that they connect are lifted by no more than the sum of their
  /// depths, and compliant contacts give back ½ k d².
  [[nodiscard]] double measure_lift(const std::map<Pair, double>& depths) const {
    const BodyArrays& bodies = world_.bodies;
    std::vector<std::uint32_t> parent(bodies.size());
    std::iota(parent.begin(), parent.end(), 0U);
    for (const auto& [pair, depth] : depths) {
      if (bodies.is_movable(pair.first) && bodies.is_movable(pair.second)) join_sets(parent, pair.first, pair.second);
    }
    std::vector<double> overlap(bodies.size(), 0);  // [m] per root
    double energy = 0;
    for (const auto& [pair, depth] : depths) {
      overlap[find_root(parent, bodies.is_movable(pair.first) ? pair.first : pair.second)] += depth;
    }
    for (const Contact& contact : contacts_.contacts) {
      const ContactLaw& law =
          world_.materials.law(world_.body_material[contact.body_a], world_.body_material[contact.body_b]);
      for (const ContactPoint& point : contacts_.points_of(contact)) {
        energy += 0.5 * law.stiffness * std::pow(std::max(0.0, -point.gap), 2);
      }
    }
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      if (bodies.is_movable(k)) energy += bodies.mass[k] * world_.gravity.norm() * overlap[find_root(parent, k)];
    }
    return energy;
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
    // Positions are rounded as the sizes are, and velocities to that in a step.
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (!bodies.is_movable(k)) continue;
      above += bodies.mass[k] * g * (height(k) - lowest);
      weight += bodies.mass[k] * g * sizes_[k];
      rounding_ += bodies.mass[k] * std::pow(promises_.rounding * sizes_[k] / step_, 2);
    }
    scale_ = std::max(world_.kinetic_energy() + elastic_.measure(world_).total() + above, weight);
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
    const double rise = kinetic + potential - start_ - work_;
    const double allowed = kShare * scale_ + lift_ + rounding_;
    const auto describe = [&] {
      return fmt::format("{:.4g} J more than at the start and the work of {:.3g} J explain; scale {:.3g} J", rise,
                         work_, scale_);
    };
    defects_.see("energy", rise, allowed, world_.time, describe);
    if (rise > scale_ + lift_ + rounding_) defects_.see("explosion", rise, allowed, world_.time, describe);
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
      const double allowed = std::max(0.0, available) + kShare * scale_ + rounding_;
      defects_.see("speed", kinetic, allowed, world_.time, [&] {
        return fmt::format("'{}' has {:.3g} J of the {:.3g} J that there can be", world_.names[k], kinetic, available);
      });
    }
  }

  void see_joints() {
    for (std::size_t k = 0; k < world_.joints.size(); ++k) {
      const WorldJoint& joint = world_.joints[k];
      const double arm = measure_joint_arm(joint, world_.bodies);
      if (!(arm > 0)) continue;
      const JointPose pose =
          place_joint(joint, world_.bodies, has_inertia_ ? elastic_.positions()[k] : std::array<double, 2>{});
      if (is_rigid(joint)) {
        const double error = measure_joint_error(joint, pose);
        defects_.see("joint", error, kJointShare * arm, world_.time, [&] {
          return fmt::format("'{}' is {:.3g} m apart, {:.2g} % of its arm", world_.joint_names[k], error,
                             100 * error / arm);
        });
      }
      const double overshoot = measure_overshoot(joint, pose, arm);
      defects_.see("joint", overshoot, kJointShare, world_.time, [&] {
        return fmt::format("'{}' is at {:.4g}, {:.4g}, outside its limits by {:.2g} % of {}", world_.joint_names[k],
                           pose.position[0], pose.position[1], 100 * overshoot,
                           joint.kind == JointKind::kSlider ? "its arm" : "a radian");
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
  ElasticEnergy elastic_;
  double start_ = 0;     // [J]
  double scale_ = 0;     // [J] what energies are compared with
  double lift_ = 0;      // [J] that removing the overlaps of the start may add
  double rounding_ = 0;  // [J]
  double work_ = 0;      // [J] of motors, scripts and forces so far
};

void see_end(const Recording& recording, const RunFacts& facts, Defects& defects) {
  const Json report = Json::parse(recording.report(), nullptr, false);
  const double end = recording.time(recording.instants() - 1);
  defects.see("hang", facts.slowest_step, kStepLimit, end,
              [&] { return fmt::format("a step takes {:.2g} s of processor time", facts.slowest_step); });
  const bool is_whole = end > recording.head().duration - recording.head().step;
  const Json stopped = report.is_object() && report.contains("stopped") ? report["stopped"] : Json(nullptr);
  const int due = stopped.is_object() ? kStopped : is_whole ? kDone : kFailed;
  defects.see("exit", facts.status == due ? 0 : 1, 0.5, end, [&] {
    return fmt::format("exit status {} of a run that {}", facts.status,
                       stopped.is_object() ? "stopped"
                       : is_whole          ? "came to its end"
                                           : "did not come to its end");
  });
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
           const std::string text = warning.get<std::string>();
           return text.starts_with(word->second + ": ") || (what == "joint" && text.starts_with("limit: "));
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

std::vector<Defect> judge(const Recording& recording, const RunFacts& facts) {
  MotionJudge motion(recording, rebuild_world(recording));
  Instant instant;
  bool is_finite = true;
  for (std::size_t k = 0; k < recording.instants() && is_finite; ++k) {
    recording.read(k, instant);
    is_finite = motion.see(instant, k);
  }
  see_end(recording, facts, motion.defects());
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
