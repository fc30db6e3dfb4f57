// Jolt wants its own header before any other of its.
#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/RotatedTranslatedShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include "engines/engine.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace achilles::bench {
namespace {

constexpr JPH::ObjectLayer kStill = 0, kMoving = 1;

float single(double x) { return static_cast<float>(x); }
JPH::Vec3 to_jolt(const Vec3& x) { return {single(x.x()), single(x.y()), single(x.z())}; }
JPH::Quat to_jolt(const Quat& q) { return {single(q.x()), single(q.y()), single(q.z()), single(q.w())}; }

/// Cylinders and capsules of Jolt stand along y, ours along z.
const Quat& upright() {
  static const Quat turn = Quat::FromTwoVectors(Vec3::UnitY(), Vec3::UnitZ());
  return turn;
}

struct Library {
  Library() {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory();
    JPH::RegisterTypes();
  }
  ~Library() {
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    JPH::Factory::sInstance = nullptr;
  }
};

/// Two layers: what moves and what does not.
class Layers final : public JPH::BroadPhaseLayerInterface,
                     public JPH::ObjectVsBroadPhaseLayerFilter,
                     public JPH::ObjectLayerPairFilter {
 public:
  [[nodiscard]] JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
  [[nodiscard]] JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
    return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
  }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
  [[nodiscard]] const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "layer"; }
#endif
  [[nodiscard]] bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
    return a == kMoving || static_cast<JPH::BroadPhaseLayer::Type>(b) == kMoving;
  }
  [[nodiscard]] bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override {
    return a == kMoving || b == kMoving;
  }
};

JPH::RefConst<JPH::Shape> turned(const JPH::Shape* shape, const Pose& at) {
  return new JPH::RotatedTranslatedShape(to_jolt(at.p), to_jolt(at.q), shape);
}

JPH::RefConst<JPH::Shape> make_mesh(const Mesh& mesh) {
  JPH::VertexList vertices;
  JPH::IndexedTriangleList triangles;
  for (const Vec3& x : mesh.vertices) vertices.push_back({single(x.x()), single(x.y()), single(x.z())});
  for (const auto& t : mesh.triangles) {
    triangles.push_back(
        {static_cast<JPH::uint32>(t[0]), static_cast<JPH::uint32>(t[1]), static_cast<JPH::uint32>(t[2])});
  }
  return JPH::MeshShapeSettings(vertices, triangles).Create().Get();
}

JPH::RefConst<JPH::Shape> make_shape(const Shape& shape) {
  constexpr double kBlock = 500;  // [m] half an edge of what stands for a half-space
  if (const auto* box = std::get_if<Box>(&shape.kind)) return new JPH::BoxShape(to_jolt(Vec3(0.5 * box->size)));
  if (const auto* ball = std::get_if<Sphere>(&shape.kind)) return new JPH::SphereShape(single(ball->radius));
  if (const auto* rod = std::get_if<Capsule>(&shape.kind)) {
    return turned(new JPH::CapsuleShape(single(0.5 * rod->length), single(rod->radius)), {Vec3::Zero(), upright()});
  }
  if (const auto* can = std::get_if<Cylinder>(&shape.kind)) {
    return turned(new JPH::CylinderShape(single(0.5 * can->height), single(can->radius)), {Vec3::Zero(), upright()});
  }
  if (const auto* hull = std::get_if<Hull>(&shape.kind)) {
    JPH::Array<JPH::Vec3> points;
    for (const Vec3& point : hull->points) points.push_back(to_jolt(point));
    return JPH::ConvexHullShapeSettings(points).Create().Get();
  }
  if (const auto* mesh = std::get_if<Mesh>(&shape.kind)) return make_mesh(*mesh);
  if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
    JPH::StaticCompoundShapeSettings settings;
    for (const CompoundPart& part : compound->parts) {
      settings.AddShape(to_jolt(part.pose.p), to_jolt(part.pose.q), make_shape(part.shape).GetPtr());
    }
    return settings.Create().Get();
  }
  const Plane& plane = std::get<Plane>(shape.kind);
  return turned(new JPH::BoxShape(JPH::Vec3::sReplicate(single(kBlock))),
                {(plane.offset - kBlock) * plane.normal, Quat::FromTwoVectors(Vec3::UnitZ(), plane.normal)});
}

