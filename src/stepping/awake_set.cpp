#include "stepping/awake_set.hpp"

#include "geometry/geometry.hpp"
#include "math/finite.hpp"
#include "math/refill.hpp"
#include "stepping/awake_part.hpp"
#include "stepping/sleep_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr double kFatness = 0.25;  // of its mean edge: how far around a body its query for neighbours reaches
constexpr BoxF kNowhere{{1, 1, 1}, {0, 0, 0}};

Aabb bounds_of(const World& world, std::span<const WorldPiece> pieces, std::uint32_t body) {
  if (pieces.empty()) return {world.bodies.position[body], world.bodies.position[body]};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Aabb box{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  const Transform X_WC{world.bodies.orientation[body].toRotationMatrix(), world.bodies.position[body]};
  for (const WorldPiece& piece : pieces) {
    const Aabb bounds = compute_bounds(*piece.geometry, X_WC * piece.X_CG);
    box.lower = box.lower.cwiseMin(bounds.lower);
    box.upper = box.upper.cwiseMax(bounds.upper);
  }
  return box;
}

/// How far a body's surface comes in a step, forces included, and once more for the fall of what it meets. [m]
double reach_of(const World& world, const Aabb& box, std::uint32_t body, double h) {
  const BodyArrays& bodies = world.bodies;
  const double radius = box.extent().norm();
  const BodyVelocity& u = bodies.velocity[body];
  double speed = u.linear.norm() + radius * u.angular.norm() + 2 * h * world.gravity.norm();
  if (bodies.is_movable(body)) {
    const Vec3 force = bodies.constant_force[body] + bodies.applied_force[body];
    const Vec3 torque = bodies.constant_torque[body] + bodies.applied_torque[body];
    speed += h * force.norm() / bodies.mass[body];
    speed += h * radius * bodies.inverse_inertia_B[body].norm() * torque.norm();
  }
  return h * speed;
}

bool is_finite(const Aabb& box) { return box.lower.allFinite() && box.upper.allFinite(); }

}  // namespace

/// Whether few enough bodies of the world are awake, by counting them.
bool AwakeSet::begin(World& world) {
  const BodyArrays& bodies = world.bodies;
  std::size_t active = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    active += bodies.kind[i] != BodyKind::kFixed && bodies.asleep[i] == 0 ? 1 : 0;
  }
  if (4 * active > bodies.size()) return false;
  index_all(world);
  return true;
}

void AwakeSet::index_all(World& world) {
  const BodyArrays& bodies = world.bodies;
  const std::size_t n = bodies.size();
  for (auto* list : {&active_, &near_, &unbounded_, &members_}) list->clear();
  role_.assign(n, Role::kResting);
  local_.assign(n, 0);
  queried_.assign(n, kNowhere);
  first_piece_.assign(n + 1, 0);
  for (const WorldPiece& piece : world.pieces) ++first_piece_[piece.body + 1];
  std::partial_sum(first_piece_.begin(), first_piece_.end(), first_piece_.begin());
  list_joints(world);
  std::vector<std::uint32_t> ids;
  std::vector<BoxF> boxes;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Aabb box = bounds_of(world, pieces_of(world, i), i);
    if (bodies.kind[i] != BodyKind::kFixed && bodies.asleep[i] == 0) {
      role_[i] = Role::kActive;
      active_.push_back(i);
    } else if (!is_finite(box)) {
      role_[i] = Role::kUnbounded;
      unbounded_.push_back(i);
    } else {
      ids.push_back(i);
      boxes.push_back(round_outward(box));
    }
  }
  resting_.build(ids, boxes);
  changed_ = true;
  near_limit_ = 0;
  world.memory().sleep_log.woken.clear();
  world.memory().sleep_log.reader = this;
}

