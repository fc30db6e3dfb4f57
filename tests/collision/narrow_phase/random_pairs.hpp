// Pairs of convex shapes as simulations and mischief make them: any sizes, thin, aligned, equal, concentric, touching.
#pragma once

#include "geometry/geometry.hpp"
#include "geometry/sample.hpp"

namespace achilles::test {

struct RandomPair {
  std::shared_ptr<const Geometry> a;
  std::shared_ptr<const Geometry> b;
  Transform X_WA;
  Transform X_WB;
  [[nodiscard]] double size() const {
    return (std::isfinite(a->radius) ? a->radius : 0) + (std::isfinite(b->radius) ? b->radius : 0);
  }
};

constexpr int kConvexKinds = 7;  // sphere, box, capsule, cylinder, cone, hull, plane

class PairMaker {
 public:
  explicit PairMaker(std::uint32_t seed) : random_(seed) {
    // Hulls cost more to make than to collide: a stock of them serves all pairs.
    for (int i = 0; i < 64; ++i) stock_.push_back(make_geometry(hull())[0].geometry);
  }

  RandomPair next(int kind_a, int kind_b) {
    const int trait = random_.integer(0, 9);
    scale_ = trait == 0 ? std::pow(10, random_.uniform(-3, 3)) : 1;
    thin_ = trait == 1;
    RandomPair pair;
    pair.a = make(kind_a);
    if (trait == 2) scale_ = std::pow(10, random_.uniform(-2, 2));
    pair.b = trait == 3 && kind_a == kind_b ? pair.a : make(kind_b);
    pair.X_WA.R = random_.rotation().toRotationMatrix();
    pair.X_WB.R = trait <= 4 ? Mat3(pair.X_WA.R * quarter_turn()) : Mat3(random_.rotation().toRotationMatrix());
    pair.X_WA.p = random_.in_cube(trait == 5 ? 100 : 1);
    const double reach = pair.size();
    pair.X_WB.p = pair.X_WA.p + random_.uniform(0, trait == 6 ? 0.05 : 1.1) * reach * random_.direction();
    if (trait == 7) pair.X_WB.p = pair.X_WA.p;
    if (trait <= 4 && random_.integer(0, 1) == 0) {  // along a common axis
      pair.X_WB.p = pair.X_WA.p + random_.uniform(0, 1) * reach * pair.X_WA.R.col(random_.integer(0, 2));
    }
    return pair;
  }
  sample::Random& random() { return random_; }

 private:
  double length() { return scale_ * (thin_ ? std::pow(10, random_.uniform(-4, 0)) : random_.uniform(0.1, 1)); }
  Mat3 quarter_turn() {
    Mat3 R = Mat3::Identity();
    for (int k = random_.integer(0, 3); k > 0; --k) {
      R = R * (random_.integer(0, 1) == 0 ? (Mat3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished()
                                          : (Mat3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished());
    }
    return R;
  }
  Shape hull() {
    Hull hull;
    const int count = random_.integer(4, 14);
    const Vec3 stretch(random_.uniform(0.1, 1), random_.uniform(0.1, 1), random_.uniform(0.1, 1));
    for (int i = 0; i < count; ++i) hull.points.push_back(stretch.cwiseProduct(random_.direction()));
    if (random_.integer(0, 3) == 0) hull.points = sample::box_corners(stretch);
    return {hull};
  }
  std::shared_ptr<const Geometry> make(int kind) {
    switch (kind) {
      case 0:
        return make_geometry({Sphere{0.5 * length()}})[0].geometry;
      case 1:
        return make_geometry({Box{Vec3(length(), length(), length())}})[0].geometry;
      case 2:
        return make_geometry({Capsule{0.5 * length(), length()}})[0].geometry;
      case 3:
        return make_geometry({Cylinder{0.5 * length(), length()}})[0].geometry;
      case 4:
        return make_geometry({Cone{0.5 * length(), length()}})[0].geometry;
      case 5:
        return stock_[static_cast<std::size_t>(random_.integer(0, 63))];
      default:
        return make_geometry({Plane{random_.direction(), random_.uniform(-1, 1)}})[0].geometry;
    }
  }

  sample::Random random_;
  std::vector<std::shared_ptr<const Geometry>> stock_;
  double scale_ = 1;
  bool thin_ = false;
};

}  // namespace achilles::test
