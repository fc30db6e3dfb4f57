#include "stepping/contact_stage.hpp"

#include "constraint/drive_target.hpp"
#include "constraint/joint_pose.hpp"
#include "math/refill.hpp"
#include "stepping/contact_record.hpp"
#include "world/colliders.hpp"
#include "world/contact_memory.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace achilles {

namespace {

constexpr std::size_t kBodyBlock = 16;  // bodies or their pieces that one thread takes at a time
constexpr std::size_t kMatchBlock = 64;

}  // namespace

double measure_script_work(const BodyArrays& bodies, const ContactRecord& contact, const Vec3& impulse) {
  const auto work = [&](std::uint32_t body, double sign) {
    if (bodies.kind[body] != BodyKind::kScripted) return 0.0;
    const BodyVelocity& u = bodies.velocity[body];
    return sign * impulse.dot(u.linear + u.angular.cross(contact.position - bodies.position[body]));
  };
  return work(contact.body_a, 1) + work(contact.body_b, -1);
}

void make_room_for_bodies(World& world, StepSpan step, StepWorkspace& scratch) {
  world.aim_scripts(step.start, step.h);
  const std::size_t n = world.bodies.size();
  scratch.inverse_mass.resize(n);
  scratch.movable.resize(n);
  scratch.motion.resize(n);
  scratch.constrained.assign(n, 0);
  scratch.velocity_before.resize(n);
  scratch.solving.resize(static_cast<std::size_t>(scratch.runner.threads()));
}

void prepare_body(const BodyArrays& bodies, std::size_t body, BodyWorkspace& scratch) {
  scratch.velocity_before[body] = bodies.velocity[body];
  scratch.movable[body] = bodies.is_movable(body) && bodies.asleep[body] == 0 ? 1 : 0;
  scratch.inverse_mass[body] = scratch.movable[body] != 0 ? compute_inverse_mass(bodies, body) : BodyInverseMass{};
}

void prepare_bodies(World& world, StepSpan step, StepWorkspace& scratch) {
  make_room_for_bodies(world, step, scratch);
  scratch.runner.run(world.bodies.size(), kBodyBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) prepare_body(world.bodies, i, scratch);
  });
}

namespace {

DetectOptions prepare_detection(const World& world, double margin, double h, StepWorkspace& scratch) {
  scratch.colliders.resize(world.pieces.size());
  scratch.materials.resize(world.pieces.size());
  scratch.runner.run(world.pieces.size(), kBodyBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      scratch.colliders[i] = place_collider(world, i, h);
      scratch.materials[i] = scratch.colliders[i].material;
      scratch.colliders[i].movable = scratch.movable[scratch.colliders[i].body] != 0;
    }
  });
  list_ignored_pairs(world, scratch.ignored);
  DetectOptions options;
  options.collide = scratch.collide;
  options.collide.margin = margin;
  options.threads = scratch.runner.threads();
  scratch.mark("bodies");
  return options;
}

}  // namespace

