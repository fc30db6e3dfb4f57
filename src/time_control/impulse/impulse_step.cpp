#include "time_control/impulse/impulse_step.hpp"

#include "motion/integrate.hpp"
#include "time_control/impulse/impulse_flight.hpp"
#include "time_control/impulse/impulse_instant.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

using Event = ImpulseWorkspace::Event;

bool is_later(const Event& x, const Event& y) { return x.time != y.time ? x.time > y.time : x.pair > y.pair; }

class ImpulseStep {
 public:
  ImpulseStep(World& world, const ImpulseOptions& options, StepWorkspace& scratch, double h)
      : world_(world),
        bodies_(world.bodies),
        options_(options),
        scratch_(scratch),
        local_(scratch.impulse),
        h_(h),
        flights_(world, options.ballistic, scratch, h) {
    // A bounce lower than the tolerance cannot be told from rest.
    touch_ = {options.approach, std::max(options.rest_speed, std::sqrt(2 * world.gravity.norm() * options.tolerance))};
  }

  StepReport run() {
    flights_.begin();
    scratch_.mark("bodies");
    find_pairs_of_step();
    scratch_.mark("pairs");
    treat_start();
    for (std::int32_t k = 0; !report_.stopped && k < pair_count(); ++k) search(k);
    while (!local_.heap.empty() && !report_.stopped) {
      std::pop_heap(local_.heap.begin(), local_.heap.end(), is_later);
      const Event event = local_.heap.back();
      local_.heap.pop_back();
      if (event.stamp != local_.stamp[static_cast<std::size_t>(event.pair)]) continue;
      now_ = event.time;
      ++round_;
      if (event.again) {
        search(event.pair);
      } else {
        meet(event.pair);
      }
    }
    scratch_.mark("times of contact");
    const double end = report_.stopped ? now_ : h_;
    for (std::size_t i = 0; i < bodies_.size(); ++i) flights_.fly(i, end);
    scratch_.mark("flight");
    world_.time += end;
    ++world_.step_index;
    std::swap(scratch_.records, local_.records);
    return report_;
  }

 private:
  // ---- Pairs and when they meet
  // ---------------------------------------------------------------------------------------

  [[nodiscard]] std::int32_t pair_count() const { return static_cast<std::int32_t>(local_.swept.pairs.size()); }

  void find_pairs_of_step() {
    SweptPairs& swept = local_.swept;
    place_colliders(world_, 0, scratch_.colliders);
    list_ignored_pairs(world_, scratch_.ignored);
    swept.begin(world_);
    local_.moving.resize(world_.pieces.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) flights_.describe(i);
    for (std::uint32_t c = 0; c < local_.moving.size(); ++c) sweep(c);
    swept.find_all(scratch_.ignored, scratch_.runner);
    local_.stamp.clear();
    local_.searched.clear();
    local_.touched.clear();
    add_marks();
  }

  void add_marks() {
    local_.stamp.resize(local_.swept.pairs.size(), 0U);
    local_.searched.resize(local_.swept.pairs.size(), 0U);
    local_.touched.resize(local_.swept.pairs.size(), 0U);
  }

  /// What a collider sweeps in the step, with room for small changes of velocity.
  void sweep(std::uint32_t c) {
    const double radius = world_.pieces[c].geometry->radius;
    double room = 4 * options_.tolerance;
    if (local_.moving[c].movable) {
      room += 2 * world_.gravity.norm() * h_ * h_ + (std::isfinite(radius) ? 0.02 * radius : 0);
    }
    local_.swept.proxies[c] = make_swept_proxy(local_.moving[c], h_, room);
  }

