#include "methods/impulse_conservative/pair_impact.hpp"

#include "constraint/touch_rows.hpp"
#include "impact/law/two_body.hpp"
#include "math/refill.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/energy_blend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

class PairResolution {
 public:
  PairResolution(World& world, const PairImpact& impact, const PairImpactOptions& options,
                 std::span<const BodyInverseMass> inverse_mass, PairImpactWorkspace& scratch,
                 std::vector<ContactRecord>& records)
      : world_(world),
        impact_(impact),
        law_(options.law),
        rule_(options.micro),
        inverse_mass_(inverse_mass),
        scratch_(scratch),
        records_(records) {}

  PairImpactReport run() {
    for (const PairPoint& point : impact_.points) nearest_ = std::min(nearest_, point.contact.gap);
    constexpr int kMaxCollisions = 100;
    for (int k = 0; k < kMaxCollisions; ++k) {
      const PairPoint* fastest = find_fastest();
      if (fastest == nullptr) return report_;
      if (approach_at(fastest->contact) < rule_.speed) break;
      collide_one(*fastest);
    }
    list_touching();
    const bool reversed = rule_.reverse && scratch_.touching.size() == 1 && reverse_one(scratch_.touching.front());
    if (!reversed) bounce_all();
    return report_;
  }

 private:
  [[nodiscard]] Arms arms_of(const ContactPoint& point) const {
    return {impact_.body_a, impact_.body_b, point.position - world_.bodies.position[impact_.body_a],
            point.position - world_.bodies.position[impact_.body_b]};
  }

  [[nodiscard]] double approach_at(const ContactPoint& point) const {
    return -point.normal.dot(arms_of(point).point_velocity(world_.bodies.velocity));
  }

  /// Of the points that touch now, the one that approaches fastest; null when none approaches.
  [[nodiscard]] const PairPoint* find_fastest() const {
    const PairPoint* fastest = nullptr;
    double most = 0;
    for (const PairPoint& point : impact_.points) {
      if (point.contact.gap > nearest_ + 0.25 * rule_.touching) continue;
      const double approach = approach_at(point.contact);
      if (approach <= most) continue;
      most = approach;
      fastest = &point;
    }
    return fastest;
  }

  [[nodiscard]] TwoBodyCollision make_collision(const PairPoint& pair_point, const Mat3& frame) const {
    const ContactPoint& point = pair_point.contact;
    Mat3 K = Mat3::Zero();
    for (const std::uint32_t body : {impact_.body_a, impact_.body_b}) {
      const BodyInverseMass& m = inverse_mass_[body];
      const Vec3 r = point.position - world_.bodies.position[body];
      Mat3 cross;
      cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
      K += Mat3(m.linear.asDiagonal()) - cross * m.angular * cross;
    }
    return {frame.transpose() * K * frame, frame.transpose() * arms_of(point).point_velocity(world_.bodies.velocity),
            pair_point.restitution, pair_point.friction};
  }

  static Mat3 make_frame(const Vec3& normal) {
    const auto [t1, t2] = make_tangents(normal);
    Mat3 frame;
    frame << t1, t2, normal;
    return frame;
  }

  [[nodiscard]] Vec3 collide_by_law(const TwoBodyCollision& collision) const {
    if (std::holds_alternative<NewtonLaw>(law_)) return collide_newton(collision);
    if (std::holds_alternative<PoissonLaw>(law_)) return collide_poisson(collision);
    return collide_mirtich(collision, MirtichLaw{}).p;
  }

  /// The impulse by the law, without gain of energy.
  [[nodiscard]] Vec3 collide_safely(TwoBodyCollision collision) const {
    const Vec3 p = collide_by_law(collision);
    const Mat3& K = collision.K;
    const Vec3& u = collision.u;
    const double elastic = p.dot(u + 0.5 * K * p);
    if (elastic <= 0) return p;
    collision.restitution = 0;
    const Vec3 q = collide_by_law(collision);
    const ImpactWork work{q.dot(u + 0.5 * K * q), elastic, (p + q).dot(u) + q.dot(K * p)};
    return q + find_energy_blend(work, 0) * (p - q);
  }

  void collide_one(const PairPoint& point) {
    const Mat3 frame = make_frame(point.contact.normal);
    apply(point.contact, frame * collide_safely(make_collision(point, frame)));
    ++report_.collisions;
  }

  void apply(const ContactPoint& point, const Vec3& impulse) {
    const auto push = [&](std::uint32_t body, double sign) {
      if (!world_.bodies.is_movable(body)) return;
      const Vec3 r = point.position - world_.bodies.position[body];
      BodyVelocity& u = world_.bodies.velocity[body];
      u.linear += sign * inverse_mass_[body].linear.cwiseProduct(impulse);
      u.angular += sign * (inverse_mass_[body].angular * r.cross(impulse));
    };
    push(impact_.body_a, -1);
    push(impact_.body_b, 1);
    records_.push_back(make_contact_record(impact_.body_a, impact_.body_b, point, impulse));
  }

