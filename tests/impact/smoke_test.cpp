#include <gtest/gtest.h>
#include "impact/impact_law.hpp"
#include "impact/impact_workspace.hpp"
TEST(Smoke, Links) { EXPECT_EQ(achilles::impact_infos().size(), 7u); }
