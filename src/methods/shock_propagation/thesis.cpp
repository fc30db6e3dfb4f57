#include "methods/shock_propagation/thesis.hpp"

#include "math/refill.hpp"
#include "solver/gauss_seidel.hpp"
#include "stepping/contact_record.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/correction.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace achilles {
namespace {

/// Consecutive layers: one in the propagation, all elsewhere.
struct LayerRange {
  std::size_t first = 0, last = 0;
};

/// The lines of figure 6.60.
class ThesisStep {
 public:
  ThesisStep(World& world, const ShockPropagationOptions& options, ThesisWorkspace& scratch, double h,
             StepReport& report)
      : world_(world), options_(options), scratch_(scratch), h_(h), report_(report) {
    copy_to(world.bodies.applied_force, scratch.applied_forces);
    copy_to(world.bodies.applied_torque, scratch.applied_torques);
  }

  void detect_collisions(LayeredRows& contacts);
  void dynamics(double h, LayeredRows& contacts, LayerRange layers);
  template <class Algorithm>
  void shock_propagation(const Algorithm& algorithm);
  void error_correction(const LayeredRows& contacts, LayerRange layers);

  void move_scripted_bodies();
  void record_impulses(const LayeredRows& contacts);

  [[nodiscard]] LayerRange all_layers() const { return {0, scratch_.moved.first_body.size() - 1}; }

 private:
  void find_heights();
  void append_rows(std::uint32_t contact, LayeredRows& contacts);
  void sort_bodies();
  [[nodiscard]] std::span<const std::uint32_t> bodies_of(LayerRange layers) const {
    const LayeredBodies& moved = scratch_.moved;
    return std::span(moved.bodies)
        .subspan(moved.first_body[layers.first], moved.first_body[layers.last] - moved.first_body[layers.first]);
  }
  static std::span<const ContactPointRows> points_of(const LayeredRows& contacts, LayerRange layers) {
    return std::span(contacts.points)
        .subspan(contacts.first_point[layers.first],
                 contacts.first_point[layers.last] - contacts.first_point[layers.first]);
  }

  void fixate_all_but(std::span<const std::uint32_t> bodies);
  void integrate_velocities(std::span<const std::uint32_t> bodies, double h);
  void integrate_positions(std::span<const std::uint32_t> bodies, double h);

  World& world_;
  const ShockPropagationOptions& options_;
  ThesisWorkspace& scratch_;
  double h_;
  StepReport& report_;
};

/// Contacts of the present pose as rows, by layers. [fig. 6.60, "collision detection"]
void ThesisStep::detect_collisions(LayeredRows& contacts) {
  find_contacts(world_, options_.speculative_distance, 0, scratch_);
  find_heights();
  sort_bodies();
  const std::size_t layers = all_layers().last;
  const auto layer_of = [&](std::uint32_t index) {
    const Contact& contact = scratch_.contacts.contacts[index];
    return StackLayers::layer_of(scratch_.layers.height[contact.body_a], scratch_.layers.height[contact.body_b]);
  };
  std::vector<std::uint32_t>& order = scratch_.contact_order;
  order.resize(scratch_.contacts.contacts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(layer_of(a), a) < std::pair(layer_of(b), b); });
  contacts.rows.clear();
  contacts.points.clear();
  contacts.impulses.clear();
  contacts.first_row.clear();
  contacts.first_point.clear();
  auto next = order.begin();
  for (std::size_t layer = 0; layer <= layers; ++layer) {
    contacts.first_row.push_back(static_cast<std::uint32_t>(contacts.rows.size()));
    contacts.first_point.push_back(static_cast<std::uint32_t>(contacts.points.size()));
    for (; next != order.end() && layer_of(*next) == layer; ++next) append_rows(*next, contacts);
  }
  std::fill(contacts.impulses.begin(), contacts.impulses.end(), 0.0);
}

/// Fewest contacts to a body that cannot move. [figs. 6.50-6.52]
void ThesisStep::find_heights() {
  scratch_.support.clear();
  for (const Contact& contact : scratch_.contacts.contacts) {
    const std::span<const ContactPoint> points = scratch_.contacts.points_of(contact);
    if (std::none_of(points.begin(), points.end(),
                     [&](const ContactPoint& p) { return p.gap <= options_.speculative_distance; })) {
      continue;
    }
    scratch_.support.push_back({contact.body_a, contact.body_b, 0});
  }
  find_distance_layers(scratch_.support, scratch_.movable, scratch_.layers);
}

