// The SIMD kernels of soft-step against the formulas of contact_batches.hpp, computed one manifold at a time in double
// precision, friction as a vector in space.
#include "methods/soft_step/contact_batches.hpp"

#include <achilles/math.hpp>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>
#include <vector>

namespace achilles {
namespace {

constexpr double kH = 1.0 / 480;    // [s] substep
constexpr double kStep = 1.0 / 60;  // [s]
constexpr double kPushSpeed = 0.2;  // [m/s]
constexpr Softness kBetween{20, 0.8F, 0.1F}, kGrounded{40, 0.9F, 0.05F};
// Numbers are of size 1; a kernel makes some hundred operations, each off by 2⁻²⁴, and divides by masses above 0.1.
constexpr double kTolerance = 5e-4;

struct Body {
  Vec3 v = Vec3::Zero(), w = Vec3::Zero(), acceleration = Vec3::Zero(), d = Vec3::Zero();
  Quat q = Quat::Identity();
  Vec3 inverse_mass = Vec3::Zero();
  Mat3 inverse_inertia = Mat3::Zero();
};

struct Point {
  Vec3 arm = Vec3::Zero();
  double gap = 0, impulse = 0, total = 0, mass = 0, approach = 0, share = 1;
};

/// A manifold and what the formulas make of it.
struct Manifold {
  std::size_t a = 0, b = 0;  // bodies, that is slots
  Vec3 normal = Vec3::UnitZ(), across = Vec3::Zero(), warm = Vec3::Zero();
  double radius_a = 0, radius_b = 0, friction = 0.5, restitution = 0, torsion = 0;
  double twist = 0, twist_total = 0, twist_reach = 0;
  double along = 1;  // of the response to an impulse along the normal, the part along it; 1 for round bodies
  bool resists_twist = false, is_round = true;
  std::vector<Point> points;
  Vec3 center = Vec3::Zero(), tangential = Vec3::Zero(), tangential_total = Vec3::Zero();
};

class Reference {
 public:
  explicit Reference(std::vector<Body>& bodies) : bodies_(bodies) {}

  void prepare(Manifold& m) const {
    for (Point& p : m.points) {
      const Vec3 response = respond(m, p.arm, p.arm + m.across, m.normal);
      p.mass = 1 / m.normal.dot(response);
      if (!m.is_round) m.along = std::min(m.along, m.normal.dot(response.normalized()));
      p.approach = m.normal.dot(relative(m, p.arm, p.arm + m.across));
    }
    m.tangential = m.warm - m.normal.dot(m.warm) * m.normal;
    m.center = m.points[0].arm;
    if (!m.resists_twist) return;
    double sum = 0;
    for (Point& p : m.points) {
      const double closing = -(p.approach + std::max(p.gap, 0.0) / kStep);
      p.share = p.impulse > 0 ? p.impulse : p.mass * std::max(closing, 0.0);
      sum += p.share;
    }
    for (Point& p : m.points) p.share = sum > 0 ? p.share / sum : 1.0 / static_cast<double>(m.points.size());
    m.center.setZero();
    double gap = 0, reach = 0;
    for (const Point& p : m.points) m.center += p.share * p.arm, gap += p.share * p.gap;
    for (const Point& p : m.points) reach += p.share * (p.arm - m.center).norm();
    m.twist_reach = m.torsion + m.friction * reach;
    m.twist -= m.normal.dot((m.center - m.points[0].arm).cross(m.warm));
    m.across += gap * m.normal;
  }

  void warm_start(const Manifold& m) {
    for (const Point& p : m.points) push(m, p.impulse * m.normal, p.arm, p.arm + m.across);
    push(m, m.tangential, arm_a(m), arm_b(m));
    if (m.resists_twist) turn(m, m.twist * m.normal);
  }

  void solve(Manifold& m, bool biased) {
    if (biased) solve_friction(m);
    solve_normals(m, biased);
    if (biased) return;
    solve_friction(m);
    m.tangential_total += m.tangential;
    m.twist_total += m.twist;
  }

