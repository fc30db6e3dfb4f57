#include "solver/solver.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace achilles {
namespace {

TEST(SolverTable, ListsTheSolversOfTheDesignInItsOrder) {
  std::vector<std::string_view> names;
  for (const SolverInfo& info : solver_infos()) names.push_back(info.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"lemke", "dantzig", "jacobi", "gauss-seidel", "sor", "nonsmooth-cg",
                                                  "newton"}));
  for (const SolverInfo& info : solver_infos()) {
    EXPECT_EQ(find_solver(info.name), &info);
    EXPECT_EQ(solver_name(info.standard), info.name);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(find_solver("gauss"), nullptr);
}

TEST(SolverTable, EveryDefaultIsAllowedAndCanBeReadBack) {
  for (const SolverInfo& info : solver_infos()) {
    SolverOptions options = info.standard;
    for (const SolverOptionInfo& option : info.options) {
      EXPECT_NO_THROW(set_solver_option(options, option.name, option.standard)) << info.name << " " << option.name;
      EXPECT_EQ(get_solver_option(options, option.name), option.standard) << info.name << " " << option.name;
    }
  }
}

TEST(SolverTable, SetsWhatItIsTold) {
  SolverOptions options = GaussSeidelOptions{};
  set_solver_option(options, "iterations", 7.0);
  set_solver_option(options, "order", std::string("symmetric"));
  set_solver_option(options, "block_contacts", true);
  const auto& set = std::get<GaussSeidelOptions>(options);
  EXPECT_EQ(set.iterations, 7);
  EXPECT_EQ(set.order, SweepOrder::kSymmetric);
  EXPECT_TRUE(set.block_contacts);
}

TEST(SolverTable, RefusesWhatIsNotAllowed) {
  SolverOptions options = GaussSeidelOptions{};
  EXPECT_THROW(set_solver_option(options, "facets", 8.0), std::invalid_argument);
  EXPECT_THROW(set_solver_option(options, "iterations", 2.5), std::invalid_argument);
  EXPECT_THROW(set_solver_option(options, "iterations", 0.0), std::invalid_argument);
  EXPECT_THROW(set_solver_option(options, "relaxation", 2.0), std::invalid_argument);
  EXPECT_THROW(set_solver_option(options, "relaxation", true), std::invalid_argument);
  EXPECT_THROW(set_solver_option(options, "order", std::string("backward")), std::invalid_argument);
  EXPECT_THROW((void)get_solver_option(options, "memory"), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
