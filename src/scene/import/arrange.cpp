#include "scene/import/arrange.hpp"

#include "scene/import/shapes.hpp"
#include "scene/import/values.hpp"

#include "geometry/mass_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace achilles::scene_file {
namespace {

ModelLink& link_at(Model& model, int index) { return model.links[static_cast<std::size_t>(index)]; }

bool is_ground(const Model& model, int index) {
  return index < 0 || model.links[static_cast<std::size_t>(index)].fixed;
}

bool can_be_one(const ModelLink& a, const ModelLink& b) {
  if (a.colliders.empty() || b.colliders.empty()) return true;
  return a.material == b.material && a.filter == b.filter;
}

/// Adds link b, which moves with link a, to it.
void absorb(ModelLink& a, const ModelLink& b) {
  const Pose X_AB = compose(inverse_of(a.pose), b.pose);
  if (a.colliders.empty() && !b.colliders.empty()) {
    a.material = b.material;
    a.filter = b.filter;
  }
  // What is seen is listed, or it is the colliders: the list of one must not hide the colliders of the other.
  const bool is_listed = !a.visuals.empty() || !b.visuals.empty();
  if (is_listed && a.visuals.empty()) a.visuals = a.colliders;
  const std::vector<ModelShape>& seen = is_listed && b.visuals.empty() ? b.colliders : b.visuals;
  const auto append = [&X_AB](std::vector<ModelShape>& to, const std::vector<ModelShape>& from) {
    for (ModelShape shape : from) {
      shape.pose = compose(X_AB, shape.pose);
      to.push_back(std::move(shape));
    }
  };
  append(a.visuals, seen);
  append(a.colliders, b.colliders);
  if (!(b.mass.mass > 0)) return;
  const std::array<MassProperties, 2> both{a.mass, transformed(b.mass, X_AB)};
  a.mass = a.mass.mass > 0 ? combine(both) : both[1];
  if (a.mass_place.line == 0) a.mass_place = b.mass_place;
}

/// Where each link went: into which other, or nowhere.
class Mergers {
 public:
  explicit Mergers(std::size_t count) : into_(count, -1) {}
  void merge(int link, int into) { into_[static_cast<std::size_t>(link)] = into; }
  [[nodiscard]] bool is_gone(std::size_t link) const { return into_[link] >= 0; }
  [[nodiscard]] int find(int link) const {
    while (link >= 0 && into_[static_cast<std::size_t>(link)] >= 0) link = into_[static_cast<std::size_t>(link)];
    return link;
  }

 private:
  std::vector<int> into_;
};

/// Whether shapes of other links are among those of the link that `link` went into, or stayed.
bool shares_contacts(const Model& model, const Mergers& mergers, std::size_t link) {
  const auto target = static_cast<std::size_t>(mergers.find(static_cast<int>(link)));
  if (target != link) return model.links[target].colliders.size() > model.links[link].colliders.size();
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const bool went_in = i != link && mergers.find(static_cast<int>(i)) == static_cast<int>(link);
    if (went_in && !model.links[i].colliders.empty()) return true;
  }
  return false;
}

void rename_bodies(ImportContext& context, Model& model, const Mergers& mergers) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < model.links.size(); ++i) by_name.emplace(model.links[i].name, i);
  const auto kept = [&](const std::string& name) -> std::pair<std::string, Pose> {
    const auto found = by_name.find(name);
    if (found == by_name.end()) return {name, {}};
    const ModelLink& old = model.links[found->second];
    const ModelLink& link = link_at(model, mergers.find(static_cast<int>(found->second)));
    return {link.name, compose(inverse_of(link.pose), old.pose)};
  };
  for (auto& sensor : model.sensors) {
    const auto [name, frame] = kept(sensor.description.body);
    const bool feels =
        sensor.description.kind == SensorKind::kTouch || sensor.description.kind == SensorKind::kContactForce;
    const auto own = by_name.find(sensor.description.body);
    if (feels && own != by_name.end() && shares_contacts(model, mergers, own->second)) {
      context.leave_out(sensor.place, fmt::format("the share of '{}' in what '{}' feels: all contacts of the body '{}' "
                                                  "count, of which it is a part",
                                                  sensor.description.body, sensor.description.name, name));
    }
    if (name == sensor.description.body) continue;
    sensor.description.body = name;
    if (!feels) sensor.description.pose = compose(frame, sensor.description.pose);
  }
  for (auto& rule : model.rules) {
    rule.description.first = kept(rule.description.first).first;
    rule.description.second = kept(rule.description.second).first;
  }
  std::erase_if(model.rules, [](const auto& rule) { return rule.description.first == rule.description.second; });
}

