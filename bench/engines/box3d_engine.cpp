#include "engines/engine.hpp"

#include <box3d/box3d.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace achilles::bench {
namespace {

float single(double x) { return static_cast<float>(x); }
b3Vec3 to_box3d(const Vec3& x) { return {single(x.x()), single(x.y()), single(x.z())}; }
b3Quat to_box3d(const Quat& q) { return {to_box3d(Vec3(q.vec())), single(q.w())}; }

/// Four substeps, as Box3D ships it.
class Box3dEngine final : public Engine {
 public:
  Box3dEngine(const Scene& scene, int threads) : h_(single(scene.step)) {
    b3WorldDef world = b3DefaultWorldDef();
    world.gravity = to_box3d(scene.gravity);
    world.enableSleep = false;
    world.workerCount = static_cast<std::uint32_t>(threads);
    world_ = b3CreateWorld(&world);
    shape_ = b3DefaultShapeDef();
    shape_.density = 1000;
    shape_.baseMaterial.friction = single(scene.materials.front().law.friction);
    shape_.baseMaterial.restitution = 0;
    std::unordered_map<std::string, std::size_t> index;
    for (const BodyDescription& body : scene.bodies) {
      index[body.name] = bodies_.size();
      add(body);
    }
    for (const JointDescription& joint : scene.joints) {
      const std::size_t a = index.at(joint.first), b = index.at(joint.second);
      b3SphericalJointDef ball = b3DefaultSphericalJointDef();
      ball.base.bodyIdA = bodies_[a];
      ball.base.bodyIdB = bodies_[b];
      ball.base.localFrameA.p = to_box3d(in_frame(scene.bodies[a].pose, joint.at));
      ball.base.localFrameB.p = to_box3d(in_frame(scene.bodies[b].pose, joint.at));
      ball.base.collideConnected = joint.collide;
      b3CreateSphericalJoint(world_, &ball);
    }
  }
  ~Box3dEngine() override { b3DestroyWorld(world_); }
  void step() override { b3World_Step(world_, h_, 4); }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const auto p = b3Body_GetPosition(bodies_[body]);
    const b3Quat q = b3Body_GetRotation(bodies_[body]);
    return {Vec3(static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)) - offset_[body],
            Quat(static_cast<double>(q.s), static_cast<double>(q.v.x), static_cast<double>(q.v.y),
                 static_cast<double>(q.v.z))};
  }

  static bool knows(const Shape& shape) {
    if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
      return std::all_of(compound->parts.begin(), compound->parts.end(),
                         [](const CompoundPart& part) { return std::holds_alternative<Box>(part.shape.kind); });
    }
    return std::holds_alternative<Box>(shape.kind) || std::holds_alternative<Sphere>(shape.kind) ||
           std::holds_alternative<Capsule>(shape.kind) || std::holds_alternative<Hull>(shape.kind) ||
           std::holds_alternative<Plane>(shape.kind);
  }

 private:
  static Vec3 in_frame(const Pose& pose, const Vec3& at) { return pose.q.conjugate() * (at - pose.p); }

  void add(const BodyDescription& description) {
    Pose pose = description.pose;
    offset_.push_back(Vec3::Zero());
    // Box3D has no half-spaces: a block as large as any scene stands for one.
    if (const auto* plane = std::get_if<Plane>(&description.shape.kind)) {
      offset_.back() = (plane->offset - kBlock) * plane->normal;
      pose.p += offset_.back();
      pose.q = Quat::FromTwoVectors(Vec3::UnitZ(), plane->normal);
    }
    b3BodyDef body = b3DefaultBodyDef();
    body.type = description.kind == BodyKind::kDynamic    ? b3_dynamicBody
                : description.kind == BodyKind::kScripted ? b3_kinematicBody
                                                          : b3_staticBody;
    const b3Vec3 p = to_box3d(pose.p);
    body.position = {p.x, p.y, p.z};
    body.rotation = to_box3d(pose.q);
    body.angularVelocity = to_box3d(description.spin);
    body.enableSleep = false;
    bodies_.push_back(b3CreateBody(world_, &body));
    add_shape(description.shape, {Vec3::Zero(), Quat::Identity()});
  }

  void add_box(const Vec3& half, const Pose& at) {
    const b3BoxHull box = b3MakeTransformedBoxHull(single(half.x()), single(half.y()), single(half.z()),
                                                   {to_box3d(at.p), to_box3d(at.q)});
    b3CreateHullShape(bodies_.back(), &shape_, &box.base);
  }

  void add_shape(const Shape& shape, const Pose& at) {
    if (const auto* box = std::get_if<Box>(&shape.kind)) {
      add_box(0.5 * box->size, at);
    } else if (const auto* ball = std::get_if<Sphere>(&shape.kind)) {
      const b3Sphere sphere{to_box3d(at.p), single(ball->radius)};
      b3CreateSphereShape(bodies_.back(), &shape_, &sphere);
    } else if (const auto* rod = std::get_if<Capsule>(&shape.kind)) {
      const Vec3 end(0, 0, 0.5 * rod->length);
      const b3Capsule capsule{to_box3d(Vec3(-end)), to_box3d(end), single(rod->radius)};
      b3CreateCapsuleShape(bodies_.back(), &shape_, &capsule);
    } else if (const auto* hull = std::get_if<Hull>(&shape.kind)) {
      std::vector<b3Vec3> points;
      for (const Vec3& point : hull->points) points.push_back(to_box3d(point));
      const int count = static_cast<int>(points.size());
      b3HullData* data = b3CreateHull(points.data(), count, count);
      b3CreateHullShape(bodies_.back(), &shape_, data);
      b3DestroyHull(data);
    } else if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
      for (const CompoundPart& part : compound->parts) add_shape(part.shape, part.pose);
    } else {
      add_box(Vec3::Constant(kBlock), at);
    }
  }

  static constexpr double kBlock = 500;  // [m] half an edge
  b3WorldId world_{};
  b3ShapeDef shape_{};
  std::vector<b3BodyId> bodies_;
  std::vector<Vec3> offset_;  // [m] of the block that stands for a half-space
  float h_;
};

}  // namespace

std::unique_ptr<Engine> make_box3d(const Scene& scene, int threads) {
  const auto knows = [](const BodyDescription& body) { return Box3dEngine::knows(body.shape); };
  const auto is_ball = [](const JointDescription& joint) { return joint.kind == JointKind::kBall; };
  const bool able = std::all_of(scene.bodies.begin(), scene.bodies.end(), knows) &&
                    std::all_of(scene.joints.begin(), scene.joints.end(), is_ball);
  return able ? std::make_unique<Box3dEngine>(scene, threads) : nullptr;
}

}  // namespace achilles::bench
