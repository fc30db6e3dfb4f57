// What the forms of `achilles solve` share.
#pragma once

#include "commands.hpp"

#include "solver/solver.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace achilles::program {

/// Sets each OPTION=VALUE; throws BadInput that lists what is allowed.
void apply_sets(const std::vector<std::string>& sets, SolverOptions& options);

/// Writes the object to the file; does nothing for an empty name.
void write_json(const std::string& file, const nlohmann::ordered_json& json);

/// `achilles solve` for a collection of problems.
int solve_collection(const SolveArguments& arguments);

}  // namespace achilles::program
