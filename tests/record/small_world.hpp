// Worlds for tests of recording: small, and in states that no simulation would reach, so that every bit is exercised.
#pragma once

#include "record/recording_writer.hpp"

#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

namespace achilles::test {

inline Scene make_scene() {
  Scene scene;
  scene.name = "small \"world\", <b>with</b> ümlauts";
  scene.source = "a test";
  scene.step = 0.005;
  scene.duration = 3;
  scene.text = "achilles: 1\nname: small\n";
  scene.file = "small.yaml";
  scene.method.options["iterations"] = 20.0;
  scene.method.options["warm_start"] = true;
  scene.materials.push_back({"default", {}});
  scene.materials.push_back({"rubber", {}});

  BodyDescription ground;
  ground.name = "ground";
  ground.kind = BodyKind::kFixed;
  ground.shape.kind = Plane{};
  BodyDescription box;
  box.name = "brick[0,0,1]";
  box.shape.kind = Box{Vec3(1, 2, 3)};
  box.material = "rubber";
  BodyDescription ball;
  ball.name = "ball \"A\"\nsecond line";
  ball.shape.kind = Sphere{0.25};
  ball.mass = 2.0;
  ball.pose.p = Vec3(4, 0, 0);
  BodyDescription twin = box;
  twin.name = "twin";
  scene.bodies = {ground, box, ball, twin};
  return scene;
}

/// A world with `count` balls.
inline Scene make_balls(std::size_t count) {
  Scene scene = make_scene();
  scene.bodies.clear();
  for (std::size_t k = 0; k < count; ++k) {
    BodyDescription ball;
    ball.name = "ball " + std::to_string(k);
    ball.shape.kind = Sphere{0.5};
    ball.pose.p = Vec3(static_cast<double>(k), 0, 0);
    scene.bodies.push_back(ball);
  }
  return scene;
}

/// Puts a world into state number `k`: all numbers follow from k alone, with 53 random bits each.
inline void set_state(World& world, std::uint64_t k) {
  std::mt19937_64 random(k * 7919 + 1);
  const auto number = [&random] { return std::ldexp(static_cast<double>(random() >> 11), -50) - 4.0; };
  const auto vector = [&number] { return Vec3(number(), number(), number()); };
  world.time = static_cast<double>(k) * 0.005;
  world.step_index = static_cast<std::int64_t>(k);
  for (std::size_t b = 0; b < world.bodies.size(); ++b) {
    world.bodies.position[b] = vector();
    world.bodies.orientation[b] = Quat(number(), number(), number(), number()).normalized();
    world.bodies.velocity[b] = {vector(), vector()};
    world.bodies.asleep[b] = static_cast<std::uint8_t>(random() & 1U);
  }
}

/// Contacts of state number `k`: between none and six.
inline std::vector<ContactRecord> make_contacts(std::uint64_t k, std::size_t bodies) {
  std::mt19937_64 random(k * 104729 + 3);
  const auto number = [&random] { return std::ldexp(static_cast<double>(random() >> 11), -50) - 4.0; };
  std::vector<ContactRecord> contacts(bodies < 2 ? 0 : random() % 7);
  for (ContactRecord& contact : contacts) {
    contact.body_a = static_cast<std::uint32_t>(random() % bodies);
    contact.body_b = static_cast<std::uint32_t>(random() % bodies);
    contact.position = Vec3(number(), number(), number());
    contact.normal = Vec3(number(), number(), number()).normalized();
    contact.gap = number();
    contact.impulse = Vec3(number(), number(), number());
  }
  return contacts;
}

inline StepReport make_step(std::uint64_t k) {
  StepReport step;
  step.contacts = static_cast<int>(k % 5);
  step.iterations = static_cast<int>(k % 11);
  step.residual = 1.0 / static_cast<double>(k + 1);
  step.impacts = static_cast<int>(k % 3);
  step.external_work = 0.1 * static_cast<double>(k);
  return step;
}

/// Records states 0 .. count - 1, one step between two instants.
inline void record(const std::string& path, const Scene& scene, std::uint64_t count,
                   const RecordingWriterOptions& options = {}) {
  World world(scene);
  RecordingWriter recorder(path, world, scene, options);
  for (std::uint64_t k = 0; k < count; ++k) {
    set_state(world, k);
    if (k > 0) recorder.after_step(world, make_step(k), 0.25, {}, {});
    recorder.instant(world, make_contacts(k, world.bodies.size()), 1e-3 * static_cast<double>(k));
  }
  recorder.finish(RunReport{});
}

/// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "achilles_record_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace achilles::test
