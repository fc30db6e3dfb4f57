#include "record/certify/evidence.hpp"

#include <stdexcept>

namespace achilles {
namespace {

bool is_world_of(const World& world, const RecordingHead& head) {
  if (world.bodies.size() != head.bodies.size()) return false;
  const auto near = [](double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::abs(b); };
  for (std::size_t k = 0; k < head.bodies.size(); ++k) {
    const RecordedBody& body = head.bodies[k];
    const double size = body.inertia.norm();
    if (world.names[k] != body.name || world.bodies.kind[k] != body.kind || !near(world.bodies.mass[k], body.mass) ||
        (world.bodies.inertia_B[k] - body.inertia).norm() > 1e-9 * size ||
        (world.bodies.center_B[k] - body.center).norm() > 1e-9 * (1 + body.center.norm())) {
      return false;
    }
  }
  return true;
}

}  // namespace

World rebuild_world(const Recording& recording) {
  const RecordingHead& head = recording.head();
  try {
    World world(recording.scene());
    if (is_world_of(world, head)) return world;
  } catch (const std::exception&) {
    // Recordings of old do not hold the mesh files that the scene names; worlds that were saved along the way do.
  }
  const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
  if (checkpoint && is_world_of(checkpoint->world, head)) return checkpoint->world;
  throw std::runtime_error("neither the scene nor a saved world of the recording has the recorded bodies");
}

void place(const Instant& instant, World& world) {
  world.time = instant.time;
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    Pose pose = instant.pose(k);
    const double norm = pose.q.norm();
    if (norm > 0 && std::isfinite(norm)) pose.q.coeffs() /= norm;
    world.bodies.orientation[k] = pose.q;
    world.bodies.position[k] = pose.p + pose.q * world.bodies.center_B[k];
    world.bodies.velocity[k] = instant.body_velocity(k);
    world.bodies.asleep[k] = instant.asleep[k];
  }
}

Verdict Worst::verdict(std::string property, std::string unit, bool promised) const {
  Verdict verdict;
  verdict.property = std::move(property);
  verdict.unit = std::move(unit);
  if (!seen_) {
    verdict.detail = "nothing of the kind in the recording";
    return verdict;
  }
  const bool fails = std::isnan(value_) || value_ > limit_;
  verdict.finding = !promised ? Finding::kMeasured : fails ? Finding::kFails : Finding::kHolds;
  verdict.worst = value_;
  if (promised) verdict.limit = limit_;
  verdict.instant = instant_;
  verdict.time = time_;
  verdict.detail = detail_;
  return verdict;
}

}  // namespace achilles
