#include "record/instant.hpp"

#include <algorithm>

namespace achilles {
namespace {

void put(std::vector<double>& array, std::size_t row, const Vec3& v) {
  std::copy_n(v.data(), 3, array.begin() + static_cast<std::ptrdiff_t>(3 * row));
}

Vec3 get(const std::vector<double>& array, std::size_t row) {
  return {array[3 * row], array[3 * row + 1], array[3 * row + 2]};
}

}  // namespace

Pose Instant::pose(std::size_t body) const {
  const double* q = &orientation[4 * body];
  return {get(position, body), Quat(q[0], q[1], q[2], q[3])};
}

BodyVelocity Instant::body_velocity(std::size_t body) const { return {get(velocity, body), get(spin, body)}; }

ContactRecord Instant::contact(std::size_t point) const {
  ContactRecord record;
  record.body_a = contact_a[point];
  record.body_b = contact_b[point];
  record.position = get(contact_position, point);
  record.normal = get(contact_normal, point);
  record.gap = contact_gap[point];
  record.impulse = get(contact_impulse, point);
  return record;
}

void Instant::resize(std::size_t bodies, std::size_t contacts) {
  for_each_body_array(*this, [&](const char*, auto& array, std::size_t width) { array.resize(width * bodies); });
  for_each_contact_array(*this, [&](const char*, auto& array, std::size_t width) { array.resize(width * contacts); });
}

void gather(const World& world, std::span<const ContactRecord> contacts, Instant& instant) {
  const BodyArrays& bodies = world.bodies;
  instant.resize(bodies.size(), contacts.size());
  instant.time = world.time;
  instant.step = world.step_index;
  instant.hash = world.state_hash();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Pose frame = bodies.frame(k);
    put(instant.position, k, frame.p);
    double* q = &instant.orientation[4 * k];
    q[0] = frame.q.w();
    q[1] = frame.q.x();
    q[2] = frame.q.y();
    q[3] = frame.q.z();
    put(instant.velocity, k, bodies.velocity[k].linear);
    put(instant.spin, k, bodies.velocity[k].angular);
    instant.asleep[k] = bodies.asleep[k];
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactRecord& contact = contacts[k];
    instant.contact_a[k] = contact.body_a;
    instant.contact_b[k] = contact.body_b;
    put(instant.contact_position, k, contact.position);
    put(instant.contact_normal, k, contact.normal);
    instant.contact_gap[k] = contact.gap;
    put(instant.contact_impulse, k, contact.impulse);
  }
  instant.scalars.energy_kinetic = world.kinetic_energy();
  instant.scalars.energy_potential = world.potential_energy();
  instant.scalars.momentum = world.linear_momentum();
  instant.scalars.angular_momentum = world.angular_momentum();
}

void add_step(const StepReport& report, double step_seconds, Scalars& sums) {
  sums.steps += 1;
  sums.step_seconds += step_seconds;
  sums.contacts = report.contacts;
  sums.islands = report.islands;
  sums.iterations = std::max<std::int64_t>(sums.iterations, report.iterations);
  keep_maximum(sums.residual, report.residual);
  keep_maximum(sums.joint_error, report.joint_error);
  sums.external_work += report.external_work;
  sums.impacts += report.impacts;
  sums.impact_iterations = std::max<std::int64_t>(sums.impact_iterations, report.impact_iterations);
  sums.lineality += report.lineality;
  sums.triggers_in += report.triggers_in;
  sums.triggers_out += report.triggers_out;
}

std::uint64_t chain_digest(std::uint64_t before, const Instant& instant) {
  Digest digest(before);
  digest.take(&instant.time, sizeof instant.time);
  const auto take_array = [&digest](const char*, const auto& array, std::size_t) {
    digest.take(array.data(), array.size() * sizeof(array[0]));
  };
  for_each_body_array(instant, take_array);
  for_each_contact_array(instant, take_array);
  if (!instant.sensors.empty()) take_array("", instant.sensors, 1);
  for_each_scalar(instant, [&digest](const char*, const char*, const auto* value, std::size_t width) {
    digest.take(value, width * sizeof(*value));
  });
  return digest.value();
}

}  // namespace achilles
