// Each judge against motion that is made up: one that breaks its law, which it must name, and one that keeps it.
#include "soak/judge.hpp"

#include "commands.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "soak/friction_judge.hpp"
#include "soak/method_options.hpp"
#include "support/temporary_folder.hpp"

#include "methods/method.hpp"

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace achilles::program::soak {
namespace {

constexpr double kGravity = 9.81;
constexpr double kStep = 0.01;
constexpr int kSteps = 40;

/// What happens in step k, which leads to instant k; k = 0 is the start.
using Motion = std::function<void(int k, World& world, std::vector<ContactRecord>& contacts, StepReport& report)>;

class Judge : public ::testing::Test {
 protected:
  static std::string head(const std::string& method) {
    return "achilles: 1\ntime: {step: 0.01, duration: 0.4}\nmethod: " + method + "\n";
  }

  std::vector<Defect> judge_motion(const std::string& scene_text, const Motion& motion, const RunFacts& facts = {},
                                   const RunReport& report = {}, int steps = kSteps) {
    const Scene scene = parse_scene(scene_text);
    World world(scene);
    Simulation measuring(scene);
    const std::string path = folder_.file("made-up.h5");
    {
      RecordingWriter writer(path, world, scene);
      for (int k = 0; k <= steps; ++k) {
        std::vector<ContactRecord> contacts;
        StepReport step;
        world.time = k * kStep;
        motion(k, world, contacts, step);
        if (k > 0) writer.after_step(world, step, 0, contacts, {});
        double depth = 0;
        if (!world.first_not_finite()) {
          measuring.restore(world);
          depth = measuring.penetration();
        }
        writer.instant(world, contacts, depth);
      }
      writer.finish(report);
    }
    return judge(Recording(path), facts);
  }

  static bool has(const std::vector<Defect>& defects, const std::string& kind) {
    return std::any_of(defects.begin(), defects.end(), [&](const Defect& defect) { return defect.kind == kind; });
  }
  static std::string show(const std::vector<Defect>& defects) {
    std::string text;
    for (const Defect& defect : defects) text += defect.kind + ": " + defect.detail + "\n";
    return text;
  }

 private:
  testing::TemporaryFolder folder_;
};

const std::string kBall =
    "bodies:\n  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 5], velocity: [3, 0, 4]}\n";

/// A parabola; from the tenth step on the ball is faster by a factor.
Motion fly(double factor) {
  return [factor](int k, World& world, std::vector<ContactRecord>&, StepReport&) {
    const double t = k * kStep;
    world.bodies.velocity[0].linear = Vec3(3, 0, 4 - kGravity * t) * (k < 10 ? 1 : factor);
    world.bodies.position[0] = Vec3(3 * t, 0, 5 + 4 * t - 0.5 * kGravity * t * t);
  };
}

// Energy is m (½ v² + g z) with z from the bottom of the ball, where it starts: 12.5 + 0.98 [m²/s²]. At the tenth step
// v² = 9 + 3.02² = 18.1, so that a factor s brings 9.06 (s² − 1): 0.7 % of that scale are exceeded by s = 1.01, all of
// it by s = 2, and s = 1.003 stays below 1 %.
TEST_F(Judge, OfEnergyAndSpeedKnowsFlightFromGain) {
  EXPECT_TRUE(judge_motion(head("lcp-fixed") + kBall, fly(1)).empty());
  const std::vector<Defect> little = judge_motion(head("lcp-fixed") + kBall, fly(1.003));
  EXPECT_FALSE(has(little, "energy")) << show(little);
  EXPECT_FALSE(has(little, "speed")) << show(little);
  const std::vector<Defect> gain = judge_motion(head("lcp-fixed") + kBall, fly(1.01));
  EXPECT_TRUE(has(gain, "energy")) << show(gain);
  EXPECT_TRUE(has(gain, "speed")) << show(gain);
  EXPECT_FALSE(has(gain, "explosion")) << show(gain);
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, fly(2)), "explosion"));
}

// Work of 1 J explains 1 J and no more: mass 4.19 kg, scale 4.19 · 13.5 = 56 J. The gain at s² = 1 + 2/18.1/4.19 is 1
// J; 2 J without work are 3.5 % of the scale.
TEST_F(Judge, OfEnergyCountsWork) {
  const double mass = 1000 * 4.0 / 3 * std::numbers::pi * 1e-3;
  const auto gain = [mass](double joule, double work) -> Motion {
    return [=](int k, World& world, std::vector<ContactRecord>& contacts, StepReport& report) {
      const double squared = 9 + std::pow(4 - kGravity * kStep * k, 2);
      fly(std::sqrt(1 + 2 * joule / mass / squared))(k, world, contacts, report);
      if (k == 10) report.external_work = work;
    };
  };
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, gain(2, 0)), "energy"));
  EXPECT_FALSE(has(judge_motion(head("lcp-fixed") + kBall, gain(2, 2)), "energy"));
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, gain(2, 1)), "energy"));
}

