#include "stepping/touch_stage.hpp"

#include "constraint/touch_rows.hpp"
#include "math/refill.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/energy_blend.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

/// The contact that a normal row belongs to; nullptr for a limit of a joint.
const Contact* find_contact_of(std::uint32_t row, const StepWorkspace& scratch) {
  for (const Contact& contact : scratch.contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      if (scratch.rows_of_point[p] == row) return &contact;
    }
  }
  return nullptr;
}

std::string name_pair(const World& world, std::uint32_t a, std::uint32_t b) {
  const auto name = [&](std::uint32_t body) { return body == kImmovable ? "what is fixed" : world.names[body]; };
  return " '" + name(a) + "' and '" + name(b) + "'";
}

/// The bodies of the rows that oppose each other, for people.
std::string name_opposing(const World& world, const ImpactReport& impact, const StepWorkspace& scratch) {
  if (impact.opposing.empty()) return {};
  std::string text = ": contacts oppose each other between";
  int shown = 0;
  for (const std::uint32_t row : impact.opposing) {
    if (++shown > 6) return text + " and others";
    const Contact* contact = find_contact_of(row, scratch);
    text += shown > 1 ? "," : "";
    text += contact != nullptr ? name_pair(world, contact->body_a, contact->body_b)
                               : name_pair(world, scratch.rows[row].body_a, scratch.rows[row].body_b);
  }
  return text;
}

/// ½ Σ λ (w⁻ + w⁺): what the impulses do to the energy, seen from the surfaces.
double measure_work(std::span<const Row> rows, std::span<const double> impulses, std::span<const BodyVelocity> before,
                    std::span<const BodyVelocity> after) {
  double work = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (impulses[i] == 0) continue;
    work += impulses[i] * (0.5 * (row_velocity(rows[i], before) + row_velocity(rows[i], after)) - rows[i].target);
  }
  return work;
}

/// Laws that go from contact to contact can gain energy with friction (Kane's paradox). Where one did, the outcome is
/// moved towards the plastic one until it does not.
void take_back_energy(World& world, const ImpactProblem& problem, std::span<const BodyVelocity> before,
                      StepWorkspace& scratch) {
  std::vector<BodyVelocity>& u = world.bodies.velocity;
  const double elastic = measure_work(scratch.rows, scratch.impulses, before, u);
  double scale = 0;
  for (std::size_t i = 0; i < scratch.rows.size(); ++i) {
    scale += std::abs(scratch.impulses[i] * (row_velocity(scratch.rows[i], before) - scratch.rows[i].target));
  }
  if (elastic <= 1e-9 * scale) return;
  std::vector<BodyVelocity>& plastic = scratch.touch.plastic;
  plastic.assign(before.begin(), before.end());
  std::vector<double>& impulses = scratch.touch.plastic_impulses;
  refill(impulses, scratch.rows.size(), 0.0);
  (void)resolve_impact(problem, InelasticLaw{}, scratch.touch.impact, plastic, impulses);
  const ImpactWork work{
      measure_work(scratch.rows, impulses, before, plastic), elastic,
      measure_work(scratch.rows, impulses, before, u) + measure_work(scratch.rows, scratch.impulses, before, plastic)};
  const double c = find_energy_blend(work, 0);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i].linear = plastic[i].linear + c * (u[i].linear - plastic[i].linear);
    u[i].angular = plastic[i].angular + c * (u[i].angular - plastic[i].angular);
  }
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    scratch.impulses[i] = impulses[i] + c * (scratch.impulses[i] - impulses[i]);
  }
}

}  // namespace

double build_touch_rows(const World& world, const TouchOptions& options, StepWorkspace& scratch) {
  begin_touch_rows(scratch);
  double given_up = 0;
  for (const Contact& contact : scratch.contacts.contacts) {
    given_up += append_touch_contact(world, options, contact, 0, scratch);
  }
  refill(scratch.impulses, scratch.rows.size(), 0.0);
  return given_up;
}

void begin_touch_rows(StepWorkspace& scratch) {
  scratch.rows.clear();
  refill(scratch.rows_of_point, scratch.contacts.points.size(), 0u);
  scratch.touch.restitution.clear();
}