  void restitute(Manifold& m, double threshold) {
    double sum = 0;
    for (Point& p : m.points) {
      const double rate = m.normal.dot(bodies_[m.b].acceleration - bodies_[m.a].acceleration);
      const double squared = p.approach * p.approach - 2 * rate * std::max(p.gap, 0.0);
      const double approach = std::sqrt(std::max(squared, 0.0));
      if (p.approach >= 0 || p.total <= 0 || approach <= threshold) continue;
      const double speed = m.normal.dot(relative(m, p.arm, p.arm + m.across));
      const double after = std::max(p.impulse - p.mass * (speed - m.restitution * approach), 0.0);
      const double change = after - p.impulse;
      p.impulse = after;
      p.total += change;
      sum += change;
      push(m, change * m.normal, p.arm, p.arm + m.across);
    }
    if (m.resists_twist) m.twist_total += apply_twist(m, 0, std::max(sum, 0.0));
    m.tangential_total += apply_friction(m, Vec3::Zero(), std::max(sum, 0.0));
  }

 private:
  static Vec3 arm_a(const Manifold& m) { return m.center + m.radius_a * m.normal; }
  static Vec3 arm_b(const Manifold& m) { return m.center + m.across - m.radius_b * m.normal; }

  [[nodiscard]] Vec3 relative(const Manifold& m, const Vec3& a, const Vec3& b) const {
    return bodies_[m.b].v + bodies_[m.b].w.cross(b) - bodies_[m.a].v - bodies_[m.a].w.cross(a);
  }

  [[nodiscard]] Vec3 respond(const Manifold& m, const Vec3& a, const Vec3& b, const Vec3& impulse) const {
    const Body &one = bodies_[m.a], &other = bodies_[m.b];
    return one.inverse_mass.cwiseProduct(impulse) + (one.inverse_inertia * a.cross(impulse)).cross(a) +
           other.inverse_mass.cwiseProduct(impulse) + (other.inverse_inertia * b.cross(impulse)).cross(b);
  }

  void push(const Manifold& m, const Vec3& impulse, const Vec3& a, const Vec3& b) {
    Body &one = bodies_[m.a], &other = bodies_[m.b];
    one.v -= one.inverse_mass.cwiseProduct(impulse);
    one.w -= one.inverse_inertia * a.cross(impulse);
    other.v += other.inverse_mass.cwiseProduct(impulse);
    other.w += other.inverse_inertia * b.cross(impulse);
  }

  void turn(const Manifold& m, const Vec3& moment) {
    bodies_[m.a].w -= bodies_[m.a].inverse_inertia * moment;
    bodies_[m.b].w += bodies_[m.b].inverse_inertia * moment;
  }

  double apply_twist(const Manifold& m, double before, double pressed) {
    const double response = m.normal.dot((bodies_[m.a].inverse_inertia + bodies_[m.b].inverse_inertia) * m.normal);
    const double spin = m.normal.dot(bodies_[m.b].w - bodies_[m.a].w), bound = m.twist_reach * pressed;
    const double twist = std::clamp(before - spin / response, -bound, bound);
    turn(m, (twist - before) * m.normal);
    return twist;
  }

  Vec3 apply_friction(const Manifold& m, const Vec3& before, double pressed) {
    Eigen::Matrix<double, 3, 2> basis;
    basis.col(0) = m.normal.unitOrthogonal();
    basis.col(1) = m.normal.cross(basis.col(0));
    Eigen::Matrix2d k;
    for (int j = 0; j < 2; ++j) k.col(j) = basis.transpose() * respond(m, arm_a(m), arm_b(m), basis.col(j));
    const Vec2 slip = basis.transpose() * relative(m, arm_a(m), arm_b(m)), start = basis.transpose() * before;
    const double bound = m.friction * pressed;
    Vec2 f = start - k.inverse() * slip;
    if (f.norm() > bound) f = bound * (start - 2 / k.trace() * slip).normalized();
    push(m, basis * (f - start), arm_a(m), arm_b(m));
    return basis * f;
  }