namespace {

void read_proposal(const Contact& contact, const ContactLaw& law, ContactWorkspace& scratch) {
  ProposedContact& proposed = scratch.proposed;
  proposed.body_a = contact.body_a;
  proposed.body_b = contact.body_b;
  proposed.friction = law.friction;
  proposed.restitution = law.restitution;
  proposed.points.clear();
  for (const ContactPoint& point : scratch.contacts.points_of(contact)) {
    proposed.points.push_back({point.position, point.normal, point.gap});
  }
}

void check_proposal(const World& world, const Contact& contact, const ProposedContact& proposed) {
  bool is_good = proposed.points.size() == contact.count && proposed.body_a == contact.body_a &&
                 proposed.body_b == contact.body_b && proposed.friction >= 0 && std::isfinite(proposed.friction) &&
                 proposed.restitution >= 0 && proposed.restitution <= 1;
  for (const ProposedPoint& point : proposed.points) {
    is_good = is_good && point.position.allFinite() && std::abs(point.normal.squaredNorm() - 1) < 1e-6 &&
              std::isfinite(point.gap);
  }
  if (is_good) return;
  throw std::logic_error("the contact callback left an impossible contact between '" + world.names[contact.body_a] +
                         "' and '" + world.names[contact.body_b] +
                         "': friction is at least 0, restitution from 0 to 1, normals have unit length, the bodies and "
                         "the number of points stay");
}

/// Lets the program's callback change or reject what was found; what is left keeps its order.
void apply_callback(const World& world, ContactWorkspace& scratch) {
  ContactSet& set = scratch.contacts;
  std::uint32_t kept = 0, points = 0;
  scratch.laws.clear();
  std::vector<ContactLaw>& laws = scratch.changed_laws;
  laws.clear();
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    Contact contact = set.contacts[k];
    ContactLaw law = find_contact_law(world, contact, scratch);
    read_proposal(contact, law, scratch);
    if (!scratch.callback(world, scratch.proposed)) continue;
    check_proposal(world, contact, scratch.proposed);
    law.friction = scratch.proposed.friction;
    law.restitution = scratch.proposed.restitution;
    laws.push_back(law);
    for (std::uint32_t p = 0; p < contact.count; ++p) {
      const ProposedPoint& from = scratch.proposed.points[p];
      set.points[points + p] = {from.position, from.normal, from.gap, set.points[contact.first + p].feature};
    }
    contact.first = points;
    points += contact.count;
    set.contacts[kept++] = contact;
  }
  set.contacts.resize(kept);
  set.points.resize(points);
  std::swap(scratch.laws, laws);
}

}  // namespace

void find_contacts(const World& world, double margin, double h, StepWorkspace& scratch) {
  const DetectOptions options = prepare_detection(world, margin, h, scratch);
  detect_contacts(scratch.colliders, scratch.ignored, options, scratch.detection, scratch.contacts);
  island_contacts(world, scratch);
}

void find_contacts_with_reuse(World& world, double margin, double h, double reuse, StepWorkspace& scratch) {
  find_ungrouped_contacts(world, margin, h, reuse, scratch);
  find_islands(scratch.edges, scratch.movable, scratch.islands);
  scratch.mark("groups");
}

namespace {

/// The first term of a coupling ties the bodies of its joint, further ones tie a body of theirs to it.
void list_coupling_edges(const World& world, std::span<GraphEdge> edges) {
  const auto moved = [&](const WorldJoint& joint) {
    return world.bodies.is_movable(joint.body_b) ? joint.body_b : joint.body_a;
  };
  for (const WorldCoupling& coupling : world.couplings) {
    std::uint32_t hub = 0;
    bool has_hub = false;
    for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
      const WorldJoint& joint = world.joints[world.coupling_terms[k].joint];
      const std::uint32_t body = moved(joint);
      edges[k] = {has_hub ? hub : joint.body_a, has_hub ? body : joint.body_b};
      if (has_hub || !world.bodies.is_movable(body)) continue;
      hub = body;
      has_hub = true;
    }
  }
}

/// Matches the contacts with the World's memory and lists what they and the joints tie together.
void list_edges(const World& world, StepWorkspace& scratch) {
  const std::vector<Contact>& contacts = scratch.contacts.contacts;
  scratch.matches.resize(contacts.size());
  scratch.edges.resize(contacts.size() + world.joints.size() + world.coupling_terms.size());
  scratch.runner.run(contacts.size(), kMatchBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    match_contacts(contacts, world.memory().contact_cache, first, last, scratch.matches);
    for (std::size_t k = first; k < last; ++k) scratch.edges[k] = {contacts[k].body_a, contacts[k].body_b};
  });
  std::transform(world.joints.begin(), world.joints.end(),
                 scratch.edges.begin() + static_cast<std::ptrdiff_t>(contacts.size()), [](const WorldJoint& joint) {
                   return GraphEdge{joint.body_a, joint.body_b};
                 });
  list_coupling_edges(world, std::span(scratch.edges).subspan(contacts.size() + world.joints.size()));
  scratch.mark("collision detection");
  if (scratch.profile == nullptr) return;
  scratch.profile->count("pairs", static_cast<double>(count_pairs(scratch.detection)));
  scratch.profile->count("contacts", static_cast<double>(contacts.size()));
  scratch.profile->count("contact points", static_cast<double>(scratch.contacts.points.size()));
}

}  // namespace