double append_touch_contact(const World& world, const TouchOptions& options, const Contact& contact,
                            std::size_t island_start, StepWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  std::vector<double>& restitution = scratch.touch.restitution;
  const ContactLaw& law = world.materials.law(scratch.colliders[contact.collider_a].material,
                                              scratch.colliders[contact.collider_b].material);
  double given_up = 0;
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    const ContactPoint& point = scratch.contacts.points[p];
    const Arms arms{contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
                    point.position - bodies.position[contact.body_b]};
    const std::size_t row = append_touch_rows(arms, point.normal, {law.friction, make_tangents(point.normal)}, bodies,
                                              scratch.inverse_mass, island_start, scratch.rows);
    scratch.rows_of_point[p] = static_cast<std::uint32_t>(row);
    const double approach = approach_of(scratch.rows[row], bodies.velocity);
    const bool slow = approach > options.approach && approach <= options.rest_speed;
    restitution.resize(scratch.rows.size(), 0.0);
    restitution[row] = slow ? 0 : law.restitution;
    const double rebound = law.restitution * approach;
    if (slow) given_up += 0.5 * rebound * rebound / scratch.rows[row].diagonal;
  }
  return given_up;
}

bool has_approach(const World& world, const TouchOptions& options, bool bouncing, const StepWorkspace& scratch) {
  const auto counts = [&](std::uint32_t row) {
    return approach_of(scratch.rows[row], world.bodies.velocity) > options.approach &&
           (!bouncing || scratch.touch.restitution[row] > 0);
  };
  return std::any_of(scratch.rows_of_point.begin(), scratch.rows_of_point.end(), counts);
}

void resolve_touch_impact(World& world, const ImpactLaw& law, StepWorkspace& scratch, StepReport& report) {
  scratch.mark("rows");
  const ImpactProblem problem{scratch.rows, scratch.inverse_mass, scratch.touch.restitution};
  copy_to(world.bodies.velocity, scratch.touch.before);
  const ImpactReport impact =
      resolve_impact(problem, law, scratch.touch.impact, world.bodies.velocity, scratch.impulses);
  const bool goes_round = std::holds_alternative<GuendelmanLaw>(law) || std::holds_alternative<NewtonLaw>(law) ||
                          std::holds_alternative<PoissonLaw>(law) || std::holds_alternative<MirtichLaw>(law);
  if (goes_round) take_back_energy(world, problem, scratch.touch.before, scratch);
  ++report.impacts;
  report.impact_iterations = std::max(report.impact_iterations, static_cast<int>(impact.iterations_max));
  report.impact_estimate = std::max(report.impact_estimate, impact.expected_iterations);
  report.hastened_impacts += impact.hastened_parts;
  report.unpointed_impacts += impact.friction_pointed ? 0 : 1;
  report.lineality += impact.lineality;
  // Something driven by a script that crushes a body leaves it as well off as can be: that ends. So does a law that
  // goes round the contacts a limited number of times; for the operators that promise to end, the limit is a failure.
  const bool promises =
      std::holds_alternative<GaussSeidelLaw>(law) || std::holds_alternative<GeneralizedReflectionsLaw>(law);
  const bool ended = impact.status == ImpactStatus::kResolved || impact.status == ImpactStatus::kSqueezed ||
                     (impact.status == ImpactStatus::kIterationLimit && !promises);
  if (!ended) {
    report.stopped = Stop{"impact-does-not-end", world.time,
                          std::string(to_string(impact.status)) + name_opposing(world, impact, scratch)};
  }
  record_touch_impulses(scratch);
  scratch.mark("impacts");
}

void record_touch_impulses(StepWorkspace& scratch) {
  scratch.records.clear();
  std::size_t p = 0;
  for (const Contact& contact : scratch.contacts.contacts) {
    for (const ContactPoint& point : scratch.contacts.points_of(contact)) {
      const std::size_t row = scratch.rows_of_point[p++];
      const Vec3 impulse = sum_impulse_of_point(scratch.rows, scratch.impulses, row, point.normal);
      scratch.records.push_back(make_contact_record(contact.body_a, contact.body_b, point, impulse));
    }
  }
}

}  // namespace achilles
