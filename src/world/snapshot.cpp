// The World to and from bytes. One function names every field; it serves writing and reading, so the two cannot
// disagree.
#include "geometry/geometry.hpp"
#include "math/finite.hpp"
#include "world/binary_stream.hpp"
#include "world/body_arrays.hpp"
#include "world/script_path.hpp"
#include "world/shared_geometry.hpp"
#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace achilles {
namespace {

constexpr std::uint64_t kMagic = 0x31646c726f574841;  // "AHWorld1"
constexpr std::uint32_t kVersion = 12;

struct Writing {
  BinaryWriter stream;
  template <class T>
  void plain(const T& value) {
    stream.plain(value);
  }
  template <class T>
  void array(const std::vector<T>& values) {
    stream.array(values);
  }
  void text(const std::string& value) { stream.text(value); }
  template <class T>
  std::uint64_t resize(const std::vector<T>& values) {
    stream.plain(static_cast<std::uint64_t>(values.size()));
    return values.size();
  }
};

struct Reading {
  BinaryReader stream;
  template <class T>
  void plain(T& value) {
    stream.plain(value);
  }
  template <class T>
  void array(std::vector<T>& values) {
    stream.array(values);
  }
  void text(std::string& value) { stream.text(value); }
  template <class T>
  std::uint64_t resize(std::vector<T>& values) {
    values.clear();
    return stream.length();
  }
};

/// Element i of a list that grows while reading, so that a damaged length ends at the end of the stream.
template <class T>
const T& element(Writing&, const std::vector<T>& values, std::uint64_t i) {
  return values[i];
}
template <class T>
T& element(Reading&, std::vector<T>& values, std::uint64_t) {
  return values.emplace_back();
}

template <class Archive, class ShapeRef>
void visit_shape(Archive& archive, ShapeRef& shape, int depth);

template <class Archive, class Kind>
void visit_kind(Archive& archive, Kind& kind, int depth) {
  using T = std::remove_const_t<Kind>;
  if constexpr (std::is_same_v<T, Hull>) {
    archive.array(kind.points);
    archive.text(kind.file);
  } else if constexpr (std::is_same_v<T, Mesh>) {
    archive.array(kind.vertices);
    archive.array(kind.triangles);
    archive.text(kind.file);
  } else if constexpr (std::is_same_v<T, Heightfield>) {
    archive.array(kind.heights);
    archive.plain(kind.rows);
    archive.plain(kind.columns);
    archive.plain(kind.cell);
    archive.text(kind.file);
  } else if constexpr (std::is_same_v<T, DistanceMap>) {
    visit_kind(archive, kind.mesh, depth);
    archive.plain(kind.cell);
    archive.plain(kind.sampling);
  } else if constexpr (std::is_same_v<T, Compound>) {
    const std::uint64_t count = archive.resize(kind.parts);
    for (std::uint64_t i = 0; i < count; ++i) {
      auto& part = element(archive, kind.parts, i);
      archive.plain(part.pose.p);
      archive.plain(part.pose.q);
      visit_shape(archive, part.shape, depth + 1);
    }
  } else if constexpr (!std::is_same_v<T, NoShape>) {
    archive.plain(kind);  // plain numbers
  }
}

template <std::size_t I = 0>
void emplace_kind(Shape& shape, std::size_t index) {
  if constexpr (I < std::variant_size_v<decltype(Shape::kind)>) {
    if (index == I) {
      shape.kind.emplace<I>();
    } else {
      emplace_kind<I + 1>(shape, index);
    }
  } else {
    throw std::runtime_error("the saved world holds a shape of unknown kind");
  }
}

template <class Archive, class ShapeRef>
void visit_shape(Archive& archive, ShapeRef& shape, int depth) {
  if (depth > 32) throw std::runtime_error("the saved world nests compounds too deeply");
  auto index = static_cast<std::uint64_t>(shape.kind.index());
  archive.plain(index);
  if constexpr (std::is_same_v<Archive, Reading>) emplace_kind(shape, index);
  std::visit([&](auto& kind) { visit_kind(archive, kind, depth); }, shape.kind);
}

template <class Archive, class Arrays>
void visit_bodies(Archive& archive, Arrays& bodies) {
  const auto visit = [&archive](auto& array) { archive.array(array); };
  visit_model(visit, bodies);
  visit_state(visit, bodies);
}

template <class Archive, class Strings>
void visit_texts(Archive& archive, Strings& texts) {
  const std::uint64_t count = archive.resize(texts);
  for (std::uint64_t i = 0; i < count; ++i) archive.text(element(archive, texts, i));
}

}  // namespace

