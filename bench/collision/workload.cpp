#include "collision/workload.hpp"

#include "collision/contact/collide.hpp"

#include <cmath>
#include <random>

namespace achilles::bench {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double number(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Quat orientation() {
    std::normal_distribution<double> normal;
    return Quat(normal(random_), normal(random_), normal(random_), normal(random_)).normalized();
  }

 private:
  std::mt19937_64 random_;
};

Hull draw_hull(Draw& draw, int points) {
  Hull hull;
  for (int i = 0; i < points; ++i) hull.points.push_back(0.5 * draw.direction());
  return hull;
}

/// Moves b along the line of centres until the gap is `gap`: Newton's method on the signed distance, whose slope along
/// a direction is its product with the normal.
void move_to_gap(const Geometry& a, const Geometry& b, double gap, PosePair& poses) {
  const Vec3 direction = (poses.b.p - poses.a.p).normalized();
  for (int i = 0; i < 20; ++i) {
    const SignedDistance now = compute_signed_distance(a, to_transform(poses.a), b, to_transform(poses.b));
    poses.b.p += (gap - now.distance) / std::max(0.3, now.normal.dot(direction)) * direction;
  }
}

std::vector<PosePair> draw_near_contact(const Shape& a, const Shape& b, int count, Draw& draw) {
  const auto solid_a = make_geometry(a).front().geometry;
  const auto solid_b = make_geometry(b).front().geometry;
  std::vector<PosePair> poses;
  for (int i = 0; i < count; ++i) {
    PosePair pair;
    pair.a = {draw.vector(10), draw.orientation()};
    pair.b = {pair.a.p + (solid_a->radius + solid_b->radius) * draw.direction(), draw.orientation()};
    move_to_gap(*solid_a, *solid_b, draw.number(-0.02, 0.02), pair);
    poses.push_back(pair);
  }
  return poses;
}

/// Pairs that stay near contact while b slides and turns a little from pose to pose, as bodies do from step to step.
std::vector<PosePair> draw_coherent(const Shape& a, const Shape& b, int count, Draw& draw) {
  constexpr int kFrames = 50;
  std::vector<PosePair> poses;
  for (const PosePair& start : draw_near_contact(a, b, count / kFrames, draw)) {
    const Vec3 velocity = draw.vector(0.001), spin = draw.vector(0.002);
    PosePair pair = start;
    for (int k = 0; k < kFrames; ++k) {
      poses.push_back(pair);
      pair.b.p += velocity;
      pair.b.q = Quat(Eigen::AngleAxisd(spin.norm(), spin.normalized())) * pair.b.q;
    }
  }
  return poses;
}

double wave(double x, double y) { return 0.4 * std::sin(0.9 * x) * std::cos(0.7 * y); }

Mesh make_waves(int cells, double width) {
  Mesh mesh;
  const int row = cells + 1;
  for (int i = 0; i < row; ++i) {
    for (int j = 0; j < row; ++j) {
      const double x = width * (static_cast<double>(j) / cells - 0.5);
      const double y = width * (static_cast<double>(i) / cells - 0.5);
      mesh.vertices.emplace_back(x, y, wave(x, y));
    }
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int v = i * row + j;
      mesh.triangles.push_back({v, v + 1, v + row + 1});
      mesh.triangles.push_back({v, v + row + 1, v + row});
    }
  }
  return mesh;
}

/// A jumbled heap of side³ bodies of width about 1: a lattice with every body turned at random and shifted by a tenth,
/// so close that most touch their neighbours; from frame to frame each one creeps.
PileWorkload make_pile(const std::string& name, const Shape& shape, int side, int frames, double spacing) {
  Draw draw(7);
  PileWorkload pile;
  pile.name = name;
  pile.shape = shape;
  std::vector<Pose> poses;
  std::vector<Vec3> velocity, spin;
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell(i % side - 0.5 * side, i / side % side - 0.5 * side, i / (side * side) + 0.5);
    poses.push_back({spacing * cell + draw.vector(0.1), draw.orientation()});
    velocity.push_back(draw.vector(0.002));
    spin.push_back(draw.vector(0.004));
  }
  for (int k = 0; k < frames; ++k) {
    pile.frames.push_back(poses);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      poses[i].p += velocity[i];
      poses[i].q = Quat(Eigen::AngleAxisd(spin[i].norm(), spin[i].normalized())) * poses[i].q;
    }
  }
  return pile;
}

}  // namespace

PairWorkload make_box_box(int count) {
  Draw draw(1);
  PairWorkload work{"box-box", {Box{{1, 0.8, 0.6}}}, {Box{{0.7, 0.9, 1.1}}}, {}, false};
  work.poses = draw_near_contact(work.a, work.b, count, draw);
  return work;
}

PairWorkload make_hull_hull(int count, int points) {
  Draw draw(2);
  PairWorkload work{
      "hull-hull " + std::to_string(points), {draw_hull(draw, points)}, {draw_hull(draw, points)}, {}, false};
  work.poses = draw_near_contact(work.a, work.b, count, draw);
  return work;
}

PairWorkload make_coherent(PairWorkload work, int count) {
  Draw draw(5);
  work.name += " coherent";
  work.is_coherent = true;
  work.poses = draw_coherent(work.a, work.b, count, draw);
  return work;
}

PairWorkload make_mesh_sphere(int count) {
  Draw draw(3);
  PairWorkload work{"mesh-sphere", {make_waves(100, 20)}, {Sphere{0.3}}, {}, false};
  for (int i = 0; i < count; ++i) {
    const double x = draw.number(-9, 9), y = draw.number(-9, 9);
    const Vec3 normal =
        Vec3(-0.36 * std::cos(0.9 * x) * std::cos(0.7 * y), 0.28 * std::sin(0.9 * x) * std::sin(0.7 * y), 1)
            .normalized();
    const Vec3 center = Vec3(x, y, wave(x, y)) + (0.3 + draw.number(-0.02, 0.02)) * normal;
    work.poses.push_back({Pose{}, {center, Quat::Identity()}});
  }
  return work;
}

PileWorkload make_box_pile(int side, int frames) {
  return make_pile("box pile", {Box{{0.9, 0.9, 0.9}}}, side, frames, 1.15);
}

PileWorkload make_sphere_pile(int side, int frames) {
  return make_pile("sphere pile", {Sphere{0.5}}, side, frames, 1.0);
}

PileWorkload make_hull_pile(int side, int frames) {
  Draw draw(4);
  return make_pile("hull pile", {draw_hull(draw, 24)}, side, frames, 0.98);
}

}  // namespace achilles::bench
