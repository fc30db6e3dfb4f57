#include <achilles/placement.hpp>

#include <achilles/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kShare = 0.2;      // of the way that an unhindered point goes in a step
constexpr int kPatience = 100;      // steps without progress after which nothing is going to move any more
constexpr double kProgress = 1e-3;  // of the distance that is left, within the patience
constexpr double kMoved = 1e-9;     // [m], [rad]

/// Gravity would be a wind here, and the method's margins are all it needs of the scene's.
Scene make_workshop(const Scene& scene) {
  Scene workshop = scene;
  workshop.gravity.setZero();
  workshop.method = {};
  workshop.method.name = "first-order";
  workshop.scripts.clear();
  for (BodyDescription& body : workshop.bodies) {
    body.velocity.setZero();
    body.spin.setZero();
  }
  return workshop;
}

class Dragging {
 public:
  Dragging(const Scene& scene, const std::vector<Pull>& pulls, const PlacementOptions& options)
      : simulation_(make_workshop(scene), options.threads), pulls_(pulls) {
    const World& world = simulation_.world();
    for (const Pull& pull : pulls_) {
      const auto named = [&](const std::string& name) { return name == pull.body; };
      if (std::none_of(world.names.begin(), world.names.end(), named)) {
        throw std::invalid_argument("there is no body '" + pull.body + "'");
      }
      bodies_.push_back(world.index_of(world.find(pull.body)));
      if (!world.bodies.is_movable(bodies_.back())) {
        throw std::invalid_argument("body '" + pull.body + "' is fixed or scripted and cannot be pulled");
      }
    }
  }

  [[nodiscard]] double distance() const {
    double largest = 0;
    for (std::size_t k = 0; k < pulls_.size(); ++k) largest = std::max(largest, offset(k).norm());
    return largest;
  }

  void step() {
    for (std::size_t k = 0; k < pulls_.size(); ++k) pull(k);
    (void)simulation_.step();
  }

  void take_result(Placement& placement) {
    const World& world = simulation_.world();
    for (std::size_t i = 0; i < placement.scene.bodies.size(); ++i) {
      BodyDescription& body = placement.scene.bodies[i];
      const Pose pose = world.bodies.frame(static_cast<std::uint32_t>(i));
      body.velocity.setZero();
      body.spin.setZero();
      if ((pose.p - body.pose.p).norm() < kMoved && body.pose.q.angularDistance(pose.q) < kMoved) continue;
      body.pose = pose;
      placement.moved.push_back(body.name);
    }
    std::set<std::string> obstacles;
    for (const ContactRecord& contact : simulation_.contacts()) {
      if (contact.impulse.isZero(0)) continue;
      if (is_pulled(contact.body_a)) obstacles.insert(world.names[contact.body_b]);
      if (is_pulled(contact.body_b)) obstacles.insert(world.names[contact.body_a]);
    }
    placement.obstacles.assign(obstacles.begin(), obstacles.end());
  }

 private:
  [[nodiscard]] bool is_pulled(std::uint32_t body) const {
    return std::find(bodies_.begin(), bodies_.end(), body) != bodies_.end();
  }

  [[nodiscard]] Vec3 point(std::size_t k) const {
    const Pose frame = simulation_.world().bodies.frame(bodies_[k]);
    return frame.p + frame.q * pulls_[k].point_B;
  }

  [[nodiscard]] Vec3 offset(std::size_t k) const { return pulls_[k].target - point(k); }

  /// The force that moves a point with nothing in its way by its share, divided among the pulls on its body.
  void pull(std::size_t k) {
    const BodyArrays& bodies = simulation_.world().bodies;
    const std::uint32_t body = bodies_[k];
    const Vec3 off = offset(k);
    const double distance = off.norm();
    if (distance == 0) return;
    const Mat3 R = bodies.orientation[body].toRotationMatrix();
    const Vec3 lever = (point(k) - bodies.position[body]).cross(off / distance);
    const double mobility =
        1 / bodies.mass[body] + lever.dot(R * bodies.inverse_inertia_B[body] * R.transpose() * lever);
    const auto share = static_cast<double>(std::count(bodies_.begin(), bodies_.end(), body));
    const Vec3 force = kShare / simulation_.step_length() / (mobility * share) * off;
    simulation_.world().apply_force(simulation_.world().find(pulls_[k].body), force, point(k));
  }

  Simulation simulation_;
  const std::vector<Pull>& pulls_;
  std::vector<std::uint32_t> bodies_;  // per pull
};

}  // namespace

Placement place_bodies(const Scene& scene, const std::vector<Pull>& pulls, const PlacementOptions& options) {
  if (pulls.empty()) throw std::invalid_argument("nothing is pulled");
  Dragging dragging(scene, pulls, options);
  Placement placement;
  placement.scene = scene;
  double mark = dragging.distance();  // distance when there was progress last
  int since = 0;
  for (; placement.steps < options.max_steps && since < kPatience; ++placement.steps) {
    placement.distance = dragging.distance();
    if (placement.distance <= options.tolerance) break;
    dragging.step();
    ++since;
    if (dragging.distance() > (1 - kProgress) * mark) continue;
    mark = dragging.distance();
    since = 0;
  }
  placement.distance = dragging.distance();
  placement.arrived = placement.distance <= options.tolerance;
  dragging.take_result(placement);
  return placement;
}

}  // namespace achilles
