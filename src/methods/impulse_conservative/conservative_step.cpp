#include "methods/impulse_conservative/conservative_step.hpp"

#include "collision/continuous/time_of_contact.hpp"
#include "math/refill.hpp"
#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

using Zone = ImpactCandidate::Zone;

/// Orders the heap: the earliest on top, ends of flights before pairs, else by number.
bool is_later(const ImpactEvent& x, const ImpactEvent& y) {
  if (x.time != y.time) return x.time > y.time;
  if (x.candidate != y.candidate) return x.candidate > y.candidate;
  return x.body > y.body;
}

/// The tolerance, but at most a thousandth of the radius of the smallest shape that can move: bodies that rest
/// bounce within it, and a stack of small ones would walk apart.
double choose_tolerance(const World& world, double requested) {
  constexpr double kShareOfRadius = 0.001;
  double smallest = std::numeric_limits<double>::infinity();
  for (const WorldPiece& piece : world.pieces) {
    if (world.bodies.is_movable(piece.body)) smallest = std::min(smallest, piece.geometry->radius);
  }
  return std::min(requested, kShareOfRadius * smallest);
}

class ConservativeStep {
 public:
  ConservativeStep(World& world, const ConservativeOptions& options, ConservativeScratch& scratch, double h)
      : world_(world),
        bodies_(world.bodies),
        options_(options),
        scratch_(scratch),
        local_(scratch.conservative),
        h_(h),
        band_(choose_tolerance(world, options.tolerance)),
        // Several contacts that press on one another force it some hundredths below the band.
        tolerance_(0.9 * band_),
        frame_{h, 0.05 * band_} {
    const double fall = std::sqrt(2 * world.gravity.norm() * tolerance_);
    rise_time_ = fall > 0 ? 0.2 * fall / world.gravity.norm() : h;
    impact_.law = options.impact;
    impact_.micro = {options.static_friction, options.micro_speed > 0 ? options.micro_speed : std::sqrt(2.0) * fall,
                     0.2 * fall, -0.5 * tolerance_, tolerance_};
  }

  StepReport run() {
    prepare();
    scratch_.mark("bodies");
    find_candidates();
    scratch_.mark("pairs");
    while (!local_.heap.empty() && !report_.stopped) {
      std::pop_heap(local_.heap.begin(), local_.heap.end(), is_later);
      const ImpactEvent event = local_.heap.back();
      local_.heap.pop_back();
      now_ = event.time;
      if (event.candidate < 0) {
        if (event.stamp == local_.flight_stamp[event.body]) renew_flight(event.body);
      } else if (event.stamp == local_.candidates[static_cast<std::size_t>(event.candidate)].stamp) {
        look_at(event.candidate);
      }
    }
    scratch_.mark("times of contact");
    for (std::size_t i = 0; i < bodies_.size(); ++i) fly(i, report_.stopped ? now_ : h_);
    scratch_.mark("flight");
    return report_;
  }

 private:
  [[nodiscard]] bool flies(std::size_t i) const {
    return bodies_.kind[i] != BodyKind::kFixed && bodies_.asleep[i] == 0;
  }

  void prepare() {
    prepare_bodies(world_, {world_.time, h_}, scratch_);
    scratch_.records.clear();
    const std::size_t n = bodies_.size();
    refill(local_.flights, n, Flight{});
    refill(local_.flight_stamp, n, 0U);
    local_.swept.begin(world_);
    local_.heap.clear();
    local_.candidates.clear();
    place_colliders(world_, 0, scratch_.colliders);
    list_ignored_pairs(world_, scratch_.ignored);
    local_.moving.resize(world_.pieces.size());
    for (std::size_t i = 0; i < n; ++i) begin_flight(i);
  }

