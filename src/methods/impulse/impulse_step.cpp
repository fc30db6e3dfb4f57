#include "methods/impulse/impulse_step.hpp"

#include "methods/impulse/impulse_flight.hpp"
#include "methods/impulse/impulse_instant.hpp"
#include "motion/integrate.hpp"
#include "world/colliders.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

using Event = ImpulseWorkspace::Event;
using EventKind = ImpulseWorkspace::EventKind;

/// Ends of described ways come before what pairs do at the same time.
bool is_later(const Event& x, const Event& y) {
  if (x.time != y.time) return x.time > y.time;
  const bool renews_x = x.kind == EventKind::kRenew, renews_y = y.kind == EventKind::kRenew;
  return renews_x != renews_y ? renews_y : x.index > y.index;
}

class ImpulseStep {
 public:
  ImpulseStep(World& world, const ImpulseOptions& options, ImpulseScratch& scratch, double h)
      : world_(world),
        bodies_(world.bodies),
        options_(options),
        scratch_(scratch),
        local_(scratch.impulse),
        h_(h),
        flights_(world, options.ballistic, options.tolerance, scratch, h) {
    // A bounce lower than the tolerance is indistinguishable from rest.
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
      if (is_out_of_date(event)) continue;
      now_ = event.time;
      ++round_;
      take_up(event);
    }
    scratch_.mark("times of contact");
    const double end = report_.stopped ? now_ : h_;
    for (std::size_t i = 0; i < bodies_.size(); ++i) flights_.fly(i, end);
    scratch_.mark("flight");
    if (report_.stopped) report_.stopped->time = world_.time + end;
    std::swap(scratch_.records, local_.records);
    return report_;
  }

 private:
  [[nodiscard]] bool is_out_of_date(const Event& event) const {
    const auto k = static_cast<std::size_t>(event.index);
    return event.stamp != (event.kind == EventKind::kRenew ? local_.ways[k].stamp : local_.stamp[k]);
  }

  void take_up(const Event& event) {
    switch (event.kind) {
      case EventKind::kMeet:
        return meet(event.index);
      case EventKind::kAgain:
        return search(event.index);
      case EventKind::kRenew: {
        const auto i = static_cast<std::uint32_t>(event.index);
        local_.ways[i].span *= 2;
        return describe_anew({&i, 1});
      }
      case EventKind::kRefine: {
        std::array<std::uint32_t, 2> two = local_.swept.bodies_of(event.index);
        const auto end = std::remove_if(two.begin(), two.end(), [&](std::uint32_t i) { return !flights_.shorten(i); });
        return describe_anew({two.data(), static_cast<std::size_t>(end - two.begin())});
      }
    }
  }

  void push(const Event& event) {
    local_.heap.push_back(event);
    std::push_heap(local_.heap.begin(), local_.heap.end(), is_later);
  }

  /// The way of a body from now on.
  void describe(std::uint32_t i) {
    flights_.describe(i, now_);
    const ImpulseWorkspace::DescribedWay& way = local_.ways[i];
    if (way.until < h_) push({way.until, static_cast<std::int32_t>(i), way.stamp, EventKind::kRenew});
  }

  /// Ways of bodies that no event has changed; then when they meet what is near them.
  void describe_anew(std::span<const std::uint32_t> some) {
    for (const std::uint32_t i : some) {
      describe(i);
      widen(i);
    }
    for (const std::uint32_t i : some) search_pairs_of(i);
  }

  void search_pairs_of(std::uint32_t i) {
    local_.swept.for_each_of(i, [&](std::int32_t pair) {
      if (local_.searched[static_cast<std::size_t>(pair)] != round_) search(pair);
    });
  }

  // ---- Pairs and when they meet
  // ---------------------------------------------------------------------------------------

  [[nodiscard]] std::int32_t pair_count() const { return static_cast<std::int32_t>(local_.swept.pairs.size()); }

  void find_pairs_of_step() {
    SweptPairs& swept = local_.swept;
    place_colliders(world_, 0, scratch_.colliders);
    list_ignored_pairs(world_, scratch_.ignored);
    swept.begin(world_);
    local_.moving.resize(world_.pieces.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) describe(i);
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
    double room = 4 * options_.tolerance + 2 * local_.ways[local_.moving[c].body].error;
    if (local_.moving[c].movable) {
      room += 2 * world_.gravity.norm() * h_ * h_ + (std::isfinite(radius) ? 0.02 * radius : 0);
    }
    local_.swept.proxies[c] = make_swept_proxy(local_.moving[c], h_, room);
  }

  /// Where a body leaves what it was thought to sweep, its colliders are swept anew and new pairs are added.
  void widen(std::uint32_t i) {
    for (std::uint32_t c = local_.swept.first_collider[i]; c < local_.swept.first_collider[i + 1]; ++c) {
      const Aabb& old = local_.swept.proxies[c].box;
      const Aabb now = make_swept_proxy(local_.moving[c], h_, 2 * (options_.tolerance + local_.ways[i].error)).box;
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
    const ColliderPair& colliders = local_.swept.pairs[k].pair;
    const MovingCollider &a = local_.moving[colliders.a], &b = local_.moving[colliders.b];
    const ImpulseWorkspace::DescribedWay &way_a = local_.ways[a.body], &way_b = local_.ways[b.body];
    const double known = std::min({h_, way_a.until, way_b.until});
    const double end = std::min(known, now_ + std::min(look_ahead(way_a), look_ahead(way_b)));
    if (!(now_ < end)) return;  // at the end of a way the pairs of its body are searched again
    const MovingPair pair(*a.geometry, a.motion, *b.geometry, b.motion);
    if (std::max(way_a.error, way_b.error) > flights_.least_error()) {
      return search_coarsely({known, index, stamp, EventKind::kRefine}, pair, way_a.error + way_b.error);
    }
    ContactTimesOptions options;
    options.start = now_;
    options.tolerance = options_.tolerance;
    options.collide.margin = 1.5 * options_.tolerance;
    options.is_last = [this, index](const ContactTimeSet& set) { return is_event(index, set.times.back()); };
    local_.times.clear();
    append_contact_times(pair, end, options, local_.times);
    report_.costs.toi_calls += local_.times.searches;
    report_.costs.distance_calls += local_.times.distance_calls;
    report_.costs.resting_skipped += static_cast<std::int64_t>(local_.times.times.size());
    if (local_.times.times.empty() || !is_event(index, local_.times.times.back())) {
      if (end < known) push({end, index, stamp, EventKind::kAgain});
      return;
    }
    --report_.costs.resting_skipped;
    const ContactTime& contact = local_.times.times.back();
    push({contact.time, index, stamp, is_unknown(contact) ? EventKind::kAgain : EventKind::kMeet});
  }

  /// [s] that it pays to search: what was described twice within a short time will soon be described again, and all
  /// that was found beyond is then out of date.
  [[nodiscard]] double look_ahead(const ImpulseWorkspace::DescribedWay& way) const {
    constexpr double kTimes = 4, kLeast = 1e-3;  // of the time since the description before the last; of the step
    return std::max(kTimes * (now_ - way.before), kLeast * h_);
  }

  /// Where the search was capped nothing is known beyond: go there and look again.
  [[nodiscard]] bool is_unknown(const ContactTime& contact) const {
    return contact.kind == ContactTimeKind::kUnknown && contact.time > now_;
  }

  [[nodiscard]] bool is_event(std::int32_t index, const ContactTime& contact) const {
    return is_unknown(contact) || is_active(index, contact);
  }

  /// Ways that may be off by `error` [m] in all: the pair stays apart while they keep a larger gap than that, and is
  /// looked at more closely where they do not.
  void search_coarsely(Event event, const MovingPair& pair, double error) {
    constexpr int kMostDistances = 1000;
    const double least = 2 * options_.tolerance;
    const FirstContact found =
        find_first_descent(pair, now_, event.time, {least + error, least + 2 * error}, kMostDistances);
    ++report_.costs.toi_calls;
    report_.costs.distance_calls += found.iterations;
    if (found.status == ContactSearchStatus::kApart) return;
    event.time = found.time;
    push(event);
  }

  /// Does a point of the contact close? The naive method takes one that rests as well.
  [[nodiscard]] bool is_active(std::int32_t index, const ContactTime& contact) const {
    // Nothing is known of a contact beyond the time at which it has become deeper.
    if (options_.skip_resting && contact.kind == ContactTimeKind::kDeepens) return true;
    double least = options_.approach;
    // What closes no faster than the solver left points of these bodies closing rests until it is deeper by the
    // tolerance, so that no time sees the same contact twice. So does what was treated and comes no deeper than a tenth
    // of it in the rest of the step.
    if (contact.kind == ContactTimeKind::kAtStart) {
      least = std::max(least, 0.1 * options_.tolerance / (h_ - now_));
    }
    const std::array<std::uint32_t, 2> two = local_.swept.bodies_of(index);
    least = std::max(least, (1 + 1e-9) * std::max(local_.left_over[two[0]], local_.left_over[two[1]]));
    const auto closes = [&](const Vec3& at, const Vec3& normal) {
      const double rate =
          normal.dot(flights_.velocity_at(two[1], contact.time, at) - flights_.velocity_at(two[0], contact.time, at));
      return options_.skip_resting ? rate < -least : rate <= options_.approach;
    };
    const std::span<const ContactPoint> points = local_.times.points_of(contact);
    if (points.empty()) {
      return closes(0.5 * (contact.gap.point_a + contact.gap.point_b), contact.gap.normal);
    }
    // Points between the two distances that touch() and continuous detection call touch decide nothing: an instant
    // might not treat them, and the time would come again.
    return std::any_of(points.begin(), points.end(), [&](const ContactPoint& point) {
      return point.gap <= 1.25 * options_.tolerance && closes(point.position, point.normal);
    });
  }

  // ---- Instants
  // -------------------------------------------------------------------------------------------------------

  /// Rounds of a body at the present time.
  [[nodiscard]] int stalls_of(std::uint32_t i) const {
    constexpr double kNoTime = 1e-12;
    return now_ - local_.last_event[i] <= kNoTime * h_ ? local_.stalls[i] : 0;
  }

  /// The islands at the beginning of the step.
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
    treat(options_.independent ? std::span<const std::uint32_t>(two) : local_.together);
    if (!report_.stopped && local_.searched[static_cast<std::size_t>(index)] != round_) search(index);
  }

  /// Treats all that touches the given bodies, and what touches that, and so on; then finds out when they meet next.
  void treat(std::span<const std::uint32_t> seeds) {
    scratch_.mark("times of contact");
    collect_touching(seeds);
    scratch_.mark("collision detection");
    for (const std::uint32_t i : local_.island) scratch_.inverse_mass[i] = compute_inverse_mass(bodies_, i);
    if (!scratch_.contacts.points.empty()) {
      ++report_.islands;
      report_.contacts = std::max(report_.contacts, static_cast<int>(scratch_.contacts.points.size()));
      treat_instant({world_, options_, touch_, scratch_, report_, h_, h_ - now_});
      keep_left_over();
    }
    scratch_.mark("impacts");
    for (std::size_t k = 0; k < local_.island.size(); ++k) {
      const std::uint32_t i = local_.island[k];
      if (options_.independent && !has_changed(i, local_.before[k])) continue;
      describe(i);
      widen(i);
    }
    if (now_ == 0) return;
    for (std::size_t k = 0; k < local_.island.size(); ++k) {
      const std::uint32_t i = local_.island[k];
      if (options_.independent && !has_changed(i, local_.before[k])) continue;
      search_pairs_of(i);
    }
  }

  /// How fast points of the instant still close.
  void keep_left_over() {
    double most = 0;
    for (const std::uint32_t row : scratch_.rows_of_point) {
      most = std::max(most, approach_of(scratch_.rows[row], bodies_.velocity));
    }
    for (const std::uint32_t i : local_.island) local_.left_over[i] = most;
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
    local_.island.push_back(i);
    local_.before.push_back({bodies_.position[i], bodies_.orientation[i], bodies_.velocity[i], local_.carried[i]});
  }

  /// The bodies that the given ones touch, at any remove, and the contacts between them.
  void collect_touching(std::span<const std::uint32_t> seeds) {
    local_.island.clear();
    local_.before.clear();
    local_.touches.clear();
    local_.found.clear();
    for (const std::uint32_t i : seeds) enter(i);
    for (std::size_t k = 0; k < local_.island.size(); ++k) {
      local_.swept.for_each_of(local_.island[k], [&](std::int32_t pair) { look_for_touch(pair); });
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
    const std::uint32_t touches = flights_.append_touch(pair, now_, touching, near);
    const auto count = static_cast<std::uint32_t>(local_.found.size()) - first;
    if (count == 0) return;
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
  ImpulseScratch& scratch_;
  ImpulseWorkspace& local_;
  double h_;
  ImpulseFlights flights_;
  double now_ = 0;           // [s] of the step
  std::uint32_t round_ = 0;  // of instants and searches
  TouchOptions touch_;
  StepReport report_;
};

}  // namespace

StepReport advance_impulse(World& world, const ImpulseOptions& options, ImpulseScratch& scratch, double h) {
  StepReport report = ImpulseStep(world, options, scratch, h).run();
  clear_applied_forces(world.bodies);
  return report;
}

}  // namespace achilles