  /// Where a body leaves what it was thought to sweep, its colliders are swept anew and new pairs are added.
  void widen(std::uint32_t i) {
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
      const Aabb& old = local_.swept.proxies[c].box;
      const Aabb now = make_swept_proxy(local_.moving[c], h_, 2 * options_.tolerance).box;
      if ((old.lower.array() <= now.lower.array()).all() && (now.upper.array() <= old.upper.array()).all()) continue;
      sweep(c);
      local_.swept.find_more(c, scratch_.ignored);
      add_marks();
    }
  }

  /// FIND-TOC, [Drumwright10, alg. 4], of one pair: the earliest time from now on at which it impacts. Contacts at
  /// which nothing does are passed over, which is what lines 15 to 18 mean by removing them.
  void search(std::int32_t index) {
    const auto k = static_cast<std::size_t>(index);
    local_.searched[k] = round_;
    const std::uint32_t stamp = ++local_.stamp[k];
    if (!(now_ < h_)) return;
    const ColliderPair& pair = local_.swept.pairs[k].pair;
    const MovingCollider &a = local_.moving[pair.a], &b = local_.moving[pair.b];
    ContactTimesOptions options;
    options.start = now_;
    options.tolerance = options_.tolerance;
    options.collide.margin = 1.5 * options_.tolerance;
    local_.times.clear();
    append_contact_times({*a.geometry, a.motion, *b.geometry, b.motion}, h_, options, local_.times);
    report_.costs.toi_calls += local_.times.searches;
    report_.costs.distance_calls += local_.times.distance_calls;
    for (ContactTime& contact : local_.times.times) {
      contact.body_a = a.body;
      contact.body_b = b.body;
      // Where the search was capped nothing is known beyond: go there and look again.
      const bool unknown = contact.kind == ContactTimeKind::kUnknown && contact.time > now_;
      if (unknown || is_active(contact)) {
        local_.heap.push_back({contact.time, index, stamp, unknown});
        std::push_heap(local_.heap.begin(), local_.heap.end(), is_later);
        return;
      }
      ++report_.costs.resting_skipped;
    }
  }

  /// Does a point of the contact close? The naive method takes one that rests as well.
  [[nodiscard]] bool is_active(const ContactTime& contact) const {
    // Nothing is known of a contact beyond the time at which it has become deeper.
    if (options_.skip_resting && contact.kind == ContactTimeKind::kDeepens) return true;
    double least = relaxed_approach(std::max(stalls_of(contact.body_a), stalls_of(contact.body_b)));
    // What was treated just now and still closes, but comes no deeper than a tenth of the tolerance in all that is left
    // of the step, is what the solver left over.
    if (contact.kind == ContactTimeKind::kAtStart) least = std::max(least, 0.1 * options_.tolerance / (h_ - now_));
    const auto closes = [&](const Vec3& at, const Vec3& normal) {
      const double rate = normal.dot(flights_.velocity_at(contact.body_b, contact.time, at) -
                                     flights_.velocity_at(contact.body_a, contact.time, at));
      return options_.skip_resting ? rate < -least : rate <= options_.approach;
    };
    const std::span<const ContactPoint> points = local_.times.points_of(contact);
    if (points.empty()) {
      return closes(0.5 * (contact.gap.point_a + contact.gap.point_b), contact.gap.normal);
    }
    return std::any_of(points.begin(), points.end(),
                       [&](const ContactPoint& point) { return closes(point.position, point.normal); });
  }

  // ---- Instants
  // -------------------------------------------------------------------------------------------------------

  /// Rounds of a body at the present time.
  [[nodiscard]] int stalls_of(std::uint32_t i) const {
    constexpr double kNoTime = 1e-12;
    return now_ - local_.last_event[i] <= kNoTime * h_ ? local_.stalls[i] : 0;
  }

  /// Rounds at one time: what the solver cannot bring below the threshold, in a heap with friction, is let go on more
  /// and more slowly closing contacts. They meet again as soon as they are deeper by the tolerance.
  [[nodiscard]] double relaxed_approach(int stalls) const {
    if (!options_.skip_resting) return options_.approach;
    return std::min(options_.approach * std::pow(10.0, stalls / 5), 0.1 * touch_.rest_speed);
  }

  /// The groups at the beginning of the step.
  void treat_start() {
    ++round_;
    if (!options_.independent) {
      treat(local_.together);
      return;
    }
    for (const std::uint32_t i : local_.together) {
      if (report_.stopped) return;
      if (local_.entered[i] != round_) treat({&i, 1});
    }
  }

  /// Two bodies meet now.
  void meet(std::int32_t index) {
    const std::array<std::uint32_t, 2> two = local_.swept.bodies_of(index);
    int stalls = 0, events = 0;
    for (const std::uint32_t i : two) {
      local_.stalls[i] = local_.last_event[i] < 0 ? 0 : stalls_of(i) + 1;
      local_.last_event[i] = now_;
      if (scratch_.movable[i] == 0) continue;
      stalls = std::max(stalls, local_.stalls[i]);
      events = std::max(events, ++local_.events[i]);
    }
    // Algorithm 1 comes back to a resting contact without end; what treats all of a set at once needs at most a few
    // rounds at one time.
    constexpr int kMaxStalls = 50;
    if (events > options_.max_events || stalls > kMaxStalls) return stop_at_zeno_point(two, events);
    touch_.approach = relaxed_approach(stalls);
    treat(options_.independent ? std::span<const std::uint32_t>(two) : local_.together);
    touch_.approach = options_.approach;
    if (!report_.stopped && local_.searched[static_cast<std::size_t>(index)] != round_) search(index);
  }

  /// Treats all that touches the given bodies, and what touches that, and so on; then finds out when they meet next.
  void treat(std::span<const std::uint32_t> seeds) {
    scratch_.mark("times of contact");
    collect_touching(seeds);
    scratch_.mark("collision detection");
    for (const std::uint32_t i : local_.group) scratch_.inverse_mass[i] = compute_inverse_mass(bodies_, i);
    if (!scratch_.contacts.points.empty()) {
      ++report_.groups;
      report_.contacts = std::max(report_.contacts, static_cast<int>(scratch_.contacts.points.size()));
      treat_instant({world_, options_, touch_, scratch_, report_, h_, h_ - now_});
    }
    scratch_.mark("impacts");
    for (std::size_t k = 0; k < local_.group.size(); ++k) {
      const std::uint32_t i = local_.group[k];
      if (options_.independent && !has_changed(i, local_.before[k])) continue;
      flights_.describe(i);
      widen(i);
    }
    if (now_ == 0) return;
    for (std::size_t k = 0; k < local_.group.size(); ++k) {
      const std::uint32_t i = local_.group[k];
      if (options_.independent && !has_changed(i, local_.before[k])) continue;
      local_.swept.for_each_of(i, [&](std::int32_t pair) {
        if (local_.searched[static_cast<std::size_t>(pair)] != round_) search(pair);
      });
    }
  }

  [[nodiscard]] bool has_changed(std::uint32_t i, const ImpulseWorkspace::Before& before) const {
    return local_.carried[i] != before.carried || bodies_.velocity[i].linear != before.velocity.linear ||
           bodies_.velocity[i].angular != before.velocity.angular || bodies_.position[i] != before.position ||
           bodies_.orientation[i].coeffs() != before.orientation.coeffs();
  }

  void enter(std::uint32_t i) {
    if (scratch_.movable[i] == 0 || local_.entered[i] == round_) return;
    local_.entered[i] = round_;
    flights_.fly(i, now_);
    local_.group.push_back(i);
    local_.before.push_back({bodies_.position[i], bodies_.orientation[i], bodies_.velocity[i], local_.carried[i]});
  }

  /// The bodies that the given ones touch, at any remove, and the contacts between them.
  void collect_touching(std::span<const std::uint32_t> seeds) {
    local_.group.clear();
    local_.before.clear();
    local_.touches.clear();
    local_.found.clear();
    for (const std::uint32_t i : seeds) enter(i);
    for (std::size_t k = 0; k < local_.group.size(); ++k) {
      local_.swept.for_each_of(local_.group[k], [&](std::int32_t pair) { look_for_touch(pair); });
    }
    const auto pair_of = [&](const ImpulseWorkspace::Touch& touch) {
      return local_.swept.pairs[static_cast<std::size_t>(touch.pair)].pair;
    };
    std::sort(local_.touches.begin(), local_.touches.end(), [&](const auto& x, const auto& y) {
      const ColliderPair p = pair_of(x), q = pair_of(y);
      return p.a != q.a ? p.a < q.a : p.b < q.b;
    });
    scratch_.contacts.clear();
    local_.near.clear();
    for (const ImpulseWorkspace::Touch& touch : local_.touches) {
      const ColliderPair pair = pair_of(touch);
      append_contact(pair, touch.first, touch.touching, scratch_.contacts);
      const bool both = (!local_.moving[pair.a].movable || local_.entered[local_.moving[pair.a].body] == round_) &&
                        (!local_.moving[pair.b].movable || local_.entered[local_.moving[pair.b].body] == round_);
      if (both) append_contact(pair, touch.first + touch.touching, touch.count - touch.touching, local_.near);
    }
  }

  void append_contact(const ColliderPair& pair, std::uint32_t first, std::uint32_t count, ContactSet& set) const {
    if (count == 0) return;
    set.contacts.push_back({pair.a, pair.b, local_.moving[pair.a].body, local_.moving[pair.b].body,
                            static_cast<std::uint32_t>(set.points.size()), count});
    set.points.insert(set.points.end(), local_.found.begin() + first, local_.found.begin() + first + count);
  }

  void look_for_touch(std::int32_t index) {
    const auto k = static_cast<std::size_t>(index);
    if (local_.touched[k] == round_) return;
    local_.touched[k] = round_;
    const ColliderPair& pair = local_.swept.pairs[k].pair;
    const MovingCollider &a = local_.moving[pair.a], &b = local_.moving[pair.b];
    const auto first = static_cast<std::uint32_t>(local_.found.size());
    const double touching = 1.5 * options_.tolerance, left = h_ - now_;
    const double near =
        options_.skip_resting && !options_.lcp
            ? 2 * left * left * (local_.acceleration[a.body].norm() + local_.acceleration[b.body].norm())
            : 0;
    // All points, as continuous detection sees them: four can rest while another still approaches.
    const CollideOptions options{std::max(touching, near), true};
    collide(*a.geometry, compute_pose(a.motion, now_), *b.geometry, compute_pose(b.motion, now_), options,
            local_.found);
    const auto count = static_cast<std::uint32_t>(local_.found.size()) - first;
    if (count == 0) return;
    const auto middle = std::stable_partition(local_.found.begin() + first, local_.found.end(),
                                              [&](const ContactPoint& point) { return point.gap <= touching; });
    const auto touches = static_cast<std::uint32_t>(middle - local_.found.begin()) - first;
    local_.touches.push_back({index, first, touches, count});
    if (touches == 0) return;
    enter(a.body);
    enter(b.body);
  }

  void stop_at_zeno_point(const std::array<std::uint32_t, 2>& two, int events) {
    const std::string pair = "'" + world_.names[two[0]] + "' and '" + world_.names[two[1]] + "'";
    report_.stopped = Stop{"zeno-point", world_.time + now_,
                           "time does not advance: after " + std::to_string(events) + " impacts the contact between " +
                               pair + " is still there"};
  }

  World& world_;
  BodyArrays& bodies_;
  const ImpulseOptions& options_;
  StepWorkspace& scratch_;
  ImpulseWorkspace& local_;
  double h_;
  ImpulseFlights flights_;
  double now_ = 0;           // [s] of the step
  std::uint32_t round_ = 0;  // of instants and searches
  TouchOptions touch_;
  StepReport report_;
};

}  // namespace

StepReport advance_impulse(World& world, const ImpulseOptions& options, StepWorkspace& scratch, double h) {
  StepReport report = ImpulseStep(world, options, scratch, h).run();
  clear_applied_forces(world.bodies);
  return report;
}

}  // namespace achilles
