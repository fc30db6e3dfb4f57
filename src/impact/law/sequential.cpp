#include "impact/law/sequential.hpp"

#include <algorithm>
#include <cmath>

#include "impact/law/two_body.hpp"

namespace achilles {
namespace {

TwoBodyCollision make_collision(const ImpactPart& part, int i, const std::vector<double>& x) {
  const ImpactContact& contact = part.contacts[i];
  const GradientSet& g = part.gradients;
  TwoBodyCollision collision;
  collision.restitution = contact.restitution;
  const int columns[3] = {contact.tangent, contact.tangent + 1, i};
  collision.K.setZero();
  for (int r = contact.tangent < 0 ? 2 : 0; r < 3; ++r) {
    for (int c = contact.tangent < 0 ? 2 : 0; c < 3; ++c) collision.K(r, c) = g.gram(columns[r], columns[c]);
    collision.u[r] = g.velocity(columns[r], x.data());
  }
  if (contact.tangent < 0) return collision;
  collision.friction = contact.friction;
  collision.u.head<2>() -= contact.tangent_target;
  return collision;
}

/// One pass over the contacts; true if any approached.
template <typename Collide>
bool sweep(ImpactWorkspace& scratch, double threshold, ImpactReport& report, const Collide& collide) {
  const ImpactPart& part = scratch.part;
  bool any = false;
  for (int i = 0; i < part.contact_count(); ++i) {
    if (part.approach(i, scratch.x.data()) <= threshold) continue;
    any = true;
    ++report.iterations;
    const Vec3 p = collide(make_collision(part, i, scratch.x));
    const int tangent = part.contacts[i].tangent;
    for (int k = 0; k < 3; ++k) {
      const int column = k == 2 ? i : tangent + k;
      if (k < 2 && tangent < 0) continue;
      part.gradients.apply(column, p[k], scratch.x.data());
      scratch.impulses[column] += p[k];
    }
  }
  return any;
}

double begin(ImpactWorkspace& scratch, ImpactReport& report) {
  scratch.x = scratch.start;
  report.energy_removed += 0.5 * scratch.part.gradients.project(scratch.x.data());
  scratch.impulses.assign(scratch.part.gradients.count(), 0.0);
  return kSequentialTolerance * std::sqrt(scratch.part.squared_norm(scratch.x.data()));
}

ImpactStatus finish(double threshold, std::int64_t iterations_before, ImpactWorkspace& scratch, ImpactReport& report) {
  report.iterations_max = std::max(report.iterations_max, report.iterations - iterations_before);
  const ImpactPart& part = scratch.part;
  double worst = 0;
  for (int i = 0; i < part.contact_count(); ++i) worst = std::max(worst, part.approach(i, scratch.x.data()));
  if (worst <= threshold) return ImpactStatus::kResolved;
  ++report.projected_parts;
  const InelasticTask projection{{}, {}, 0.1 * threshold};
  const InelasticReport outcome =
      project_feasible(part, projection, scratch.propagation.inelastic, scratch.x, scratch.impulses);
  return outcome.feasible ? ImpactStatus::kResolved : ImpactStatus::kIterationLimit;
}

template <typename Collide>
ImpactStatus resolve_by_sweeps(int max_sweeps, ImpactWorkspace& scratch, ImpactReport& report, const Collide& collide) {
  const std::int64_t before = report.iterations;
  const double threshold = begin(scratch, report);
  for (int k = 0; k < max_sweeps && sweep(scratch, threshold, report, collide); ++k) {
  }
  return finish(threshold, before, scratch, report);
}

}  // namespace

ImpactStatus resolve_sequential(const NewtonLaw& law, ImpactWorkspace& scratch, ImpactReport& report) {
  return resolve_by_sweeps(law.max_sweeps, scratch, report, collide_newton);
}

ImpactStatus resolve_sequential(const PoissonLaw& law, ImpactWorkspace& scratch, ImpactReport& report) {
  return resolve_by_sweeps(law.max_sweeps, scratch, report, collide_poisson);
}

ImpactStatus resolve_sequential(const MirtichLaw& law, ImpactWorkspace& scratch, ImpactReport& report) {
  return resolve_by_sweeps(law.max_sweeps, scratch, report,
                           [&law](const TwoBodyCollision& c) { return collide_mirtich(c, law).p; });
}

ImpactStatus resolve_sequential(const GuendelmanLaw& law, ImpactWorkspace& scratch, ImpactReport& report) {
  const std::int64_t before = report.iterations;
  const double threshold = begin(scratch, report);
  for (int k = 0; k < law.collision_sweeps && sweep(scratch, threshold, report, collide_newton); ++k) {
  }
  const auto collide_plastic = [](TwoBodyCollision c) {
    c.restitution = 0;
    return collide_newton(c);
  };
  for (int k = 0; k < law.contact_sweeps && sweep(scratch, threshold, report, collide_plastic); ++k) {
  }
  return finish(threshold, before, scratch, report);
}

}  // namespace achilles