struct SnapshotAccess {
  template <class Archive, class WorldRef>
  static void visit(Archive& archive, WorldRef& world) {
    archive.plain(world.gravity);
    archive.plain(world.time);
    archive.plain(world.step_index);
    visit_bodies(archive, world.bodies);
    visit_texts(archive, world.names);
    archive.array(world.body_material);
    visit_texts(archive, world.materials.names_);
    const std::uint64_t laws = archive.resize(world.materials.laws_);
    for (std::uint64_t i = 0; i < laws; ++i) visit_law(archive, element(archive, world.materials.laws_, i));
    const std::uint64_t directional = archive.resize(world.materials.directional_);
    for (std::uint64_t i = 0; i < directional; ++i) {
      auto& pair = element(archive, world.materials.directional_, i);
      visit_coefficients(archive, pair.of_a);
      visit_coefficients(archive, pair.of_b);
    }
    auto& memory = world.memory();
    archive.array(memory.contact_cache.contacts);
    archive.array(memory.contact_cache.points);
    archive.array(memory.manifold_memory.manifolds);
    archive.array(memory.manifold_memory.points);
    archive.array(world.joints);
    archive.array(world.joint_states);
    visit_texts(archive, world.joint_names);
    archive.array(world.drive_points);
    archive.array(world.couplings);
    archive.array(world.coupling_terms);
    visit_texts(archive, world.coupling_names);
    const std::uint64_t scripts = archive.resize(world.scripts);
    for (std::uint64_t i = 0; i < scripts; ++i) visit_script(archive, element(archive, world.scripts, i));
    archive.array(world.ignored_pairs);
    archive.array(memory.sleep.calm_steps);
    archive.array(memory.sleep.energy);
    archive.array(memory.sleep.island);
    archive.array(memory.sleep.next);
    const std::uint64_t sleepers = archive.resize(memory.sleep.contacts);
    for (std::uint64_t i = 0; i < sleepers; ++i) {
      auto& kept = element(archive, memory.sleep.contacts, i);
      archive.array(kept.contacts);
      archive.array(kept.points);
    }
    archive.plain(memory.sleep.islands);
    archive.plain(memory.sleep.gravity);
    const std::uint64_t triggers = archive.resize(world.triggers);
    for (std::uint64_t i = 0; i < triggers; ++i) {
      auto& trigger = element(archive, world.triggers, i);
      archive.text(trigger.name);
      archive.plain(trigger.pose.p);
      archive.plain(trigger.pose.q);
      visit_shape(archive, trigger.shape, 0);
    }
    archive.array(world.events.near);
    archive.array(world.events.inside);
    archive.array(world.events.timers);
    archive.array(world.slots_);
    archive.array(world.free_slots_);
    archive.array(world.slot_of_);
    archive.array(world.joint_ids_);
    archive.plain(world.last_joint_id_);
  }

  template <class Archive, class Script>
  static void visit_script(Archive& archive, Script& script) {
    archive.plain(script.body);
    archive.plain(script.start);
    archive.text(script.description.body);
    archive.array(script.description.space);
    visit_pairs(archive, script.description.speed);
    visit_pairs(archive, script.description.turn);
  }

  template <class Archive, class Pairs>
  static void visit_pairs(Archive& archive, Pairs& pairs) {
    const std::uint64_t count = archive.resize(pairs);
    for (std::uint64_t i = 0; i < count; ++i) {
      auto& pair = element(archive, pairs, i);
      archive.plain(pair.first);
      archive.plain(pair.second);
    }
  }

  template <class Archive, class Law>
  static void visit_law(Archive& archive, Law& law) {
    archive.plain(law.friction);
    archive.plain(law.restitution);
    archive.plain(law.rolling_friction);
    archive.plain(law.torsional_friction);
    archive.plain(law.stiffness);
    archive.plain(law.damping);
    Vec2 anisotropy = law.anisotropy.value_or(Vec2::Constant(-1));  // negative: isotropic
    archive.plain(anisotropy);
    if constexpr (std::is_same_v<Archive, Reading>) {
      if (anisotropy.minCoeff() >= 0) law.anisotropy = anisotropy;
    }
  }

  template <class Archive, class Coefficients>
  static void visit_coefficients(Archive& archive, Coefficients& coefficients) {
    Vec3 values = coefficients.value_or(Vec3::Constant(-1));  // negative: none
    archive.plain(values);
    if constexpr (std::is_same_v<Archive, Reading>) {
      if (values.minCoeff() >= 0) coefficients = values;
    }
  }

