// The same source gives the same bits, whichever compiler built it.
#include "support/source_folder.hpp"

#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace achilles {
namespace {

using Hashes = std::map<std::string, std::uint64_t>;

std::uint64_t hash_after(Scene scene, const std::string& method, int threads, int steps) {
  if (!method.empty()) scene.method = {method, "", "", {}};
  Simulation simulation(scene, threads);
  for (int k = 0; k < steps && !simulation.step().stopped; ++k) {
  }
  return simulation.world().state_hash();
}

Hashes hash_scenes(int threads) {
  const std::map<std::string, std::string> methods{{"drumwright/spinning_boxes", ""},
                                                   {"mirtich/block_on_ramp", ""},
                                                   {"vouga/geyser", ""},
                                                   {"erleben/see_saw", ""},
                                                   {"erleben/robot", ""},
                                                   {"erleben/sleeping_wall", ""},
                                                   {"anitescu/table", ""},
                                                   {"gallery/dzhanibekov", ""},
                                                   {"gallery/stack", "lcp-event"},
                                                   {"mirtich/coins", "soft-step"},
                                                   {"erleben/ball_grid", "soft-step"}};
  Hashes hashes;
  for (const auto& [name, method] : methods) {
    const std::string file = (source_folder() / "scenes" / (name + ".yaml")).string();
    hashes[name + ":" + method] = hash_after(load_scene(file), method, threads, 40);
  }
  return hashes;
}

TEST(Determinism, StateHashesDoNotDependOnTheNumberOfThreads) {
  const Hashes one = hash_scenes(1), two = hash_scenes(2);
  for (const auto& [name, hash] : one) EXPECT_EQ(hash, two.at(name)) << name;
}

// ACHILLES_STATE_HASHES names a file: the first build that runs this writes it, every other is compared with it.
TEST(Determinism, StateHashesAreThoseOfTheOtherCompiler) {
  const char* file = std::getenv("ACHILLES_STATE_HASHES");
  if (file == nullptr) GTEST_SKIP() << "ACHILLES_STATE_HASHES names no file to compare with";
  const Hashes hashes = hash_scenes(1);
  if (!std::filesystem::exists(file)) {
    std::ofstream out(file);
    for (const auto& [name, hash] : hashes) out << name << ' ' << hash << '\n';
    return;
  }
  std::ifstream in(file);
  std::string name;
  std::uint64_t hash = 0;
  std::size_t compared = 0;
  for (; in >> name >> hash; ++compared) {
    ASSERT_EQ(hashes.count(name), 1U) << name;
    EXPECT_EQ(hashes.at(name), hash) << name;
  }
  EXPECT_EQ(compared, hashes.size());
}

}  // namespace
}  // namespace achilles