  // ---- Microcollisions
  // ------------------------------------------------------------------------------------------------

  void list_touching() {
    scratch_.touching.clear();
    for (const PairPoint& point : impact_.points) {
      if (point.contact.gap <= nearest_ + rule_.touching) scratch_.touching.push_back(point);
    }
  }

  /// Speed to leave with for one that came with `approach`.
  [[nodiscard]] double rebound(const ContactPoint& point, double approach) const {
    if (approach <= 0) return 0;
    if (point.gap >= rule_.kick_gap) return approach;
    // What several contacts press below the band, twice the kick gap deep, is the faster the deeper it lies.
    const double excess = std::clamp(0.5 * point.gap / rule_.kick_gap - 1, 0.0, 0.2);
    return std::max(approach, rule_.least_speed * (1 + 20 * excess));
  }

  /// The common case of one point and friction strong enough; false when it is another.
  bool reverse_one(const PairPoint& point) {
    const Mat3 frame = make_frame(point.contact.normal);
    const TwoBodyCollision collision = make_collision(point, frame);
    if (collision.u.head<2>().norm() > most_slip(point.friction)) return false;
    const double approach = -collision.u.z();
    Vec3 change = -2 * collision.u;
    change.z() = approach + rebound(point.contact, approach);
    Vec3 p;
    if (!solve_contact_impulse(collision.K, change, p) || !is_within_cone(p, point.friction)) return false;
    ++report_.microcollisions;
    report_.energy_added += std::max(0.0, p.dot(collision.u + 0.5 * collision.K * p));
    apply(point.contact, frame * p);
    return true;
  }

  /// [m/s] that a point can have picked up since it last touched without sliding.
  [[nodiscard]] double most_slip(double friction) const { return std::max(1.0, friction) * rule_.speed; }

  void bounce_all() {
    write_rows();
    ++report_.microcollisions;
    const bool rough = std::any_of(scratch_.touching.begin(), scratch_.touching.end(),
                                   [](const PairPoint& point) { return point.friction > 0; });
    if (!rule_.reverse || !rough || !reverse()) bounce_with_friction();
    std::size_t row = 0;
    for (const PairPoint& point : scratch_.touching) {
      Vec3 impulse = Vec3::Zero();
      const std::size_t end = row + (point.friction > 0 ? 3 : 1);
      for (; row < end; ++row) impulse += scratch_.impulses[row] * scratch_.rows[row].linear_b;
      if (!impulse.isZero(0)) apply(point.contact, impulse);
    }
    report_.energy_added += std::max(0.0, work_of(scratch_.impulses, scratch_.after));
  }

  /// Rows over two local bodies.
  void write_rows() {
    scratch_.rows.clear();
    scratch_.before.clear();
    scratch_.fold.clear();
    for (const PairPoint& point : scratch_.touching) {
      (void)append_touch_rows(arms_of(point.contact), point.contact.normal,
                              {point.friction, make_tangents(point.contact.normal)}, world_.bodies, inverse_mass_, 0,
                              scratch_.rows);
    }
    for (Row& row : scratch_.rows) {
      scratch_.fold.push_back(row.target);
      scratch_.before.push_back(row_velocity(row, world_.bodies.velocity) - row.target);
      if (row.body_a != kImmovable) row.body_a = 0;
      if (row.body_b != kImmovable) row.body_b = 1;
    }
  }

