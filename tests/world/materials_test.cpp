#include "world/random_world.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace achilles {
namespace {

using testing::RandomWorlds;

ContactLaw mixed(const ContactLaw& a, const ContactLaw& b) {
  const std::vector<Material> materials{{"a", a}, {"b", b}};
  return MaterialTable(materials, {}).law(0, 1);
}

bool same_numbers(const ContactLaw& a, const ContactLaw& b) {
  return a.friction == b.friction && a.restitution == b.restitution && a.rolling_friction == b.rolling_friction &&
         a.torsional_friction == b.torsional_friction && a.stiffness == b.stiffness && a.damping == b.damping;
}

// Newton's third law: what a does to b is what b does to a.
RC_GTEST_PROP(MaterialMixing, IsSymmetric, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const ContactLaw a = random.law();
  const ContactLaw b = random.law();
  RC_ASSERT(same_numbers(mixed(a, b), mixed(b, a)));
}

// A mean lies between what it is a mean of, so mixing cannot make a pair rougher or bouncier than its rougher side.
RC_GTEST_PROP(MaterialMixing, LiesBetweenTheTwoSides, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const ContactLaw a = random.law();
  const ContactLaw b = random.law();
  const ContactLaw law = mixed(a, b);
  const auto between = [](double x, double y, double z) {
    const double slack = 1e-15 * (1 + y + z);  // one rounding of the product, one of the root
    return x >= std::min(y, z) - slack && x <= std::max(y, z) + slack;
  };
  RC_ASSERT(between(law.friction, a.friction, b.friction));
  RC_ASSERT(between(law.restitution, a.restitution, b.restitution));
  RC_ASSERT(between(law.rolling_friction, a.rolling_friction, b.rolling_friction));
  RC_ASSERT(between(law.torsional_friction, a.torsional_friction, b.torsional_friction));
}

TEST(MaterialMixing, FrictionlessSideDecides) {
  ContactLaw ice;
  ice.friction = 0;
  ContactLaw rubber;
  rubber.friction = 1.5;
  EXPECT_EQ(mixed(ice, rubber).friction, 0);
}

TEST(MaterialMixing, PlasticSideDecides) {
  ContactLaw clay;
  clay.restitution = 0;
  ContactLaw steel;
  steel.restitution = 0.9;
  EXPECT_EQ(mixed(clay, steel).restitution, 0);
}

// Two springs in series: 1/k = 1/k₁ + 1/k₂. A rigid side gives way by nothing, so the other's spring is all there is.
TEST(MaterialMixing, CompliantSidesActInSeries) {
  ContactLaw soft;
  soft.stiffness = 300;
  soft.damping = 6;
  ContactLaw softer;
  softer.stiffness = 150;
  softer.damping = 3;
  EXPECT_DOUBLE_EQ(mixed(soft, softer).stiffness, 100);
  EXPECT_DOUBLE_EQ(mixed(soft, softer).damping, 2);
  EXPECT_EQ(mixed(soft, ContactLaw{}).stiffness, 300);
  EXPECT_EQ(mixed(ContactLaw{}, ContactLaw{}).stiffness, 0);
}

TEST(MaterialTable, MaterialAgainstItselfHasItsOwnLawToTheBit) {
  RandomWorlds random(3);
  const std::vector<Material> materials{{"a", random.law()}, {"b", random.law()}};
  const MaterialTable table(materials, {});
  EXPECT_TRUE(same_numbers(table.law(0, 0), materials[0].law));
  EXPECT_TRUE(same_numbers(table.law(1, 1), materials[1].law));
}

TEST(MaterialTable, PairsOwnLawWinsInBothOrdersAndLeavesTheRestMixed) {
  RandomWorlds random(4);
  const std::vector<Material> materials{{"a", random.law()}, {"b", random.law()}, {"c", random.law()}};
  const std::vector<MaterialPair> pairs{{"c", "a", random.law()}, {"b", "b", random.law()}};
  const MaterialTable table(materials, pairs);
  EXPECT_TRUE(same_numbers(table.law(0, 2), pairs[0].law));
  EXPECT_TRUE(same_numbers(table.law(2, 0), pairs[0].law));
  EXPECT_TRUE(same_numbers(table.law(1, 1), pairs[1].law));
  EXPECT_TRUE(same_numbers(table.law(0, 1), mixed(materials[0].law, materials[1].law)));
}

TEST(MaterialTable, MissingMaterialIsNamed) {
  const std::vector<Material> materials{{"a", {}}};
  try {
    (void)MaterialTable(materials, {}).index_of("wood");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("wood"), std::string::npos);
  }
}

}  // namespace
}  // namespace achilles