void find_ungrouped_contacts(World& world, double margin, double h, double reuse, StepWorkspace& scratch) {
  const DetectOptions options = prepare_detection(world, margin, h, scratch);
  if (scratch.callback) {  // what it changes is not what the next step may reuse
    detect_contacts(scratch.colliders, scratch.ignored, options, scratch.detection, scratch.contacts);
    scratch.reused = 0;
    apply_callback(world, scratch);
    list_edges(world, scratch);
    return;
  }
  scratch.laws.clear();
  const ManifoldReuse memory{reuse, world.memory().manifold_memory, scratch.next_manifolds, &scratch.reused};
  if (detect_contacts(scratch.colliders, scratch.ignored, options, memory, scratch.detection, scratch.contacts)) {
    std::swap(world.memory().manifold_memory, scratch.next_manifolds);
    ++scratch.manifold_exchanges;
  }
  if (scratch.profile != nullptr) scratch.profile->count("recycled contacts", static_cast<double>(scratch.reused));
  list_edges(world, scratch);
}

void island_contacts(const World& world, StepWorkspace& scratch) {
  list_edges(world, scratch);
  find_islands(scratch.edges, scratch.movable, scratch.islands);
  scratch.mark("groups");
}

namespace {

void append_rows_of_contact(const World& world, std::uint32_t index, const ContactRowOptions& options,
                            std::size_t island_start, StepWorkspace& scratch) {
  const ContactSet& contacts = scratch.contacts;
  const Contact& contact = contacts.contacts[index];
  const std::uint32_t material_a = scratch.colliders[contact.collider_a].material;
  const std::uint32_t material_b = scratch.colliders[contact.collider_b].material;
  const ContactLaw& law = find_contact_law(world, contact, scratch);
  const StepVelocities velocities{scratch.velocity_before, world.bodies.velocity};
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    ContactPointInput input{&contact, &contacts.points[p], &law, nullptr,
                            world.materials.directional_friction(material_a, material_b)};
    input.cached =
        find_cached_point(world.memory().contact_cache, scratch.matches[index], contacts.points[p].feature,
                          contact_place(world.bodies, contact, contacts.points[p].position), options.match_distance);
    ContactPointRows where = append_contact_rows(input, world.bodies, scratch.inverse_mass, velocities, options,
                                                 island_start, scratch.rows, scratch.impulses);
    where.contact = index;
    where.point = p;
    scratch.point_rows.push_back(where);
  }
}

std::uint32_t count_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

/// The coupling that an edge belongs to is written with the first of its edges that ties something.
void append_rows_of_coupling(const World& world, std::uint32_t term, std::size_t island_start, std::size_t island_first,
                             StepWorkspace& scratch) {
  std::uint32_t coupling = 0;
  while (term >= world.couplings[coupling].first + world.couplings[coupling].count) ++coupling;
  const auto is_there = [&](const CouplingRows& where) { return where.coupling == coupling; };
  if (std::any_of(scratch.coupling_rows.begin() + static_cast<std::ptrdiff_t>(island_first),
                  scratch.coupling_rows.end(), is_there)) {
    return;
  }
  scratch.coupling_rows.push_back(
      append_coupling_rows(world, coupling, scratch.inverse_mass, island_start, scratch.rows, scratch.impulses));
}

}  // namespace

