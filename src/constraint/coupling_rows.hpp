// Rows of couplings: Σ c φ = offset over free axes of joints, as parts of one constraint that share an impulse
// (row.hpp).
#pragma once

#include "constraint/row.hpp"

#include <achilles/world.hpp>

#include <span>
#include <vector>

namespace achilles {

/// Where the rows of a coupling stand.
struct CouplingRows {
  std::uint32_t coupling = 0;
  std::uint32_t first = 0;  // counted from the first row of the island
  std::uint32_t count = 0;
};

/// Σ c φ − offset in the present pose [rad] or [m].
[[nodiscard]] double measure_coupling_error(const World& world, std::uint32_t coupling);

/// Appends Σ c w = 0, one part per term, without warm start.
[[nodiscard]] CouplingRows append_coupling_rows(const World& world, std::uint32_t coupling,
                                                std::span<const BodyInverseMass> inverse_mass, std::size_t island_start,
                                                std::vector<Row>& rows, std::vector<double>& impulses);

/// Adds −rate · error to the target, as stabilize_joint_rows does.
void stabilize_coupling_rows(const World& world, const CouplingRows& where, double rate, std::span<Row> island_rows);

/// Appends the constraint on displacements that takes the error out of the present pose.
void append_coupling_correction(const World& world, std::uint32_t coupling,
                                std::span<const BodyInverseMass> inverse_mass, std::vector<Row>& rows);

}  // namespace achilles
