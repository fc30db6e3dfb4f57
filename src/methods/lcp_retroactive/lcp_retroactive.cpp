#include "methods/lcp_retroactive/lcp_retroactive.hpp"

#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_stiffness.hpp"
#include "stepping/motion_stage.hpp"
#include "stepping/solve_stage.hpp"
#include "world/colliders.hpp"

#include <algorithm>
#include <utility>

namespace achilles {
namespace {

class RetroactiveStep {
 public:
  RetroactiveStep(World& world, const LcpRetroactiveOptions& options, RetroactiveScratch& scratch, double h)
      : world_(world), options_(options), scratch_(scratch), local_(scratch.retroactive), h_(h) {}

  StepReport run() {
    const LcpFixedOptions& fixed = options_.fixed;
    StepReport report;
    prepare_bodies(world_, {world_.time, h_}, scratch_);
    integrate_velocities(world_, scratch_.inverse_mass, h_, scratch_.motion);
    limit_geometric_stiffness(world_, h_, scratch_);
    remember_free_motion(world_, scratch_);
    copy_to(world_.bodies.velocity, local_.free);
    local_.start.take(world_.bodies);
    find_contacts_with_reuse(world_, fixed.slop, 0, fixed.reuse_distance, scratch_);
    solve_step();
    for (int attempt = 1; attempt < options_.attempts && add_violated(); ++attempt) solve_step();
    local_.start.restore(world_.bodies);
    conclude_contacts(world_, fixed.slop, scratch_, report);
    conclude_joints(world_, {world_.time, h_}, scratch_, report);
    const CorrectionOptions correction{fixed.correction, fixed.slop, fixed.correction_iterations};
    move_bodies(world_, {fixed.integrator, correction, fixed.slop}, fixed.solver, {world_.time, h_}, scratch_, report);
    return report;
  }

 private:
  /// fixed-time-step(.) of the figure; leaves the bodies at its end.
  void solve_step() {
    const LcpFixedOptions& fixed = options_.fixed;
    local_.start.restore(world_.bodies);
    copy_to(local_.free, world_.bodies.velocity);
    build_rows(world_, world_.time, {h_, fixed.restitution_threshold, fixed.slop, fixed.speculative_distance},
               fixed.warm_start, scratch_);
    solve_islands(world_, {fixed.solver, fixed.eliminate_joints}, scratch_);
    refill<std::uint8_t>(scratch_.constrained, world_.bodies.size(), 0);
    for (std::size_t i = 0; i < scratch_.rows.size(); ++i) {
      if (scratch_.impulses[i] == 0) continue;
      for (const std::uint32_t body : {scratch_.rows[i].body_a, scratch_.rows[i].body_b}) {
        if (body != kImmovable) scratch_.constrained[body] = 1;
      }
    }
    integrate_positions(world_, h_, fixed.integrator, scratch_.motion, scratch_.constrained);
  }

  /// Adds the points that penetrate now and are not in the set. False when there are none.
  bool add_violated() {
    place_colliders(world_, 0, scratch_.colliders);
    DetectOptions detect;
    detect.threads = scratch_.runner.threads();
    detect_contacts(scratch_.colliders, scratch_.ignored, detect, scratch_.detection, local_.found);
    const bool added = merge();
    if (added) {
      std::swap(scratch_.contacts, local_.merged);
      island_contacts(world_, scratch_);
    }
    return added;
  }

  static std::pair<std::uint32_t, std::uint32_t> key(const Contact& c) { return {c.collider_a, c.collider_b}; }

  /// The set and the new points, in the order of pairs.
  bool merge() {
    const ContactSet& known = scratch_.contacts;
    ContactSet& merged = local_.merged;
    merged.clear();
    bool added = false;
    auto next = known.contacts.begin();
    const auto copy_known = [&] {
      Contact contact = *next;
      const std::span<const ContactPoint> points = known.points_of(contact);
      contact.first = static_cast<std::uint32_t>(merged.points.size());
      merged.points.insert(merged.points.end(), points.begin(), points.end());
      merged.contacts.push_back(contact);
      ++next;
    };
    for (const Contact& found : local_.found.contacts) {
      while (next != known.contacts.end() && key(*next) < key(found)) copy_known();
      const bool is_known = next != known.contacts.end() && key(*next) == key(found);
      if (is_known) copy_known();
      added = append_new_points(found, is_known, merged) || added;
    }
    while (next != known.contacts.end()) copy_known();
    return added;
  }

  bool append_new_points(const Contact& found, bool is_known, ContactSet& merged) {
    bool added = false;
    for (const ContactPoint& point : local_.found.points_of(found)) {
      if (point.gap >= -options_.fixed.slop) continue;
      if (!is_known && !added) {
        merged.contacts.push_back(found);
        merged.contacts.back().first = static_cast<std::uint32_t>(merged.points.size());
        merged.contacts.back().count = 0;
      }
      const std::span<const ContactPoint> before = merged.points_of(merged.contacts.back());
      const bool repeats = std::any_of(before.begin(), before.end(),
                                       [&](const ContactPoint& other) { return other.feature == point.feature; });
      if (repeats) continue;
      merged.points.push_back(move_back(found, point));
      ++merged.contacts.back().count;
      added = true;
    }
    return added;
  }

  /// The same two surface points where they were at the beginning of the step.
  [[nodiscard]] ContactPoint move_back(const Contact& contact, ContactPoint point) const {
    const auto before = [&](std::uint32_t body, const Vec3& x) -> Vec3 {
      const BodyArrays& bodies = world_.bodies;
      const Vec3 in_body = bodies.orientation[body].conjugate() * (x - bodies.position[body]);
      return local_.start.position[body] + local_.start.orientation[body] * in_body;
    };
    const Vec3 on_a = before(contact.body_a, point.position - 0.5 * point.gap * point.normal);
    const Vec3 on_b = before(contact.body_b, point.position + 0.5 * point.gap * point.normal);
    point.gap = options_.force_field ? 0 : point.normal.dot(on_b - on_a);
    point.position = 0.5 * (on_a + on_b);
    return point;
  }

  World& world_;
  const LcpRetroactiveOptions& options_;
  StepWorkspace& scratch_;
  RetroactiveWorkspace& local_;
  double h_;
};

}  // namespace

StepReport advance_lcp_retroactive(World& world, const LcpRetroactiveOptions& options, RetroactiveScratch& scratch,
                                   double h) {
  return RetroactiveStep(world, options, scratch, h).run();
}

}  // namespace achilles