  /// Solves the rows: normals leave with `elastic` times their rebound, tangents come to `reversal` times what they
  /// had. Velocities after the solve, as the surfaces see them, go to `after`.
  SolveReport solve_rows(double elastic, double reversal, std::vector<double>& impulses, std::vector<double>& after) {
    std::size_t point = 0;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      Row& row = scratch_.rows[i];
      const bool normal = row.normal_row < 0;
      const double wanted = normal ? elastic * rebound(scratch_.touching[point++].contact, -scratch_.before[i])
                                   : reversal * scratch_.before[i];
      row.target = scratch_.fold[i] + wanted;
    }
    const auto attempt = [&](const SolverOptions& solver) {
      scratch_.velocity = {world_.bodies.velocity[impact_.body_a], world_.bodies.velocity[impact_.body_b]};
      refill(impulses, scratch_.rows.size(), 0.0);
      return solve({scratch_.rows, scratch_.velocity}, solver, scratch_.solver, impulses);
    };
    // Sweeps nearly always get there; they allocate nothing.
    constexpr double kTolerance = 1e-13;  // [m/s]
    SolveReport report = attempt(NonsmoothCgOptions{.iterations = 200, .tolerance = kTolerance});
    if (!(report.residual <= 100 * kTolerance)) report = attempt(NewtonOptions{.tolerance = kTolerance});
    after.clear();
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      after.push_back(row_velocity(scratch_.rows[i], scratch_.velocity) - scratch_.fold[i]);
    }
    return report;
  }

  /// All touching points reversed, whole or as far as the friction cones allow; false where points go on sliding. A
  /// law that only stops what does not fit into the cone never gets back to where reversal fits, and creeps: a stopped
  /// block slips by 2 v tan θ until it lands again, where steady bouncing reverses half of that.
  bool reverse() {
    if (slides()) return false;
    const SolveReport report = solve_rows(1, -1, scratch_.impulses, scratch_.after);
    double scale = 0;
    for (const double v : scratch_.before) scale = std::max(scale, std::abs(v));
    if (!(report.residual <= 1e-9 * scale + 1e-12)) return false;
    for (std::size_t i = 0; i + 1 < scratch_.rows.size(); ++i) {
      const std::int32_t normal = scratch_.rows[i].normal_row;
      if (normal < 0 || scratch_.impulses[static_cast<std::size_t>(normal)] <= 0) continue;
      const double forward = scratch_.before[i] * scratch_.after[i] + scratch_.before[i + 1] * scratch_.after[i + 1];
      if (forward > 1e-9 * scale * scale) return false;
      ++i;
    }
    return work_of(scratch_.impulses, scratch_.after) <= allowed_work() + 1e-12 * scale * scale;
  }

  /// Does any touching point slip faster than it can have learned to since it last touched?
  [[nodiscard]] bool slides() const {
    std::size_t row = 0;
    for (const PairPoint& point : scratch_.touching) {
      if (point.friction > 0 &&
          std::hypot(scratch_.before[row + 1], scratch_.before[row + 2]) > most_slip(point.friction))
        return true;
      row += point.friction > 0 ? 3 : 1;
    }
    return false;
  }

  /// ½ Σ λ (w⁻ + w⁺).
  [[nodiscard]] double work_of(const std::vector<double>& impulses, const std::vector<double>& after) const {
    double work = 0;
    for (std::size_t i = 0; i < after.size(); ++i) work += 0.5 * impulses[i] * (scratch_.before[i] + after[i]);
    return work;
  }

  /// What the least speed may add [J].
  [[nodiscard]] double allowed_work() const {
    double allowed = 0;
    std::size_t point = 0;
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      if (scratch_.rows[i].normal_row >= 0) continue;
      const double approach = -scratch_.before[i];
      const double fast = rebound(scratch_.touching[point++].contact, approach);
      if (fast > approach && approach > 0) allowed += 0.5 * fast * fast / scratch_.rows[i].diagonal;
    }
    return allowed;
  }

  /// Coulomb's law with the normal speeds reversed, held to the energy that there was and that of the least speed.
  void bounce_with_friction() {
    (void)solve_rows(1, 0, scratch_.impulses, scratch_.after);
    const double allowed = allowed_work();
    const double elastic = work_of(scratch_.impulses, scratch_.after);
    if (elastic <= allowed) return;
    (void)solve_rows(0, 0, scratch_.plastic, scratch_.plastic_after);
    const double mixed = work_of(scratch_.plastic, scratch_.after) + work_of(scratch_.impulses, scratch_.plastic_after);
    const double c = find_energy_blend({work_of(scratch_.plastic, scratch_.plastic_after), elastic, mixed}, allowed);
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      scratch_.impulses[i] = scratch_.plastic[i] + c * (scratch_.impulses[i] - scratch_.plastic[i]);
      scratch_.after[i] = scratch_.plastic_after[i] + c * (scratch_.after[i] - scratch_.plastic_after[i]);
    }
  }

  World& world_;
  const PairImpact& impact_;
  const ImpactLaw& law_;
  const MicrocollisionRule& rule_;
  std::span<const BodyInverseMass> inverse_mass_;
  PairImpactWorkspace& scratch_;
  std::vector<ContactRecord>& records_;
  double nearest_ = std::numeric_limits<double>::infinity();
  PairImpactReport report_;
};

}  // namespace

PairImpactReport resolve_pair_impact(World& world, const PairImpact& impact, const PairImpactOptions& options,
                                     std::span<const BodyInverseMass> inverse_mass, PairImpactWorkspace& scratch,
                                     std::vector<ContactRecord>& records) {
  return PairResolution(world, impact, options, inverse_mass, scratch, records).run();
}

}  // namespace achilles
