// Events of the contact graph, [Erleben04, sec. 5.3, table 5.3]: what came near, touched, parted, entered a trigger.
#pragma once

#include <achilles/handle.hpp>
#include <achilles/shape.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace achilles {

enum class EventKind : std::uint8_t {
  kTriggerIn,  // a body entered a trigger volume
  kTriggerOut,
  kNewTouch,
  kPersistentTouch,
  kVanishedTouch,
  kNewProximity,  // two bodies came near without touching
  kPersistentProximity,
  kVanishedProximity,
  kTimer
};

/// One event, seen at the end of a step. For contacts `first` < `second` are dense body indices, valid until a body is
/// removed; for triggers `first` is the trigger and `second` the body; for timers `first` is the timer. Handles name
/// the same bodies for good. Touches that are new or persist also state where and how; `point` is that of the largest
/// impulse or, where none acted, the deepest.
struct ContactEvent {
  EventKind kind = EventKind::kNewTouch;
  double time = 0;  // [s]
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  Vec3 point = Vec3::Zero();    // [m] world
  Vec3 normal = Vec3::Zero();   // from first to second
  double approach = 0;          // [m/s] speed at which the surfaces closed there when the step began
  Vec3 impulse = Vec3::Zero();  // [N s] on second, of all their points over the step
  BodyHandle first_body;        // of triggers and timers: none
  BodyHandle second_body;       // of timers: none
  bool operator==(const ContactEvent&) const = default;
};

/// The word for an event kind, as logs write it: "new-touch".
[[nodiscard]] const char* to_string(EventKind kind);

/// Which events are looked for. Bodies nearer than `touching` touch, those nearer than `proximity` are near.
struct EventOptions {
  double touching = 1e-4;   // [m]
  double proximity = 0.01;  // [m]
  bool persistent = false;  // also report contacts that persist
};

using EventListener = std::function<void(const ContactEvent&)>;

/// A volume that takes part in no contact and reports which bodies overlap it.
struct WorldTrigger {
  std::string name;
  Shape shape;
  Pose pose;
};

/// Ticks every `period` seconds of simulated time.
struct WorldTimer {
  double period = 0;  // [s]
  double next = 0;    // [s]
};

/// Two bodies that are near each other, and whether they touch.
struct Nearness {
  std::uint32_t body_a = 0, body_b = 0;  // a < b
  std::uint32_t touching = 0;
  bool operator==(const Nearness&) const = default;
};

/// A body inside a trigger.
struct Presence {
  std::uint32_t trigger = 0, body = 0;
  auto operator<=>(const Presence&) const = default;
};

/// What the graph was when events were last generated: the old marks of [Erleben04, fig. 5.10].
struct EventState {
  std::vector<Nearness> near;      // sorted
  std::vector<Presence> inside;    // sorted
  std::vector<WorldTimer> timers;  // by index
};

}  // namespace achilles
