#include "constraint/contact_rows.hpp"

#include "constraint/friction_ellipse.hpp"
#include "constraint/point_row.hpp"
#include "math/tangents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

/// Target of the normal row, and how fast the surfaces meet.
void set_normal_target(const ContactPointInput& input, const Arms& arms, const StepVelocities& velocities,
                       const ContactRowOptions& options, Row& row, ContactPointRows& where) {
  const double gap = input.point->gap;
  const Vec3& n = input.point->normal;
  const double h = options.h;
  if (input.law->stiffness > 0) {
    const double resistance = h * input.law->stiffness + input.law->damping;
    row.softness = 1 / (h * resistance);
    row.target = -input.law->stiffness * gap / resistance;
    return;
  }
  // A gap within the tolerance of touch counts as closed: bodies at rest rock by less than that while their impulses
  // settle, and rows that open and close with it would never let them.
  row.target = gap > options.touching ? -gap / h : 0.0;
  const double before = n.dot(arms.point_velocity(velocities.before));
  where.free_approach = -n.dot(arms.point_velocity(velocities.free));
  // Speed at the instant of touch, between the velocities at the two ends of the step.
  const double way = where.free_approach * h;
  const double fraction = gap > 0 && way > 0 ? std::min(gap / way, 1.0) : 0.0;
  where.approach = -before + fraction * (where.free_approach + before);
  const bool fast = input.law->restitution > 0 && where.approach > options.restitution_threshold;
  where.bounces = fast && way >= gap;
  where.restitution = input.law->restitution;
}

bool has_friction(const ContactLaw& law) { return law.friction > 0 || law.anisotropy; }

}  // namespace

std::size_t count_contact_rows(const ContactLaw& law) {
  return 1U + (has_friction(law) ? 2U : 0U) + (law.rolling_friction > 0 ? 2U : 0U) +
         (law.torsional_friction > 0 ? 2U : 0U);
}

ContactPointRows append_contact_rows(const ContactPointInput& input, const BodyArrays& bodies,
                                     std::span<const BodyInverseMass> inverse_mass, const StepVelocities& velocities,
                                     const ContactRowOptions& options, std::size_t island_start, std::vector<Row>& rows,
                                     std::vector<double>& impulses) {
  const Contact& contact = *input.contact;
  const ContactPoint& point = *input.point;
  const Arms arms{contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
                  point.position - bodies.position[contact.body_b]};
  const Vec3& n = point.normal;
  const Vec3 warm = input.cached != nullptr ? input.cached->impulse : Vec3(Vec3::Zero());
  const auto next = [&] { return static_cast<std::int32_t>(rows.size() - island_start); };
  const auto append = [&](Row row, double impulse) {
    place_row(row, arms, bodies, inverse_mass);
    rows.push_back(row);
    impulses.push_back(impulse);
  };

  ContactPointRows where;
  Row normal = make_point_row(n, arms);
  normal.lower = 0;
  set_normal_target(input, arms, velocities, options, normal, where);
  where.normal = next();
  append(normal, std::max(0.0, n.dot(warm)));

  const auto append_pair = [&](Row first, Row second, double coefficient, double warm_first, double warm_second) {
    const std::int32_t at = next();
    for (Row* row : {&first, &second}) {
      row->normal_row = where.normal;
      row->friction = coefficient;
    }
    append(first, warm_first);
    append(second, warm_second);
    return at;
  };
  const auto [t1, t2] = make_tangents(n);
  if (input.directional != nullptr) {
    const FrictionEllipse ellipse =
        compute_friction_ellipse(*input.directional, bodies.orientation[arms.a], bodies.orientation[arms.b], n);
    // λ' = λ / s, see friction_ellipse.hpp.
    const auto scaled_warm = [&](std::size_t k) {
      return ellipse.scale(k) > 0 ? ellipse.axes[k].dot(warm) / ellipse.scale(k) : 0.0;
    };
    where.friction = append_pair(make_point_row(ellipse.scale(0) * ellipse.axes[0], arms),
                                 make_point_row(ellipse.scale(1) * ellipse.axes[1], arms), ellipse.largest(),
                                 scaled_warm(0), scaled_warm(1));
  } else if (has_friction(*input.law)) {
    where.friction = append_pair(make_point_row(t1, arms), make_point_row(t2, arms), input.law->friction, t1.dot(warm),
                                 t2.dot(warm));
  }
  if (input.law->rolling_friction > 0) {
    where.rolling = append_pair(make_spin_row(t1), make_spin_row(t2), input.law->rolling_friction, 0, 0);
  }
  if (input.law->torsional_friction > 0) {
    where.torsion = append_pair(make_spin_row(n), Row{}, input.law->torsional_friction, 0, 0);
  }
  return where;
}

Vec3 contact_impulse(const ContactPointRows& where, std::span<const Row> island_rows,
                     std::span<const double> island_impulses, const Vec3& normal) {
  const auto at = [](std::int32_t index) { return static_cast<std::size_t>(index); };
  Vec3 impulse = island_impulses[at(where.normal)] * normal;
  if (where.friction >= 0) {
    impulse += island_impulses[at(where.friction)] * island_rows[at(where.friction)].linear_b;
    impulse += island_impulses[at(where.friction) + 1] * island_rows[at(where.friction) + 1].linear_b;
  }
  return impulse;
}

}  // namespace achilles
