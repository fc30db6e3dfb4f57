// Scratch of impulse-based stepping.
#pragma once

#include "collision/continuous/time_of_contact.hpp"
#include "impact/impact_workspace.hpp"
#include "time_control/swept_pairs.hpp"

#include <achilles/math.hpp>
#include <achilles/report.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

struct ImpulseWorkspace {
  /// A body at the beginning of an instant.
  struct Before {
    Vec3 position;
    Quat orientation;
    BodyVelocity velocity;
    std::uint8_t carried = 0;
  };
  /// What may happen next; out of date when the stamp of its pair is another.
  struct Event {
    double time = 0;  // [s] of the step
    std::int32_t pair = -1;
    std::uint32_t stamp = 0;
    bool again = false;  // nothing is known beyond: search on from here
  };
  /// Contact of a pair at an instant: points[first .. first + count) of `found`, those that touch before those near.
  struct Touch {
    std::int32_t pair = -1;
    std::uint32_t first = 0, touching = 0, count = 0;
  };

  /// Rows of a point that is near.
  struct NearRow {
    const Contact* contact = nullptr;
    const ContactPoint* point = nullptr;
    std::size_t row = 0;  // its normal row
  };

  // Pairs and when they meet.
  SweptPairs swept;
  std::vector<MovingCollider> moving;   // per collider, from the beginning of the step on
  std::vector<std::uint32_t> stamp;     // per pair
  std::vector<std::uint32_t> searched;  // per pair: the round in which it was last searched
  std::vector<std::uint32_t> touched;   // per pair: the round in which it was last looked at for touch
  std::vector<Event> heap;
  ContactTimeSet times;

  // Bodies and their flights.
  std::vector<Vec3> acceleration;      // per body [m/s²]
  std::vector<Vec3> flight_spin;       // per body [rad/s] that turns it until its next event
  std::vector<double> since;           // per body [s] of the step: when the World's state of it is
  std::vector<std::uint8_t> carried;   // per body: has its forces up to the end of the step, moves at constant velocity
  std::vector<std::uint32_t> entered;  // per body: the round in which it last belonged to an instant
  std::vector<double> last_event;      // per body [s] of the step
  std::vector<int> stalls, events;     // per body: at one time; in the step
  std::vector<Before> before;          // per body of an instant, in the order of `group`
  std::vector<std::uint32_t> group;    // bodies of an instant
  std::vector<std::uint32_t> together;  // all bodies that move

  // One instant.
  std::vector<Touch> touches;
  std::vector<ContactPoint> found;
  ContactSet near;  // points that what rests could close within the step
  std::vector<NearRow> near_rows;
  ContactSet touching, active;  // of the pose before a step is tried; of the instant whose impact is resolved
  ImpactWorkspace impact;
  std::vector<double> restitution;     // per row
  std::vector<ContactRecord> records;  // of the whole step
  std::vector<Vec3> position;          // per body, before a step is tried
  std::vector<Quat> orientation;
};

}  // namespace achilles