// What a motor did long ago is no scale: 1,000 J put in and taken out again do not excuse 2 J.
TEST_F(Judge, OfEnergyComparesWithTheStartAlone) {
  const double mass = 1000 * 4.0 / 3 * std::numbers::pi * 1e-3;
  const auto motion = [mass](int k, World& world, std::vector<ContactRecord>& contacts, StepReport& report) {
    const double squared = 9 + std::pow(4 - kGravity * kStep * k, 2);
    const double joule = k >= 10 ? 2 : k == 5 ? 1000 : 0;
    fly(1)(k, world, contacts, report);
    world.bodies.velocity[0].linear *= std::sqrt(1 + 2 * joule / mass / squared);
    report.external_work = k == 5 ? 1000 : k == 6 ? -1000 : 0;
  };
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, motion), "energy"));
}

TEST_F(Judge, OfNumbersFindsWhatIsNone) {
  const Motion lost = [](int k, World& world, std::vector<ContactRecord>& contacts, StepReport& report) {
    fly(1)(k, world, contacts, report);
    if (k == kSteps) world.bodies.position[0].x() = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, lost), "nan"));
  EXPECT_FALSE(has(judge_motion(head("lcp-fixed") + kBall, fly(1)), "nan"));
}

// A box of 0.2 m sinks by a share of its size, or starts so deep.
TEST_F(Judge, OfPenetrationKnowsGivingWayFromSinking) {
  const auto scene = [](double start) {
    return head("lcp-fixed") +
           "bodies:\n  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
           "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, " +
           std::to_string(0.1 - start) + "]}\n";
  };
  const auto sink = [](double from, double to) -> Motion {
    return [=](int k, World& world, std::vector<ContactRecord>&, StepReport&) {
      world.bodies.position[1].z() = 0.1 - (from + (to - from) * k / kSteps);
    };
  };
  EXPECT_TRUE(has(judge_motion(scene(0), sink(0, 0.02 * 0.2)), "penetration"));
  EXPECT_FALSE(has(judge_motion(scene(0), sink(0, 0.008 * 0.2)), "penetration"));
  EXPECT_FALSE(has(judge_motion(scene(0.004), sink(0.004, 0.005)), "penetration"));
  EXPECT_TRUE(has(judge_motion(scene(0.004), sink(0.004, 0.007)), "penetration"));
}

// A bob 1 m below its joint goes down by a share of that arm. The anchor, 100 m from its own centre, lends no arm.
TEST_F(Judge, OfJointsComparesWithTheArmOfWhatMoves) {
  const std::string scene =
      head("lcp-fixed") +
      "bodies:\n  - {name: anchor, kind: fixed, shape: {sphere: {radius: 0.1}}, position: [0, 0, 100]}\n"
      "  - {name: bob, shape: {sphere: {radius: 0.1}}, position: [0, 0, -1]}\n"
      "joints:\n  - {name: hook, kind: ball, between: [anchor, bob], at: [0, 0, 0]}\n";
  const auto lower = [](double way) -> Motion {
    return [=](int k, World& world, std::vector<ContactRecord>&, StepReport&) {
      world.bodies.position[1].z() = -1 - way * k / kSteps;
    };
  };
  EXPECT_TRUE(has(judge_motion(scene, lower(0.012)), "joint"));
  EXPECT_FALSE(has(judge_motion(scene, lower(0.008)), "joint"));
}

TEST_F(Judge, OfJointsKnowsLimitsOfAxesAndCones) {
  const std::string bodies = head("lcp-fixed") +
                             "bodies:\n  - {name: post, kind: fixed, shape: {sphere: {radius: 0.1}}}\n"
                             "  - {name: arm, shape: {box: {size: [0.4, 0.1, 0.1]}}, position: [0.5, 0, 0]}\n"
                             "rules: [{ignore: [post, arm]}]\njoints:\n";
  const std::string hinge =
      "  - {name: hinge, kind: hinge, between: [post, arm], at: [0, 0, 0], axis: [0, 1, 0], limits: [-0.1, 0.1]}\n";
  const std::string cone =
      "  - {name: cone, kind: ball, between: [post, arm], at: [0, 0, 0], cone: {axis: [1, 0, 0], swing: 0.1}}\n";
  const auto turn = [](double angle) -> Motion {
    return [=](int k, World& world, std::vector<ContactRecord>&, StepReport&) {
      const Quat q(Eigen::AngleAxisd(angle * k / kSteps, Vec3::UnitY()));
      world.bodies.orientation[1] = q;
      world.bodies.position[1] = q * Vec3(0.5, 0, 0);
    };
  };
  for (const std::string& joint : {hinge, cone}) {
    EXPECT_TRUE(has(judge_motion(bodies + joint, turn(0.115)), "joint")) << joint;
    EXPECT_FALSE(has(judge_motion(bodies + joint, turn(0.105)), "joint")) << joint;
  }
  EXPECT_TRUE(has(judge_motion(bodies + hinge, turn(-0.115)), "joint"));
}