void AwakeSet::list_joints(const World& world) {
  first_joint_.assign(world.bodies.size() + 1, 0);
  for (const WorldJoint& joint : world.joints) {
    ++first_joint_[joint.body_a + 1];
    ++first_joint_[joint.body_b + 1];
  }
  std::partial_sum(first_joint_.begin(), first_joint_.end(), first_joint_.begin());
  joints_of_.resize(2 * world.joints.size());
  std::vector<std::uint32_t> place(first_joint_.begin(), first_joint_.end() - 1);
  for (std::uint32_t joint = 0; joint < world.joints.size(); ++joint) {
    joints_of_[place[world.joints[joint].body_a]++] = joint;
    joints_of_[place[world.joints[joint].body_b]++] = joint;
  }
  loads_.assign(world.joints.size(), JointLoad{});
}

bool AwakeSet::gather(World& world, const Sleeping& sleeping, StepWorkspace& scratch) {
  const bool all_wake = !sleeping.options.enabled || world.memory().sleep.gravity != world.gravity;
  if (all_wake) world.memory().sleep_log.reader = nullptr;
  if (all_wake || (world.memory().sleep_log.reader != this && !begin(world))) return false;
  world.aim_scripts(sleeping.search.h);
  wake_unbalanced(world, sleeping.options, sleeping.search.h, scratch);
  do {
    take_in_woken(world);
    if (2 * active_.size() > world.bodies.size() || (changed_ && has_unbounded(world))) {
      world.memory().sleep_log.reader = nullptr;
      return false;
    }
    if (near_.size() > near_limit_) forget_neighbours();
    find_neighbours(world, sleeping);
    near_limit_ = std::max(near_limit_, 2 * (near_.size() + active_.size()) + 16);
    if (changed_) rebuild(world);
    copy_in(world);
  } while (wake_neighbours(world, sleeping, scratch));
  return true;
}

/// Whether something that moves is without bounds, or where it is no number.
bool AwakeSet::has_unbounded(const World& world) const {
  const auto unbounded = [&](std::uint32_t body) {
    const auto is_endless = [](const WorldPiece& piece) { return !std::isfinite(piece.geometry->radius); };
    const std::span<const WorldPiece> pieces = pieces_of(world, body);
    return !world.bodies.position[body].allFinite() || !is_finite(world.bodies.orientation[body]) ||
           std::any_of(pieces.begin(), pieces.end(), is_endless);
  };
  return std::any_of(active_.begin(), active_.end(), unbounded);
}

std::span<const WorldPiece> AwakeSet::pieces_of(const World& world, std::uint32_t body) const {
  return std::span(world.pieces).subspan(first_piece_[body], first_piece_[body + 1] - first_piece_[body]);
}

/// Bodies that woke since the last look are active now.
void AwakeSet::take_in_woken(World& world) {
  if (world.memory().sleep_log.woken.empty()) return;
  for (const std::uint32_t body : world.memory().sleep_log.woken) {
    if (role_[body] == Role::kActive) continue;
    role_[body] = Role::kActive;
    queried_[body] = kNowhere;
    resting_.remove(body);
    active_.push_back(body);
  }
  world.memory().sleep_log.woken.clear();
  std::erase_if(near_, [&](std::uint32_t body) { return role_[body] != Role::kNear; });
  changed_ = true;
}

void AwakeSet::forget_neighbours() {
  for (const std::uint32_t body : near_) role_[body] = Role::kResting;
  for (const std::uint32_t body : active_) queried_[body] = kNowhere;
  near_.clear();
  near_limit_ = 0;
  changed_ = true;
}

void AwakeSet::include(const World& world, std::uint32_t body) {
  for (std::uint32_t at = body; role_[at] == Role::kResting; at = world.memory().sleep.next[at]) {
    role_[at] = Role::kNear;
    near_.push_back(at);
    changed_ = true;
  }
}

void AwakeSet::find_neighbours(const World& world, const Sleeping& sleeping) {
  for (const std::uint32_t body : active_) {
    const Aabb box = bounds_of(world, pieces_of(world, body), body);
    const Aabb grown = box.grown(sleeping.farthest + reach_of(world, box, body, sleeping.search.h));
    if (queried_[body].contains(grown)) continue;
    queried_[body] = round_outward(grown.grown(kFatness * box.extent().mean()));
    found_.clear();
    resting_.for_each_overlap(queried_[body], [&](std::uint32_t id) { found_.push_back(id); });
    for (std::uint32_t k = first_joint_[body]; k < first_joint_[body + 1]; ++k) {
      const WorldJoint& joint = world.joints[joints_of_[k]];
      found_.push_back(joint.body_a == body ? joint.body_b : joint.body_a);
    }
    for (const std::uint32_t id : found_) include(world, id);
  }
}

