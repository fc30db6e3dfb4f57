#include "impact/law/sequential.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "impact/law/two_body.hpp"

namespace achilles {
namespace {

bool share_face(const ImpactPart& part, int i, int k) {
  const int t = part.contacts[i].tangent, s = part.contacts[k].tangent;
  if ((t < 0) != (s < 0) || !part.gradients.share_face(i, k)) return false;
  return t < 0 || part.gradients.share_face(t, s);
}

// The points of contact i's face that approach, and how they share the impulse that would just stop them all: the
// compression of a face as a whole. Its resultant acts at one point of the face.
void find_face(int i, double threshold, ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  scratch.face.assign(1, i);
  scratch.face_weights.assign(1, 1.0);
  const std::uint32_t a = part.gradients.body_a(i), body = a != GradientSet::kNone ? a : part.gradients.body_b(i);
  for (int k = part.neighbour_begin[body]; k < part.neighbour_begin[body + 1]; ++k) {
    const int other = part.neighbours[k];
    if (other == i || part.approach(other, scratch.x.data()) <= threshold || !share_face(part, i, other)) continue;
    scratch.face.push_back(other);
  }
  const int n = static_cast<int>(scratch.face.size());
  if (n == 1) return;
  LinealityWorkspace& l = scratch.lineality;
  l.matrix.resize(static_cast<std::size_t>(n) * n);
  l.linear.resize(n);
  l.tolerance.resize(n);
  scratch.face_weights.resize(n);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      l.matrix[static_cast<std::size_t>(r) * n + c] = part.gradients.gram(scratch.face[r], scratch.face[c]);
    }
    l.linear[r] = part.gradients.velocity(scratch.face[r], scratch.x.data());
    l.tolerance[r] = 1e-3 * threshold * std::sqrt(part.gradients.squared_norm(scratch.face[r]));
  }
  const NonnegativeQp problem{n, l.matrix, l.linear, l.tolerance};
  static_cast<void>(solve_nonnegative_qp(problem, l.qp, scratch.face_weights));
  const double sum = std::accumulate(scratch.face_weights.begin(), scratch.face_weights.end(), 0.0);
  for (double& weight : scratch.face_weights) weight /= sum;  // contact i approaches, so the sum is positive
}

// The collision of the face at its resultant: rows are affine in the point, so that those of a mean of points are the
// mean of their rows.
TwoBodyCollision make_collision(const ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  const GradientSet& g = part.gradients;
  TwoBodyCollision collision;
  collision.K.setZero();
  collision.u.setZero();
  const bool rough = part.contacts[scratch.face.front()].tangent >= 0;
  const auto column = [&part](int i, int r) { return r == 2 ? i : part.contacts[i].tangent + r; };
  for (std::size_t k = 0; k < scratch.face.size(); ++k) {
    const int i = scratch.face[k];
    const double weight = scratch.face_weights[k];
    const ImpactContact& contact = part.contacts[i];
    collision.restitution += weight * contact.restitution;
    if (rough) collision.friction += weight * contact.friction;
    for (int r = rough ? 0 : 2; r < 3; ++r) {
      const double target = r < 2 ? contact.tangent_target[r] : 0;
      collision.u[r] += weight * (g.velocity(column(i, r), scratch.x.data()) - target);
      for (std::size_t m = 0; m < scratch.face.size(); ++m) {
        for (int c = rough ? 0 : 2; c < 3; ++c) {
          collision.K(r, c) += weight * scratch.face_weights[m] * g.gram(column(i, r), column(scratch.face[m], c));
        }
      }
    }
  }
  return collision;
}

/// One pass over the contacts, face by face; true if any approached.
template <typename Collide>
bool sweep(ImpactWorkspace& scratch, double threshold, ImpactReport& report, const Collide& collide) {
  const ImpactPart& part = scratch.part;
  bool any = false;
  for (int i = 0; i < part.contact_count(); ++i) {
    if (part.approach(i, scratch.x.data()) <= threshold) continue;
    any = true;
    ++report.iterations;
    find_face(i, threshold, scratch);
    const Vec3 p = collide(make_collision(scratch));
    for (std::size_t m = 0; m < scratch.face.size(); ++m) {
      const int point = scratch.face[m], tangent = part.contacts[point].tangent;
      for (int k = tangent < 0 ? 2 : 0; k < 3; ++k) {
        const int column = k == 2 ? point : tangent + k;
        part.gradients.apply(column, scratch.face_weights[m] * p[k], scratch.x.data());
        scratch.impulses[column] += scratch.face_weights[m] * p[k];
      }
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
