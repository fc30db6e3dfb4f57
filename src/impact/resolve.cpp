#include "impact/resolve.hpp"

#include <algorithm>
#include <cmath>

#include "impact/law/sequential.hpp"

namespace achilles {
namespace {

// Dense gradients of a jointed part beyond this are refused with a status.   [bytes]
constexpr double kDenseLimit = 2e9;

bool is_finite(const ImpactProblem& problem, std::span<const BodyVelocity> velocities) {
  for (const Row& row : problem.rows) {
    const double sum = row.linear_a.sum() + row.angular_a.sum() + row.linear_b.sum() + row.angular_b.sum() +
                       row.mass_linear_a.sum() + row.mass_angular_a.sum() + row.mass_linear_b.sum() +
                       row.mass_angular_b.sum() + row.target + row.friction;
    if (!std::isfinite(sum)) return false;
  }
  for (const BodyInverseMass& m : problem.inverse_mass) {
    if (!std::isfinite(m.linear.sum() + m.angular.sum())) return false;
  }
  for (const BodyVelocity& v : velocities) {
    if (!std::isfinite(v.linear.sum() + v.angular.sum())) return false;
  }
  return std::all_of(problem.restitution.begin(), problem.restitution.end(), [](double c) { return std::isfinite(c); });
}

double tolerance_of(const ImpactLaw& law) {
  struct Tolerance {
    double operator()(const InelasticLaw& l) const { return l.tolerance; }
    double operator()(const GaussSeidelLaw& l) const { return l.options.tolerance; }
    double operator()(const GeneralizedReflectionsLaw& l) const { return l.options.tolerance; }
    double operator()(const NewtonLaw&) const { return kSequentialTolerance; }
    double operator()(const PoissonLaw&) const { return kSequentialTolerance; }
    double operator()(const MirtichLaw&) const { return kSequentialTolerance; }
    double operator()(const GuendelmanLaw&) const { return kSequentialTolerance; }
  };
  return std::visit(Tolerance{}, law);
}

struct PartLaw {
  ImpactWorkspace& scratch;
  ImpactReport& report;

