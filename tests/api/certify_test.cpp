// Recordings that tell the truth are certified; those that lie are found out, each lie by the law that it breaks.
#include "record/certify/certify.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

namespace achilles {
namespace {

class Certificates : public ::testing::Test {
 protected:
  Certificates() {
    std::string name = (std::filesystem::temp_directory_path() / "achilles_certify_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Certificates() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  using Lie = std::function<void(std::size_t instant, World& world, std::vector<ContactRecord>& contacts)>;

  /// Runs a scene and records every step as `lie` tells it.
  Certificate certify_lie(const std::string& scene_text, std::size_t steps, const Lie& lie) {
    const Scene scene = parse_scene(scene_text);
    Simulation simulation(scene);
    {
      RecordingWriter recorder(file("lie.h5"), simulation.world(), scene);
      for (std::size_t k = 0; k <= steps; ++k) {
        if (k > 0) recorder.after_step(simulation.world(), simulation.step(), 0, {}, {});
        Simulation told(scene);
        World world = simulation.world();
        std::vector<ContactRecord> contacts(simulation.contacts().begin(), simulation.contacts().end());
        lie(k, world, contacts);
        told.restore(world);
        recorder.instant(world, contacts, told.penetration());
      }
      recorder.finish(RunReport{});
    }
    return certify(Recording(file("lie.h5")));
  }

  std::filesystem::path folder_;
};

const Verdict& find(const Certificate& certificate, const std::string& property) {
  const auto found = std::find_if(certificate.verdicts.begin(), certificate.verdicts.end(),
                                  [&](const Verdict& verdict) { return verdict.property == property; });
  if (found == certificate.verdicts.end()) throw std::out_of_range(property);
  return *found;
}

std::string show(const Certificate& certificate) { return to_json(certificate).dump(1); }

std::string heap(const std::string& method) {
  return "achilles: 1\n"
         "time: {step: 0.005, duration: 0.8}\n"
         "method: {name: " +
         method +
         "}\n"
         "materials: {default: {friction: 0.4, restitution: 0.3}}\n"
         "bodies:\n"
         "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
         "  - {name: box, shape: {box: {size: [0.6, 0.5, 0.4]}}, position: [0, 0, 0.2]}\n"
         "  - {name: ball, shape: {sphere: {radius: 0.2}}, position: [0.1, 0.05, 0.9], spin: [3, 1, 0]}\n"
         "  - {name: flyer, shape: {box: {size: [0.3, 0.2, 0.1]}}, position: [5, 0, 9], spin: [1, 4, 2]}\n";
}

TEST_F(Certificates, HonestRunsOfEveryKindHold) {
  for (const char* method :
       {"impulse-zeno-free", "impulse-conservative", "hybrid", "lcp-fixed", "lcp-retroactive", "lcp-fixpoint",
        "lcp-event", "anitescu", "shock-propagation", "reflections", "penalty", "soft-step"}) {
    for (const double every : {0.005, 0.02}) {
      RunOptions options;
      options.record_path = file("run.h5");
      options.every = every;
      (void)run_scene(parse_scene(heap(method)), options);
      const Certificate certificate = certify(Recording(file("run.h5")));
      EXPECT_TRUE(certificate.holds()) << method << show(certificate);
      EXPECT_EQ(find(certificate, "momentum").finding, Finding::kHolds);
    }
  }
}

TEST_F(Certificates, TheLieOfNothingHolds) {
  const auto nothing = [](std::size_t, World&, std::vector<ContactRecord>&) {};
  const Certificate certificate = certify_lie(heap("impulse-zeno-free"), 100, nothing);
  EXPECT_TRUE(certificate.holds()) << show(certificate);
  EXPECT_EQ(find(certificate, "interpenetration").finding, Finding::kHolds);
}

TEST_F(Certificates, ABodyThatSinksAtOneInstantIsFound) {
  const Certificate certificate =
      certify_lie(heap("impulse-zeno-free"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k == 40) world.bodies.position[1].z() -= 1e-5;
      });
  const Verdict& verdict = find(certificate, "interpenetration");
  EXPECT_EQ(verdict.finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(verdict.instant, 40U);
  EXPECT_NEAR(verdict.worst, 1e-5, 1e-6);
}

// The ball is on one side of the wall at one instant and on the other at the next, and overlaps it at neither.
TEST_F(Certificates, ABodyThatPassesThroughAWallBetweenTwoInstantsIsFound) {
  const std::string scene =
      "achilles: 1\n"
      "gravity: [0, 0, 0]\n"
      "time: {step: 0.01, duration: 0.1}\n"
      "method: {name: impulse-zeno-free}\n"
      "bodies:\n"
      "  - {name: wall, kind: fixed, shape: {box: {size: [0.1, 4, 4]}}, position: [5, 0, 0]}\n"
      "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0.3, 0, 0], velocity: [100, 0, 0]}\n";
  const Certificate certificate =
      certify_lie(scene, 8, [](std::size_t k, World& world, std::vector<ContactRecord>& contacts) {
        world.bodies.position[1] = Vec3(0.3 + static_cast<double>(k), 0, 0);
        world.bodies.velocity[1].linear = Vec3(100, 0, 0);
        contacts.clear();
      });
  const Verdict& verdict = find(certificate, "interpenetration");
  EXPECT_EQ(verdict.finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(verdict.instant, 5U);  // from 4.3 m to 5.3 m
  EXPECT_NEAR(verdict.time, 0.046, 0.003);
  EXPECT_NEAR(verdict.worst, 0.15, 0.04);  // the depth of a ball in the middle of the wall, to a quarter
}

TEST_F(Certificates, ABodyThatJumpsIsFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-fixed"), 150, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k >= 145) world.bodies.position[1].x() += 0.05;  // at rest by then
      });
  EXPECT_EQ(find(certificate, "motion").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "motion").instant, 145U);
}

TEST_F(Certificates, AVelocityThatNothingExplainsIsFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-fixed"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k >= 30) world.bodies.velocity[3].linear.x() += 0.01;
      });
  EXPECT_EQ(find(certificate, "momentum").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "momentum").instant, 30U);
}