/// Takes the merged links out and numbers the rest anew.
void remove_merged(ImportContext& context, Model& model, const Mergers& mergers) {
  rename_bodies(context, model, mergers);
  std::vector<int> number(model.links.size(), -1);
  std::vector<ModelLink> kept;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (mergers.is_gone(i)) continue;
    number[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(model.links[i]));
  }
  const auto renumber = [&](int& link) {
    if (link >= 0) link = number[static_cast<std::size_t>(mergers.find(link))];
  };
  for (ModelLink& link : kept) renumber(link.parent);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].parent >= static_cast<int>(i)) kept[i].parent = -1;
  }
  model.links = std::move(kept);
  for (ModelJoint& joint : model.joints) {
    renumber(joint.first);
    renumber(joint.second);
    joint.description.first = joint.first >= 0 ? link_at(model, joint.first).name : std::string(kWorldBody);
    joint.description.second = joint.second >= 0 ? link_at(model, joint.second).name : std::string(kWorldBody);
  }
}

/// Index of the first link with a mass behind `link`, and the joint that leads towards it; -1 when there is none.
int find_donor(const Model& model, int link, std::size_t& joint) {
  std::vector<bool> seen(model.links.size(), false);
  bool is_first = true;
  while (link >= 0 && !seen[static_cast<std::size_t>(link)]) {
    seen[static_cast<std::size_t>(link)] = true;
    const auto next = std::find_if(model.joints.begin(), model.joints.end(), [&](const ModelJoint& candidate) {
      return candidate.first == link && !is_ground(model, candidate.second);
    });
    if (next == model.joints.end()) return -1;
    if (is_first) joint = static_cast<std::size_t>(next - model.joints.begin());
    is_first = false;
    link = next->second;
    if (model.links[static_cast<std::size_t>(link)].mass.mass > 0) return link;
  }
  return -1;
}

/// What a body has left when it gives the share f of its mass to a point: the sum of both is what it was. d is from the
/// point to its centre, in its axes; I' = I − m f/(1−f) (|d|² 1 − d dᵀ), c' = point + d/(1−f).
MassProperties without_point(const MassProperties& body, const Vec3& d, double f) {
  MassProperties rest = body;
  rest.mass = (1 - f) * body.mass;
  rest.center = body.center + d * (f / (1 - f));
  rest.inertia -= body.mass * f / (1 - f) * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  return rest;
}

void take_share(ModelLink& link, ModelLink& donor, const Vec3& point) {
  constexpr double kShare = 0.1, kTurning = 0.01, kLeast = 1e-3;
  const Vec3 d = donor.mass.center - donor.pose.q.conjugate() * (point - donor.pose.p);
  double f = kShare;
  while (f > kLeast && !is_physical_inertia(without_point(donor.mass, d, f).inertia)) f /= 2;
  const double about_point = donor.mass.inertia.trace() / 3 + donor.mass.mass * d.squaredNorm() * 2 / 3;
  link.mass.mass = f * donor.mass.mass;
  link.mass.center = link.pose.q.conjugate() * (point - link.pose.p);
  link.mass.inertia = kTurning * about_point * Mat3::Identity();
  link.mass_place = donor.mass_place;
  donor.mass = without_point(donor.mass, d, f);
}