  void solve_friction(Manifold& m) {
    double pressed = 0;
    for (const Point& p : m.points) pressed += p.impulse;
    if (m.resists_twist) m.twist = apply_twist(m, m.twist, pressed);
    m.tangential = apply_friction(m, m.tangential, pressed);
  }

  void solve_normals(Manifold& m, bool biased) {
    const Body one = bodies_[m.a], other = bodies_[m.b];
    const Softness& soft = m.a == 0 || m.b == 0 ? kGrounded : kBetween;
    for (Point& p : m.points) {
      const Vec3 b = p.arm + m.across;
      const double gap = p.gap + m.normal.dot(other.d + other.q * b - b - one.d - (one.q * p.arm - p.arm));
      const bool is_soft = biased && gap <= 0;
      double bias = gap > 0 ? gap / kH : 0;
      if (is_soft) bias = std::max(static_cast<double>(soft.bias_rate) * gap, -kPushSpeed * m.along);
      const double mass = p.mass * (is_soft ? static_cast<double>(soft.mass_scale) : 1);
      const double leak = is_soft ? static_cast<double>(soft.impulse_scale) : 0;
      const double speed = m.normal.dot(relative(m, p.arm, b)) + bias;
      const double after = std::max(p.impulse - leak * p.impulse - mass * speed, 0.0);
      push(m, (after - p.impulse) * m.normal, p.arm, b);
      p.impulse = after;
      if (!biased) p.total += after;
    }
  }

  std::vector<Body>& bodies_;
};

/// One batch of random manifolds; body 0 is the ground, and each pair of dynamic bodies has one manifold.
class KernelProblem {
 public:
  KernelProblem(std::uint32_t seed, bool resists_twist, bool is_round, std::size_t count) : random_(seed) {
    bodies.resize(2 * count + 1);
    for (std::size_t k = 1; k < bodies.size(); ++k) bodies[k] = draw_body(is_round);
    for (std::size_t k = 0; k < count; ++k) {
      manifolds.push_back(draw_manifold(resists_twist, is_round));
      manifolds.back().is_round = is_round;
      manifolds.back().a = k % 4 == 3 ? 0 : 2 * k + 1;
      manifolds.back().b = 2 * k + 2;
    }
    store_bodies();
    store_manifolds(resists_twist, is_round);
  }

  [[nodiscard]] SoftBodies rows() { return {motions.data(), masses.data(), accelerations.data()}; }
  [[nodiscard]] StagedContacts staged() const {
    return {manifold_at.data(), staged_manifolds.data() + 1, places.data() + 1, points.data() + 1};
  }

  void expect_same_velocities() const {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(motions[k].velocity.linear[axis], bodies[k].v[axis], kTolerance) << k;
        EXPECT_NEAR(motions[k].velocity.angular[axis], bodies[k].w[axis], kTolerance) << k;
      }
    }
  }

  std::vector<Body> bodies;
  std::vector<Manifold> manifolds;
  HugeVector<SoftMotion> motions;
  HugeVector<SoftMass> masses;
  HugeVector<SoftVelocity> accelerations;
  std::vector<std::int32_t> manifold_at;
  HugeVector<StagedManifold> staged_manifolds;
  HugeVector<StagedPlace> places;
  HugeVector<StagedPoint> points;
  ContactBatches batches;