constexpr double kFriction = 0.3;

std::string slide_on(const std::string& bodies) {
  return "achilles: 1\ntime: {step: 0.01, duration: 0.4}\nmethod: lcp-fixed\n"
         "materials: {default: {friction: 0.3}}\nbodies:\n" +
         bodies;
}

/// Body 1 changes its speed along x by `rate` [m/s²]; `push` is the normal of each contact.
Motion slide(double speed, double rate, std::vector<Vec3> normals, std::function<void(int, World&)> move_other = {}) {
  return [=](int k, World& world, std::vector<ContactRecord>& contacts, StepReport&) {
    if (move_other) move_other(k, world);
    if (k == 0) return;
    const double mass = world.bodies.mass[1];
    const Vec3 side = Vec3(mass * kStep * rate, 0, 0);
    Vec3& v = world.bodies.velocity[1].linear;
    v.x() = speed + rate * k * kStep;
    const auto count = static_cast<double>(normals.size());
    for (const Vec3& normal : normals) {
      ContactRecord contact;
      contact.body_b = 1;
      contact.position = world.bodies.position[1] - 0.1 * normal;
      contact.normal = normal;
      contact.impulse = mass * kStep * kGravity / (count * normal.z()) * normal + side / count;
      contacts.push_back(contact);
    }
    world.bodies.position[1].x() += kStep * v.x();
  };
}

// On a plane sliding friction is µ g. Less is as wrong as more, and a push forwards is wrong, too.
TEST_F(Judge, OfFrictionKnowsSlidingOnAPlane) {
  const std::string scene = slide_on(
      "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.1], velocity: [5, 0, 0]}\n");
  const std::vector<Defect> right = judge_motion(scene, slide(5, -kFriction * kGravity, {Vec3::UnitZ()}));
  EXPECT_TRUE(right.empty()) << show(right);
  for (const double share : {0.0, 0.8, 1.2, -1.0}) {
    EXPECT_TRUE(has(judge_motion(scene, slide(5, -share * kFriction * kGravity, {Vec3::UnitZ()})), "friction"))
        << share;
  }
}

// In a groove of two planes at 45 degrees each carries m g / (2 cos 45°): friction is µ g / cos 45° in all. That of a
// plane is too little there.
TEST_F(Judge, OfFrictionAddsTheConesOfAGroove) {
  const std::string scene = slide_on(
      "  - {name: left, kind: fixed, shape: {plane: {normal: [0, 1, 1]}}}\n"
      "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.141421356237], velocity: [5, 0, 0]}\n"
      "  - {name: right, kind: fixed, shape: {plane: {normal: [0, -1, 1]}}}\n");
  const double root = std::sqrt(0.5);
  const std::vector<Vec3> normals{Vec3(0, root, root), Vec3(0, -root, root)};
  EXPECT_FALSE(has(judge_motion(scene, slide(5, -kFriction * kGravity / root, normals)), "friction"));
  EXPECT_TRUE(has(judge_motion(scene, slide(5, -kFriction * kGravity, normals)), "friction"));
  EXPECT_TRUE(has(judge_motion(scene, slide(5, -2 * kFriction * kGravity / root, normals)), "friction"));
}

// On a belt of 5 m/s a box at rest slides backwards relative to it: it gains speed at µ g.
TEST_F(Judge, OfFrictionSeesWhatMovesBelow) {
  const std::string scene = slide_on(
      "  - {name: belt, kind: scripted, shape: {box: {size: [20, 2, 1]}}, position: [0, 0, -0.5]}\n"
      "  - {name: box, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.1]}\n"
      "scripts:\n  - {body: belt, path: {space: [[0, 0, -0.5], [5, 0, -0.5]], speed: [[0, 0], [1, 5]]}}\n");
  const auto drive = [](int k, World& world) {
    world.bodies.velocity[0].linear = Vec3(5, 0, 0);
    world.bodies.position[0].x() = 5 * kStep * k;
  };
  EXPECT_FALSE(has(judge_motion(scene, slide(0, kFriction * kGravity, {Vec3::UnitZ()}, drive)), "friction"));
  EXPECT_TRUE(has(judge_motion(scene, slide(0, 0.5 * kFriction * kGravity, {Vec3::UnitZ()}, drive)), "friction"));
  EXPECT_TRUE(has(judge_motion(scene, slide(0, -kFriction * kGravity, {Vec3::UnitZ()}, drive)), "friction"));
}

