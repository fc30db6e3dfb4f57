// Scratch of impulse-based stepping.
#pragma once

#include "collision/continuous/time_of_contact.hpp"
#include "methods/impulse/two_lcps.hpp"
#include "stepping/step_workspace.hpp"
#include "stepping/swept_pairs.hpp"

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
  /// What is known to happen next.
  enum class EventKind : std::uint8_t {
    kRenew,  // the described way of the body `index` ends
    kMeet,   // the pair `index` impacts
    kAgain,  // nothing is known of the pair beyond: search on from here
    kRefine  // the pair comes too near for the ways described
  };
  /// Out of date when the stamp of its pair, or body, is another.
  struct Event {
    double time = 0;  // [s] of the step
    std::int32_t index = -1;
    std::uint32_t stamp = 0;
    EventKind kind = EventKind::kMeet;
  };
  /// How a body's way from its present state on was described to continuous detection.
  struct DescribedWay {
    double before = 0;        // [s] of the step: when it was described the time before
    double from = 0;          // [s] of the step
    double until = 0;         // [s] of the step
    double span = 0;          // [s] longest that is described at a time
    double error = 0;         // [m] by which a point of the body may be off it, at most
    double reach = 0;         // [m] largest distance of a point of the body from its centre of mass
    std::uint32_t stamp = 0;  // of the latest description
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
  std::vector<Vec3> acceleration;  // per body [m/s²]
  std::vector<DescribedWay> ways;  // per body
  std::vector<double> left_over;   // per body [m/s]: how fast points still closed when it was treated last in the step
  std::vector<double> since;       // per body [s] of the step: when the World's state of it is
  std::vector<std::uint8_t> carried;   // per body: has its forces up to the end of the step, moves at constant velocity
  std::vector<std::uint32_t> entered;  // per body: the round in which it last belonged to an instant
  std::vector<double> last_event;      // per body [s] of the step
  std::vector<int> stalls, events;     // per body: at one time; in the step
  std::vector<Before> before;          // per body of an instant, in the order of `island`
  std::vector<std::uint32_t> island;   // bodies of an instant
  std::vector<std::uint32_t> together;  // all bodies that move

  // One instant.
  std::vector<Touch> touches;
  std::vector<ContactPoint> found;
  ContactSet near;  // points that what rests could close within the step
  std::vector<NearRow> near_rows;
  std::vector<Row> normal_rows;
  std::vector<double> normal_impulses;
  std::vector<double> speeds;   // [m/s] of the rows before a solve
  std::vector<double> parting;  // [m/s] per point
  TwoLcpsWorkspace two_lcps;
  std::vector<ContactRecord> records;  // of the whole step
};

/// What a step of the method works in.
struct ImpulseScratch : StepWorkspace {
  ImpulseWorkspace impulse;
};

}  // namespace achilles