 private:
  double draw(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 draw_vector(double size) { return {draw(-size, size), draw(-size, size), draw(-size, size)}; }

  Body draw_body(bool is_round) {
    Body body;
    body.v = draw_vector(1);
    body.w = draw_vector(1);
    body.acceleration = draw_vector(10);
    body.d = draw_vector(0.005);
    body.q = Quat(Eigen::AngleAxisd(draw(0, 0.02), draw_vector(1).normalized()));
    body.inverse_mass = Vec3::Constant(draw(0.5, 2));
    body.inverse_inertia = draw(1, 4) * Mat3::Identity();
    if (is_round) return body;
    const Mat3 turn = Quat(Eigen::AngleAxisd(draw(0, 3), draw_vector(1).normalized())).toRotationMatrix();
    body.inverse_inertia = turn * Vec3(draw(1, 4), draw(1, 4), draw(1, 4)).asDiagonal() * turn.transpose();
    return body;
  }

  /// Manifolds of bodies that are not round have as many points as their batch: its places without a point count in
  /// `along`.
  Manifold draw_manifold(bool resists_twist, bool is_round) {
    Manifold m;
    m.normal = draw_vector(1).normalized();
    m.across = draw_vector(0.2) + 0.5 * m.normal;
    m.friction = draw(0.1, 1);
    m.restitution = draw(0.2, 0.9);
    m.radius_a = draw(0, 0.3);
    m.radius_b = draw(0, 0.3);
    m.resists_twist = resists_twist;
    const Vec3 warm = draw_vector(0.1);
    m.warm = warm - m.normal.dot(warm) * m.normal;
    m.torsion = resists_twist ? draw(0, 0.1) : 0;
    m.twist = resists_twist ? draw(-0.05, 0.05) : 0;
    const std::uint32_t most = is_round ? 1 + random_() % kPointsPerManifold : kPointsPerManifold;
    for (std::uint32_t k = 0; k < (resists_twist ? most : 1); ++k) {
      Point point;
      point.arm = draw_vector(0.4);
      point.gap = draw(-0.02, 0.005);
      point.impulse = std::max(draw(-0.1, 0.5), 0.0);
      m.points.push_back(point);
    }
    return m;
  }

  void store_bodies() {
    for (Body& body : bodies) {
      SoftMotion motion{};
      SoftVelocity acceleration{};
      SoftMass mass{};
      for (int k = 0; k < 3; ++k) {
        motion.velocity.linear[k] = static_cast<float>(body.v[k]);
        motion.velocity.angular[k] = static_cast<float>(body.w[k]);
        motion.displacement.linear[k] = static_cast<float>(body.d[k]);
        motion.displacement.rotation[k] = static_cast<float>(body.q.vec()[k]);
        acceleration.linear[k] = static_cast<float>(body.acceleration[k]);
        mass.inverse_mass[k] = static_cast<float>(body.inverse_mass[k]);
        mass.inverse_inertia[k] = static_cast<float>(body.inverse_inertia(k, k));
        mass.inverse_inertia[3 + k] = static_cast<float>(body.inverse_inertia(k == 2 ? 1 : 0, k == 0 ? 1 : 2));
      }
      motion.displacement.rotation[3] = static_cast<float>(body.q.w());
      motion.velocity.inverse_mass = mass.inverse_mass[0];
      motion.velocity.inverse_inertia = mass.inverse_inertia[0];
      motions.push_back(motion);
      accelerations.push_back(acceleration);
      masses.push_back(mass);
    }
  }

  void store_manifolds(bool resists_twist, bool is_round) {
    const auto store = [](const Vec3& from, float(&to)[3]) {
      for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(from[k]);
    };
    staged_manifolds.resize(1);
    places.resize(1);
    points.resize(1);
    for (const Manifold& m : manifolds) {
      StagedManifold to;
      store(m.normal, to.normal);
      store(m.across, to.across);
      store(m.warm, to.warm_tangent);
      store(m.points[0].arm, to.arm);
      to.friction = static_cast<float>(m.friction);
      to.restitution = static_cast<float>(m.restitution);
      to.gap = static_cast<float>(m.points[0].gap);
      to.impulse = static_cast<float>(m.points[0].impulse);
      places.push_back({static_cast<std::int32_t>(m.a), static_cast<std::int32_t>(m.b),
                        static_cast<std::int32_t>(points.size()) - 1,
                        resists_twist ? static_cast<std::int32_t>(m.points.size()) : 0, static_cast<float>(m.radius_a),
                        static_cast<float>(m.radius_b)});
      staged_manifolds.push_back(to);
      for (const Point& point : m.points) {
        StagedPoint& one = points.emplace_back();
        store(point.arm, one.arm);
        one.gap = static_cast<float>(point.gap);
        one.impulse = static_cast<float>(point.impulse);
        if (&point != &m.points[0]) continue;
        one.twist = static_cast<float>(m.twist);
        one.torsion = static_cast<float>(m.torsion);
      }
    }
    manifold_at.assign(kLanes, -1);
    for (std::size_t k = 0; k < manifolds.size(); ++k) manifold_at[k] = static_cast<std::int32_t>(k);
    ContactBatch& batch = batches.contacts.emplace_back();
    batch.points = resists_twist ? kPointsPerManifold : 1;
    batch.twist = resists_twist ? 0 : -1;
    batch.masses = is_round ? -1 : 0;
    batches.points.resize(batch.points);
    batches.approach.resize(batch.points);
    batches.twists.resize(resists_twist ? 1 : 0);
    batches.masses.resize(is_round ? 0 : 1);
    batches.setup.resize(1);
  }

  std::mt19937 random_;
};

constexpr BatchRange kAll{0, 1, 0};

void expect_same_impulses(const KernelProblem& problem) {
  std::vector<ManifoldImpulse> impulses(problem.manifolds.size());
  return_impulses(problem.batches, kAll, problem.manifold_at.data(), impulses.data());
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    const Manifold& m = problem.manifolds[k];
    EXPECT_NEAR(impulses[k].first.normal, m.points[0].total, kTolerance) << k;
    EXPECT_NEAR(impulses[k].first.approach, m.points[0].approach, kTolerance) << k;
    EXPECT_NEAR(impulses[k].twist, m.twist_total, kTolerance) << k;
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(impulses[k].tangent[axis], m.tangential_total[axis], kTolerance) << k;
    }
    for (std::size_t p = 0; p < m.points.size(); ++p) {
      EXPECT_NEAR(problem.batches.points[p].impulse[k], m.points[p].impulse, kTolerance) << k << " " << p;
      EXPECT_NEAR(problem.batches.points[p].total[k], m.points[p].total, kTolerance) << k << " " << p;
      if (m.resists_twist) {
        EXPECT_NEAR(problem.batches.approach[p].share[k], m.points[p].share, kTolerance) << k << " " << p;
      }
    }
  }
}