/// Takes out what reads or ties a joint that goes.
void remove_users(ImportContext& context, Model& model, const std::string& joint) {
  std::erase_if(model.sensors, [&](const auto& sensor) {
    if (sensor.description.joint != joint) return false;
    context.leave_out(sensor.place,
                      fmt::format("the sensor '{}' of '{}', which cannot move", sensor.description.name, joint));
    return true;
  });
  std::erase_if(model.couplings, [&](const auto& coupling) {
    const auto& terms = coupling.description.terms;
    const bool uses =
        std::any_of(terms.begin(), terms.end(), [&](const CouplingTerm& term) { return term.joint == joint; });
    if (!uses) return false;
    context.leave_out(coupling.place,
                      fmt::format("the coupling '{}' of '{}', which cannot move", coupling.description.name, joint));
    return true;
  });
}

}  // namespace

void merge_fixed_joints(ImportContext& context, Model& model) {
  Mergers mergers(model.links.size());
  // Fixed to something fixed: parents come before their children, so one pass reaches all.
  for (bool changed = true; changed;) {
    changed = false;
    for (const ModelJoint& joint : model.joints) {
      if (joint.description.kind != JointKind::kFixed ||
          is_ground(model, joint.first) == is_ground(model, joint.second))
        continue;
      link_at(model, is_ground(model, joint.first) ? joint.second : joint.first).fixed = true;
      changed = true;
    }
  }
  std::vector<ModelJoint> kept;
  for (ModelJoint& joint : model.joints) {
    const bool holds_nothing = is_ground(model, joint.first) && is_ground(model, joint.second);
    if (holds_nothing && joint.description.kind == JointKind::kFixed) continue;
    const bool is_fixed = joint.description.kind == JointKind::kFixed && !context.options().keep_fixed;
    const int a = mergers.find(joint.first), b = mergers.find(joint.second);
    if (!is_fixed || a < 0 || b < 0 || a == b || !can_be_one(link_at(model, a), link_at(model, b))) {
      kept.push_back(std::move(joint));
      continue;
    }
    absorb(link_at(model, a), link_at(model, b));
    mergers.merge(b, a);
  }
  model.joints = std::move(kept);
  remove_merged(context, model, mergers);
}

void settle_base(ImportContext& context, Model& model) {
  std::vector<bool> is_held(model.links.size(), false);
  for (const ModelJoint& joint : model.joints) {
    if (joint.second >= 0) is_held[static_cast<std::size_t>(joint.second)] = true;
  }
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    ModelLink& link = model.links[i];
    if (is_held[i] || link.fixed) continue;
    const bool weighs = link.mass.mass > 0;
    if (context.options().base == ImportOptions::Base::kFree && !weighs) {
      context.error(link.place, fmt::format("the base '{}' is to be free and has no mass", link.name));
    }
    link.fixed = context.options().base == ImportOptions::Base::kFixed ||
                 (context.options().base == ImportOptions::Base::kAuto && !weighs);
  }
}