TEST(FrictionCones, DistanceIsThatOfGeometry) {
  // From a cone of friction 1/2 a vector in its plane of contact is off by the sine of the angle to its side.
  const ForceCone cone{Vec3::UnitZ(), 0.5, Vec3::Zero()};
  const double side = std::cos(std::atan(0.5));
  EXPECT_NEAR(measure_distance_from_cones({&cone, 1}, Vec3(3, 4, 0)), 5 * side, 1e-6);
  EXPECT_NEAR(measure_distance_from_cones({&cone, 1}, Vec3(0.3, 0.4, 1)), 0, 1e-6);
  EXPECT_NEAR(measure_distance_from_cones({&cone, 1}, Vec3(0, 0, -2)), 2, 1e-6);
  // A jaw holds against its whole plane, however little the friction.
  const std::vector<ForceCone> jaw{{Vec3::UnitZ(), 0.1, Vec3::Zero()}, {-Vec3::UnitZ(), 0.1, Vec3::Zero()}};
  EXPECT_NEAR(measure_distance_from_cones(jaw, Vec3(1, 2, 0.5)), 0, 1e-6);
  // What slides gives its ray alone.
  const ForceCone ray{Vec3::UnitZ(), 0.5, Vec3::UnitX()};
  EXPECT_NEAR(measure_distance_from_cones({&ray, 1}, Vec3(-1, 0, 2)), 0, 1e-6);
  EXPECT_NEAR(measure_distance_from_cones({&ray, 1}, Vec3(0, 1, 0)), 1, 1e-6);
}

// A free ball that turns off its course breaks Newton's second law without gaining energy.
TEST_F(Judge, OfTheCertificateFindsABrokenPromise) {
  const Motion turn = [](int k, World& world, std::vector<ContactRecord>& contacts, StepReport& report) {
    fly(1)(k, world, contacts, report);
    if (k >= 10) world.bodies.velocity[0].linear.x() *= -1;
  };
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, turn), "certify"));
}

// A run is whole or says why it is not, and its exit status says the same.
TEST_F(Judge, OfTheEndBelievesNeitherReportNorStatusAlone) {
  const std::string naive = head("impulse-naive") + kBall, scene = head("lcp-fixed") + kBall;
  const auto stop = [](const char* reason) {
    RunReport report;
    report.stopped = Stop{reason, 0.2, "made up"};
    return report;
  };
  const auto end = [&](const std::string& text, const RunReport& report, int status, int steps) {
    return judge_motion(text, fly(1), {status, 0}, report, steps);
  };
  EXPECT_TRUE(end(scene, {}, kDone, kSteps).empty());
  EXPECT_TRUE(has(end(scene, {}, kDone, kSteps / 2), "stop"));
  EXPECT_TRUE(has(end(scene, {}, kDone, kSteps / 2), "exit"));
  EXPECT_TRUE(has(end(scene, {}, kStopped, kSteps), "exit"));
  EXPECT_TRUE(has(end(scene, {}, kFailed, kSteps), "exit"));
  EXPECT_TRUE(has(end(scene, stop("joint-error"), kStopped, kSteps / 2), "stop"));
  EXPECT_FALSE(has(end(scene, stop("joint-error"), kStopped, kSteps / 2), "exit"));
  EXPECT_TRUE(has(end(scene, stop("joint-error"), kDone, kSteps / 2), "exit"));
  EXPECT_TRUE(has(end(scene, stop("zeno-point"), kStopped, kSteps / 2), "stop"));
  EXPECT_FALSE(has(end(naive, stop("zeno-point"), kStopped, kSteps / 2), "stop"));
}

TEST_F(Judge, OfCostKnowsAStepThatHangs) {
  EXPECT_TRUE(has(judge_motion(head("lcp-fixed") + kBall, fly(1), {kDone, 2 * kStepLimit}), "hang"));
  EXPECT_FALSE(has(judge_motion(head("lcp-fixed") + kBall, fly(1), {kDone, 0.5 * kStepLimit}), "hang"));
}

// Three runs of four keep the defaults; whatever else is drawn the method takes.
TEST(MethodOptions, AreLegalAndVaried) {
  for (const MethodSpec& method : method_specs()) {
    int changed = 0;
    for (std::uint64_t index = 0; index < 200; ++index) {
      const nlohmann::ordered_json options = draw_method_options(1, index, method);
      changed += options.empty() ? 0 : 1;
      nlohmann::ordered_json whole{{"name", method.name}};
      whole.update(options);
      const std::string text = "achilles: 1\nmethod: " + whole.dump() + "\nbodies: []\n";
      EXPECT_NO_THROW((void)make_method(parse_scene(text).method)) << text;
    }
    EXPECT_LT(changed, 100) << method.name;
  }
}

}  // namespace
}  // namespace achilles::program::soak
