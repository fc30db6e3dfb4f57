// When two moving geometries touch: the first time, and all times over an interval.
#pragma once

#include "collision/continuous/gap_bound.hpp"

#include <functional>
#include <vector>

namespace achilles {

enum class ContactSearchStatus {
  kApart,      // certainly no contact in the interval
  kContact,    // the gap came down to the tolerance
  kCapped,     // iteration cap: certainly apart up to the reported time, unknown after
  kNotFinite,  // the distance is not a number
};

struct FirstContactOptions {
  double tolerance = 1e-6;    // [m] a gap of at most this is a contact
  int max_iterations = 1000;  // distance evaluations per pair of convex shapes, each triangle of a surface being one
  int threads = 1;            // where there are many pairs
};

struct FirstContact {
  ContactSearchStatus status = ContactSearchStatus::kApart;
  double time = 0;     // [s] of contact; else the time up to which the two are certainly apart
  SignedDistance gap;  // at that time; infinite for a surface that stays apart
  int iterations = 0;  // distance evaluations
};

/// First time in [0, h] at which the gap is down to the tolerance ε. Conservative: at all times before the reported one
/// the gap is at least ε/2, and at the reported one it is at most ε; so a contact is never missed, and the time is
/// never later than that at which the gap has come down to ε/2. A pair that starts at or below ε is in contact at time
/// 0. Every iteration advances by at least ε/2 over the relative speed; when the pair closes in steadily the number of
/// iterations is about five, whatever the spin.
[[nodiscard]] FirstContact find_first_contact(const MovingPair& pair, double h, const FirstContactOptions& options);

/// The same from time `start` on, for any two levels: first time at which the gap is at most `upper`, given that it is
/// at least `lower` < `upper` before.
struct GapLevels {
  double lower = 0;  // [m]
  double upper = 0;  // [m]
};
[[nodiscard]] FirstContact find_first_descent(const MovingPair& pair, double start, double h, const GapLevels& levels,
                                              int max_iterations);

struct ContactTimeSet;

struct ContactTimesOptions {
  double start = 0;           // [s] of the interval that the search begins at
  double tolerance = 1e-6;    // [m] a gap of at most this is a contact
  int max_iterations = 1000;  // distance evaluations per pair
  /// In how many parts the interval is looked at for the end of a contact. Two contacts with a gap in between that is
  /// shorter than a part may count as one; that the pair does not get deeper meanwhile is certified, not sampled.
  int parts = 16;
  CollideOptions collide{2e-6, true};  // for the points at the time of contact
  int threads = 1;                     // where there are many pairs
  /// Called for each contact that was appended: true ends the search there. Empty: the search goes on to the end.
  std::function<bool(const ContactTimeSet&)> is_last = {};
};

enum class ContactTimeKind {
  kAtStart,  // in contact at the start
  kTouches,  // the gap comes down to the tolerance
  kDeepens,  // a contact that began earlier gets deeper by the tolerance: by a new point, or by the same one
  kUnknown,  // the search was capped here
};

struct ContactTime {
  double time = 0;  // [s]
  ContactTimeKind kind = ContactTimeKind::kTouches;
  SignedDistance gap;
  std::uint32_t collider_a = 0;
  std::uint32_t collider_b = 0;
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  std::uint32_t first = 0;  // points[first .. first + count) of the set
  std::uint32_t count = 0;
};

struct ContactTimeSet {
  std::vector<ContactTime> times;
  std::vector<ContactPoint> points;
  std::int64_t searches = 0;        // pairs looked at
  std::int64_t distance_calls = 0;  // distance evaluations

  void clear() {
    searches = distance_calls = 0;
    times.clear();
    points.clear();
  }
  [[nodiscard]] std::span<const ContactPoint> points_of(const ContactTime& contact) const {
    return std::span(points).subspan(contact.first, contact.count);
  }
};

/// Appends all times of contact of one pair over [start, h], in order, with their points and normals: what FIND-TOC
/// needs of continuous detection [Drumwright10, alg. 4]. Until the first time of kind kDeepens or kUnknown, or
/// the end when there is none, the gap never falls by more than the tolerance below min(0, gap at the last reported
/// time): processing the reported times in order, up to the first impact, misses none. A contact that went on to get
/// deeper is reported once; the pair is then looked at for its next contact after it has been apart for a part of the
/// interval. The ids of colliders and bodies are left at 0.
void append_contact_times(const MovingPair& pair, double h, const ContactTimesOptions& options, ContactTimeSet& set);

}  // namespace achilles
