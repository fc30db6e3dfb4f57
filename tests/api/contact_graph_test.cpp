#include <achilles/contact_graph.hpp>

#include "support/joints.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_ground;
using testing::make_joint;
using testing::make_scene;
using testing::run_to;

/// Something of everything: a pillar of two boxes, a tray on a script, a dumbbell of two shapes, a pendulum of two
/// links, a ball that passes through the pillar, a trigger and a timer.
Scene make_example() {
  Scene scene = make_scene(0.01, 0.5, 0);
  BodyDescription tray = make_body("tray", {Box{Vec3(1, 1, 0.2)}}, Vec3(5, 0, 1));
  tray.kind = BodyKind::kScripted;
  Compound dumbbell;
  dumbbell.parts.push_back({{Sphere{0.2}}, {Vec3(-0.5, 0, 0), Quat::Identity()}});
  dumbbell.parts.push_back({{Sphere{0.2}}, {Vec3(0.5, 0, 0), Quat::Identity()}});
  scene.bodies = {make_ground(),
                  make_body("lower", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5)),
                  make_body("upper", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 1.5)),
                  tray,
                  make_body("cargo", {Box{Vec3(0.4, 0.4, 0.4)}}, Vec3(5, 0, 1.3)),
                  make_body("dumbbell", {dumbbell}, Vec3(-4, 0, 0.2)),
                  make_anchor(Vec3(0, 5, 4)),
                  make_body("arm", {Sphere{0.1}}, Vec3(0, 5, 3)),
                  make_body("hand", {Sphere{0.1}}, Vec3(0, 5, 2)),
                  make_body("ghost", {Sphere{0.3}}, Vec3(0.2, 0, 0.3))};
  scene.joints = {make_joint(JointKind::kBall, "anchor", "arm", Vec3(0, 5, 4)),
                  make_joint(JointKind::kBall, "arm", "hand", Vec3(0, 5, 3))};
  scene.rules = {{"lower", "ghost"}, {"upper", "ghost"}};
  scene.triggers = {{"gate", {Box{Vec3(1, 1, 1)}}, {Vec3(-4, 0, 0.5), Quat::Identity()}}};
  return scene;
}

int count(const ContactGraph& graph, EdgeKind kind) {
  return static_cast<int>(
      std::count_if(graph.edges.begin(), graph.edges.end(), [&](const GraphLink& link) { return link.kind == kind; }));
}

class ContactGraphOfAnInstant : public ::testing::Test {
 protected:
  ContactGraphOfAnInstant() : simulation_(make_example()) {
    simulation_.watch_events({});
    (void)simulation_.world().add_timer(1);
    (void)run_to(simulation_, 0.2);
    graph_ = make_contact_graph(simulation_.world(), simulation_.contacts());
  }

  [[nodiscard]] std::uint32_t node(const std::string& name) const {
    const auto found =
        std::find_if(graph_.nodes.begin(), graph_.nodes.end(), [&](const GraphNode& one) { return one.name == name; });
    return static_cast<std::uint32_t>(found - graph_.nodes.begin());
  }
  [[nodiscard]] const GraphLink* find(EdgeKind kind, const std::string& a, const std::string& b) const {
    const auto ends = std::minmax({node(a), node(b)});
    for (const GraphLink& link : graph_.edges) {
      if (link.kind == kind && link.a == ends.first && link.b == ends.second) return &link;
    }
    return nullptr;
  }

  Simulation simulation_;
  ContactGraph graph_;
};

TEST_F(ContactGraphOfAnInstant, HasEveryKindOfNode) {
  const std::pair<const char*, NodeKind> expected[] = {
      {"ground", NodeKind::kFixed},       {"lower", NodeKind::kRigid},  {"tray", NodeKind::kScripted},
      {"dumbbell", NodeKind::kComposite}, {"arm", NodeKind::kLink},     {"mechanism of arm", NodeKind::kMultibody},
      {"gate", NodeKind::kTrigger},       {"timer 0", NodeKind::kTimer}};
  for (const auto& [name, kind] : expected) {
    ASSERT_LT(node(name), graph_.nodes.size()) << name;
    EXPECT_EQ(graph_.nodes[node(name)].kind, kind) << name;
  }
}

TEST_F(ContactGraphOfAnInstant, HasEveryKindOfEdge) {
  EXPECT_NE(find(EdgeKind::kRule, "lower", "ghost"), nullptr);
  EXPECT_EQ(find(EdgeKind::kContact, "lower", "ghost"), nullptr);
  EXPECT_NE(find(EdgeKind::kStructure, "hand", "mechanism of arm"), nullptr);
  EXPECT_NE(find(EdgeKind::kJoint, "arm", "hand"), nullptr);
  EXPECT_NE(find(EdgeKind::kPresence, "dumbbell", "gate"), nullptr);
  EXPECT_EQ(count(graph_, EdgeKind::kRule), 4);  // what a joint holds does not collide, either
  EXPECT_EQ(count(graph_, EdgeKind::kJoint), 2);
  EXPECT_EQ(count(graph_, EdgeKind::kPresence), 1);
}

// The lower box carries itself and the other: 2 m g h on the ground, m g h between the two.
TEST_F(ContactGraphOfAnInstant, EdgesHoldPointsImpulsesAndPlacement) {
  const double weight = 1000 * 9.81 * 0.01;
  const GraphLink* const between = find(EdgeKind::kContact, "lower", "upper");
  const GraphLink* const below = find(EdgeKind::kContact, "ground", "lower");
  ASSERT_NE(between, nullptr);
  ASSERT_NE(below, nullptr);
  EXPECT_EQ(between->points, 4U);
  EXPECT_LT((between->impulse - Vec3(0, 0, weight)).norm(), 1e-6 * weight);
  EXPECT_LT((below->impulse - Vec3(0, 0, 2 * weight)).norm(), 1e-6 * weight);
  EXPECT_LT((between->placement.p - Vec3(0, 0, 1)).norm(), 1e-3);
}

// What touches or hangs together is an island; the ground, the tray and the anchor cut.
TEST_F(ContactGraphOfAnInstant, IslandsAreCutAtBodiesThatCannotMove) {
  const auto island = [&](const char* name) { return graph_.nodes[node(name)].island; };
  EXPECT_EQ(island("lower"), island("upper"));
  EXPECT_EQ(island("arm"), island("hand"));
  EXPECT_EQ(island("ground"), kNoIsland);
  EXPECT_EQ(island("tray"), kNoIsland);
  EXPECT_EQ(graph_.islands, 5U);  // pillar, cargo, dumbbell, pendulum, ghost
}

TEST_F(ContactGraphOfAnInstant, IsWrittenForGraphviz) {
  const std::string text = write_dot(graph_);
  EXPECT_EQ(text.rfind("graph contact_graph {", 0), 0U);
  EXPECT_NE(text.find("label=\"dumbbell\ncomposite, island "), std::string::npos);
  EXPECT_NE(text.find("n1 -- n2 [style=solid]"), std::string::npos);
}

}  // namespace
}  // namespace achilles
