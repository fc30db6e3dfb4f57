#include "collision/engine.hpp"

#include <btBulletCollisionCommon.h>

namespace achilles::bench {
namespace {

btTransform to_bullet(const Pose& pose) {
  const auto scalar = [](double x) { return static_cast<btScalar>(x); };
  return btTransform(btQuaternion(scalar(pose.q.x()), scalar(pose.q.y()), scalar(pose.q.z()), scalar(pose.q.w())),
                     btVector3(scalar(pose.p.x()), scalar(pose.p.y()), scalar(pose.p.z())));
}

btVector3 to_bullet(const Vec3& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}

/// A shape and the triangles it refers to.
struct BulletShape {
  std::unique_ptr<btTriangleMesh> triangles;
  std::unique_ptr<btCollisionShape> shape;
};

BulletShape make_shape(const Shape& shape) {
  BulletShape made;
  if (const auto* box = std::get_if<Box>(&shape.kind)) {
    made.shape = std::make_unique<btBoxShape>(to_bullet(Vec3(0.5 * box->size)));
    made.shape->setMargin(0);
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.kind)) {
    made.shape = std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius));
  } else if (const auto* hull = std::get_if<Hull>(&shape.kind)) {
    auto convex = std::make_unique<btConvexHullShape>();
    for (const Vec3& x : hull->points) convex->addPoint(to_bullet(x), false);
    convex->recalcLocalAabb();
    convex->setMargin(0);
    // Clipped faces instead of one point at a time: what a stack needs, and what we compute.
    convex->initializePolyhedralFeatures();
    made.shape = std::move(convex);
  } else if (const auto* mesh = std::get_if<Mesh>(&shape.kind)) {
    made.triangles = std::make_unique<btTriangleMesh>();
    for (const auto& [a, b, c] : mesh->triangles) {
      const auto corner = [&](int v) { return to_bullet(mesh->vertices[static_cast<std::size_t>(v)]); };
      made.triangles->addTriangle(corner(a), corner(b), corner(c));
    }
    made.shape = std::make_unique<btBvhTriangleMeshShape>(made.triangles.get(), true);
  }
  return made;
}

/// The dispatcher that picks the algorithm for a pair. For polyhedra its default finds the normal by GJK and clips
/// faces.
struct Dispatch {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btCollisionWorld world{&dispatcher, &broad_phase, &configuration};
};

class Pairs final : public Engine {
 public:
  explicit Pairs(const PairWorkload& work)
      : shape_a_(make_shape(work.a)),
        shape_b_(make_shape(work.b)),
        a_(nullptr, shape_a_.shape.get(), &object_a_, object_a_.getWorldTransform(), -1, -1),
        b_(nullptr, shape_b_.shape.get(), &object_b_, object_b_.getWorldTransform(), -1, -1),
        result_(&a_, &b_) {
    object_a_.setCollisionShape(shape_a_.shape.get());
    object_b_.setCollisionShape(shape_b_.shape.get());
    for (const PosePair& pose : work.poses) placed_.push_back({to_bullet(pose.a), to_bullet(pose.b)});
    algorithm_ = dispatch_.dispatcher.findAlgorithm(&a_, &b_, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~Pairs() override {
    algorithm_->~btCollisionAlgorithm();
    dispatch_.dispatcher.freeCollisionAlgorithm(algorithm_);
  }
  std::size_t run() override {
    std::size_t count = 0;
    for (const auto& [a, b] : placed_) {
      object_a_.setWorldTransform(a);
      object_b_.setWorldTransform(b);
      algorithm_->processCollision(&a_, &b_, dispatch_.world.getDispatchInfo(), &result_);
      manifolds_.resize(0);
      algorithm_->getAllContactManifolds(manifolds_);
      for (int m = 0; m < manifolds_.size(); ++m) {
        count += static_cast<std::size_t>(manifolds_[m]->getNumContacts());
        manifolds_[m]->clearManifold();  // the pairs have nothing to do with each other
      }
    }
    return count;
  }

 private:
  Dispatch dispatch_;
  BulletShape shape_a_, shape_b_;
  btCollisionObject object_a_, object_b_;
  std::vector<std::pair<btTransform, btTransform>> placed_;
  btCollisionObjectWrapper a_, b_;
  btCollisionAlgorithm* algorithm_ = nullptr;
  btManifoldResult result_;
  btManifoldArray manifolds_;
};

class Pile final : public Engine {
 public:
  explicit Pile(const PileWorkload& work)
      : shape_(make_shape(work.shape)),
        floor_(make_shape({Box{work.floor_size}})),
        objects_(work.frames.front().size()) {
    for (const std::vector<Pose>& poses : work.frames) {
      std::vector<btTransform>& frame = frames_.emplace_back();
      for (const Pose& pose : poses) frame.push_back(to_bullet(pose));
    }
    ground_.setCollisionShape(floor_.shape.get());
    ground_.setWorldTransform(to_bullet({{0, 0, -0.5 * work.floor_size.z()}, Quat::Identity()}));
    dispatch_.world.addCollisionObject(&ground_, btBroadphaseProxy::StaticFilter,
                                       btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i].setCollisionShape(shape_.shape.get());
      objects_[i].setCollisionFlags(0);
      objects_[i].setWorldTransform(frames_.front()[i]);
      dispatch_.world.addCollisionObject(&objects_[i]);
    }
  }
  ~Pile() override {
    for (btCollisionObject& object : objects_) dispatch_.world.removeCollisionObject(&object);
    dispatch_.world.removeCollisionObject(&ground_);
  }
  std::size_t run() override {
    std::size_t count = 0;
    for (const std::vector<btTransform>& frame : frames_) {
      for (std::size_t i = 0; i < objects_.size(); ++i) objects_[i].setWorldTransform(frame[i]);
      dispatch_.world.performDiscreteCollisionDetection();
      for (int m = 0; m < dispatch_.dispatcher.getNumManifolds(); ++m) {
        count += static_cast<std::size_t>(dispatch_.dispatcher.getManifoldByIndexInternal(m)->getNumContacts());
      }
    }
    return count;
  }

 private:
  Dispatch dispatch_;
  BulletShape shape_, floor_;
  btCollisionObject ground_;
  std::vector<btCollisionObject> objects_;
  std::vector<std::vector<btTransform>> frames_;
};

}  // namespace

std::unique_ptr<Engine> make_bullet_pairs(const PairWorkload& work) { return std::make_unique<Pairs>(work); }
std::unique_ptr<Engine> make_bullet_pile(const PileWorkload& work) { return std::make_unique<Pile>(work); }

}  // namespace achilles::bench