void share_mass(ImportContext& context, Model& model) {
  Mergers mergers(model.links.size());
  std::vector<std::size_t> dead_joints;
  for (int i = static_cast<int>(model.links.size()) - 1; i >= 0; --i) {
    ModelLink& link = link_at(model, i);
    if (link.fixed || link.mass.mass > 0) continue;
    std::size_t joint = 0;
    const int donor = find_donor(model, i, joint);
    if (donor >= 0) {
      take_share(link, link_at(model, donor), model.joints[joint].description.at);
      continue;
    }
    // What holds it may have been merged into it before, where bodies without mass hold each other in a ring.
    const auto holder = std::find_if(model.joints.begin(), model.joints.end(), [&](const ModelJoint& candidate) {
      return candidate.second == i && candidate.first >= 0 && mergers.find(candidate.first) != i;
    });
    if (holder == model.joints.end()) {
      context.error(link.place,
                    fmt::format("'{}' moves and has neither mass nor anything behind it that has", link.name));
      continue;
    }
    context.leave_out(link.place, fmt::format("motion of '{}', which has no mass; it is fixed to '{}'", link.name,
                                              holder->description.first));
    const int into = mergers.find(holder->first);
    absorb(link_at(model, into), link);
    mergers.merge(i, into);
    dead_joints.push_back(static_cast<std::size_t>(holder - model.joints.begin()));
  }
  if (dead_joints.empty()) return;
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const ModelJoint& joint = model.joints[k];
    if (joint.first < 0 || joint.second < 0 || mergers.find(joint.first) != mergers.find(joint.second)) continue;
    if (std::find(dead_joints.begin(), dead_joints.end(), k) != dead_joints.end()) continue;
    context.leave_out(joint.place, fmt::format("joint '{}': its bodies became one", joint.description.name));
    dead_joints.push_back(k);
  }
  std::sort(dead_joints.rbegin(), dead_joints.rend());
  for (const std::size_t joint : dead_joints) {
    remove_users(context, model, model.joints[joint].description.name);
    model.joints.erase(model.joints.begin() + static_cast<std::ptrdiff_t>(joint));
  }
  remove_merged(context, model, mergers);
}

void hold_joints(ImportContext& context, Model& model) {
  const ImportOptions& options = context.options();
  if (!(options.hold_stiffness > 0)) return;
  for (ModelJoint& joint : model.joints) {
    if (joint.description.kind == JointKind::kPlanar) continue;
    for (std::size_t k = 0; k < joint.description.axes.size(); ++k) {
      JointAxis& axis = joint.description.axes[k];
      const bool follows = std::any_of(model.couplings.begin(), model.couplings.end(), [&](const auto& coupling) {
        const CouplingTerm& follower = coupling.description.terms.front();
        return follower.joint == joint.description.name && follower.axis == k;
      });
      if (axis.drive || follows) continue;
      DriveDescription drive;
      drive.target = {{0, 0}};
      drive.stiffness = options.hold_stiffness;
      drive.damping = options.hold_damping;
      if (joint.effort > 0) drive.max_force = joint.effort;
      axis.drive = drive;
    }
  }
}

void add_ground(ImportContext& context, Model& model) {
  const auto has_body = [](const ModelLink& link) { return link.fixed && !link.colliders.empty(); };
  const bool is_free =
      std::any_of(model.links.begin(), model.links.end(), [](const ModelLink& link) { return !link.fixed; });
  if (!context.options().ground || !is_free || std::any_of(model.links.begin(), model.links.end(), has_body)) return;
  const bool is_held = std::any_of(model.joints.begin(), model.joints.end(), [&](const ModelJoint& joint) {
    return is_ground(model, joint.first) || is_ground(model, joint.second);
  });
  if (is_held) return;
  const std::optional<double> lowest = find_lowest_point(context, model);
  if (!lowest) {
    return context.note(model.place, "nothing of the robot collides, so that it falls; --base fixed holds it");
  }
  ModelLink ground;
  ground.name = "ground";
  ground.place = model.place;
  ground.fixed = true;
  ground.pose.p.z() = *lowest;
  ModelShape plane;
  plane.kind = ModelShape::Kind::kPlane;
  plane.place = model.place;
  ground.colliders = {plane};
  const auto is_taken = [&](const ModelLink& link) { return link.name == ground.name; };
  while (std::any_of(model.links.begin(), model.links.end(), is_taken)) ground.name += " plane";
  model.links.push_back(std::move(ground));
  context.note(model.place, fmt::format("the file has no ground: added the plane z = {:.6g}, which the robot touches; "
                                        "--no-ground leaves it out, --base fixed holds the robot",
                                        *lowest));
}

}  // namespace achilles::scene_file
