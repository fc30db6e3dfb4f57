#include "world/events.hpp"

#include "collision/queries/overlap.hpp"
#include "math/finite.hpp"
#include "math/refill.hpp"
#include "world/colliders.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <tuple>

namespace achilles {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kTriggerIn:
      return "trigger-in";
    case EventKind::kTriggerOut:
      return "trigger-out";
    case EventKind::kNewTouch:
      return "new-touch";
    case EventKind::kPersistentTouch:
      return "persistent-touch";
    case EventKind::kVanishedTouch:
      return "vanished-touch";
    case EventKind::kNewProximity:
      return "new-proximity";
    case EventKind::kPersistentProximity:
      return "persistent-proximity";
    case EventKind::kVanishedProximity:
      return "vanished-proximity";
    case EventKind::kTimer:
      return "timer";
  }
  return "unknown";
}

std::uint32_t World::add_trigger(const TriggerDescription& description) {
  if (!is_finite(description.pose)) {
    throw std::invalid_argument("trigger '" + description.name + "': position and orientation must be finite");
  }
  (void)make_geometry(description.shape);  // throws where the shape is impossible
  triggers.push_back({description.name, description.shape, description.pose});
  return static_cast<std::uint32_t>(triggers.size() - 1);
}

/// [s] Every tick is an event: shorter periods would fill the memory within a step.
constexpr double kShortestPeriod = 1e-6;

std::uint32_t World::add_timer(double period) {
  if (!(period >= kShortestPeriod) || !std::isfinite(period)) {
    throw std::invalid_argument("a timer needs a period of at least a microsecond");
  }
  events.timers.push_back({period, time + period});
  return static_cast<std::uint32_t>(events.timers.size() - 1);
}

namespace {

class EventSearch {
 public:
  EventSearch(World& world, const EventOptions& options, int threads, EventWorkspace& scratch,
              std::vector<ContactEvent>& events)
      : world_(world), options_(options), threads_(threads), scratch_(scratch), events_(events) {}

  void run() {
    tick();
    place_colliders(world_, 0, scratch_.colliders);
    find_presences();
    compare(
        world_.events.inside, scratch_.inside, [](const Presence& p) { return p; },
        [&](const Presence* before, const Presence* now) { report_trigger(before, now); });
    find_near();
    compare(
        world_.events.near, scratch_.near, [](const Nearness& n) { return std::pair(n.body_a, n.body_b); },
        [&](const Nearness* before, const Nearness* now) { report_pair(before, now); });
    std::swap(world_.events.inside, scratch_.inside);
    std::swap(world_.events.near, scratch_.near);
  }

 private:
  void report(EventKind kind, std::uint32_t first, std::uint32_t second) {
    ContactEvent& event = events_.emplace_back();
    event.kind = kind;
    event.time = world_.time;
    event.first = first;
    event.second = second;
    const bool is_of_trigger = kind == EventKind::kTriggerIn || kind == EventKind::kTriggerOut;
    if (!is_of_trigger) event.first_body = world_.handle_of(first);
    event.second_body = world_.handle_of(second);
  }

  void tick() {
    for (std::uint32_t i = 0; i < world_.events.timers.size(); ++i) {
      WorldTimer& timer = world_.events.timers[i];
      // Sums of steps miss the tick by rounding alone.
      for (; timer.next <= world_.time + 1e-9 * timer.period; timer.next += timer.period) {
        ContactEvent& event = events_.emplace_back();
        event.kind = EventKind::kTimer;
        event.time = timer.next;
        event.first = i;
      }
    }
  }

  void find_presences() {
    scratch_.inside.clear();
    for (std::size_t k = scratch_.triggers.size(); k < world_.triggers.size(); ++k) {
      scratch_.triggers.push_back(make_geometry(world_.triggers[k].shape));
    }
    for (std::uint32_t k = 0; k < world_.triggers.size(); ++k) {
      const Transform X_WT = to_transform(world_.triggers[k].pose);
      for (const GeometryPiece& piece : scratch_.triggers[k]) {
        find_presences(k, *piece.geometry, X_WT * to_transform(piece.pose));
      }
    }
    std::sort(scratch_.inside.begin(), scratch_.inside.end());
    scratch_.inside.erase(std::unique(scratch_.inside.begin(), scratch_.inside.end()), scratch_.inside.end());
  }

