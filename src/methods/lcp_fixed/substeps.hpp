// Parts of a step, with collision detection and contact forces on demand, [Erleben04, sec. 2.2.3].
#pragma once

#include "constraint/drive_target.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <vector>

namespace achilles {

struct LcpFixedOptions;

/// What the parts of a step after the first find anew. An impulse that stops an approach is no force: repeated it would
/// throw what landed, which is why forces are those of the second part.
enum class Demand {
  kEager,     // contacts and forces
  kModerate,  // forces; contact regions stay those of the first part, carried along by the bodies
  kLazy       // nothing: the first part resolves collisions, the contact forces of the second act through the rest
};

struct DemandOptions {
  int count = 1;
  Demand demand = Demand::kEager;
};

/// A contact point fixed to the two bodies that it belongs to.
struct CarriedPoint {
  Vec3 on_a, on_b;  // [m] relative to the centres of mass, body axes
};

struct LcpFixedWorkspace : StepWorkspace {
  std::vector<CarriedPoint> carried;     // per contact point
  std::vector<ContactRecord> collected;  // of all parts of the step
};

/// Remembers where the contact points of the workspace are on the bodies.
void fix_points_to_bodies(const World& world, LcpFixedWorkspace& scratch);

/// The contacts of the workspace at the present pose: points move with the bodies, normals stay, gaps follow.
void carry_contacts(const World& world, LcpFixedWorkspace& scratch);

/// A part of a step in which the contact impulses of the workspace act again on the bodies; those of contacts that met
/// faster than free motion explains are collisions, not forces, and do not.
[[nodiscard]] StepReport repeat_forces(World& world, const LcpFixedOptions& options, LcpFixedWorkspace& scratch,
                                       StepSpan step);

/// Adds the report and the records of one part to those of the step.
void collect_part(const StepReport& part, StepReport& whole, LcpFixedWorkspace& scratch);

}  // namespace achilles
