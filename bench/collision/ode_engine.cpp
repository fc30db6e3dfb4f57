#include "collision/engine.hpp"
#include "geometry/hull.hpp"

#include <ode/ode.h>

#include <array>

namespace achilles::bench {
namespace {

constexpr int kMaxContacts = 8;  // per pair

/// The library itself: set up once, before the first geometry.
struct Library {
  Library() { dInitODE2(0); }
  ~Library() { dCloseODE(); }
};

void start_library() { static const Library library; }

/// A convex polyhedron as ODE wants it: planes, points, and polygons as counts followed by indices.
struct ConvexData {
  std::vector<dReal> planes, points;
  std::vector<unsigned int> polygons;
};

struct OdeShape {
  dGeomID geometry = nullptr;
  ConvexData convex;
  std::vector<dReal> vertices;
  std::vector<dTriIndex> indices;
  dTriMeshDataID triangles = nullptr;

  OdeShape() = default;
  OdeShape(const OdeShape&) = delete;
  OdeShape& operator=(const OdeShape&) = delete;
  ~OdeShape() {
    if (geometry) dGeomDestroy(geometry);
    if (triangles) dGeomTriMeshDataDestroy(triangles);
  }
};

void make_convex(const Hull& description, dSpaceID space, OdeShape& made) {
  const HullGeometry hull = make_hull(description.points);
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    for (int k = 0; k < 3; ++k) made.convex.planes.push_back(static_cast<dReal>(hull.face_normals[f][k]));
    made.convex.planes.push_back(static_cast<dReal>(hull.face_offsets[f]));
    made.convex.polygons.push_back(hull.face_start[f + 1] - hull.face_start[f]);
    for (std::uint32_t i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i) {
      made.convex.polygons.push_back(hull.face_vertices[i]);
    }
  }
  for (const Vec3& x : hull.vertices) {
    for (int k = 0; k < 3; ++k) made.convex.points.push_back(static_cast<dReal>(x[k]));
  }
  made.geometry = dCreateConvex(space, made.convex.planes.data(), static_cast<unsigned int>(hull.face_normals.size()),
                                made.convex.points.data(), static_cast<unsigned int>(hull.vertices.size()),
                                made.convex.polygons.data());
}

void make_triangles(const Mesh& mesh, dSpaceID space, OdeShape& made) {
  for (const Vec3& x : mesh.vertices) {
    for (int k = 0; k < 3; ++k) made.vertices.push_back(static_cast<dReal>(x[k]));
  }
  for (const auto& triangle : mesh.triangles) {
    for (const int v : triangle) made.indices.push_back(static_cast<dTriIndex>(v));
  }
  made.triangles = dGeomTriMeshDataCreate();
#ifdef dDOUBLE
  dGeomTriMeshDataBuildDouble(
#else
  dGeomTriMeshDataBuildSingle(
#endif
      made.triangles, made.vertices.data(), 3 * sizeof(dReal), static_cast<int>(mesh.vertices.size()),
      made.indices.data(), static_cast<int>(made.indices.size()), 3 * sizeof(dTriIndex));
  made.geometry = dCreateTriMesh(space, made.triangles, nullptr, nullptr, nullptr);
}

std::unique_ptr<OdeShape> make_shape(const Shape& shape, dSpaceID space) {
  auto made = std::make_unique<OdeShape>();
  const auto real = [](double x) { return static_cast<dReal>(x); };
  if (const auto* box = std::get_if<Box>(&shape.kind)) {
    made->geometry = dCreateBox(space, real(box->size.x()), real(box->size.y()), real(box->size.z()));
  } else if (const auto* sphere = std::get_if<Sphere>(&shape.kind)) {
    made->geometry = dCreateSphere(space, real(sphere->radius));
  } else if (const auto* hull = std::get_if<Hull>(&shape.kind)) {
    make_convex(*hull, space, *made);
  } else if (const auto* mesh = std::get_if<Mesh>(&shape.kind)) {
    make_triangles(*mesh, space, *made);
  }
  return made;
}

void place(dGeomID geometry, const Pose& pose) {
  const auto real = [](double x) { return static_cast<dReal>(x); };
  dGeomSetPosition(geometry, real(pose.p.x()), real(pose.p.y()), real(pose.p.z()));
  const dQuaternion q = {real(pose.q.w()), real(pose.q.x()), real(pose.q.y()), real(pose.q.z())};
  dGeomSetQuaternion(geometry, q);
}

class Pairs final : public Engine {
 public:
  explicit Pairs(const PairWorkload& work) : poses_(work.poses) {
    start_library();
    a_ = make_shape(work.a, nullptr);
    b_ = make_shape(work.b, nullptr);
  }
  std::size_t run() override {
    std::array<dContactGeom, kMaxContacts> contacts;
    std::size_t count = 0;
    for (const PosePair& pose : poses_) {
      place(a_->geometry, pose.a);
      place(b_->geometry, pose.b);
      count += static_cast<std::size_t>(
          dCollide(a_->geometry, b_->geometry, kMaxContacts, contacts.data(), sizeof(dContactGeom)));
    }
    return count;
  }

 private:
  const std::vector<PosePair>& poses_;
  std::unique_ptr<OdeShape> a_, b_;
};

class Pile final : public Engine {
 public:
  explicit Pile(const PileWorkload& work) : frames_(work.frames) {
    start_library();
    space_ = dHashSpaceCreate(nullptr);
    dSpaceSetCleanup(space_, 0);
    dHashSpaceSetLevels(space_, -1, 6);
    floor_ = make_shape({Box{work.floor_size}}, space_);
    place(floor_->geometry, {{0, 0, -0.5 * work.floor_size.z()}, Quat::Identity()});
    for (std::size_t i = 0; i < frames_.front().size(); ++i) shapes_.push_back(make_shape(work.shape, space_));
  }
  ~Pile() override {
    shapes_.clear();
    floor_.reset();
    dSpaceDestroy(space_);
  }
  std::size_t run() override {
    count_ = 0;
    for (const std::vector<Pose>& poses : frames_) {
      for (std::size_t i = 0; i < poses.size(); ++i) place(shapes_[i]->geometry, poses[i]);
      dSpaceCollide(space_, this, &Pile::collide_near);
    }
    return count_;
  }

 private:
  static void collide_near(void* self, dGeomID a, dGeomID b) {
    std::array<dContactGeom, kMaxContacts> contacts;
    static_cast<Pile*>(self)->count_ +=
        static_cast<std::size_t>(dCollide(a, b, kMaxContacts, contacts.data(), sizeof(dContactGeom)));
  }

  const std::vector<std::vector<Pose>>& frames_;
  dSpaceID space_ = nullptr;
  std::unique_ptr<OdeShape> floor_;
  std::vector<std::unique_ptr<OdeShape>> shapes_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_ode_pairs(const PairWorkload& work) { return std::make_unique<Pairs>(work); }
std::unique_ptr<Engine> make_ode_pile(const PileWorkload& work) { return std::make_unique<Pile>(work); }

}  // namespace achilles::bench
