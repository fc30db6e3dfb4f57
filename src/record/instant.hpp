// One recorded instant as the flat arrays it is stored in: what the recorder writes and the reader gives back.
#pragma once

#include "record/layout.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

struct Instant {
  double time = 0;  // [s]
  std::int64_t step = 0;
  std::uint64_t hash = 0;
  // N bodies
  std::vector<double> position;     // [m] 3 N, of the bodies' frames
  std::vector<double> orientation;  // 4 N, w x y z
  std::vector<double> velocity;     // [m/s] 3 N, of the centres of mass
  std::vector<double> spin;         // [rad/s] 3 N
  std::vector<std::uint8_t> asleep;
  // C contact points
  std::vector<std::uint32_t> contact_a, contact_b;
  std::vector<double> contact_position;  // [m] 3 C
  std::vector<double> contact_normal;    // 3 C
  std::vector<double> contact_gap;       // [m]
  std::vector<double> contact_impulse;   // [N s] 3 C
  std::vector<double> sensors;           // per column of RecordingHead::robots
  Scalars scalars;

  [[nodiscard]] std::size_t body_count() const { return asleep.size(); }
  [[nodiscard]] std::size_t contact_count() const { return contact_gap.size(); }
  [[nodiscard]] Pose pose(std::size_t body) const;
  [[nodiscard]] BodyVelocity body_velocity(std::size_t body) const;
  [[nodiscard]] ContactRecord contact(std::size_t point) const;

  void resize(std::size_t bodies, std::size_t contacts);
};

/// Takes the state of a world; everything but the sensors and `scalars`, of which energies
/// and momenta are filled in. Allocates only
/// when the instant has never been this large.
void gather(const World& world, std::span<const ContactRecord> contacts, Instant& instant);

/// Counts a step towards the next instant.
void add_step(const StepReport& report, double step_seconds, Scalars& sums);

/// The digest of the recording up to this instant, from that up to the one before.
[[nodiscard]] std::uint64_t chain_digest(std::uint64_t before, const Instant& instant);

/// visit(name, array, width) for every array with `width` numbers per body.
template <class InstantType, class Visit>
void for_each_body_array(InstantType& instant, Visit&& visit) {
  visit("position", instant.position, 3);
  visit("orientation", instant.orientation, 4);
  visit("velocity", instant.velocity, 3);
  visit("spin", instant.spin, 3);
  visit("asleep", instant.asleep, 1);
}

/// visit(name, array, width) for every array with `width` numbers per contact point.
template <class InstantType, class Visit>
void for_each_contact_array(InstantType& instant, Visit&& visit) {
  visit("contacts/body_a", instant.contact_a, 1);
  visit("contacts/body_b", instant.contact_b, 1);
  visit("contacts/position", instant.contact_position, 3);
  visit("contacts/normal", instant.contact_normal, 3);
  visit("contacts/gap", instant.contact_gap, 1);
  visit("contacts/impulse", instant.contact_impulse, 3);
}

/// visit(group, name, pointer, width) for every number or vector of the instant itself, its time excepted.
template <class InstantType, class Visit>
void for_each_scalar(InstantType& instant, Visit&& visit) {
  visit("", "step", &instant.step, 1);
  visit("", "hash", &instant.hash, 1);
  for (const auto& column : kRealColumns) visit("scalars/", column.name, &(instant.scalars.*column.member), 1);
  for (const auto& column : kVectorColumns) visit("scalars/", column.name, (instant.scalars.*column.member).data(), 3);
  for (const auto& column : kCountColumns) visit("scalars/", column.name, &(instant.scalars.*column.member), 1);
}

}  // namespace achilles