TEST_F(Certificates, ASpinThatNothingExplainsIsFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-fixed"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k >= 30) world.bodies.velocity[3].angular *= 1.1;
      });
  EXPECT_EQ(find(certificate, "angular momentum").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "angular momentum").instant, 30U);
}

TEST_F(Certificates, EnergyFromNowhereIsFound) {
  const Certificate certificate =
      certify_lie(heap("impulse-zeno-free"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k >= 55) world.bodies.velocity[2].linear *= 2;  // the ball bounced at 0.25 s
      });
  EXPECT_EQ(find(certificate, "energy").finding, Finding::kFails) << show(certificate);
}

TEST_F(Certificates, ImpulsesOutsideTheConeOfFrictionAreFound) {
  for (const double pull : {0.0, -3.0}) {
    const Certificate certificate =
        certify_lie(heap("lcp-fixed"), 60, [pull](std::size_t k, World&, std::vector<ContactRecord>& contacts) {
          if (k != 50 || contacts.empty()) return;
          ContactRecord& contact = contacts.front();
          const double push = contact.impulse.dot(contact.normal) + 1e-3;
          contact.impulse =
              pull < 0 ? Vec3(pull * push * contact.normal) : Vec3(push * contact.normal + Vec3(push, 0, 0));
        });
    EXPECT_EQ(find(certificate, "Coulomb cone").finding, Finding::kFails) << show(certificate);
    EXPECT_EQ(find(certificate, "Coulomb cone").instant, 50U);
  }
}

// Twice the push, within the cone of friction: the box would have left the ground.
TEST_F(Certificates, ImpulsesThatNoVelocityExplainsAreFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-fixed"), 60, [](std::size_t k, World&, std::vector<ContactRecord>& contacts) {
        if (k == 50 && !contacts.empty()) contacts.front().impulse *= 2;
      });
  EXPECT_EQ(find(certificate, "impulses").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "impulses").instant, 50U);
  EXPECT_EQ(find(certificate, "Coulomb cone").finding, Finding::kHolds) << show(certificate);
}

TEST_F(Certificates, AClockThatGoesBackIsFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-fixed"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k == 30 || k == 31) world.time = 0.005 * static_cast<double>(61 - k);
      });
  EXPECT_EQ(find(certificate, "bookkeeping").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "bookkeeping").instant, 31U);
}

TEST_F(Certificates, ApproachThatAnImpactLeavesIsFound) {
  const Certificate certificate =
      certify_lie(heap("lcp-event"), 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
        if (k == 50) world.bodies.velocity[1].linear.z() -= 0.5;  // the box lies on the ground
      });
  EXPECT_EQ(find(certificate, "complementarity").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "complementarity").instant, 50U);
}