  /// Times that rise and numbers that are finite: what a path is made from.
  static bool is_sound(const ScriptDescription& script) {
    const auto finite = [](const Vec3& point) { return point.allFinite(); };
    bool sound = std::all_of(script.space.begin(), script.space.end(), finite);
    for (std::size_t i = 0; i < script.speed.size(); ++i) {
      const auto& [time, length] = script.speed[i];
      sound = sound && std::isfinite(time) && std::isfinite(length) && (i == 0 || script.speed[i - 1].first < time);
    }
    for (std::size_t i = 0; i < script.turn.size(); ++i) {
      const auto& [time, key] = script.turn[i];
      sound = sound && std::isfinite(time) && is_finite(key) && (i == 0 || script.turn[i - 1].first < time);
    }
    return sound;
  }

  static bool is_sound(const ContactCache& cache) {
    return std::all_of(cache.contacts.begin(), cache.contacts.end(), [&](const CachedContact& contact) {
      return std::uint64_t{contact.first} + contact.count <= cache.points.size();
    });
  }

  /// Rings are rings when every body is the next of exactly one.
  static bool is_sound(const SleepState& sleep, std::size_t n) {
    bool sound = sleep.calm_steps.size() == n && sleep.energy.size() == n && sleep.island.size() == n &&
                 sleep.next.size() == n && sleep.contacts.size() == n;
    std::vector<bool> met(n, false);
    for (const std::uint32_t next : sleep.next) {
      sound = sound && next < n && !met[next];
      if (sound) met[next] = true;
    }
    return sound && std::all_of(sleep.contacts.begin(), sleep.contacts.end(),
                                [](const ContactCache& kept) { return is_sound(kept); });
  }

  static bool is_sound(const WorldJoint& joint, std::size_t points) {
    return std::all_of(joint.drives.begin(), joint.drives.end(), [&](const JointDrive& drive) {
      const DriveControl& control = drive.control;
      return control.kind <= DriveControl::Kind::kPosition &&
             (control.kind == DriveControl::Kind::kNone ||
              (control.count > 0 && std::uint64_t{control.first} + control.count <= points));
    });
  }

  static bool couplings_are_sound(const World& world) {
    bool sound = world.coupling_names.size() == world.couplings.size();
    for (const WorldCoupling& coupling : world.couplings) {
      sound =
          sound && coupling.count > 0 && std::uint64_t{coupling.first} + coupling.count <= world.coupling_terms.size();
    }
    for (const WorldCouplingTerm& term : world.coupling_terms) {
      sound = sound && term.joint < world.joints.size() && term.axis < world.joints[term.joint].axis_count;
    }
    return sound;
  }

  /// What every stage relies on: arrays of one length, indices in range.
  static void check(const World& world) {
    const std::size_t n = world.bodies.size();
    const BodyArrays& b = world.bodies;
    bool sound = b.locks.size() == n && b.mass.size() == n && b.inertia_B.size() == n &&
                 b.inverse_inertia_B.size() == n && b.center_B.size() == n && b.rotation.size() == n &&
                 b.rotation_axis_B.size() == n && b.constant_force.size() == n && b.constant_torque.size() == n &&
                 b.position.size() == n && b.orientation.size() == n && b.velocity.size() == n &&
                 b.applied_force.size() == n && b.applied_torque.size() == n && b.asleep.size() == n &&
                 b.filter.size() == n && world.names.size() == n && world.body_material.size() == n &&
                 world.slot_of_.size() == n &&
                 world.materials.laws_.size() == world.materials.names_.size() * world.materials.names_.size();
    const auto has_directions = [](const ContactLaw& law) { return law.anisotropy.has_value(); };
    const bool directional = std::any_of(world.materials.laws_.begin(), world.materials.laws_.end(), has_directions);
    sound = sound && (!directional || world.materials.directional_.size() == world.materials.laws_.size());
    sound = sound && is_sound(world.memory().sleep, n);
    for (const Nearness& near : world.events.near) sound = sound && near.body_a < n && near.body_b < n;
    for (const Presence& presence : world.events.inside) {
      sound = sound && presence.body < n && presence.trigger < world.triggers.size();
    }
    for (const BodyKind kind : b.kind) sound = sound && kind <= BodyKind::kScripted;
    for (const RotationUpdate rotation : b.rotation) sound = sound && rotation <= RotationUpdate::kInfinitesimal;
    for (const std::uint32_t material : world.body_material) sound = sound && material < world.materials.names_.size();
    for (const std::uint32_t slot : world.slot_of_) sound = sound && slot < world.slots_.size();
    for (std::uint32_t i = 0; sound && i < n; ++i) {
      const World::Slot& slot = world.slots_[world.slot_of_[i]];
      sound = slot.alive != 0 && slot.index == i;
    }
    const auto alive = std::count_if(world.slots_.begin(), world.slots_.end(),
                                     [](const World::Slot& slot) { return slot.alive != 0; });
    sound = sound && std::cmp_equal(alive, n);
    for (const std::uint32_t slot : world.free_slots_) {
      sound = sound && slot < world.slots_.size() && world.slots_[slot].alive == 0;
    }
    for (const auto& pair : world.ignored_pairs) sound = sound && pair.first < n && pair.second < n;
    sound =
        sound && world.joint_states.size() == world.joints.size() && world.joint_names.size() == world.joints.size();
    const std::vector<std::uint32_t>& ids = world.joint_ids_;
    const auto is_out_of_order = [](std::uint32_t before, std::uint32_t next) { return before >= next; };
    sound = sound && ids.size() == world.joints.size() && (ids.empty() || ids.back() <= world.last_joint_id_) &&
            std::adjacent_find(ids.begin(), ids.end(), is_out_of_order) == ids.end();
    for (const WorldJoint& joint : world.joints) {
      sound = sound && joint.body_a < n && joint.body_b < n && joint.body_a != joint.body_b && joint.axis_count <= 2 &&
              joint.kind <= JointKind::kDistance && is_sound(joint, world.drive_points.size());
    }
    sound = sound && couplings_are_sound(world);
    for (const WorldScript& script : world.scripts) {
      sound = sound && script.body < n && b.kind[script.body] == BodyKind::kScripted && is_sound(script.description);
    }
    const WorldMemory& memory = world.memory();
    sound = sound && is_sound(memory.contact_cache);
    for (const KeptManifold& kept : memory.manifold_memory.manifolds) {
      sound = sound && std::uint64_t{kept.first} + kept.count <= memory.manifold_memory.points.size();
    }
    if (!sound) throw std::runtime_error("the saved world is damaged: its arrays do not fit together");
  }
};