/// One collision step per step, ten velocity and two position sweeps, as Jolt ships it.
class JoltEngine final : public Engine {
 public:
  JoltEngine(const Scene& scene, int threads)
      : temporary_(64 * 1024 * 1024), jobs_(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers, threads - 1) {
    const auto count = static_cast<JPH::uint>(scene.bodies.size());
    system_.Init(count, 0, 16 * count + 1024, 16 * count + 1024, layers_, layers_, layers_);
    system_.SetGravity(to_jolt(scene.gravity));
    if (!scene.joints.empty()) joined_ = new JPH::GroupFilterTable(count);
    std::unordered_map<std::string, std::size_t> index;
    for (const BodyDescription& body : scene.bodies) {
      index[body.name] = bodies_.size();
      add(body, single(scene.materials.front().law.friction));
    }
    for (const JointDescription& joint : scene.joints) join(joint, index.at(joint.first), index.at(joint.second));
    system_.OptimizeBroadPhase();
    h_ = single(scene.step);
  }
  void step() override { (void)system_.Update(h_, 1, &temporary_, &jobs_); }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const auto p = bodies_[body]->GetPosition();
    const JPH::Quat q = bodies_[body]->GetRotation();
    return {Vec3(p.GetX(), p.GetY(), p.GetZ()), Quat(q.GetW(), q.GetX(), q.GetY(), q.GetZ())};
  }

 private:
  void add(const BodyDescription& description, float friction) {
    const bool moves = description.kind != BodyKind::kFixed;
    const auto motion = description.kind == BodyKind::kDynamic    ? JPH::EMotionType::Dynamic
                        : description.kind == BodyKind::kScripted ? JPH::EMotionType::Kinematic
                                                                  : JPH::EMotionType::Static;
    const Vec3& p = description.pose.p;
    JPH::BodyCreationSettings settings(make_shape(description.shape).GetPtr(),
                                       JPH::RVec3(single(p.x()), single(p.y()), single(p.z())),
                                       to_jolt(description.pose.q), motion, moves ? kMoving : kStill);
    settings.mFriction = friction;  // Jolt takes the geometric mean
    settings.mRestitution = 0;
    settings.mAllowSleeping = false;
    settings.mLinearDamping = settings.mAngularDamping = 0;
    settings.mAngularVelocity = to_jolt(description.spin);
    if (joined_ != nullptr) {
      settings.mCollisionGroup = JPH::CollisionGroup(joined_, 0, static_cast<JPH::uint32>(bodies_.size()));
    }
    JPH::BodyInterface& interface = system_.GetBodyInterfaceNoLock();
    bodies_.push_back(interface.CreateBody(settings));
    interface.AddBody(bodies_.back()->GetID(), moves ? JPH::EActivation::Activate : JPH::EActivation::DontActivate);
  }

  void join(const JointDescription& joint, std::size_t a, std::size_t b) {
    JPH::PointConstraintSettings settings;
    settings.mPoint1 = settings.mPoint2 = JPH::RVec3(single(joint.at.x()), single(joint.at.y()), single(joint.at.z()));
    system_.AddConstraint(settings.Create(*bodies_[a], *bodies_[b]));
    if (!joint.collide) joined_->DisableCollision(static_cast<JPH::uint32>(a), static_cast<JPH::uint32>(b));
  }

  Layers layers_;
  JPH::TempAllocatorImpl temporary_;
  JPH::JobSystemThreadPool jobs_;
  JPH::PhysicsSystem system_;
  JPH::Ref<JPH::GroupFilterTable> joined_;
  std::vector<JPH::Body*> bodies_;
  float h_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_jolt(const Scene& scene, int threads) {
  static const Library library;
  const auto is_ball = [](const JointDescription& joint) { return joint.kind == JointKind::kBall; };
  if (!std::all_of(scene.joints.begin(), scene.joints.end(), is_ball)) return nullptr;
  return std::make_unique<JoltEngine>(scene, threads);
}

}  // namespace achilles::bench
