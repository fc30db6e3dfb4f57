// Looking for events among surfaces that have no contacts with each other.
#include "world/events.hpp"

#include <achilles/world.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace achilles {
namespace {

TEST(Events, OfAPlaneAHeightFieldAndAMeshThatCrossAreNoneAndABallOnThemTouches) {
  Heightfield hills;
  hills.heights = {0, 0, 0, 0};
  hills.rows = hills.columns = 2;
  hills.cell = Vec2(4, 4);
  Mesh mesh;
  mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  World world;
  for (const auto& [name, shape, kind] :
       {std::tuple{"plane", Shape{Plane{}}, BodyKind::kFixed}, std::tuple{"hills", Shape{hills}, BodyKind::kFixed},
        std::tuple{"raft", Shape{mesh}, BodyKind::kScripted},
        std::tuple{"ball", Shape{Sphere{0.5}}, BodyKind::kDynamic}}) {
    BodyDescription body;
    body.name = name;
    body.shape = shape;
    body.kind = kind;
    if (kind == BodyKind::kDynamic) body.pose.p = Vec3(-1, 1, 0.5);
    world.add_body(body);
  }
  EventWorkspace scratch;
  std::vector<ContactEvent> events;
  find_events(world, EventOptions{}, 1, scratch, events);
  // The ball touches the plane and the hills; it is 1.4 m away from the triangle.
  ASSERT_EQ(events.size(), 2U);
  for (const ContactEvent& event : events) EXPECT_EQ(event.second, 3U);
  world.set_pose(world.find("raft"), {Vec3(0, 0, 0.1), Quat::Identity()});
  EXPECT_NO_THROW(find_events(world, EventOptions{}, 1, scratch, events));
}

}  // namespace
}  // namespace achilles
