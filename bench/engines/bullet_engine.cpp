#include "engines/engine.hpp"

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace achilles::bench {
namespace {

btScalar scalar(double x) { return static_cast<btScalar>(x); }
btVector3 to_bullet(const Vec3& x) { return {scalar(x.x()), scalar(x.y()), scalar(x.z())}; }
btTransform to_bullet(const Pose& pose) {
  const Quat& q = pose.q;
  return btTransform(btQuaternion(scalar(q.x()), scalar(q.y()), scalar(q.z()), scalar(q.w())), to_bullet(pose.p));
}

/// Sequential impulses as Bullet ships them: 10 iterations, warm starts, split impulses.
class BulletEngine final : public Engine {
 public:
  explicit BulletEngine(const Scene& scene) : h_(scalar(scene.step)) {
    world_.setGravity(to_bullet(scene.gravity));
    for (const BodyDescription& body : scene.bodies) add(body, scalar(scene.materials.front().law.friction));
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) index[scene.bodies[i].name] = i;
    for (const JointDescription& joint : scene.joints) {
      btRigidBody &a = *bodies_[index.at(joint.first)], &b = *bodies_[index.at(joint.second)];
      const btVector3 at = to_bullet(joint.at);
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(a, b, a.getWorldTransform().inverse() * at,
                                                                  b.getWorldTransform().inverse() * at));
      world_.addConstraint(joints_.back().get(), !joint.collide);
    }
  }
  ~BulletEngine() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step() override {
    for (const Turning& one : turning_) {
      btTransform at = one.body->getWorldTransform();
      at.setRotation(btQuaternion(one.spin.normalized(), one.spin.length() * h_) * at.getRotation());
      one.body->setWorldTransform(at);
    }
    world_.stepSimulation(h_, 0, h_);
  }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const btTransform& at = bodies_[body]->getWorldTransform();
    const btQuaternion q = at.getRotation();
    const btVector3& p = at.getOrigin();
    return {Vec3(p.x(), p.y(), p.z()), Quat(q.w(), q.x(), q.y(), q.z())};
  }

 private:
  void add(const BodyDescription& description, btScalar friction) {
    btCollisionShape* shape = make_shape(description.shape);
    const bool moves = description.kind == BodyKind::kDynamic;
    const SolidMass solid = moves ? weigh(description) : SolidMass{};
    btRigidBody::btRigidBodyConstructionInfo info(scalar(solid.mass), nullptr, shape, to_bullet(solid.inertia));
    info.m_startWorldTransform = to_bullet(description.pose);
    info.m_friction = btSqrt(friction);  // Bullet multiplies the two
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    if (description.kind == BodyKind::kScripted) {
      bodies_.back()->setCollisionFlags(bodies_.back()->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
      bodies_.back()->setAngularVelocity(to_bullet(description.spin));
      turning_.push_back({bodies_.back().get(), to_bullet(description.spin)});
    }
    world_.addRigidBody(bodies_.back().get());
  }

  btCollisionShape* make_shape(const Shape& description) {
    if (const auto* box = std::get_if<Box>(&description.kind)) {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(Vec3(0.5 * box->size))));
    } else if (const auto* sphere = std::get_if<Sphere>(&description.kind)) {
      shapes_.push_back(std::make_unique<btSphereShape>(scalar(sphere->radius)));
    } else if (const auto* hull = std::get_if<Hull>(&description.kind)) {
      auto shape = std::make_unique<btConvexHullShape>();
      for (const Vec3& point : hull->points) shape->addPoint(to_bullet(point), false);
      shape->recalcLocalAabb();
      shapes_.push_back(std::move(shape));
    } else if (const auto* capsule = std::get_if<Capsule>(&description.kind)) {
      shapes_.push_back(std::make_unique<btCapsuleShapeZ>(scalar(capsule->radius), scalar(capsule->length)));
    } else if (const auto* cylinder = std::get_if<Cylinder>(&description.kind)) {
      const btVector3 half(scalar(cylinder->radius), scalar(cylinder->radius), scalar(0.5 * cylinder->height));
      shapes_.push_back(std::make_unique<btCylinderShapeZ>(half));
    } else if (const auto* mesh = std::get_if<Mesh>(&description.kind)) {
      shapes_.push_back(make_mesh(*mesh));
    } else if (const auto* compound = std::get_if<Compound>(&description.kind)) {
      auto shape = std::make_unique<btCompoundShape>();
      for (const CompoundPart& part : compound->parts) {
        shape->addChildShape(to_bullet(part.pose), make_shape(part.shape));
      }
      shapes_.push_back(std::move(shape));
    } else {
      const Plane& plane = std::get<Plane>(description.kind);
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), scalar(plane.offset)));
    }
    return shapes_.back().get();
  }

  std::unique_ptr<btCollisionShape> make_mesh(const Mesh& mesh) {
    meshes_.push_back(std::make_unique<btTriangleMesh>());
    const auto vertex = [&mesh](int i) { return to_bullet(mesh.vertices[static_cast<std::size_t>(i)]); };
    for (const auto& triangle : mesh.triangles) {
      meshes_.back()->addTriangle(vertex(triangle[0]), vertex(triangle[1]), vertex(triangle[2]));
    }
    return std::make_unique<btBvhTriangleMeshShape>(meshes_.back().get(), true);
  }

  struct Turning {
    btRigidBody* body;
    btVector3 spin;  // [rad/s]
  };

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btTriangleMesh>> meshes_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<Turning> turning_;
  btScalar h_;
};

}  // namespace

std::unique_ptr<Engine> make_bullet(const Scene& scene, int) {
  const auto other = [](const JointDescription& joint) { return joint.kind != JointKind::kBall; };
  if (std::any_of(scene.joints.begin(), scene.joints.end(), other)) return nullptr;
  return std::make_unique<BulletEngine>(scene);
}

}  // namespace achilles::bench
