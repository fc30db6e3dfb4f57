// Runs scenes and keeps problems of their steps, one connected island each: what tests/solver/data/problems.h5 is made
// of.
//
//   collect_problems SCENES_FOLDER OUT.h5
//
// Restitution is switched off, so that a step solves one problem and the velocities after it are u* + M⁻¹ Jᵀ λ.
#include "methods/advance.hpp"
#include "methods/method_spec.hpp"
#include "solver/file/problem_collection.hpp"

#include <achilles/error.hpp>
#include <achilles/scene.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

namespace achilles {
namespace {

constexpr std::size_t kRows = 90;        // of the largest problem that is kept
constexpr std::size_t kPerSource = 15;   // problems of one scene and method
constexpr std::size_t kProblems = 2000;  // in all
constexpr int kSteps = 200;              // of each run

/// Keeps each of the problems that are offered with the same probability, but one in eight of the smallest: a single
/// body that touches at a point or two teaches little.
class Sample {
 public:
  explicit Sample(std::uint64_t seed) : random_(seed) {}
  void offer(StoredProblem problem) {
    constexpr std::size_t kSmall = 10;
    if (problem.rows.size() < kSmall && random_() % 8 != 0) return;
    ++offered_;
    if (kept_.size() < kPerSource) {
      kept_.push_back(std::move(problem));
    } else if (const std::size_t at = random_() % offered_; at < kPerSource) {
      kept_[at] = std::move(problem);
    }
  }
  [[nodiscard]] std::vector<StoredProblem>& kept() { return kept_; }

 private:
  std::mt19937_64 random_;
  std::vector<StoredProblem> kept_;
  std::size_t offered_ = 0;
};

void offer_islands(const World& world, const StepWorkspace& scratch, Sample& sample) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::uint32_t first = scratch.row_start[island], count = scratch.row_start[island + 1] - first;
    if (count == 0 || count > kRows) continue;
    const std::span<const Row> rows = std::span(scratch.rows).subspan(first, count);
    StoredProblem problem = extract_problem(rows, world.bodies.velocity, scratch.inverse_mass);
    for (std::uint32_t i = 0; i < count; ++i) {
      apply_impulse(problem.rows[i], -scratch.impulses[first + i], problem.velocities);
    }
    sample.offer(std::move(problem));
  }
}

void collect(Scene scene, const std::string& method, int seed, ProblemCollection& out) {
  scene.method = {};
  scene.method.name = method;
  scene.method.solver = "gauss-seidel";
  for (Material& material : scene.materials) material.law.restitution = 0;
  for (auto& pair : scene.material_pairs) pair.law.restitution = 0;
  const std::unique_ptr<Method> stepper = make_method(scene.method);
  if (!find_obstacles(options, scene).empty()) return;
  World world(scene);
  Sample sample(static_cast<std::uint64_t>(seed));
  for (int k = 0; k < kSteps; ++k) {
    if (advance(world, *stepper, scene.step).stopped) break;
    offer_islands(world, stepper->workspace(), sample);
  }
  out.sources.push_back(scene.name + " (" + method + ")");
  for (StoredProblem& problem : sample.kept()) {
    problem.source = static_cast<int>(out.sources.size()) - 1;
    out.problems.push_back(std::move(problem));
  }
  std::printf("%-40s %zu problems\n", out.sources.back().c_str(), sample.kept().size());
}

/// Boxes, balls and capsules in the air, some of them hinged to the one before, with random sizes and masses.
Scene make_heap(int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  Scene scene;
  scene.name = "heap " + std::to_string(seed);
  scene.step = 0.005;
  Material material;
  material.name = "default";
  material.law.friction = number(0, 1);
  scene.materials = {material};
  BodyDescription ground;
  ground.name = "ground";
  ground.kind = BodyKind::kFixed;
  ground.shape = {Plane{Vec3::UnitZ(), 0}};
  scene.bodies = {ground};
  for (int i = 0; i < 12; ++i) {
    BodyDescription body;
    body.name = "body" + std::to_string(i);
    const Vec3 size(number(0.1, 0.4), number(0.1, 0.4), number(0.1, 0.4));
    body.shape = {Box{size}};
    if (i % 3 == 1) body.shape = {Sphere{0.5 * size.x()}};
    if (i % 3 == 2) body.shape = {Capsule{0.3 * size.x(), size.y()}};
    body.pose.p = Vec3(0.5 * (i % 2), 0.5 * (i / 2 % 2), 0.35 + 0.5 * (i / 4));
    body.pose.q = Quat(number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)).normalized();
    body.mass = std::exp(number(-2, 2));
    body.spin = Vec3(number(-3, 3), number(-3, 3), number(-3, 3));
    scene.bodies.push_back(body);
    if (seed % 2 == 0 && i % 3 == 1) {
      JointDescription joint;
      joint.name = "joint" + std::to_string(i);
      joint.kind = seed % 4 == 0 ? JointKind::kBall : JointKind::kHinge;
      joint.first = scene.bodies[scene.bodies.size() - 2].name;
      joint.second = body.name;
      joint.at = 0.5 * (scene.bodies[scene.bodies.size() - 2].pose.p + body.pose.p);
      if (joint.kind == JointKind::kHinge) joint.axes.emplace_back().axis = Vec3::UnitX();
      scene.joints.push_back(joint);
    }
  }
  return scene;
}

int run(const std::filesystem::path& scenes, const std::filesystem::path& out) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ProblemCollection collection;
  int seed = 0;
  for (const std::filesystem::path& file : files) {
    try {
      const Scene scene = load_scene(file);
      if (scene.bodies.size() > 150) continue;
      for (const char* method : {"lcp-fixed", "anitescu"}) collect(scene, method, ++seed, collection);
    } catch (const SceneError& error) {
      std::printf("%s: left out\n", file.filename().c_str());
    }
  }
  while (collection.problems.size() < kProblems) {
    const Scene heap = make_heap(++seed);
    for (const char* method : {"lcp-fixed", "anitescu"}) collect(heap, method, seed, collection);
  }
  collection.problems.resize(kProblems);
  write_problem_collection(out, collection);
  return 0;
}

}  // namespace
}  // namespace achilles

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "collect_problems SCENES_FOLDER OUT.h5\n");
    return 2;
  }
  return achilles::run(argv[1], argv[2]);
}
