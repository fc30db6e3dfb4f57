// Distance and depth of convex shapes. Apart, every answer is proved: its points lie in the shapes, and the slab along
// its normal is as wide as the points are apart. Overlapping, the slab proves that the translation separates, and a
// search over all axes that there is no shorter one.
#include "collision/contact/collide.hpp"
#include "collision/narrow_phase/oracle.hpp"
#include "collision/narrow_phase/penetration.hpp"
#include "collision/narrow_phase/random_pairs.hpp"
#include "support/full_size.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace achilles {
namespace {

using oracle::Placed;
using test::kConvexKinds;
using test::PairMaker;
using test::RandomPair;

constexpr double kTolerance = 1e-9;  // of the size

bool is_round(const Geometry& geometry) {
  return std::holds_alternative<CylinderGeometry>(geometry.kind) || std::holds_alternative<ConeGeometry>(geometry.kind);
}

struct Worst {
  double point = 0, slab = 0, distance = 0, depth = 0, symmetry = 0;
  int overlapping = 0;
};

/// The largest violation of what must hold, as a part of the size.
double check_pair(const RandomPair& pair, Worst& worst) {
  const Placed a{*pair.a, pair.X_WA}, b{*pair.b, pair.X_WB};
  const double size = pair.size();
  const SignedDistance found = compute_signed_distance(*pair.a, pair.X_WA, *pair.b, pair.X_WB);
  const SignedDistance swapped = compute_signed_distance(*pair.b, pair.X_WB, *pair.a, pair.X_WA);
  if (!std::isfinite(found.distance) || !(std::abs(found.normal.norm() - 1) < 1e-12)) return 1e300;

  const double point = std::max(outside(a, found.point_a), outside(b, found.point_b)) / size;
  const double slab = std::abs(separation(a, b, found.normal) - found.distance) / size;
  const Vec3 along = found.point_b - found.point_a - found.distance * found.normal;
  const double distance = along.norm() / size;
  const double symmetry = std::abs(swapped.distance - found.distance) / size;
  double depth = 0;
  const bool bounded = std::isfinite(pair.a->radius) && std::isfinite(pair.b->radius);
  if (found.distance < 0 && bounded) {
    depth = std::max(0.0, -found.distance - bound_depth(a, b, is_round(*pair.a) || is_round(*pair.b))) / size;
    ++worst.overlapping;
  }
  if (found.distance > 0) worst.point = std::max(worst.point, point);
  worst.slab = std::max(worst.slab, slab);
  worst.distance = std::max(worst.distance, distance);
  worst.symmetry = std::max(worst.symmetry, symmetry);
  worst.depth = std::max(worst.depth, depth);
  // The points prove a distance. A depth is proved without them, and where it is flat in the direction they are known
  // to the square root of its error at best.
  return std::max({found.distance > 0 ? point : 1e-4 * point, slab, distance, depth, symmetry});
}

void check_kinds(int kind_a, int kind_b, int count) {
  PairMaker maker(static_cast<std::uint32_t>(1000 * kind_a + kind_b));
  Worst worst;
  int bad = 0;
  for (int k = 0; k < count; ++k) {
    RandomPair pair = maker.next(kind_a, kind_b);
    if (k % 3 == 0) {  // bring them to the touch, from near to far below what matters, on either side
      const SignedDistance first = compute_signed_distance(*pair.a, pair.X_WA, *pair.b, pair.X_WB);
      const double target = k % 21 == 0 ? 0 : std::pow(10, maker.random().uniform(-15, -2)) * pair.size();
      pair.X_WB.p -= (first.distance - (k % 2 == 0 ? target : -target)) * first.normal;
    }
    const double violation = check_pair(pair, worst);
    if (violation > kTolerance && ++bad <= 3) {
      ADD_FAILURE() << "kinds " << kind_a << " " << kind_b << ", pair " << k << ": " << violation << " of the size";
    }
  }
  EXPECT_EQ(bad, 0);
  if (std::getenv("ACHILLES_VERBOSE") != nullptr) {
    std::printf(
        "%d-%d: %d pairs, %d overlapping; worst of size: points %.1e slab %.1e distance %.1e depth %.1e symmetry "
        "%.1e\n",
        kind_a, kind_b, count, worst.overlapping, worst.point, worst.slab, worst.distance, worst.depth, worst.symmetry);
  }
}

class ConvexDistanceOfKind : public ::testing::TestWithParam<int> {};

TEST_P(ConvexDistanceOfKind, AgreesWithProofsFromDefinitions) {
  // 27 combinations of kinds; a million pairs in all at full size.
  const int count = is_full() ? 37100 : 600;
  for (int kind_b = GetParam(); kind_b < kConvexKinds; ++kind_b) {
    if (GetParam() < kConvexKinds - 1) check_kinds(GetParam(), kind_b, count);
  }
}

std::shared_ptr<const Geometry> read_side(std::istream& in, Transform& X) {
  std::string kind;
  std::size_t count = 0;
  if (!(in >> kind >> count)) return nullptr;
  std::vector<double> v(count);
  for (double& value : v) in >> value;
  for (int i = 0; i < 9; ++i) in >> X.R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) in >> X.p[i];
  Shape shape;
  if (kind == "sphere") {
    shape = {Sphere{v.at(0)}};
  } else if (kind == "box") {
    shape = {Box{Vec3(v.at(0), v.at(1), v.at(2))}};
  } else if (kind == "capsule") {
    shape = {Capsule{v.at(0), v.at(1)}};
  } else if (kind == "cylinder") {
    shape = {Cylinder{v.at(0), v.at(1)}};
  } else if (kind == "cone") {
    shape = {Cone{v.at(0), v.at(1)}};
  } else {
    Hull hull;
    for (std::size_t i = 0; i + 2 < count; i += 3) hull.points.emplace_back(v[i], v[i + 1], v[i + 2]);
    shape = {hull};
  }
  return make_geometry(shape)[0].geometry;
}

TEST(ConvexDistance, PairsThatFailedOnceStayRight) {
  std::ifstream in(source_folder() / "tests/data/collision/hard_pairs.txt");
  ASSERT_TRUE(in);
  while (in.peek() == '#') in.ignore(1000, '\n');
  int pairs = 0;
  for (RandomPair pair; (pair.a = read_side(in, pair.X_WA)) && (pair.b = read_side(in, pair.X_WB)); ++pairs) {
    Worst worst;
    EXPECT_LE(check_pair(pair, worst), kTolerance) << "pair " << pairs;
  }
  EXPECT_GE(pairs, 14);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, ConvexDistanceOfKind, ::testing::Range(0, kConvexKinds - 1));

}  // namespace
}  // namespace achilles
