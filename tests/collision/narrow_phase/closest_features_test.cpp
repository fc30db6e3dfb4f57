// Tracking of closest features against GJK, and what coherence makes of its cost.
#include "collision/narrow_phase/closest_features.hpp"

#include "collision/narrow_phase/gjk.hpp"
#include "geometry/hull.hpp"
#include "geometry/sample.hpp"
#include "support/full_size.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

FeatureGraph make_random_hull(sample::Random& random, int points) {
  std::vector<Vec3> cloud;
  const Vec3 stretch(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
  for (int i = 0; i < points; ++i) cloud.push_back(stretch.cwiseProduct(random.direction()));
  if (random.integer(0, 3) == 0) cloud = sample::box_corners(stretch);
  return FeatureGraph(make_hull(cloud));
}

GjkResult by_gjk(const FeatureGraph& a, const FeatureGraph& b, const Transform& X_AB) {
  const ConvexCore core_a = make_core(make_view(a.hull, a.size)), core_b = make_core(make_view(b.hull, b.size));
  return compute_gjk({core_a, core_b, X_AB}, {}, X_AB.p);
}

// From any start, also the worst: the distance is GJK's, and overlap is found where GJK finds it.
TEST(ClosestFeatures, AgreeWithGjkWhereverTheWalkStarts) {
  sample::Random random(5);
  int gave_up = 0, separated = 0, penetrating = 0, most_steps = 0;
  for (int trial = 0; trial < (is_full() ? 100000 : 3000); ++trial) {
    const FeatureGraph a = make_random_hull(random, random.integer(4, 30));
    const FeatureGraph b = make_random_hull(random, random.integer(4, 30));
    Transform X{random.rotation().toRotationMatrix(),
                random.uniform(0.2, 1.3) * (a.size + b.size) * random.direction()};
    if (random.integer(0, 4) == 0) X.R.setIdentity();
    const auto start = [&](const FeatureGraph& graph) -> std::uint32_t {
      return static_cast<std::uint32_t>(random.integer(0, static_cast<int>(graph.hull.vertices.size()) - 1));
    };
    FeaturePair pair{{Feature::Kind::kVertex, start(a)}, {Feature::Kind::kVertex, start(b)}};
    const TrackResult found = track_closest_features(a, b, X, pair);
    const GjkResult gjk = by_gjk(a, b, X);
    const double size = a.size + b.size;
    most_steps = std::max(most_steps, found.steps);
    if (found.status == TrackStatus::kGaveUp) {
      ++gave_up;
    } else if (found.status == TrackStatus::kPenetrating) {
      ++penetrating;
      EXPECT_LE(gjk.distance, 1e-10 * size) << trial;
    } else {
      ++separated;
      EXPECT_NEAR(found.distance, gjk.distance, 1e-10 * size) << trial;
      EXPECT_NEAR((found.point_b - found.point_a).norm(), found.distance, 1e-12 * size) << trial;
    }
  }
  EXPECT_GT(separated, 500);
  EXPECT_GT(penetrating, 100);
  EXPECT_LE(gave_up, separated / 100);
  EXPECT_LE(most_steps, 200);  // no more than there are features on a way around both
}

/// Mean number of steps of two bodies of that many points that pass each other, turning, and are looked at often.
double mean_steps(int points, sample::Random& random) {
  std::vector<Vec3> cloud;
  for (int i = 0; i < points; ++i) cloud.push_back(random.direction());
  const FeatureGraph hull(make_hull(cloud));
  FeaturePair pair;
  double steps = 0;
  constexpr int kFrames = 2000;
  for (int frame = -1; frame < kFrames; ++frame) {
    const double t = static_cast<double>(frame) / kFrames;
    const Transform X{Eigen::AngleAxisd(2 * t, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
                      Vec3(2.2 * std::cos(t), 2.2 * std::sin(t), 0.3 * t)};
    const TrackResult found = track_closest_features(hull, hull, X, pair);
    EXPECT_EQ(found.status, TrackStatus::kSeparated);
    EXPECT_NEAR(found.distance, by_gjk(hull, hull, X).distance, 1e-10);
    if (frame >= 0) steps += found.steps;
  }
  return steps / kFrames;
}

// [Mirtich95, sec. 3.1]: near constant time. A path of two radians crosses about √n features; looked at a thousand
// times a radian, most looks confirm the last pair, however many features there are.
TEST(ClosestFeatures, OfCoherentMotionChangeSeldomHoweverManyThereAre) {
  sample::Random random(6);
  for (const int points : {20, 200, 1000}) EXPECT_LE(mean_steps(points, random), 0.3) << points;
}

TEST(ClosestFeatures, OfBoxesAreTheOnesOneSees) {
  const FeatureGraph box(make_hull(sample::box_corners(Vec3(1, 1, 1))));
  FeaturePair pair;
  // A corner over a face: turned so that a diagonal points down.
  const Mat3 tip = Quat::FromTwoVectors(Vec3(1, 1, 1), Vec3(0, 0, -1)).toRotationMatrix();
  const TrackResult corner = track_closest_features(box, box, {tip, Vec3(0.1, 0.2, 2)}, pair);
  EXPECT_NEAR(corner.distance, 2 - 0.5 - 0.5 * std::sqrt(3.0), 1e-12);
  EXPECT_EQ(pair.a.kind, Feature::Kind::kFace);
  EXPECT_EQ(pair.b.kind, Feature::Kind::kVertex);
  // Crossed edges: both turned by an eighth about axes square to each other.
  const Mat3 roof = Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()).toRotationMatrix();
  const Mat3 across = Eigen::AngleAxisd(M_PI / 4, Vec3::UnitY()).toRotationMatrix();
  const TrackResult edges =
      track_closest_features(box, box, {roof.transpose() * across, roof.transpose() * Vec3(0, 0, 2)}, pair);
  EXPECT_NEAR(edges.distance, 2 - std::sqrt(2.0), 1e-12);
  EXPECT_EQ(pair.a.kind, Feature::Kind::kEdge);
  EXPECT_EQ(pair.b.kind, Feature::Kind::kEdge);
  EXPECT_EQ(track_closest_features(box, box, {Mat3::Identity(), Vec3(0.2, 0.3, 0.5)}, pair).status,
            TrackStatus::kPenetrating);
}

}  // namespace
}  // namespace achilles
