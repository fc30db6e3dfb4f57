#include "time_control/rebound.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/touch_rows.hpp"
#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>

namespace achilles {
namespace {

class GroupRebound {
 public:
  GroupRebound(World& world, double touching, double h, StepWorkspace& scratch, std::size_t group, StepReport& report)
      : world_(world),
        bodies_(world.bodies),
        touching_(touching),
        h_(h),
        scratch_(scratch),
        local_(scratch.rebound),
        group_(group),
        report_(report) {}

  [[nodiscard]] int count_bounces() const {
    int bounces = 0;
    for (std::uint32_t k = points_begin(); k < points_end(); ++k) {
      const ContactPointRows& where = scratch_.point_rows[k];
      if (where.bounces && impulse_of(where) > 0) ++bounces;
    }
    return bounces;
  }

  void resolve(const SolverOptions& solver) {
    build_rows();
    SolverWorkspace& workspace = scratch_.solving.front();
    refill(local_.impulses, local_.rows.size(), 0.0);
    (void)solve({local_.rows, bodies_.velocity}, solver, workspace, local_.impulses);
    record();
    for (std::size_t k = 0; k < local_.points.size(); ++k) {
      const Point& point = local_.points[k];
      Row& normal = local_.rows[point.row];
      // Compression began with the landing; e is meant of the speed at the touch.
      normal.lower = point.restitution * (impulse_of(*point.where) + local_.impulses[point.row]);
    }
    refill(local_.impulses, local_.rows.size(), 0.0);
    for (const Point& point : local_.points) local_.impulses[point.row] = local_.rows[point.row].lower;
    (void)solve({local_.rows, bodies_.velocity}, solver, workspace, local_.impulses);
    record();
  }

 private:
  using Point = StepWorkspace::Rebound::Point;

  [[nodiscard]] std::uint32_t points_begin() const { return scratch_.point_rows_start[group_]; }
  [[nodiscard]] std::uint32_t points_end() const { return scratch_.point_rows_start[group_ + 1]; }
  [[nodiscard]] const Row& row_at(std::int32_t index) const {
    return scratch_.rows[scratch_.row_start[group_] + static_cast<std::uint32_t>(index)];
  }
  [[nodiscard]] double impulse_of(const ContactPointRows& where) const {
    return scratch_.impulses[scratch_.row_start[group_] + static_cast<std::uint32_t>(where.normal)];
  }

  /// Points that touch at the end of the step, with the friction they have, and the joints.
  void build_rows() {
    local_.rows.clear();
    local_.points.clear();
    for (std::uint32_t k = points_begin(); k < points_end(); ++k) {
      const ContactPointRows& where = scratch_.point_rows[k];
      const Row& normal = row_at(where.normal);
      if (normal.softness > 0) continue;
      const Contact& contact = scratch_.contacts.contacts[where.contact];
      const ContactPoint& point = scratch_.contacts.points[where.point];
      const Arms arms = present_arms(contact, point);
      const double rate = point.normal.dot(arms.point_velocity(bodies_.velocity));
      if (impulse_of(where) <= 0 && point.gap + h_ * rate > touching_) continue;
      const double friction = where.friction < 0 ? 0 : row_at(where.friction).friction;
      Point one;
      one.where = &where;
      one.row = append_touch_rows(arms, point.normal, friction, bodies_, scratch_.inverse_mass, 0, local_.rows);
      one.has_friction = friction > 0;
      if (where.bounces) {
        const double share = where.free_approach > 0 ? where.approach / where.free_approach : 1;
        one.restitution = std::clamp(share * where.restitution, 0.0, 1.0);
      }
      local_.points.push_back(one);
    }
    for (std::uint32_t k = scratch_.joint_rows_start[group_]; k < scratch_.joint_rows_start[group_ + 1]; ++k) {
      add_joint(scratch_.joint_rows[k].joint);
    }
  }

  /// One point for both bodies, carried along by the motion of the step.
  [[nodiscard]] Arms present_arms(const Contact& contact, const ContactPoint& point) const {
    const auto moved = [&](std::uint32_t body) {
      return Vec3(bodies_.position[body] - scratch_.impulse.position[body]);
    };
    const bool both = bodies_.is_movable(contact.body_a) && bodies_.is_movable(contact.body_b);
    const std::uint32_t movable = bodies_.is_movable(contact.body_a) ? contact.body_a : contact.body_b;
    const Vec3 shift = both ? Vec3(0.5 * (moved(contact.body_a) + moved(contact.body_b))) : moved(movable);
    const Vec3 at = point.position + shift;
    return {contact.body_a, contact.body_b, at - bodies_.position[contact.body_a],
            at - bodies_.position[contact.body_b]};
  }

  void add_joint(std::uint32_t index) {
    const WorldJoint& joint = world_.joints[index];
    const JointPose pose = place_joint(joint, bodies_, world_.joint_states[index].position);
    std::array<JointEquality, JointState::kStructural> equalities;
    const std::size_t count = list_equalities(joint, bodies_, pose, equalities);
    for (std::size_t k = 0; k < count; ++k) {
      if (equalities[k].soft && joint.compliance > 0) continue;
      place_row(equalities[k].row, {joint.body_a, joint.body_b, {}, {}}, bodies_, scratch_.inverse_mass);
      local_.rows.push_back(equalities[k].row);
    }
  }

  /// Adds what acted to the records of the points.
  void record() {
    for (const Point& point : local_.points) {
      Vec3 impulse = Vec3::Zero();
      for (std::size_t i = point.row; i < point.row + (point.has_friction ? 3U : 1U); ++i) {
        impulse += local_.impulses[i] * local_.rows[i].linear_b;
      }
      ContactRecord& contact = scratch_.records[point.where->point];
      contact.impulse += impulse;
      report_.external_work += measure_script_work(bodies_, contact, impulse);
    }
  }

  World& world_;
  BodyArrays& bodies_;
  double touching_;
  double h_;
  StepWorkspace& scratch_;
  StepWorkspace::Rebound& local_;
  std::size_t group_;
  StepReport& report_;
};

}  // namespace

void rebound(World& world, const SolverOptions& solver, double touching, double h, StepWorkspace& scratch,
             StepReport& report) {
  bool turned = false;
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    GroupRebound one(world, touching, h, scratch, group, report);
    const int bounces = one.count_bounces();
    if (bounces == 0) continue;
    if (!turned) {
      for (std::size_t i = 0; i < world.bodies.size(); ++i) {
        if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
      }
      turned = true;
    }
    one.resolve(solver);
    report.impacts += bounces;
  }
  scratch.mark("rebound");
}

}  // namespace achilles
