// Contacts kept from call to call stand for the ones that would be found.
#include "collision/contact/reuse.hpp"

#include "collision/detect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace achilles {
namespace {

constexpr double kDistance = 1e-3;  // [m]

struct Pair {
  std::vector<GeometryPiece> below = make_geometry({Box{Vec3(2, 2, 1)}});
  std::vector<GeometryPiece> above = make_geometry({Box{Vec3(1, 1, 1)}});

  [[nodiscard]] std::vector<Collider> place(const Transform& X_WB) const {
    return {{below.front().geometry.get(), Transform{}, 0, 0, false}, {above.front().geometry.get(), X_WB, 1, 0, true}};
  }
};

/// Detection with a memory of its own.
struct Detector {
  DetectWorkspace scratch;
  ManifoldMemory memory, next;
  ContactSet contacts;
  std::size_t reused = 0;
  bool changed = false;

  void run(std::span<const Collider> colliders, double distance, int threads = 1) {
    DetectOptions options;
    options.collide.margin = 0.01;
    options.threads = threads;
    changed = detect_contacts(colliders, {}, options, {distance, memory, next, &reused}, scratch, contacts);
    if (changed) std::swap(memory, next);
  }
};

Transform draw_pose(std::mt19937_64& engine, double size) {
  const auto draw = [&] { return std::uniform_real_distribution<double>(-size, size)(engine); };
  const Vec3 turn(draw(), draw(), draw());
  return {Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix(), Vec3(draw(), draw(), draw())};
}

// The box on top moves by at most ε = 0.2 mm and turns by as much over its radius: it keeps its corners, and the error
// of a gap is the turn of the normal times the way along the surface, below 2 ε²/r < 1e-7 m.
TEST(Recycle, GapsAreThoseOfAFullSearchToSecondOrder) {
  const Pair pair;
  std::mt19937_64 engine(1);
  int compared = 0;
  for (int k = 0; k < 200; ++k) {
    Detector keeping, searching;
    const Transform start = Transform{Mat3::Identity(), Vec3(0.2, 0.1, 0.999)} * draw_pose(engine, 2e-3);
    keeping.run(pair.place(start), kDistance);
    const Transform moved = start * draw_pose(engine, 1e-4);
    keeping.run(pair.place(moved), kDistance);
    searching.run(pair.place(moved), kDistance);
    ASSERT_EQ(keeping.reused, 1U);
    for (const ContactPoint& kept : keeping.contacts.points) {
      for (const ContactPoint& found : searching.contacts.points) {
        if (found.feature != kept.feature) continue;
        EXPECT_NEAR(kept.gap, found.gap, 1e-7);
        EXPECT_LT((kept.position - found.position).norm(), kDistance);
        EXPECT_LT((kept.normal - found.normal).norm(), kDistance);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 600);
}

// A body that creeps by a tenth of the distance per call is looked at anew at every eleventh call or before: the pose
// is compared with that of the last search, not with that of the last call.
TEST(Recycle, ErrorsOfACreepingBodyDoNotAddUp) {
  const Pair pair;
  Detector detector;
  int searched = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 at(1e-4 * k - 0.05, 0, 0.9995);
    detector.run(pair.place({Mat3::Identity(), at}), kDistance);
    if (detector.reused == 0) ++searched;
    ASSERT_EQ(detector.contacts.points.size(), 4U);
    for (const ContactPoint& point : detector.contacts.points) {
      EXPECT_NEAR(point.gap, -5e-4, 1e-12);
      const Vec3 corner = at + 0.5 * Vec3(point.position.x() > at.x() ? 1 : -1, point.position.y() > 0 ? 1 : -1, -1);
      EXPECT_LT((point.position - corner).norm(), kDistance + 3e-4);
    }
  }
  EXPECT_NEAR(searched, 100, 10);
}

// Whatever the way bodies take, every point that a search would report within the margin is near one that is kept.
TEST(Recycle, NothingWithinTheMarginIsMissed) {
  const Pair pair;
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> step(-2e-4, 2e-4);
  Detector detector;
  Transform X{Mat3::Identity(), Vec3(0.1, 0, 1.005)};
  int reused = 0;
  for (int k = 0; k < 3000; ++k) {
    X.p += Vec3(step(engine), step(engine), step(engine) + 0.05 * (1.005 - X.p.z()));
    const std::vector<Collider> colliders = pair.place(X);
    detector.run(colliders, kDistance);
    reused += static_cast<int>(detector.reused);
    const SignedDistance truth =
        compute_signed_distance(*colliders[0].geometry, colliders[0].X_WG, *colliders[1].geometry, colliders[1].X_WG);
    if (truth.distance > 0.01) continue;
    double least = 1;
    for (const ContactPoint& point : detector.contacts.points) least = std::min(least, point.gap);
    EXPECT_NEAR(least, truth.distance, 1e-6);
  }
  EXPECT_GT(reused, 1000);
}

TEST(Recycle, SpheresAndPlanesAreAlwaysSearched) {
  const std::vector<GeometryPiece> ball = make_geometry({Sphere{1}}), plane = make_geometry({Plane{Vec3::UnitZ(), 0}}),
                                   box = make_geometry({Box{Vec3(1, 1, 1)}});
  const auto place = [](const std::vector<GeometryPiece>& shape) {
    return Collider{shape.front().geometry.get(), Transform{}, 0, 0, true};
  };
  const Collider a = place(ball), b = place(plane), c = place(box);
  EXPECT_EQ(manifold_reuse_distance(a, c, 1), 0);
  EXPECT_EQ(manifold_reuse_distance(b, c, 1), 0);
  // A hundredth of the radius √3/2.
  EXPECT_NEAR(manifold_reuse_distance(c, c, 1), 0.01 * std::sqrt(0.75), 1e-12);
  EXPECT_EQ(manifold_reuse_distance(c, c, 1e-4), 1e-4);
}

// A row of boxes rests: nothing is copied. One more at its end, or one fewer, and there is another memory, which a
// search from nothing would leave, too.
TEST(Recycle, MemoryStandsWhileNothingComesOrGoes) {
  const std::vector<GeometryPiece> box = make_geometry({Box{Vec3(1, 1, 1)}});
  std::vector<Collider> colliders;
  const auto add = [&] {
    const auto k = static_cast<std::uint32_t>(colliders.size());
    colliders.push_back({box.front().geometry.get(), Transform{Mat3::Identity(), Vec3(k, 0, 0)}, k});
  };
  while (colliders.size() < 100) add();
  for (const int threads : {1, 2}) {
    Detector detector;
    const auto expect = [&](bool changed, std::size_t reused) {
      Detector fresh;
      detector.run(colliders, kDistance, threads);
      fresh.run(colliders, kDistance);
      EXPECT_EQ(detector.changed, changed);
      EXPECT_EQ(detector.reused, reused);
      EXPECT_EQ(detector.contacts.points.size(), fresh.contacts.points.size());
      ASSERT_EQ(detector.memory.manifolds.size(), fresh.memory.manifolds.size());
      ASSERT_EQ(detector.memory.points.size(), fresh.memory.points.size());
      for (std::size_t k = 0; k < fresh.memory.manifolds.size(); ++k) {
        EXPECT_EQ(detector.memory.manifolds[k].collider_a, fresh.memory.manifolds[k].collider_a);
        EXPECT_EQ(detector.memory.manifolds[k].first, fresh.memory.manifolds[k].first);
      }
    };
    expect(true, 0);
    expect(false, 99);
    add();
    expect(true, 99);
    expect(false, 100);
    colliders.pop_back();
    expect(true, 99);
    expect(false, 99);
  }
}

void expect_same(const ManifoldMemory& one, const ManifoldMemory& other) {
  ASSERT_EQ(one.manifolds.size(), other.manifolds.size());
  ASSERT_EQ(one.points.size(), other.points.size());
  for (std::size_t k = 0; k < one.manifolds.size(); ++k) {
    const KeptManifold &a = one.manifolds[k], &b = other.manifolds[k];
    EXPECT_EQ(std::tie(a.collider_a, a.collider_b, a.first, a.count, a.reach),
              std::tie(b.collider_a, b.collider_b, b.first, b.count, b.reach));
    EXPECT_TRUE(std::ranges::equal(a.p, b.p) && std::ranges::equal(a.R, b.R));
  }
  for (std::size_t k = 0; k < one.points.size(); ++k) {
    const KeptPoint &a = one.points[k], &b = other.points[k];
    EXPECT_EQ(a.feature, b.feature);
    EXPECT_TRUE(std::ranges::equal(a.on_a, b.on_a) && std::ranges::equal(a.on_b, b.on_b) &&
                std::ranges::equal(a.normal, b.normal));
  }
}

// Threads work on pairs chunk by chunk and keep nothing as long as the memory stands: what they find late is made up
// for.
TEST(Recycle, MemoryOfManyPairsIsThatOfOneThread) {
  const std::vector<GeometryPiece> box = make_geometry({Box{Vec3(1, 1, 1)}});
  std::vector<Collider> colliders;
  const auto add = [&] {
    const auto k = static_cast<std::uint32_t>(colliders.size());
    colliders.push_back({box.front().geometry.get(), Transform{Mat3::Identity(), Vec3(k, 0, 0)}, k});
  };
  while (colliders.size() < 7000) add();
  Detector one, two;
  const auto expect = [&](bool changed, std::size_t reused) {
    one.run(colliders, kDistance, 1);
    two.run(colliders, kDistance, 2);
    for (const Detector* detector : {&one, &two}) {
      EXPECT_EQ(detector->changed, changed);
      EXPECT_EQ(detector->reused, reused);
    }
    ASSERT_EQ(one.contacts.contacts.size(), two.contacts.contacts.size());
    for (std::size_t p = 0; p < one.contacts.points.size(); ++p) {
      EXPECT_EQ(one.contacts.points[p].position, two.contacts.points[p].position);
    }
    expect_same(one.memory, two.memory);
  };
  expect(true, 0);
  expect(false, 6999);
  add();
  expect(true, 6999);
  expect(false, 7000);
  colliders[5000].X_WG.p.z() += 2 * kDistance;
  expect(true, 6998);
  expect(false, 7000);
  colliders.resize(100);
  expect(true, 99);
  colliders.clear();
  expect(true, 0);
}

TEST(Recycle, NumberOfThreadsDoesNotMatter) {
  const std::vector<GeometryPiece> box = make_geometry({Box{Vec3(1, 1, 1)}});
  std::mt19937_64 engine(3);
  std::vector<Collider> colliders;
  for (std::uint32_t k = 0; k < 400; ++k) {
    const Vec3 cell(k % 8, k / 8 % 8, k / 64);
    colliders.push_back({box.front().geometry.get(), Transform{Mat3::Identity(), cell} * draw_pose(engine, 5e-3), k});
  }
  Detector one, three;
  for (int round = 0; round < 3; ++round) {
    one.run(colliders, kDistance, 1);
    three.run(colliders, kDistance, 3);
    ASSERT_EQ(one.reused, three.reused);
    ASSERT_EQ(one.contacts.points.size(), three.contacts.points.size());
    for (std::size_t p = 0; p < one.contacts.points.size(); ++p) {
      EXPECT_EQ(one.contacts.points[p].position, three.contacts.points[p].position);
      EXPECT_EQ(one.contacts.points[p].gap, three.contacts.points[p].gap);
    }
    for (std::size_t k = 0; k < colliders.size(); k += 7) colliders[k].X_WG.p.z() += 4e-4;
  }
  EXPECT_GT(three.reused, 500U);
}

}  // namespace
}  // namespace achilles
