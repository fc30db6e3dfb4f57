#include <achilles/placement.hpp>

#include <achilles/simulation.hpp>

#include "methods/first_order/first_order.hpp"
#include "scene/wording.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kShare = 0.2;      // of the way that an unhindered point goes in a step
constexpr int kPatience = 100;      // steps without progress after which nothing is going to move any more
constexpr double kProgress = 1e-3;  // of the distance that is left, within the patience
constexpr double kMoved = 1e-9;     // [m], [rad]
constexpr double kFelt = 0.01;      // of the largest push against a pull: less is touch in passing

/// Gravity would be a wind here, and the method's margins are all it needs of the scene's.
Scene make_workshop(const Scene& scene) {
  Scene workshop = scene;
  workshop.gravity.setZero();
  workshop.method = {};
  workshop.method.name = kFirstOrderName;
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
        throw std::invalid_argument("there is no body '" + pull.body + "'" +
                                    scene_file::suggestion(pull.body, world.names));
      }
      bodies_.push_back(world.index_of(world.find(pull.body)));
      if (!world.bodies.is_movable(bodies_.back())) {
        throw std::invalid_argument("body '" + pull.body + "' is fixed or scripted and cannot be pulled");
      }
      if (!pull.target.allFinite() || !pull.point_B.allFinite()) {
        throw std::invalid_argument("body '" + pull.body + "' is pulled at, or to, a point that is not finite");
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

  void take_result(double tolerance, Placement& placement) {
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
    for (std::size_t k = 0; k < pulls_.size(); ++k) {
      if (offset(k).norm() > tolerance) add_obstacles(k, obstacles);
    }
    placement.obstacles.assign(obstacles.begin(), obstacles.end());
  }

 private:
  /// The bodies that are pushed along with the one that pull k pulls, itself included: 1 per body.
  [[nodiscard]] std::vector<std::uint8_t> find_pushed(std::size_t k) const {
    const World& world = simulation_.world();
    std::vector<std::uint8_t> pushed(world.bodies.size(), 0);
    pushed[bodies_[k]] = 1;
    for (bool grows = true; grows;) {
      grows = false;
      for (const ContactRecord& contact : simulation_.contacts()) {
        if (contact.impulse.isZero(0) || pushed[contact.body_a] == pushed[contact.body_b]) continue;
        const std::uint32_t other = pushed[contact.body_a] != 0 ? contact.body_b : contact.body_a;
        if (!world.bodies.is_movable(other)) continue;
        pushed[other] = 1;
        grows = true;
      }
    }
    return pushed;
  }

  /// What cannot be moved and pushes back, at the pulled body or at those it pushes along; what is only slid along does
  /// not count.
  void add_obstacles(std::size_t k, std::set<std::string>& obstacles) const {
    const World& world = simulation_.world();
    const Vec3 off = offset(k);
    const std::vector<std::uint8_t> pushed = find_pushed(k);
    std::map<std::uint32_t, double> back;  // [N s m] impulse against the pull
    double most = 0;
    for (const ContactRecord& contact : simulation_.contacts()) {
      if (pushed[contact.body_a] == pushed[contact.body_b]) continue;
      const bool is_first = pushed[contact.body_a] != 0;
      const std::uint32_t other = is_first ? contact.body_b : contact.body_a;
      const double against = (is_first ? off : -off).dot(contact.impulse);  // the impulse acts on the second
      most = std::max(most, back[other] += against);
    }
    for (const auto& [body, against] : back) {
      if (against > kFelt * most) obstacles.insert(world.names[body]);
    }
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
  dragging.take_result(options.tolerance, placement);
  return placement;
}

}  // namespace achilles
