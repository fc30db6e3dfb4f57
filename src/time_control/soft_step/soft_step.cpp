#include "time_control/soft_step/soft_step.hpp"

#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/soft_step/pack_contacts.hpp"

#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kBlock = 32;  // lanes that one thread takes at a time

class SoftStep {
 public:
  SoftStep(World& world, const SoftStepOptions& options, StepWorkspace& scratch, double h)
      : world_(world), options_(options), scratch_(scratch), soft_(scratch.soft), h_(h) {}

  StepReport run() {
    prepare_bodies(world_, h_, scratch_);
    integrate_velocities(world_, scratch_.inverse_mass, h_, scratch_.motion);
    find_contacts_recycling(world_, options_.margin, h_, options_.recycling, scratch_);
    list_manifolds(world_, scratch_);
    const double substep = h_ / options_.substeps;
    pack_contacts(world_, options_, substep, scratch_);
    load_bodies();
    for (int k = 0; k < options_.substeps; ++k) advance_substep(static_cast<float>(substep));
    each_color([this](auto lanes) {
      restitute_contacts(lanes, soft_.velocities.data(), static_cast<float>(options_.restitution_threshold));
    });
    integrate_positions(world_, h_, Integrator::kConserving, scratch_.motion, scratch_.constrained);
    unload_bodies();
    return conclude();
  }

 private:
  /// What the kernels work on: the velocity before the step, and what the forces of the step add to it per second.
  void load_bodies() {
    const std::size_t count = soft_.body_of.size();
    refill(soft_.velocities, count, SoftVelocity{});
    refill(soft_.accelerations, count, SoftVelocity{});
    refill(soft_.displacements, count, SoftDisplacement{{0, 0, 0}, {0, 0, 0, 1}, 0});
    copy_to(world_.bodies.position, scratch_.impulse.position);
    copy_to(world_.bodies.orientation, scratch_.impulse.orientation);
    for (std::size_t slot = 1; slot < count; ++slot) {
      const std::uint32_t body = soft_.body_of[slot];
      const BodyVelocity& after = world_.bodies.velocity[body];
      const BodyVelocity& before = scratch_.movable[body] != 0 ? scratch_.velocity_before[body] : after;
      for (int k = 0; k < 3; ++k) {
        soft_.velocities[slot].linear[k] = static_cast<float>(before.linear[k]);
        soft_.velocities[slot].angular[k] = static_cast<float>(before.angular[k]);
        soft_.accelerations[slot].linear[k] = static_cast<float>((after.linear[k] - before.linear[k]) / h_);
        soft_.accelerations[slot].angular[k] = static_cast<float>((after.angular[k] - before.angular[k]) / h_);
      }
    }
  }

  void advance_substep(float h) {
    SoftVelocity* velocities = soft_.velocities.data();
    const SoftDisplacement* displacements = soft_.displacements.data();
    for (std::size_t slot = 1; slot < soft_.velocities.size(); ++slot) {
      for (int k = 0; k < 3; ++k) {
        soft_.velocities[slot].linear[k] += h * soft_.accelerations[slot].linear[k];
        soft_.velocities[slot].angular[k] += h * soft_.accelerations[slot].angular[k];
      }
    }
    each_color([&](auto lanes) { warm_start_contacts(lanes, velocities); });
    SubstepOptions sweep{1 / h, true, static_cast<float>(options_.push_speed)};
    each_color([&](auto lanes) { solve_contacts(lanes, velocities, displacements, sweep); });
    for (std::size_t slot = 1; slot < soft_.velocities.size(); ++slot) move(soft_.velocities[slot], h, slot);
    sweep.biased = false;
    each_color([&](auto lanes) { solve_contacts(lanes, velocities, displacements, sweep); });
    scratch_.runner.run(soft_.lanes.size(), kBlock, [&](std::size_t, std::size_t first, std::size_t last) {
      sum_contacts(std::span(soft_.lanes).subspan(first, last - first));
    });
  }

