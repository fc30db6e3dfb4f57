// The stages every fixed-step method shares: prepare the bodies, find the contacts, write the rows of contacts and
// joints island by island, and hand the impulses on to the records and to the World's memory.
#pragma once

#include "constraint/drive_target.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Inverse masses, movable bodies and the velocities before the step; scripted bodies get the velocity that the script
/// requires over h.
void prepare_bodies(World& world, StepSpan step, StepWorkspace& scratch);

/// The same in two parts, for methods that have more to do with every body: room for all, then body by body, on any
/// thread.
void make_room_for_bodies(World& world, StepSpan step, StepWorkspace& scratch);
void prepare_body(const BodyArrays& bodies, std::size_t body, BodyWorkspace& scratch);

/// Work that a body moved by a script does through an impulse on the second body of a contact [J].
[[nodiscard]] double measure_script_work(const BodyArrays& bodies, const ContactRecord& contact, const Vec3& impulse);

/// Contacts of the present pose with gaps up to `margin` and what the present velocities close within h, matched with
/// the World's memory, and the islands that contacts and joints make.
void find_contacts(const World& world, double margin, double h, StepWorkspace& scratch);

/// How far two bodies may move against each other [m] for their relative placement to count as unchanged: the narrow
/// phase is skipped, [Erleben04, sec. 5.2.2]. Gaps are read from the present poses and wrong by its square over the
/// bodies' size, far below rounding; normals by 1e-6 rad at most for bodies of a metre.
constexpr double kUnchanged = 1e-6;

/// The same with contacts reused up to a distance [m]; what the World is to remember of them is exchanged at once.
/// Of the searches of a step only one may do so, always with the same margin.
void find_contacts_with_reuse(World& world, double margin, double h, double reuse, StepWorkspace& scratch);

/// The same without islands, for methods that find these themselves.
void find_ungrouped_contacts(World& world, double margin, double h, double reuse, StepWorkspace& scratch);

/// The law of a contact of the workspace: that of its materials, or what the program's callback made of it.
[[nodiscard]] inline const ContactLaw& find_contact_law(const World& world, const Contact& contact,
                                                        const ContactWorkspace& scratch) {
  if (!scratch.laws.empty()) {
    return scratch.laws[static_cast<std::size_t>(&contact - scratch.contacts.contacts.data())];
  }
  return world.materials.law(scratch.materials[contact.collider_a], scratch.materials[contact.collider_b]);
}

/// Matches the contacts of the workspace with the World's memory and finds the islands that they and the joints make:
/// the end of find_contacts, for methods that change the contacts.
void island_contacts(const World& world, StepWorkspace& scratch);

/// Rows of all contacts and joints, island after island.
void build_rows(World& world, double start, const ContactRowOptions& options, bool warm_start, StepWorkspace& scratch);

/// Calls solve(island) for every island, in parallel on the workspace's threads; islands share no movable body.
template <class Solve>
void for_each_island(StepWorkspace& scratch, const Solve& solve) {
  scratch.runner.run(scratch.islands.size(), 1, [&](std::size_t island, std::size_t, std::size_t) { solve(island); });
}

/// Marks the bodies that an impulse moved, fills the records, replaces the World's memory by this step's touching
/// contacts and counts what began and ceased to touch.
void conclude_contacts(World& world, double touching, StepWorkspace& scratch, StepReport& report);

/// The second half of conclude_contacts, for methods that fill the records of the points themselves.
void remember_contacts(World& world, double touching, StepWorkspace& scratch, StepReport& report);

/// The end of it, for methods that fill scratch.next_cache themselves: that becomes the World's memory, and the report
/// counts what came and went.
void conclude_memory(World& world, const ContactTally& sum, StepWorkspace& scratch, StepReport& report);

/// The World's contact cache is replaced by the one that the workspace has filled. The workspace keeps the one from
/// before the first exchange of a step, so that a step that fails can be taken back.
void exchange_caches(World& world, MemoryWorkspace& memory);

/// The same for joints, after a step of length h: impulses, loads, the work of motors.
void conclude_joints(World& world, StepSpan step, StepWorkspace& scratch, StepReport& report);

/// Largest positional violation of a joint in the present pose [m]; keeps the joints' positions up to date.
double update_joint_positions(World& world);

}  // namespace achilles