  void find_presences(std::uint32_t trigger, const Geometry& volume, const Transform& X_WV) {
    const Aabb box = compute_bounds(volume, X_WV);
    const bool is_solid = is_convex(volume) && std::isfinite(volume.radius);
    for (const Collider& collider : scratch_.colliders) {
      if (world_.bodies.kind[collider.body] == BodyKind::kFixed) continue;
      const Aabb other = compute_bounds(*collider.geometry, collider.X_WG);
      if (!box.overlaps(other)) continue;
      const bool overlaps = is_solid ? do_overlap(*collider.geometry, collider.X_WG, volume, X_WV)
                                     : do_overlap(volume, X_WV, *collider.geometry, collider.X_WG);
      if (overlaps) scratch_.inside.push_back({trigger, collider.body});
    }
  }

  /// Whether the last search was for this world, a step ago, with the same options.
  [[nodiscard]] bool can_compare() const {
    return scratch_.last_step + 1 == world_.step_index && scratch_.last_colliders.size() == scratch_.colliders.size() &&
           scratch_.last_touching == options_.touching && scratch_.last_proximity == options_.proximity &&
           scratch_.last_ignored == scratch_.ignored;
  }

  void mark_moved() {
    const bool compares = can_compare();
    refill(scratch_.moved, world_.bodies.size(), compares ? std::uint8_t{0} : std::uint8_t{1});
    for (std::size_t k = 0; compares && k < scratch_.colliders.size(); ++k) {
      const Collider &now = scratch_.colliders[k], &last = scratch_.last_colliders[k];
      const bool same = world_.handle_of(now.body) == scratch_.last_bodies[k] && now.geometry == last.geometry &&
                        now.body == last.body && now.X_WG.R == last.X_WG.R && now.X_WG.p == last.X_WG.p;
      if (!same) scratch_.moved[now.body] = 1;
    }
    copy_to(scratch_.colliders, scratch_.last_colliders);
    scratch_.last_bodies.clear();
    for (const Collider& collider : scratch_.colliders) {
      scratch_.last_bodies.push_back(world_.handle_of(collider.body));
    }
    copy_to(scratch_.ignored, scratch_.last_ignored);
    scratch_.last_touching = options_.touching;
    scratch_.last_proximity = options_.proximity;
    scratch_.last_step = world_.step_index;
    for (Collider& collider : scratch_.colliders) collider.movable = scratch_.moved[collider.body] != 0;
  }

  void keep_unmoved() {
    scratch_.near.clear();
    std::copy_if(world_.events.near.begin(), world_.events.near.end(), std::back_inserter(scratch_.near),
                 [&](const Nearness& n) { return scratch_.moved[n.body_a] == 0 && scratch_.moved[n.body_b] == 0; });
  }

  /// Surfaces of bodies that do not move by themselves have no contacts with each other, and are left out of the
  /// search.
  void ignore_surfaces() {
    const auto is_surface = [&](const Collider& collider) {
      const GeometryKind& kind = collider.geometry->kind;
      return !world_.bodies.is_movable(collider.body) &&
             (std::holds_alternative<PlaneGeometry>(kind) ||
              std::holds_alternative<std::shared_ptr<const MeshGeometry>>(kind) ||
              std::holds_alternative<std::shared_ptr<const HeightfieldGeometry>>(kind));
    };
    std::vector<std::uint32_t>& surfaces = scratch_.surfaces;
    surfaces.clear();
    for (const Collider& collider : scratch_.colliders) {
      if (is_surface(collider) && (surfaces.empty() || surfaces.back() != collider.body)) {
        surfaces.push_back(collider.body);
      }
    }
    const std::size_t known = scratch_.ignored.size();
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
      if (scratch_.moved[surfaces[i]] == 0) continue;
      for (std::size_t j = 0; j < surfaces.size(); ++j) {
        const auto [first, second] = std::minmax(surfaces[i], surfaces[j]);
        if (i != j) scratch_.ignored.push_back({first, second});
      }
    }
    if (scratch_.ignored.size() == known) return;
    std::sort(scratch_.ignored.begin(), scratch_.ignored.end());
    scratch_.ignored.erase(std::unique(scratch_.ignored.begin(), scratch_.ignored.end()), scratch_.ignored.end());
  }