  ImpactStatus operator()(const GaussSeidelLaw& law) const {
    return resolve_propagation({false, law.selection, law.seed, law.options, {}}, scratch, report);
  }
  ImpactStatus operator()(const GeneralizedReflectionsLaw& law) const {
    return resolve_propagation({true, Selection::kLexicographic, 0, law.options, {}}, scratch, report);
  }
  ImpactStatus operator()(const InelasticLaw& law) const { return resolve_inelastic(law, scratch, report); }
  template <typename TwoBodyLaw>
  ImpactStatus operator()(const TwoBodyLaw& law) const {
    return resolve_sequential(law, scratch, report);
  }
};

/// Brings scripted motion to rest. False when the contacts' velocities contradict each other: they are then in
/// `scratch.targets`, relative to the frame of the joints. `squeezed` when even the joints' do.
bool enter_frame(ImpactWorkspace& scratch, bool& squeezed) {
  ImpactPart& part = scratch.part;
  LinealityWorkspace& l = scratch.lineality;
  scratch.frame.resize(part.dimension());
  scratch.targets.clear();
  bool consistent = find_resting_frame(part, true, l.qp, l.matrix, scratch.frame);
  if (!consistent) {
    squeezed = !find_resting_frame(part, false, l.qp, l.matrix, scratch.frame);
    for (int i = 0; i < part.contact_count(); ++i) {
      scratch.targets.push_back(part.contacts[i].target - part.gradients.velocity_original(i, scratch.frame.data()));
    }
  }
  for (ImpactContact& contact : part.contacts) {
    if (contact.tangent < 0) continue;
    for (int k = 0; k < 2; ++k) {
      contact.tangent_target[k] -= part.gradients.velocity_original(contact.tangent + k, scratch.frame.data());
    }
  }
  scratch.start.resize(part.dimension());
  for (std::size_t k = 0; k < scratch.start.size(); ++k) scratch.start[k] = scratch.before[k] - scratch.frame[k];
  return consistent;
}

bool needs_work(const ImpactWorkspace& scratch, double tolerance) {
  const ImpactPart& part = scratch.part;
  const double size = std::sqrt(part.squared_norm(scratch.start.data()));
  for (int i = 0; i < part.contact_count(); ++i) {
    const double target = scratch.targets.empty() ? 0 : scratch.targets[i];
    const double w = part.gradients.velocity_original(i, scratch.start.data()) - target;
    if (-w > tolerance * size * std::sqrt(part.gradients.squared_norm_original(i))) return true;
  }
  for (int j = part.first_joint; j < part.gradients.count(); ++j) {
    const double w = part.gradients.velocity_original(j, scratch.start.data());
    if (std::abs(w) > tolerance * size * std::sqrt(part.gradients.squared_norm_original(j))) return true;
  }
  return false;
}

// Largest approach left, over ‖x⁻‖_M, judged by the rows as they were given.
double remaining_violation(const ImpactWorkspace& scratch) {
  const ImpactPart& part = scratch.part;
  const double size = std::sqrt(part.squared_norm(scratch.start.data()));
  double most = 0;
  for (int i = 0; i < part.contact_count(); ++i) {
    const double target = scratch.targets.empty() ? 0 : scratch.targets[i];
    const double w = part.gradients.velocity_original(i, scratch.x.data()) - target;
    most = std::max(most, -w / std::sqrt(part.gradients.squared_norm_original(i)));
  }
  return size > 0 ? most / size : 0;
}

void write_impulses(const ImpactWorkspace& scratch, std::span<double> impulses) {
  const ImpactPart& part = scratch.part;
  const auto total = [&](int c) { return scratch.impulses[c] + scratch.extra[c]; };
  for (int i = 0; i < part.contact_count(); ++i) {
    const ImpactContact& contact = part.contacts[i];
    impulses[contact.row] = contact.sign * total(i);
    if (contact.tangent < 0) continue;
    impulses[contact.tangent_row] = total(contact.tangent);
    impulses[contact.tangent_row + 1] = total(contact.tangent + 1);
  }
  for (int j = 0; j < part.joint_count(); ++j) impulses[part.joint_rows[j]] = total(part.first_joint + j);
}

ImpactStatus resolve_part(const ImpactLaw& law, ImpactWorkspace& scratch, std::span<BodyVelocity> velocities,
                          std::span<double> impulses, ImpactReport& report) {
  ImpactPart& part = scratch.part;
  scratch.before.resize(part.dimension());
  gather(part, velocities, scratch.before);
  bool squeezed = false;
  const bool consistent = enter_frame(scratch, squeezed);
  if (squeezed) return ImpactStatus::kSqueezed;
  const double tolerance = tolerance_of(law);
  if (!needs_work(scratch, tolerance)) return ImpactStatus::kResolved;
  if (part.joint_count() > 0) {
    if (part.gradients.dense_bytes() > kDenseLimit) return ImpactStatus::kTooLarge;
    remove_joints(part, std::max(tolerance, 1e-12));
  }
  ++report.parts;
  report.inelastic_parts += !consistent;
  report.energy_before += 0.5 * part.squared_norm(scratch.start.data());
  const PartLaw resolver{scratch, report};
  const ImpactStatus status = consistent ? std::visit(resolver, law) : resolver(InelasticLaw{tolerance, false});
  report.energy_after += 0.5 * part.squared_norm(scratch.x.data());
  report.violation = std::max(report.violation, remaining_violation(scratch));
  const double size = std::sqrt(part.squared_norm(scratch.start.data()));
  const double unexplained = distribute_equalities(scratch);
  if (size > 0) report.impulse_residual = std::max(report.impulse_residual, unexplained / size);
  write_impulses(scratch, impulses);
  for (std::size_t k = 0; k < scratch.x.size(); ++k) scratch.x[k] += scratch.frame[k];
  scatter(part, scratch.x, scratch.before, velocities);
  if (status == ImpactStatus::kOpposed) {
    for (const int i : scratch.propagation.opposing) scratch.opposing.push_back(part.contacts[i].row);
  }
  return status;
}

}  // namespace

ImpactReport resolve_impact(const ImpactProblem& problem, const ImpactLaw& law, ImpactWorkspace& scratch,
                            std::span<BodyVelocity> velocities, std::span<double> impulses) {
  ImpactReport report;
  std::fill(impulses.begin(), impulses.end(), 0.0);
  if (!is_finite(problem, velocities)) {
    report.status = ImpactStatus::kNotFinite;
    return report;
  }
  scratch.opposing.clear();
  split_parts(problem, scratch.split);
  report.ignored_rows = scratch.split.ignored;
  for (int index = 0; index < scratch.split.count(); ++index) {
    if (!part_moves(problem, scratch.split, index, velocities)) continue;
    build_part(problem, scratch.split, index, scratch.part);
    const ImpactStatus status = resolve_part(law, scratch, velocities, impulses, report);
    if (report.status == ImpactStatus::kResolved) report.status = status;
  }
  report.opposing = scratch.opposing;
  return report;
}

std::string_view to_string(ImpactStatus status) {
  switch (status) {
    case ImpactStatus::kResolved:
      return "resolved";
    case ImpactStatus::kOpposed:
      return "impact-does-not-end";
    case ImpactStatus::kIterationLimit:
      return "iteration-limit";
    case ImpactStatus::kSqueezed:
      return "squeezed";
    case ImpactStatus::kTooLarge:
      return "too-large";
    case ImpactStatus::kNotFinite:
      return "not-finite";
  }
  return "unknown";
}

}  // namespace achilles