  void begin_flight(std::size_t i) {
    Flight& flight = local_.flights[i];
    flight.until = h_;
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
      const double arm = world_.pieces[c].X_CG.p.norm();
      flight.reach = std::max(flight.reach, arm + world_.pieces[c].geometry->radius);
    }
    if (scratch_.movable[i] != 0) {
      const Vec3 force = bodies_.constant_force[i] + bodies_.applied_force[i] + bodies_.mass[i] * world_.gravity;
      flight.acceleration = scratch_.inverse_mass[i].linear.cwiseProduct(force);
    }
    describe_flight(i);
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c)
      sweep_collider(c);
  }

  /// The flight from the present state on, and the motions of the body's colliders.
  void describe_flight(std::size_t i) {
    Flight& flight = local_.flights[i];
    if (flies(i)) take_off(bodies_, i, frame_, flight);
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
      const Collider& collider = scratch_.colliders[c];
      local_.moving[c] = flies(i)
                             ? MovingCollider{collider.geometry, make_flight_motion(bodies_, world_.pieces[c], flight),
                                              collider.body, collider.movable}
                             : make_resting(collider);
      local_.moving[c].movable = scratch_.movable[i] != 0;
    }
    const std::uint32_t stamp = ++local_.flight_stamp[i];
    if (flight.until < h_) push({flight.until, -1, static_cast<std::uint32_t>(i), stamp});
  }

  void renew_flight(std::uint32_t i) {
    fly(i, now_);
    describe_flight(i);
    widen_sweeps(i);
  }

  void fly(std::size_t i, double t) {
    if (flies(i)) fly_to(bodies_, i, t, local_.flights[i]);
  }

  void push(const ImpactEvent& event) {
    local_.heap.push_back(event);
    std::push_heap(local_.heap.begin(), local_.heap.end(), is_later);
  }

  // ---- Which pairs can meet, [Mirtich95, sec. 3.2]
  // --------------------------------------------------------------------

  /// The proxy of what a collider sweeps from now to the end of the frame.
  [[nodiscard]] BroadPhaseProxy make_sweep(std::uint32_t c, double margin) const {
    const std::size_t body = world_.pieces[c].body;
    MovingCollider moving = local_.moving[c];
    if (flies(body)) {
      Flight from_now = local_.flights[body];
      from_now.since = 0;
      moving.motion = make_flight_motion(bodies_, world_.pieces[c], from_now);
    }
    return make_swept_proxy(moving, h_ - local_.flights[body].since, margin);
  }

  /// With room for the changes of velocity that microcollisions make, so that those need no new search.
  void sweep_collider(std::uint32_t c) {
    const double radius = world_.pieces[c].geometry->radius;
    const double room = 4 * h_ * impact_.micro.speed + (std::isfinite(radius) ? 0.02 * radius : 0);
    local_.swept.proxies[c] = make_sweep(c, 4 * tolerance_ + (scratch_.movable[world_.pieces[c].body] != 0 ? room : 0));
  }

  void find_candidates() {
    local_.swept.find_all(scratch_.ignored, scratch_.runner);
    add_candidates();
  }

  /// Pairs that were found since the last time are looked at now.
  void add_candidates() {
    for (std::size_t k = local_.candidates.size(); k < local_.swept.pairs.size(); ++k) {
      local_.candidates.emplace_back();
      push({now_, static_cast<std::int32_t>(k), 0, 0});
    }
  }

  /// Where a body leaves what it was thought to sweep, its colliders are swept anew and new pairs are added.
  void widen_sweeps(std::uint32_t i) {
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
      const Aabb& old = local_.swept.proxies[c].box;
      const Aabb now = make_sweep(c, 2 * tolerance_).box;
      if ((old.lower.array() <= now.lower.array()).all() && (now.upper.array() <= old.upper.array()).all()) continue;
      sweep_collider(c);
      local_.swept.find_more(c, scratch_.ignored);
      add_candidates();
    }
  }

  // ---- One event
  // ------------------------------------------------------------------------------------------------------

  /// Gap at which the pair collides, and down to which it may come before that is noticed.
  [[nodiscard]] GapLevels levels_of(ImpactCandidate& candidate, double gap) const {
    if (gap > tolerance_) candidate.zone = Zone::kApart;
    if (candidate.zone == Zone::kFresh) candidate.zone = Zone::kNear;
    if (candidate.zone == Zone::kApart) return {0.5 * tolerance_, tolerance_};
    const double bottom = -0.75 * tolerance_;
    // What bounced deeper than that takes its floor along on the way up, so that it does not sink from bounce to
    // bounce.
    candidate.floor = std::max(candidate.floor, std::min(bottom, gap - 0.02 * tolerance_));
    if (candidate.floor >= bottom) return {-tolerance_, bottom};
    return {candidate.floor - (candidate.floor < -tolerance_ ? 0.002 : 0.02) * tolerance_, candidate.floor};
  }

  void look_at(std::int32_t index) {
    ImpactCandidate& candidate = local_.candidates[static_cast<std::size_t>(index)];
    const ColliderPair& colliders = local_.swept.pairs[static_cast<std::size_t>(index)].pair;
    const MovingCollider &a = local_.moving[colliders.a], &b = local_.moving[colliders.b];
    const double end = std::min({h_, local_.flights[a.body].until, local_.flights[b.body].until});
    const MovingPair pair(*a.geometry, a.motion, *b.geometry, b.motion);
    const SignedDistance gap = pair.compute_gap(now_, 2 * tolerance_);
    ++report_.costs.distance_calls;
    ++report_.costs.toi_calls;
    const GapLevels levels = levels_of(candidate, gap.distance);
    if (report_.costs.distance_calls > options_.max_events) return stop_at_zeno_point(a.body, b.body);
    if (gap.distance <= levels.upper) return collide_pair(index, gap);
    double next = end;
    // A look near the top of the smallest bounce.
    if (candidate.zone == Zone::kNear && candidate.floor < -0.75 * tolerance_) next = std::min(end, now_ + rise_time_);
    if (pair.is_on_surface()) {
      const FirstContact found = find_first_descent(pair, now_, next, levels, kMaxIterations);
      report_.costs.distance_calls += found.iterations;
      if (found.status != ContactSearchStatus::kApart) next = found.time;
    } else if (next > now_) {
      const GapGoal goal{levels.lower, 0.5 * (levels.lower + levels.upper)};
      next = now_ + pair.compute_safe_step(now_, gap, next - now_, goal);
    }
    schedule(index, next);
  }

  void schedule(std::int32_t index, double time) {
    if (time < h_) push({time, index, 0, ++local_.candidates[static_cast<std::size_t>(index)].stamp});
  }

  void collide_pair(std::int32_t index, const SignedDistance& gap) {
    scratch_.mark("times of contact");
    const std::array<std::uint32_t, 2> two = local_.swept.bodies_of(index);
    for (const std::uint32_t body : two) {
      fly(body, now_);
      scratch_.inverse_mass[body] = compute_inverse_mass(bodies_, body);
    }
    find_points(index, gap);
    const std::size_t first_record = scratch_.records.size();
    const PairImpactReport result = resolve_pair_impact(world_, {two[0], two[1], local_.points}, impact_,
                                                        scratch_.inverse_mass, local_.impact, scratch_.records);
    report_.impacts += result.collisions + result.microcollisions;
    report_.costs.energy_added += result.energy_added;
    ++(scratch_.records.size() > first_record ? report_.costs.events : report_.costs.resting_skipped);
    for (std::size_t k = first_record; k < scratch_.records.size(); ++k) {
      report_.external_work += measure_script_work(bodies_, scratch_.records[k], scratch_.records[k].impulse);
    }
    ImpactCandidate& candidate = local_.candidates[static_cast<std::size_t>(index)];
    candidate.zone = Zone::kNear;
    candidate.floor =
        std::min(-0.75 * tolerance_, gap.distance - (gap.distance < -tolerance_ ? 0.001 : 0.01) * tolerance_);
    for (const std::uint32_t body : two) restart(body);
    scratch_.mark("impacts");
  }

  /// Points where the bodies of a pair of colliders touch at their present poses, with all their shapes.
  void find_points(std::int32_t index, const SignedDistance& gap) {
    local_.points.clear();
    const double margin = std::max(0.0, gap.distance) + tolerance_;
    append_points(index, margin);
    if (local_.points.empty()) {
      const ContactPoint nearest{0.5 * (gap.point_a + gap.point_b), gap.normal, gap.distance, 0};
      append_point(index, nearest);
    }
    const std::array<std::uint32_t, 2> two = local_.swept.bodies_of(index);
    local_.swept.for_each_of(two[0], [&](std::int32_t other) {
      if (other != index && local_.swept.bodies_of(other) == two) append_points(other, margin);
    });
  }

  void append_points(std::int32_t index, double margin) {
    const ColliderPair& pair = local_.swept.pairs[static_cast<std::size_t>(index)].pair;
    const auto pose = [&](std::uint32_t c) {
      const WorldPiece& piece = world_.pieces[c];
      return Transform{bodies_.orientation[piece.body].toRotationMatrix(), bodies_.position[piece.body]} * piece.X_CG;
    };
    local_.found.clear();
    collide(*scratch_.colliders[pair.a].geometry, pose(pair.a), *scratch_.colliders[pair.b].geometry, pose(pair.b),
            {margin, false}, local_.found);
    for (const ContactPoint& point : local_.found) append_point(index, point);
  }

  void append_point(std::int32_t index, const ContactPoint& point) {
    const ColliderPair& pair = local_.swept.pairs[static_cast<std::size_t>(index)].pair;
    const ContactLaw& law =
        world_.materials.law(scratch_.colliders[pair.a].material, scratch_.colliders[pair.b].material);
    local_.points.push_back({point, law.friction, law.restitution});
  }

  /// After a collision of the body: its flight begins anew, and all its pairs are looked at again.
  void restart(std::uint32_t body) {
    if (scratch_.movable[body] == 0) return;
    describe_flight(body);
    widen_sweeps(body);
    local_.swept.for_each_of(body, [&](std::int32_t k) { schedule(k, now_); });
  }

  void stop_at_zeno_point(std::uint32_t a, std::uint32_t b) {
    std::string message = "a frame takes more than ";
    message += std::to_string(options_.max_events);
    message += " looks at pairs, the last one at '";
    message += world_.names[a];
    message += "' and '";
    message += world_.names[b];
    message += "'";
    report_.stopped = Stop{"zeno-point", world_.time + now_, message};
  }

  static constexpr int kMaxIterations = 1000;

  World& world_;
  BodyArrays& bodies_;
  const ConservativeOptions& options_;
  ConservativeScratch& scratch_;
  ConservativeWorkspace& local_;
  double h_;
  double band_;  // [m]
  double tolerance_;
  FlightFrame frame_;
  PairImpactOptions impact_;
  double rise_time_ = 0;  // [s] from a bounce with the least speed to its top
  double now_ = 0;        // [s] of the frame
  StepReport report_;
};

}  // namespace

StepReport advance_conservative(World& world, const ConservativeOptions& options, ConservativeScratch& scratch,
                                double h) {
  StepReport report = ConservativeStep(world, options, scratch, h).run();
  clear_applied_forces(world.bodies);
  return report;
}

}  // namespace achilles