/// A step of three substeps, every kernel compared with the formulas after it.
void expect_formulas(std::uint32_t seed, bool resists_twist, bool is_round, std::size_t count) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << (resists_twist ? ", twist" : "")
                                  << (is_round ? ", round, " : ", ") << count << " manifolds");
  KernelProblem problem(seed, resists_twist, is_round, count);
  Reference reference(problem.bodies);
  prepare_contacts(problem.batches, kAll, problem.staged(), problem.rows(), static_cast<float>(1 / kStep));
  for (Manifold& m : problem.manifolds) reference.prepare(m);
  expect_same_impulses(problem);
  warm_start_contacts(problem.batches, kAll, problem.rows());
  for (const Manifold& m : problem.manifolds) reference.warm_start(m);
  problem.expect_same_velocities();
  for (int k = 0; k < 3; ++k) {
    for (const bool biased : {true, false}) {
      solve_contacts(problem.batches, kAll, problem.rows(),
                     {static_cast<float>(1 / kH), biased, static_cast<float>(kPushSpeed), kBetween, kGrounded});
      for (Manifold& m : problem.manifolds) reference.solve(m, biased);
      problem.expect_same_velocities();
      expect_same_impulses(problem);
    }
  }
  restitute_contacts(problem.batches, kAll, problem.rows(), 0.1F);
  for (Manifold& m : problem.manifolds) reference.restitute(m, 0.1);
  problem.expect_same_velocities();
  expect_same_impulses(problem);
}

TEST(SoftKernels, SinglePointsBetweenRoundBodiesFollowTheFormulas) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) expect_formulas(seed, false, true, 1 + seed % kLanes);
}

TEST(SoftKernels, ManifoldsThatResistTwistFollowTheFormulas) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) expect_formulas(seed, true, true, 1 + seed % kLanes);
}

TEST(SoftKernels, BodiesWithAnyInertiaFollowTheFormulas) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) expect_formulas(seed, seed % 2 == 0, false, 1 + seed % kLanes);
}

}  // namespace
}  // namespace achilles