TEST_F(Certificates, AJointThatComesApartIsFound) {
  const std::string scene =
      "achilles: 1\n"
      "time: {step: 0.005, duration: 0.5}\n"
      "bodies:\n"
      "  - {name: post, kind: fixed, shape: {box: {size: [0.1, 0.1, 0.1]}}}\n"
      "  - {name: bob, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}\n"
      "joints:\n"
      "  - {name: pivot, kind: hinge, between: [post, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n";
  const auto nothing = [](std::size_t, World&, std::vector<ContactRecord>&) {};
  const Certificate honest = certify_lie(scene, 60, nothing);
  EXPECT_TRUE(honest.holds()) << show(honest);
  EXPECT_EQ(find(honest, "joints").finding, Finding::kHolds);
  const Certificate certificate = certify_lie(scene, 60, [](std::size_t k, World& world, std::vector<ContactRecord>&) {
    if (k == 33) world.bodies.position[1].y() += 0.03;
  });
  EXPECT_EQ(find(certificate, "joints").finding, Finding::kFails) << show(certificate);
  EXPECT_EQ(find(certificate, "joints").instant, 33U);
}

/// Adds to one number of an array, as somebody with an HDF5 editor would.
void tamper(const std::string& path, const char* array, hsize_t row, double amount) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t data = H5Dopen2(file, array, H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  std::vector<hsize_t> start(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)), 0);
  const std::vector<hsize_t> count(start.size(), 1);
  start[0] = row;
  if (start.size() > 1) start[1] = 1;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  const hsize_t one = 1;
  const hid_t memory = H5Screate_simple(1, &one, nullptr);
  double value = 0;
  ASSERT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value), 0);
  value += amount;
  ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value), 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
}

TEST_F(Certificates, ANumberChangedByHandIsFoundWithItsInstant) {
  RunOptions options;
  options.record_path = file("run.h5");
  options.every = 0.005;
  (void)run_scene(parse_scene(heap("impulse-zeno-free")), options);
  for (const char* array : {"time", "position", "orientation", "velocity", "spin", "scalars/energy_kinetic",
                            "scalars/penetration", "scalars/momentum", "scalars/external_work"}) {
    std::filesystem::copy_file(file("run.h5"), file("tampered.h5"), std::filesystem::copy_options::overwrite_existing);
    tamper(file("tampered.h5"), array, 70, 1e-9);
    const Certificate certificate = certify(Recording(file("tampered.h5")));
    EXPECT_FALSE(certificate.holds()) << array;
    EXPECT_EQ(find(certificate, "integrity").finding, Finding::kFails) << array;
    EXPECT_EQ(find(certificate, "integrity").instant, 70U) << array;
  }
  // Contact points have rows of their own.
  const std::vector<std::uint64_t> offsets = Recording(file("run.h5")).contact_offsets(70, 1);
  ASSERT_LT(offsets[0], offsets[1]);
  for (const char* array : {"contacts/impulse", "contacts/position", "contacts/normal", "contacts/gap"}) {
    std::filesystem::copy_file(file("run.h5"), file("tampered.h5"), std::filesystem::copy_options::overwrite_existing);
    tamper(file("tampered.h5"), array, offsets[0], 1e-9);
    EXPECT_EQ(find(certify(Recording(file("tampered.h5"))), "integrity").instant, 70U) << array;
  }
  std::filesystem::copy_file(file("run.h5"), file("tampered.h5"), std::filesystem::copy_options::overwrite_existing);
  tamper(file("tampered.h5"), "bodies/mass", 1, 1);
  EXPECT_FALSE(certify(Recording(file("tampered.h5"))).holds());
}

TEST_F(Certificates, SaySoInJson) {
  RunOptions options;
  options.record_path = file("run.h5");
  (void)run_scene(parse_scene(heap("impulse-zeno-free")), options);
  const nlohmann::ordered_json json = to_json(certify(Recording(file("run.h5"))));
  EXPECT_EQ(json["method"], "impulse-zeno-free");
  EXPECT_EQ(json["holds"], true);
  for (const auto& verdict : json["verdicts"]) {
    for (const char* key : {"property", "finding", "worst", "limit", "unit", "instant", "time", "detail"}) {
      EXPECT_TRUE(verdict.contains(key)) << key;
    }
  }
}

}  // namespace
}  // namespace achilles