/// Wakes in the whole what the part finds disturbed.
bool AwakeSet::wake_neighbours(World& world, const Sleeping& sleeping, StepWorkspace& scratch) {
  wake_touched(part_, sleeping.options, sleeping.search, scratch);
  found_.clear();
  for (const std::uint32_t body : near_) {
    if (world.bodies.asleep[body] != 0 && part_.bodies.asleep[local_[body]] == 0) found_.push_back(body);
  }
  world.wake(found_);
  for (const std::uint32_t body : found_)
    world.memory().sleep.calm_steps[body] = part_.memory().sleep.calm_steps[local_[body]];
  return !found_.empty();
}

void AwakeSet::rebuild(const World& world) {
  members_.clear();
  for (const auto* list : {&active_, &near_, &unbounded_}) {
    members_.insert(members_.end(), list->begin(), list->end());
  }
  std::sort(members_.begin(), members_.end());
  std::sort(active_.begin(), active_.end());
  for (std::uint32_t k = 0; k < members_.size(); ++k) local_[members_[k]] = k;
  resize_bodies(members_.size(), part_);
  part_.pieces.clear();
  colliders_.clear();
  first_collider_.clear();
  for (std::uint32_t k = 0; k < members_.size(); ++k) {
    copy_description(world, members_[k], part_, k);
    copy_body(world, members_[k], part_, k);
    // A ring is in the part as a whole; of an active body it is the body itself.
    part_.memory().sleep.next[k] = local_[world.memory().sleep.next[members_[k]]];
    first_collider_.push_back(static_cast<std::uint32_t>(colliders_.size()));
    for (std::uint32_t piece = first_piece_[members_[k]]; piece < first_piece_[members_[k] + 1]; ++piece) {
      part_.pieces.push_back(world.pieces[piece]);
      part_.pieces.back().body = k;
      colliders_.push_back(piece);
    }
  }
  part_.materials = world.materials;
  rebuild_joints(world);
  rebuild_rules(world);
  part_.scripts = world.scripts;
  for (WorldScript& script : part_.scripts) script.body = local_[script.body];
  changed_ = false;
}

void AwakeSet::rebuild_rules(const World& world) {
  const auto& pairs = world.ignored_pairs;
  part_.ignored_pairs.clear();
  for (const std::uint32_t body : members_) {
    auto pair = std::lower_bound(pairs.begin(), pairs.end(), std::pair(body, std::uint32_t{0}));
    for (; pair != pairs.end() && pair->first == body; ++pair) {
      if (role_[pair->second] != Role::kResting) part_.ignored_pairs.emplace_back(local_[body], local_[pair->second]);
    }
  }
}

void AwakeSet::rebuild_joints(const World& world) {
  for (const std::uint32_t joint : joints_) loads_[joint] = {};
  joints_.clear();
  for (const std::uint32_t body : active_) {
    joints_.insert(joints_.end(), joints_of_.begin() + first_joint_[body], joints_of_.begin() + first_joint_[body + 1]);
  }
  std::sort(joints_.begin(), joints_.end());
  joints_.erase(std::unique(joints_.begin(), joints_.end()), joints_.end());
  part_.joints.resize(joints_.size());
  part_.joint_states.resize(joints_.size());
  part_.joint_names.resize(joints_.size());
  for (std::size_t k = 0; k < joints_.size(); ++k) part_.joint_names[k] = world.joint_names[joints_[k]];
}