void ThesisStep::sort_bodies() {
  const std::vector<std::uint32_t>& height = scratch_.layers.height;
  LayeredBodies& moved = scratch_.moved;
  const std::uint32_t layers = height.empty() ? 0 : *std::max_element(height.begin(), height.end());
  refill(moved.first_body, layers + 1, 0U);
  moved.bodies.clear();
  for (std::uint32_t body = 0; body < height.size(); ++body) {
    if (scratch_.movable[body] == 0) continue;
    ++moved.first_body[height[body]];
    moved.bodies.push_back(body);
  }
  std::partial_sum(moved.first_body.begin(), moved.first_body.end(), moved.first_body.begin());
  std::stable_sort(moved.bodies.begin(), moved.bodies.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return height[a] < height[b]; });
}

void ThesisStep::append_rows(std::uint32_t index, LayeredRows& contacts) {
  const Contact& contact = scratch_.contacts.contacts[index];
  const ContactLaw& law = world_.materials.law(scratch_.colliders[contact.collider_a].material,
                                               scratch_.colliders[contact.collider_b].material);
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    const ContactPoint& point = scratch_.contacts.points[p];
    if (point.gap > options_.speculative_distance) continue;
    ContactPointRows where = append_contact_rows(
        {&contact, &point, &law, nullptr}, world_.bodies, scratch_.inverse_mass,
        {scratch_.velocity_before, world_.bodies.velocity},
        {h_, options_.restitution_threshold, options_.speculative_distance, 0}, 0, contacts.rows, contacts.impulses);
    where.contact = index;
    where.point = p;
    contacts.points.push_back(where);
  }
}

/// Eq. (6.76) over a time h for the bodies of some layers; those below them are fixated.
void ThesisStep::dynamics(double h, LayeredRows& contacts, LayerRange layers) {
  LayerProblem& problem = scratch_.problem;
  const std::span<const std::uint32_t> bodies = bodies_of(layers);
  const std::uint32_t first = contacts.first_row[layers.first], last = contacts.first_row[layers.last];
  fixate_all_but(bodies);
  problem.rows.assign(contacts.rows.begin() + first, contacts.rows.begin() + last);
  for (Row& row : problem.rows) {
    if (row.normal_row >= 0) row.normal_row -= static_cast<std::int32_t>(first);
    finish_row(row, problem.inverse_mass);
  }
  for (const ContactPointRows& where : points_of(contacts, layers)) {
    Row& normal = problem.rows[static_cast<std::size_t>(where.normal) - first];
    const double approach = normal.target - row_velocity(normal, world_.bodies.velocity);
    if (approach > options_.restitution_threshold) normal.target += where.restitution * approach;
  }
  integrate_velocities(bodies, h);
  refill(problem.impulses, problem.rows.size(), 0.0);
  const SolveReport solved = solve_gauss_seidel({problem.rows, world_.bodies.velocity},
                                                {.iterations = options_.iterations, .tolerance = options_.tolerance},
                                                scratch_.solving.front().iterative, problem.impulses);
  for (std::size_t k = 0; k < problem.impulses.size(); ++k) contacts.impulses[first + k] += problem.impulses[k];
  integrate_positions(bodies, h);
  report_.iterations = std::max(report_.iterations, solved.iterations);
  report_.residual = std::max(report_.residual, solved.residual);
}

/// The algorithm in every stack layer, in bottom up order. [fig. 6.47]
template <class Algorithm>
void ThesisStep::shock_propagation(const Algorithm& algorithm) {
  for (std::size_t layer = 0; layer < all_layers().last; ++layer) algorithm(LayerRange{layer, layer + 1});
}

