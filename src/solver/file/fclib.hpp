// Problems of the frictional-contact library (FCLIB), [Acary14], as HDF5 files.
//
//   /fclib_local   u = W r + V λ + q,  0 = Vᵀ r + R λ + s
//   /fclib_global  M v = H r + G λ + f,  u = Hᵀ v + w,  0 = Gᵀ v + b: reduced to the local form with M⁻¹
//
// r and u have spacedim numbers per contact, normal first; r lies in the Coulomb cone, and λ is free.
#pragma once

#include "solver/file/problem_reader.hpp"
#include "solver/matrix_problem.hpp"

#include <filesystem>
#include <string>

namespace achilles {

struct FclibProblem {
  std::string title;
  int contacts = 0;
  int dimension = 3;  // numbers per contact in the file, 2 or 3
  int equations = 0;  // free rows, after those of the contacts
  bool is_global = false;
  /// Three rows per contact (a planar problem gets a second tangent that moves nothing), then the free rows.
  MatrixProblem matrix;
};

/// Throws ProblemFileError.
[[nodiscard]] FclibProblem read_fclib(const std::filesystem::path& path);

/// FCLIB's first merit function: e / (1 + √‖q‖) with e² = Σ ‖ r − P(r − (u + µ ‖u_T‖ n)) ‖² over contacts, P the
/// projection on the Coulomb cone, plus ‖Vᵀ r + R λ + s‖ / (1 + ‖s‖). Impulses as in FclibProblem::matrix.
[[nodiscard]] double compute_fclib_residual(const FclibProblem& problem, std::span<const double> impulses);

/// Reactions as the file numbers them: `dimension` per contact.
[[nodiscard]] std::vector<double> fclib_reactions(const FclibProblem& problem, std::span<const double> impulses);

}  // namespace achilles