void build_rows(World& world, double start, const ContactRowOptions& options, bool warm_start, StepWorkspace& scratch) {
  const std::uint32_t contact_count = count_of(scratch.contacts.contacts);
  scratch.rows.clear();
  scratch.impulses.clear();
  scratch.point_rows.clear();
  scratch.joint_rows.clear();
  scratch.coupling_rows.clear();
  scratch.coupling_rows_start.clear();
  scratch.row_start.clear();
  scratch.point_rows_start.clear();
  scratch.joint_rows_start.clear();
  const auto mark = [&] {
    scratch.row_start.push_back(count_of(scratch.rows));
    scratch.point_rows_start.push_back(count_of(scratch.point_rows));
    scratch.joint_rows_start.push_back(count_of(scratch.joint_rows));
    scratch.coupling_rows_start.push_back(count_of(scratch.coupling_rows));
  };
  const std::uint32_t joint_end = contact_count + count_of(world.joints);
  const JointRowInput input{scratch.inverse_mass, scratch.velocity_before, world.bodies.velocity, start, options.h};
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    mark();
    const std::size_t island_start = scratch.rows.size();
    for (const std::uint32_t edge : scratch.islands.edges_of(island)) {
      if (edge < contact_count) {
        append_rows_of_contact(world, edge, options, island_start, scratch);
      } else if (edge < joint_end) {
        scratch.joint_rows.push_back(
            append_joint_rows(world, edge - contact_count, input, island_start, scratch.rows, scratch.impulses));
      } else {
        append_rows_of_coupling(world, edge - joint_end, island_start, scratch.coupling_rows_start[island], scratch);
      }
    }
  }
  mark();
  if (!warm_start) std::fill(scratch.impulses.begin(), scratch.impulses.end(), 0.0);
  refill(scratch.solves, scratch.islands.size(), SolveReport{});
}

namespace {

constexpr std::size_t kContactBlock = 32;

bool has_touched(const Contact& contact, double touching, const StepWorkspace& scratch) {
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    if (scratch.contacts.points[p].gap <= touching || !scratch.records[p].impulse.isZero(0)) return true;
  }
  return false;
}

/// Writes one touching contact to its place in the next memory.
void remember_contact(const BodyArrays& bodies, const Contact& contact, ContactTally& at, StepWorkspace& scratch) {
  ContactCache& next = scratch.next_cache;
  next.contacts[at.contacts++] = make_cached_contact(contact, at.points);
  for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
    const double approach = scratch.point_approach.empty() ? 0 : scratch.point_approach[p];
    const ContactPoint& point = scratch.contacts.points[p];
    next.points[at.points++] =
        make_cached_point(point, approach, scratch.records[p].impulse, contact_place(bodies, contact, point.position));
  }
}

/// What touches, counted block by block; leaves in each tally where the block begins in the next memory.
ContactTally tally_touching(double touching, StepWorkspace& scratch) {
  const std::vector<Contact>& contacts = scratch.contacts.contacts;
  std::vector<ContactTally>& tallies = scratch.tallies;
  scratch.touched.resize(contacts.size());
  tallies.resize(BlockRunner::count_blocks(contacts.size(), kContactBlock));
  scratch.runner.run(contacts.size(), kContactBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    ContactTally& tally = tallies[block] = {};
    for (std::size_t k = first; k < last; ++k) {
      scratch.touched[k] = has_touched(contacts[k], touching, scratch) ? 1 : 0;
      if (scratch.touched[k] == 0) continue;
      ++tally.contacts;
      tally.points += contacts[k].count;
      if (scratch.matches[k] >= 0) ++tally.kept;
    }
  });
  ContactTally sum;
  for (ContactTally& tally : tallies) {
    const ContactTally own = tally;
    tally = sum;
    sum.contacts += own.contacts;
    sum.points += own.points;
    sum.kept += own.kept;
  }
  return sum;
}

