#include "engines/engine.hpp"

#include <btBulletDynamicsCommon.h>

#include <vector>

namespace achilles::bench {
namespace {

btScalar scalar(double x) { return static_cast<btScalar>(x); }
btVector3 to_bullet(const Vec3& x) { return {scalar(x.x()), scalar(x.y()), scalar(x.z())}; }

/// Sequential impulses as Bullet ships them: 10 iterations, warm starts, split impulses.
class BulletEngine final : public Engine {
 public:
  explicit BulletEngine(const Scene& scene) : h_(scalar(scene.step)) {
    world_.setGravity(to_bullet(scene.gravity));
    for (const BodyDescription& body : scene.bodies) add(body, scalar(scene.materials.front().law.friction));
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step() override { world_.stepSimulation(h_, 0, h_); }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const btTransform& at = bodies_[body]->getWorldTransform();
    const btQuaternion q = at.getRotation();
    const btVector3& p = at.getOrigin();
    return {Vec3(p.x(), p.y(), p.z()), Quat(q.w(), q.x(), q.y(), q.z())};
  }

 private:
  void add(const BodyDescription& description, btScalar friction) {
    if (const auto* box = std::get_if<Box>(&description.shape.kind)) {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(Vec3(0.5 * box->size))));
    } else if (const auto* sphere = std::get_if<Sphere>(&description.shape.kind)) {
      shapes_.push_back(std::make_unique<btSphereShape>(scalar(sphere->radius)));
    } else {
      const Plane& plane = std::get<Plane>(description.shape.kind);
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), scalar(plane.offset)));
    }
    const bool moves = description.kind == BodyKind::kDynamic;
    const SolidMass solid = moves ? weigh(description) : SolidMass{};
    btRigidBody::btRigidBodyConstructionInfo info(scalar(solid.mass), nullptr, shapes_.back().get(),
                                                  to_bullet(solid.inertia));
    const Quat& q = description.pose.q;
    info.m_startWorldTransform = btTransform(btQuaternion(scalar(q.x()), scalar(q.y()), scalar(q.z()), scalar(q.w())),
                                             to_bullet(description.pose.p));
    info.m_friction = btSqrt(friction);  // Bullet multiplies the two
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  btScalar h_;
};

}  // namespace

std::unique_ptr<Engine> make_bullet(const Scene& scene, int) { return std::make_unique<BulletEngine>(scene); }

}  // namespace achilles::bench
