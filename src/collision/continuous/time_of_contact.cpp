#include "collision/continuous/time_of_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {

namespace {

FirstContact descend(const MovingPair& pair, double start, double h, const GapLevels& levels, int max_iterations) {
  const GapGoal goal{levels.lower, 0.5 * (levels.lower + levels.upper)};
  FirstContact found;
  found.time = start;
  for (;;) {
    found.gap = pair.compute_gap(found.time);
    ++found.iterations;
    if (!std::isfinite(found.gap.distance)) {
      found.status = ContactSearchStatus::kNotFinite;
      return found;
    }
    if (found.gap.distance <= levels.upper) {
      found.status = ContactSearchStatus::kContact;
      return found;
    }
    const double span = h - found.time;
    const double step = span > 0 ? pair.compute_safe_step(found.time, found.gap, span, goal) : 0;
    if (span <= 0 || step >= span) {
      found.time = h;
      found.status = ContactSearchStatus::kApart;
      return found;
    }
    // A step too short to change the time is possible only for speeds beyond ε over the resolution of the clock.
    if (found.iterations >= max_iterations || found.time + step <= found.time) {
      found.status = ContactSearchStatus::kCapped;
      return found;
    }
    found.time += step;
  }
}

/// The earliest descent towards any one triangle. Once one is found only earlier ones are of interest; which of those
/// that are as near at that time gives the direction is decided at the end.
FirstContact descend_to_surface(const MovingPair& pair, double start, double h, const GapLevels& levels,
                                int max_iterations) {
  FirstContact first;
  first.time = h;
  first.gap.distance = std::numeric_limits<double>::infinity();
  int iterations = 0;
  pair.visit_triangle_pairs(start, h, std::max(0.0, levels.upper), [&](const MovingPair& on_triangle) {
    const FirstContact found = descend(on_triangle, start, first.time, levels, max_iterations);
    iterations += found.iterations;
    if (found.status == ContactSearchStatus::kApart) return;
    const bool earlier = first.status == ContactSearchStatus::kApart || found.time < first.time;
    if (earlier || found.gap.distance < first.gap.distance) first = found;
  });
  if (first.status == ContactSearchStatus::kContact) {
    const SignedDistance gap = pair.compute_gap(first.time, std::max(0.0, levels.upper));
    ++iterations;
    if (gap.distance <= first.gap.distance) first.gap = gap;
  }
  first.iterations = iterations;
  return first;
}

}  // namespace

FirstContact find_first_descent(const MovingPair& pair, double start, double h, const GapLevels& levels,
                                int max_iterations) {
  return pair.is_on_surface() ? descend_to_surface(pair, start, h, levels, max_iterations)
                              : descend(pair, start, h, levels, max_iterations);
}

FirstContact find_first_contact(const MovingPair& pair, double h, const FirstContactOptions& options) {
  return find_first_descent(pair, 0, h, {0.5 * options.tolerance, options.tolerance}, options.max_iterations);
}

namespace {

/// The search for all times of one pair: a machine with two states, apart and touching.
class ContactTimeSearch {
 public:
  ContactTimeSearch(const MovingPair& pair, double h, const ContactTimesOptions& options, ContactTimeSet& set)
      : pair_(pair), h_(h), options_(options), set_(set) {}

  void run() {
    FirstContact found = find_below({0.5 * options_.tolerance, options_.tolerance}, options_.start);
    // Each round of the loop but the last consumes a part of the interval, or ends the search.
    for (int round = 0; round <= options_.parts && found.status == ContactSearchStatus::kContact; ++round) {
      append(found, found.time == options_.start ? ContactTimeKind::kAtStart : ContactTimeKind::kTouches);
      if (is_done() || !follow_contact(found)) return;
      found = find_below({0.5 * options_.tolerance, options_.tolerance}, time_);
    }
    if (found.status != ContactSearchStatus::kApart) append(found, ContactTimeKind::kUnknown);
  }
  [[nodiscard]] int iterations() const { return iterations_; }

 private:
  FirstContact find_below(const GapLevels& levels, double start) {
    const FirstContact found =
        find_first_descent(pair_, start, h_, levels, std::max(1, options_.max_iterations - iterations_));
    iterations_ += found.iterations;
    return found;
  }

  /// From a contact on: reports when it gets deeper. True when the pair came apart, at time_; false at the end.
  bool follow_contact(const FirstContact& contact) {
    const double tolerance = options_.tolerance;
    time_ = contact.time;
    const double change = pair_.compute_largest_change(time_, contact.gap, h_ - time_);
    if (contact.gap.distance + change <= tolerance && change <= tolerance) return false;
    const double floor = std::min(0.0, contact.gap.distance) - tolerance;
    const FirstContact deeper = find_below({floor, floor + 0.5 * tolerance}, time_);
    if (deeper.status != ContactSearchStatus::kApart) {
      if (find_separation(deeper.time)) return true;
      append(deeper,
             deeper.status == ContactSearchStatus::kContact ? ContactTimeKind::kDeepens : ContactTimeKind::kUnknown);
      if (deeper.status != ContactSearchStatus::kContact || is_done()) return false;
    }
    return find_separation(h_);
  }

  /// Tests every part of the interval up to `end`; true when the pair is apart at one of them, then time_.
  bool find_separation(double end) {
    const double part = h_ / std::max(1, options_.parts);
    while (time_ < end) {
      // On the grid of parts, so that a round of the search never ends in the part it began in.
      const double next = std::min(end, (std::floor(time_ / part * (1 + 1e-12)) + 1) * part);
      time_ = next > time_ ? next : end;
      ++iterations_;
      if (pair_.compute_gap(time_, options_.tolerance).distance > options_.tolerance) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_done() const { return options_.is_last && options_.is_last(set_); }

  void append(const FirstContact& found, ContactTimeKind kind) {
    ContactTime contact;
    contact.time = found.time;
    contact.kind = kind;
    contact.gap = found.gap;
    contact.first = static_cast<std::uint32_t>(set_.points.size());
    collide(pair_.geometry_a(), pair_.pose_a(found.time), pair_.geometry_b(), pair_.pose_b(found.time),
            options_.collide, set_.points);
    contact.count = static_cast<std::uint32_t>(set_.points.size()) - contact.first;
    set_.times.push_back(contact);
  }

  const MovingPair& pair_;
  const double h_;
  const ContactTimesOptions& options_;
  ContactTimeSet& set_;
  double time_ = 0;
  int iterations_ = 0;
};

}  // namespace

void append_contact_times(const MovingPair& pair, double h, const ContactTimesOptions& options, ContactTimeSet& set) {
  ContactTimeSearch search(pair, h, options, set);
  search.run();
  ++set.searches;
  set.distance_calls += search.iterations();
}

}  // namespace achilles