void fill_records(const BodyArrays& bodies, StepWorkspace& scratch, StepReport& report) {
  const ContactSet& contacts = scratch.contacts;
  scratch.records.resize(contacts.points.size());
  scratch.point_approach.resize(contacts.points.size());
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::uint32_t first = scratch.row_start[island];
    const std::uint32_t count = scratch.row_start[island + 1] - first;
    const std::span<const Row> rows = std::span<const Row>(scratch.rows).subspan(first, count);
    const std::span<const double> impulses = std::span<const double>(scratch.impulses).subspan(first, count);
    for (std::uint32_t k = scratch.point_rows_start[island]; k < scratch.point_rows_start[island + 1]; ++k) {
      const ContactPointRows& where = scratch.point_rows[k];
      const Contact& contact = contacts.contacts[where.contact];
      const ContactPoint& point = contacts.points[where.point];
      const Vec3 impulse = contact_impulse(where, rows, impulses, point.normal);
      scratch.records[where.point] = make_contact_record(contact.body_a, contact.body_b, point, impulse);
      scratch.point_approach[where.point] = where.approach;
      report.external_work += measure_script_work(bodies, scratch.records[where.point], impulse);
      if (!impulse.isZero(0)) {
        scratch.constrained[contact.body_a] = 1;
        scratch.constrained[contact.body_b] = 1;
      }
    }
  }
}

}  // namespace

void conclude_contacts(World& world, double touching, StepWorkspace& scratch, StepReport& report) {
  fill_records(world.bodies, scratch, report);
  remember_contacts(world, touching, scratch, report);
}

void remember_contacts(World& world, double touching, StepWorkspace& scratch, StepReport& report) {
  const ContactTally sum = tally_touching(touching, scratch);
  const std::vector<Contact>& contacts = scratch.contacts.contacts;
  scratch.next_cache.contacts.resize(sum.contacts);
  scratch.next_cache.points.resize(sum.points);
  scratch.runner.run(contacts.size(), kContactBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    ContactTally at = scratch.tallies[block];
    for (std::size_t k = first; k < last; ++k) {
      if (scratch.touched[k] != 0) remember_contact(world.bodies, contacts[k], at, scratch);
    }
  });
  conclude_memory(world, sum, scratch, report);
}

void conclude_memory(World& world, const ContactTally& sum, StepWorkspace& scratch, StepReport& report) {
  report.new_contacts += static_cast<int>(sum.contacts - sum.kept);
  report.lost_contacts = static_cast<int>(world.memory().contact_cache.contacts.size()) - static_cast<int>(sum.kept);
  report.contacts = static_cast<int>(scratch.contacts.points.size());
  report.islands = static_cast<int>(scratch.islands.size());
  for (const SolveReport& solve : scratch.solves) {
    report.iterations = std::max(report.iterations, solve.iterations);
    report.residual = std::max(report.residual, solve.residual);
  }
  exchange_caches(world, scratch);
}

void exchange_caches(World& world, MemoryWorkspace& memory) {
  std::swap(world.memory().contact_cache, memory.next_cache);
  if (memory.cache_exchanges++ == 0) std::swap(memory.next_cache, memory.former_cache);
}

void conclude_joints(World& world, StepSpan step, StepWorkspace& scratch, StepReport& report) {
  follow_drive_targets(world, step);
  refill(scratch.joint_loads, world.joints.size(), JointLoad{});
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::uint32_t first = scratch.row_start[island];
    const std::uint32_t count = scratch.row_start[island + 1] - first;
    const std::span<const Row> rows = std::span<const Row>(scratch.rows).subspan(first, count);
    const std::span<const double> impulses = std::span<const double>(scratch.impulses).subspan(first, count);
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      const JointRows& where = scratch.joint_rows[k];
      const WorldJoint& joint = world.joints[where.joint];
      report.external_work += take_joint_impulses(world, where, rows, impulses, scratch.velocity_before);
      scratch.joint_loads[where.joint] = measure_joint_load(world, where, rows, impulses, step.h);
      scratch.constrained[joint.body_a] = 1;
      scratch.constrained[joint.body_b] = 1;
    }
  }
}

double update_joint_positions(World& world) {
  double worst = 0;
  for (std::size_t joint = 0; joint < world.joints.size(); ++joint) {
    JointState& state = world.joint_states[joint];
    const JointPose pose = place_joint(world.joints[joint], world.bodies, state.position);
    state.position = pose.position;
    if (world.joints[joint].compliance == 0 || world.joints[joint].kind == JointKind::kHinge2) {
      worst = std::max(worst, measure_joint_error(world.joints[joint], pose));
    }
  }
  return worst;
}

}  // namespace achilles