/// Couplings whose joints are all in the part; bodies that a coupling holds do not fall asleep one without another.
void AwakeSet::copy_couplings(const World& world) {
  part_.couplings.clear();
  part_.coupling_terms.clear();
  for (const WorldCoupling& coupling : world.couplings) {
    WorldCoupling& copy = part_.couplings.emplace_back(coupling);
    copy.first = static_cast<std::uint32_t>(part_.coupling_terms.size());
    for (const WorldCouplingTerm& term : std::span(world.coupling_terms).subspan(coupling.first, coupling.count)) {
      const auto found = std::lower_bound(joints_.begin(), joints_.end(), term.joint);
      if (found == joints_.end() || *found != term.joint) continue;
      part_.coupling_terms.push_back(term);
      part_.coupling_terms.back().joint = static_cast<std::uint32_t>(found - joints_.begin());
    }
    const std::size_t terms = part_.coupling_terms.size() - copy.first;
    if (terms == coupling.count) continue;
    part_.coupling_terms.resize(copy.first);
    part_.couplings.pop_back();
  }
}

void AwakeSet::copy_in(const World& world) {
  part_.gravity = world.gravity;
  part_.time = world.time;
  part_.step_index = world.step_index;
  part_.memory().sleep.islands = world.memory().sleep.islands;
  part_.memory().sleep.gravity = world.memory().sleep.gravity;
  for (const std::uint32_t body : active_) copy_body(world, body, part_, local_[body]);
  copy_to(world.drive_points, part_.drive_points);
  copy_couplings(world);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    part_.joints[k] = world.joints[joints_[k]];
    part_.joints[k].body_a = local_[part_.joints[k].body_a];
    part_.joints[k].body_b = local_[part_.joints[k].body_b];
    part_.joint_states[k] = world.joint_states[joints_[k]];
  }
  const auto to_part = [&](std::uint32_t collider) {
    const std::uint32_t body = world.pieces[collider].body;
    if (role_[body] == Role::kResting) return kNoCollider;
    return first_collider_[local_[body]] + collider - first_piece_[body];
  };
  forgotten_ = copy_contacts(world.memory().contact_cache, to_part, part_.memory().contact_cache);
  (void)copy_manifolds(world.memory().manifold_memory, to_part, part_.memory().manifold_memory);
}

void AwakeSet::scatter(World& world, StepWorkspace& scratch, StepReport& report) {
  report.lost_contacts += static_cast<int>(forgotten_);
  for (const std::uint32_t body : active_) copy_state(part_, local_[body], world, body);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    world.joint_states[joints_[k]] = part_.joint_states[k];
    loads_[joints_[k]] = k < scratch.joint_loads.size() ? scratch.joint_loads[k] : JointLoad{};
  }
  const auto to_whole = [&](std::uint32_t collider) { return colliders_[collider]; };
  (void)copy_contacts(part_.memory().contact_cache, to_whole, world.memory().contact_cache);
  (void)copy_manifolds(part_.memory().manifold_memory, to_whole, world.memory().manifold_memory);
  world.time = part_.time;
  world.step_index = part_.step_index;
  world.memory().sleep.islands = part_.memory().sleep.islands;
  world.memory().sleep.gravity = part_.memory().sleep.gravity;
  for (ContactRecord& record : scratch.records) {
    record.body_a = members_[record.body_a];
    record.body_b = members_[record.body_b];
  }
  const auto fell_asleep = [&](std::uint32_t body) { return world.bodies.asleep[body] != 0; };
  if (std::none_of(active_.begin(), active_.end(), fell_asleep)) return;
  for (const std::uint32_t body : active_) {
    if (fell_asleep(body)) lie_down(world, body);
  }
  std::erase_if(active_, fell_asleep);
  // What the part laid aside for bodies that slept already is of no use: waking begins with the whole.
  for (const std::uint32_t body : near_) part_.memory().sleep.contacts[local_[body]] = {};
}

/// A body of the part that fell asleep rests in the whole from now on; it stays in the part for as long as it is near.
void AwakeSet::lie_down(World& world, std::uint32_t body) {
  const std::uint32_t local = local_[body];
  world.memory().sleep.next[body] = members_[part_.memory().sleep.next[local]];
  const auto to_whole = [&](std::uint32_t collider) { return colliders_[collider]; };
  (void)copy_contacts(part_.memory().sleep.contacts[local], to_whole, world.memory().sleep.contacts[body]);
  role_[body] = Role::kNear;
  near_.push_back(body);
  resting_.insert(body, round_outward(bounds_of(world, pieces_of(world, body), body)));
}

}  // namespace achilles
