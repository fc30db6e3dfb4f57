#include "time_control/soft_step/soft_workspace.hpp"

#include <achilles/world.hpp>

#include <gtest/gtest.h>

namespace achilles {
namespace {

// What docs/throughput.md states; padding would be hashed and saved, so there must be none either.
TEST(SoftMemory, BytesPerBodyAndContactAreThoseOfTheDocumentation) {
  EXPECT_EQ(sizeof(SoftMotion) + 2 * sizeof(SoftVelocity) + sizeof(BodyDraft), 192U);
  EXPECT_EQ(sizeof(ContactLanes), 80U * kLanes);
  EXPECT_EQ(sizeof(PointLanes), 28U * kLanes);
  EXPECT_EQ(sizeof(PatchLanes), 28U * kLanes);
  EXPECT_EQ(sizeof(MassLanes), 72U * kLanes);
  EXPECT_EQ(sizeof(ColdLanes), 16U * kLanes);
  EXPECT_EQ(sizeof(SoftImpulse), 32U);
  EXPECT_EQ(sizeof(PointImpulse), 8U);
  EXPECT_EQ(sizeof(SoftMass), 64U);
  EXPECT_EQ(sizeof(ManifoldDraft) + sizeof(DraftPlace), 80U);
  EXPECT_EQ(sizeof(PointDraft), 32U);
  EXPECT_EQ(sizeof(ApproachLanes), 4U * kLanes);
  EXPECT_EQ(sizeof(CachedContact), 16U);
  EXPECT_EQ(sizeof(CachedPoint), 64U);
  EXPECT_EQ(sizeof(KeptManifold), 88U);
  EXPECT_EQ(sizeof(KeptPoint), 80U);
}

}  // namespace
}  // namespace achilles
