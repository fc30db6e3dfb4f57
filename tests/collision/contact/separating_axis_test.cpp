// What a workspace remembers of separated pairs changes the time, never the contacts.
#include "collision/detect.hpp"
#include "collision/narrow_phase/shapes.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using namespace test;

TEST(SeparatingAxis, RememberedOnesChangeNoContact) {
  sample::Random random(31);
  const std::vector<Geometry> solids{make_box(1, 0.7, 0.5),   make_hull(sample::box_corners({0.6, 0.9, 0.5})),
                                     make_cylinder(0.4, 0.6), make_cone(0.4, 0.6),
                                     make_capsule(0.2, 0.5),  make_sphere(0.4)};
  std::vector<Collider> colliders;
  std::vector<Vec3> velocity, spin;
  for (std::uint32_t i = 0; i < 60; ++i) {
    colliders.push_back({&solids[i % solids.size()], {random.rotation().toRotationMatrix(), random.in_cube(1.5)}, i});
    velocity.push_back(random.in_cube(0.02));
    spin.push_back(random.in_cube(0.05));
  }
  DetectWorkspace remembering;
  ContactSet kept, fresh;
  std::size_t contacts = 0;
  for (int frame = 0; frame < 100; ++frame) {
    DetectWorkspace forgetful;
    detect_contacts(colliders, {}, {}, remembering, kept);
    detect_contacts(colliders, {}, {}, forgetful, fresh);
    ASSERT_EQ(kept.contacts.size(), fresh.contacts.size()) << frame;
    ASSERT_EQ(kept.points.size(), fresh.points.size()) << frame;
    for (std::size_t k = 0; k < kept.points.size(); ++k) {
      EXPECT_EQ(kept.points[k].position, fresh.points[k].position);
      EXPECT_EQ(kept.points[k].gap, fresh.points[k].gap);
    }
    contacts += kept.contacts.size();
    for (std::size_t i = 0; i < colliders.size(); ++i) {
      Transform& X = colliders[i].X_WG;
      X.p += velocity[i];
      X.R = Eigen::AngleAxisd(spin[i].norm(), spin[i].normalized()) * X.R;
      if (X.p.cwiseAbs().maxCoeff() > 1.5) velocity[i] = -velocity[i];
    }
  }
  EXPECT_GT(contacts, 1000u);
}

}  // namespace
}  // namespace achilles