  /// q ← q + ½ h ω q, and back to unit length.
  void move(const SoftVelocity& u, float h, std::size_t slot) {
    SoftDisplacement& d = soft_.displacements[slot];
    for (int k = 0; k < 3; ++k) d.linear[k] += h * u.linear[k];
    const float wx = 0.5f * h * u.angular[0], wy = 0.5f * h * u.angular[1], wz = 0.5f * h * u.angular[2];
    const float x = d.rotation[0], y = d.rotation[1], z = d.rotation[2], w = d.rotation[3];
    const float turned[4] = {x + (wx * w + wy * z - wz * y), y + (wy * w + wz * x - wx * z),
                             z + (wz * w + wx * y - wy * x), w - (wx * x + wy * y + wz * z)};
    const float length =
        std::sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] + turned[3] * turned[3]);
    for (int k = 0; k < 4; ++k) d.rotation[k] = turned[k] / length;
  }

  /// The lanes of one colour after the other, each shared by the threads; then the overflow, one by one.
  template <class Work>
  void each_color(const Work& work) {
    const std::size_t colors = soft_.start.size() - 2;
    for (std::size_t color = 0; color < colors; ++color) {
      const std::size_t begin = soft_.start[color], count = soft_.start[color + 1] - begin;
      scratch_.runner.run(count, kBlock, [&](std::size_t, std::size_t first, std::size_t last) {
        work(std::span(soft_.lanes).subspan(begin + first, last - first));
      });
    }
    work(std::span(soft_.lanes).subspan(soft_.start[colors]));
  }

  void unload_bodies() {
    BodyArrays& bodies = world_.bodies;
    for (std::size_t slot = 1; slot < soft_.body_of.size(); ++slot) {
      const std::uint32_t body = soft_.body_of[slot];
      if (scratch_.movable[body] == 0) continue;
      const SoftVelocity& u = soft_.velocities[slot];
      const SoftDisplacement& d = soft_.displacements[slot];
      bodies.velocity[body] = {Vec3(u.linear[0], u.linear[1], u.linear[2]),
                               Vec3(u.angular[0], u.angular[1], u.angular[2])};
      bodies.position[body] = scratch_.impulse.position[body] + Vec3(d.linear[0], d.linear[1], d.linear[2]);
      const Quat turn(d.rotation[3], d.rotation[0], d.rotation[1], d.rotation[2]);
      bodies.orientation[body] = (turn * scratch_.impulse.orientation[body]).normalized();
    }
  }

  StepReport conclude() {
    StepReport report;
    scratch_.records.resize(scratch_.contacts.points.size());
    refill(scratch_.point_approach, scratch_.contacts.points.size(), 0.0);
    for (const Contact& contact : scratch_.contacts.contacts) {
      for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
        const ContactPoint& point = scratch_.contacts.points[p];
        scratch_.records[p] = {contact.body_a, contact.body_b, point.position, point.normal, point.gap, Vec3::Zero()};
      }
    }
    for (std::size_t m = 0; m < soft_.manifolds.size(); ++m) take_impulses(m, report);
    remember_contacts(world_, 0, scratch_, report);
    report.groups = static_cast<int>(scratch_.groups.size());
    report.iterations = options_.substeps;
    world_.time += h_;
    ++world_.step_index;
    return report;
  }

  void take_impulses(std::size_t m, StepReport& report) {
    const SoftManifold& manifold = soft_.manifolds[m];
    const ContactLanes& c = soft_.lanes[soft_.lane_of[m] / kLanes];
    const std::size_t lane = soft_.lane_of[m] % kLanes;
    Vec3 tangential = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      tangential[k] = static_cast<double>(c.tangent[0][k][lane]) * static_cast<double>(c.tangent_total[0][lane]) +
                      static_cast<double>(c.tangent[1][k][lane]) * static_cast<double>(c.tangent_total[1][lane]);
    }
    // Friction acts at the centre of the patch; its points share it so that force and moment about the normal are
    // right.
    Vec3 center = Vec3::Zero();
    for (std::uint32_t k = 0; k < manifold.count; ++k) center += scratch_.records[manifold.first + k].position;
    center /= manifold.count;
    double spread = 0;
    for (std::uint32_t k = 0; k < manifold.count; ++k) {
      spread += (scratch_.records[manifold.first + k].position - center).squaredNorm();
    }
    const double twist = spread > 0 ? static_cast<double>(c.twist_total[lane]) / spread : 0;
    for (std::uint32_t k = 0; k < manifold.count; ++k) {
      ContactRecord& record = scratch_.records[manifold.first + k];
      record.impulse = static_cast<double>(c.points[k].total[lane]) * record.normal + tangential / manifold.count +
                       twist * record.normal.cross(record.position - center);
      scratch_.point_approach[manifold.first + k] = -static_cast<double>(c.points[k].approach[lane]);
      report.external_work += measure_script_work(world_.bodies, record, record.impulse);
    }
  }

  World& world_;
  const SoftStepOptions& options_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  double h_;
};

}  // namespace

StepReport advance_soft_step(World& world, const SoftStepOptions& options, StepWorkspace& scratch, double h) {
  return SoftStep(world, options, scratch, h).run();
}

}  // namespace achilles