  void find_near() {
    list_ignored_pairs(world_, scratch_.ignored);
    mark_moved();
    keep_unmoved();
    ignore_surfaces();
    DetectOptions detect;
    detect.collide.margin = options_.proximity;
    detect.threads = threads_;
    detect_contacts(scratch_.colliders, scratch_.ignored, detect, scratch_.detection, scratch_.contacts);
    for (const Contact& contact : scratch_.contacts.contacts) {
      if (!world_.bodies.is_movable(contact.body_a) && !world_.bodies.is_movable(contact.body_b)) continue;
      double gap = options_.proximity;
      for (const ContactPoint& point : scratch_.contacts.points_of(contact)) gap = std::min(gap, point.gap);
      const auto [a, b] = std::minmax(contact.body_a, contact.body_b);
      scratch_.near.push_back({a, b, gap <= options_.touching ? 1U : 0U});
    }
    // Several pieces of one body: the pair touches where one of them does.
    const auto key = [](const Nearness& n) { return std::tuple(n.body_a, n.body_b, 1U - n.touching); };
    std::sort(scratch_.near.begin(), scratch_.near.end(),
              [&](const Nearness& x, const Nearness& y) { return key(x) < key(y); });
    const auto same = [](const Nearness& x, const Nearness& y) { return x.body_a == y.body_a && x.body_b == y.body_b; };
    scratch_.near.erase(std::unique(scratch_.near.begin(), scratch_.near.end(), same), scratch_.near.end());
  }

  /// Walks two sorted lists side by side and calls out(before, now), one of them null where the other is alone.
  template <class Item, class Key, class Out>
  static void compare(const std::vector<Item>& before, const std::vector<Item>& now, const Key& key, const Out& out) {
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < now.size()) {
      const bool only_now = i == before.size() || (j < now.size() && key(now[j]) < key(before[i]));
      const bool only_before = !only_now && (j == now.size() || key(before[i]) < key(now[j]));
      out(only_now ? nullptr : &before[i], only_before ? nullptr : &now[j]);
      if (!only_now) ++i;
      if (!only_before) ++j;
    }
  }

  void report_trigger(const Presence* before, const Presence* now) {
    if (before == nullptr) report(EventKind::kTriggerIn, now->trigger, now->body);
    if (now == nullptr) report(EventKind::kTriggerOut, before->trigger, before->body);
  }

  void report_pair(const Nearness* before, const Nearness* now) {
    const Nearness& pair = now != nullptr ? *now : *before;
    const auto one = [&](bool was, bool is, EventKind fresh, EventKind persistent, EventKind vanished) {
      if (is && !was) report(fresh, pair.body_a, pair.body_b);
      if (is && was && options_.persistent) report(persistent, pair.body_a, pair.body_b);
      if (was && !is) report(vanished, pair.body_a, pair.body_b);
    };
    const auto touches = [](const Nearness* near) { return near != nullptr && near->touching != 0; };
    const auto is_near = [](const Nearness* near) { return near != nullptr && near->touching == 0; };
    one(is_near(before), is_near(now), EventKind::kNewProximity, EventKind::kPersistentProximity,
        EventKind::kVanishedProximity);
    one(touches(before), touches(now), EventKind::kNewTouch, EventKind::kPersistentTouch, EventKind::kVanishedTouch);
  }

  World& world_;
  const EventOptions& options_;
  int threads_;
  EventWorkspace& scratch_;
  std::vector<ContactEvent>& events_;
};

}  // namespace

void find_events(World& world, const EventOptions& options, int threads, EventWorkspace& scratch,
                 std::vector<ContactEvent>& events) {
  events.clear();
  EventSearch(world, options, threads, scratch, events).run();
}

}  // namespace achilles