void World::save(std::ostream& out) const {
  Writing archive{BinaryWriter(out)};
  archive.plain(kMagic);
  archive.plain(kVersion);
  SnapshotAccess::visit(archive, *this);
  for (const auto& shape : shapes) visit_shape(archive, *shape, 0);
  archive.stream.finish();
  if (!out) throw std::runtime_error("the world could not be written");
}

World World::load(std::istream& in) {
  Reading archive{BinaryReader(in)};
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  archive.plain(magic);
  if (magic != kMagic) throw std::runtime_error("this is not a saved world");
  archive.plain(version);
  if (version != kVersion) {
    throw std::runtime_error("the world was saved in format " + std::to_string(version) +
                             ", this program reads format " + std::to_string(kVersion));
  }
  World world;
  SnapshotAccess::visit(archive, world);
  for (std::size_t body = 0; body < world.bodies.size(); ++body) {
    Shape shape;
    visit_shape(archive, shape, 0);
    world.shapes.push_back(std::make_shared<const Shape>(std::move(shape)));
  }
  // Nothing is built from what was read before all of it has proved sound.
  archive.stream.finish();
  SnapshotAccess::check(world);
  world.joint_loads.resize(world.joints.size());
  try {
    for (WorldScript& script : world.scripts) {
      script.path = std::make_shared<const ScriptPath>(script.description, script.start);
    }
    for (std::size_t body = 0; body < world.bodies.size(); ++body) {
      world.append_pieces(static_cast<std::uint32_t>(body), make_or_share_geometry(world, body, *world.shapes[body]));
    }
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(std::string("the saved world holds an impossible shape or script: ") + error.what());
  }
  return world;
}

std::uint64_t World::state_hash() const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, a word at a time with a rotation so that high bits spread too
  const auto mix = [&hash](const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (; bytes > 0;) {
      std::uint64_t word = 0;
      const std::size_t count = std::min<std::size_t>(bytes, sizeof(word));
      std::copy_n(at, count, reinterpret_cast<unsigned char*>(&word));
      hash = (hash ^ word) * 0x100000001b3;
      hash ^= hash >> 29U;
      at += count;
      bytes -= count;
    }
  };
  const auto mix_array = [&mix](const auto& array) { mix(array.data(), array.size() * sizeof(array[0])); };
  const WorldMemory& memory = this->memory();
  mix(&time, sizeof(time));
  visit_state(mix_array, bodies);
  mix_array(memory.sleep.calm_steps);
  mix_array(memory.sleep.energy);
  mix_array(memory.sleep.island);
  for (const ContactCache& kept : memory.sleep.contacts) {
    mix_array(kept.contacts);
    mix_array(kept.points);
  }
  mix_array(memory.contact_cache.contacts);
  mix_array(memory.contact_cache.points);
  mix_array(memory.manifold_memory.manifolds);
  mix_array(memory.manifold_memory.points);
  mix_array(joint_states);
  return hash;
}

}  // namespace achilles
