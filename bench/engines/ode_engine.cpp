#include "engines/engine.hpp"

#include <ode/ode.h>

#include <algorithm>
#include <array>
#include <vector>

namespace achilles::bench {
namespace {

struct Library {
  Library() { dInitODE2(0); }
  ~Library() { dCloseODE(); }
};

dReal real(double x) { return static_cast<dReal>(x); }

/// The quick-step solver with its 20 iterations.
class OdeEngine final : public Engine {
 public:
  explicit OdeEngine(const Scene& scene) : h_(real(scene.step)), friction_(real(scene.materials.front().law.friction)) {
    static const Library library;
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, real(scene.gravity.x()), real(scene.gravity.y()), real(scene.gravity.z()));
    dWorldSetAutoDisableFlag(world_, 0);
    for (const BodyDescription& body : scene.bodies) add(body);
  }
  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  void step() override {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->touch(a, b); });
    dWorldQuickStep(world_, h_);
    dJointGroupEmpty(contacts_);
  }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    if (bodies_[body] == nullptr) return fixed_[body];
    const dReal* p = dBodyGetPosition(bodies_[body]);
    const dReal* q = dBodyGetQuaternion(bodies_[body]);
    return {Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3])};
  }

 private:
  void add(const BodyDescription& description) {
    dGeomID geometry = nullptr;
    if (const auto* box = std::get_if<Box>(&description.shape.kind)) {
      geometry = dCreateBox(space_, real(box->size.x()), real(box->size.y()), real(box->size.z()));
    } else if (const auto* sphere = std::get_if<Sphere>(&description.shape.kind)) {
      geometry = dCreateSphere(space_, real(sphere->radius));
    } else {
      const Plane& plane = std::get<Plane>(description.shape.kind);
      const double offset = plane.offset + plane.normal.dot(description.pose.p);
      dCreatePlane(space_, real(plane.normal.x()), real(plane.normal.y()), real(plane.normal.z()), real(offset));
    }
    const Vec3& p = description.pose.p;
    const std::array<dReal, 4> q{real(description.pose.q.w()), real(description.pose.q.x()),
                                 real(description.pose.q.y()), real(description.pose.q.z())};
    fixed_.push_back(description.pose);
    bodies_.push_back(nullptr);
    if (description.kind == BodyKind::kDynamic) {
      const SolidMass solid = weigh(description);
      bodies_.back() = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, real(solid.mass), 0, 0, 0, real(solid.inertia.x()), real(solid.inertia.y()),
                         real(solid.inertia.z()), 0, 0, 0);
      dBodySetMass(bodies_.back(), &mass);
      dGeomSetBody(geometry, bodies_.back());
    }
    if (geometry == nullptr) return;
    dGeomSetPosition(geometry, real(p.x()), real(p.y()), real(p.z()));
    dGeomSetQuaternion(geometry, q.data());
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kPoints = 8;
    if (dGeomGetBody(a) == nullptr && dGeomGetBody(b) == nullptr) return;
    std::array<dContact, kPoints> points{};
    const int count = dCollide(a, b, kPoints, &points[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      dContact& point = points[static_cast<std::size_t>(i)];
      point.surface.mode = dContactApprox1;
      point.surface.mu = friction_;
      dJointAttach(dJointCreateContact(world_, contacts_, &point), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::vector<dBodyID> bodies_;  // null for what is fixed
  std::vector<Pose> fixed_;
  dReal h_;
  dReal friction_;
};

}  // namespace

std::unique_ptr<Engine> make_ode(const Scene& scene, int) {
  const auto is_known = [](const BodyDescription& body) {
    const auto& kind = body.shape.kind;
    return std::holds_alternative<Box>(kind) || std::holds_alternative<Sphere>(kind) ||
           std::holds_alternative<Plane>(kind);
  };
  const bool able = scene.joints.empty() && std::all_of(scene.bodies.begin(), scene.bodies.end(), is_known);
  return able ? std::make_unique<OdeEngine>(scene) : nullptr;
}

}  // namespace achilles::bench