/// Eq. (6.78) for the bodies of some layers; those below them are fixated.
void ThesisStep::error_correction(const LayeredRows& contacts, LayerRange layers) {
  LayerProblem& problem = scratch_.problem;
  fixate_all_but(bodies_of(layers));
  problem.rows.clear();
  for (const ContactPointRows& where : points_of(contacts, layers)) {
    const double depth = -scratch_.contacts.points[where.point].gap;
    Row& row = problem.rows.emplace_back(contacts.rows[static_cast<std::size_t>(where.normal)]);
    row.target = std::max(0.0, depth);
    finish_row(row, problem.inverse_mass);
  }
  refill(problem.impulses, problem.rows.size(), 0.0);
  refill(problem.displacements, world_.bodies.size(), BodyVelocity{});
  (void)solve_gauss_seidel({problem.rows, problem.displacements},
                           {.iterations = options_.correction_iterations, .tolerance = options_.tolerance * h_},
                           scratch_.solving.front().iterative, problem.impulses);
  displace_bodies(world_, problem.displacements, scratch_.movable);
}

void ThesisStep::fixate_all_but(std::span<const std::uint32_t> bodies) {
  refill(scratch_.problem.inverse_mass, world_.bodies.size(), BodyInverseMass{});
  for (const std::uint32_t body : bodies) scratch_.problem.inverse_mass[body] = scratch_.inverse_mass[body];
}

void ThesisStep::integrate_velocities(std::span<const std::uint32_t> bodies, double h) {
  for (const std::uint32_t body : bodies) {
    world_.bodies.applied_force[body] = scratch_.applied_forces[body];
    world_.bodies.applied_torque[body] = scratch_.applied_torques[body];
    integrate_velocity(world_, body, scratch_.inverse_mass, h, scratch_.motion);
  }
}

void ThesisStep::integrate_positions(std::span<const std::uint32_t> bodies, double h) {
  for (const std::uint32_t body : bodies) integrate_position(world_, body, h, false, scratch_.motion);
}

void ThesisStep::move_scripted_bodies() {
  for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
    if (world_.bodies.kind[i] == BodyKind::kScripted) integrate_position(world_, i, h_, false, scratch_.motion);
  }
}

/// Impulses of the step as records, and as what the World remembers of the contacts.
void ThesisStep::record_impulses(const LayeredRows& contacts) {
  scratch_.records.clear();
  for (const Contact& contact : scratch_.contacts.contacts) {
    for (const ContactPoint& point : scratch_.contacts.points_of(contact)) {
      scratch_.records.push_back(make_contact_record(contact.body_a, contact.body_b, point, Vec3::Zero()));
    }
  }
  for (const ContactPointRows& where : contacts.points) {
    ContactRecord& record = scratch_.records[where.point];
    record.impulse = contact_impulse(where, contacts.rows, contacts.impulses, record.normal);
    if (record.impulse.isZero(0)) continue;
    scratch_.constrained[record.body_a] = scratch_.constrained[record.body_b] = 1;
    report_.external_work += measure_script_work(world_.bodies, record, record.impulse);
    if (where.bounces) ++report_.impacts;
  }
  scratch_.point_approach.clear();
  scratch_.solves.clear();
  remember_contacts(world_, options_.speculative_distance, scratch_, report_);
}

}  // namespace

StepReport advance_thesis(World& world, const ShockPropagationOptions& options, ThesisWorkspace& scratch, double h) {
  StepReport report;
  const double f = options.gravity_fraction;
  prepare_bodies(world, {world.time, h}, scratch);
  ThesisStep step(world, options, scratch, h, report);
  LayeredRows &at_start = scratch.contacts_at_start, &at_end = scratch.contacts_at_end;
  step.detect_collisions(at_start);                   // collision detection at time t
  step.dynamics(f * h, at_start, step.all_layers());  // dynamics(f*h)
  step.shock_propagation([&](LayerRange layer) {      // shock-propagation(
    step.dynamics((1 - f) * h, at_start, layer);      //   dynamics((1-f)*h),
    step.error_correction(at_start, layer);           //   error-correction())
  });
  step.move_scripted_bodies();
  step.record_impulses(at_start);
  if (options.second_correction) {
    std::swap(static_cast<ContactWorkspace&>(scratch), scratch.detection_at_end);
    step.detect_collisions(at_end);                    // collision detection at time t + h
    step.error_correction(at_end, step.all_layers());  // error-correction()
    std::swap(static_cast<ContactWorkspace&>(scratch), scratch.detection_at_end);
  }
  put_to_sleep(world, options.sleeping, {options.speculative_distance, options.speculative_distance, h}, scratch);
  return report;
}

}  // namespace achilles
