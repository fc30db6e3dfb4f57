#include "methods/soft_step/workspace.hpp"
#include "support/source_folder.hpp"

#include <achilles/world.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

namespace achilles {
namespace {

/// The last column of the table in "## Memory" of docs/throughput.md, by its first: "what each sweep needs + once".
std::map<std::string, std::string> read_documented_bytes() {
  std::ifstream file(source_folder() / "docs/throughput.md");
  std::map<std::string, std::string> bytes;
  std::string line;
  bool is_memory = false;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) is_memory = line == "## Memory";
    if (!is_memory || !line.starts_with("| ")) continue;
    const std::size_t end = line.find(" |", 2), last = line.rfind(" |"), begin = line.rfind("| ", last - 1);
    bytes[line.substr(2, end - 2)] = line.substr(begin + 2, last - begin - 2);
  }
  return bytes;
}

std::string sum(std::size_t swept, std::size_t once) { return fmt::format("{} + {}", swept, once); }

TEST(SoftMemory, BytesPerBodyAndContactAreThoseOfTheDocumentation) {
  const std::map<std::string, std::string> expected = {
      {"per", "bytes"},
      {"body that touches", sum(sizeof(SoftMotion) + 2 * sizeof(SoftVelocity), sizeof(StagedBody))},
      {"manifold", sum(sizeof(ContactBatch) / kLanes, sizeof(SetupBatch) / kLanes + sizeof(ManifoldImpulse) +
                                                          sizeof(StagedManifold) + sizeof(StagedPlace))},
      {"its point", sum(sizeof(PointBatch) / kLanes, sizeof(ApproachBatch) / kLanes)},
      {"manifold of several points", sum(sizeof(TwistBatch) / kLanes, sizeof(StagedPoint))},
      {"manifold of a body that is not round", std::to_string(sizeof(MassBatch) / kLanes)},
      {"contact", std::to_string(sizeof(CachedContact))},
      {"contact point", std::to_string(sizeof(CachedPoint))},
      {"recycled contact", std::to_string(sizeof(KeptManifold))},
      {"recycled point", std::to_string(sizeof(KeptPoint))},
  };
  EXPECT_EQ(read_documented_bytes(), expected);
}

/// Padding would be hashed and saved, and cost memory: the members fill their structs.
TEST(SoftMemory, RowsAreWholeCacheLinesAndBatchesHoldWholeVectors) {
  constexpr std::size_t kLine = 64, kVector = sizeof(BatchFloats);
  for (const std::size_t size :
       {sizeof(SoftMotion), sizeof(SoftMass), sizeof(StagedBody), sizeof(StagedManifold), sizeof(ContactBatch)}) {
    EXPECT_EQ(size % kLine, 0U) << size;
  }
  for (const std::size_t size : {sizeof(PointBatch), sizeof(TwistBatch), sizeof(MassBatch), sizeof(SetupBatch),
                                 sizeof(ApproachBatch), sizeof(JointRowBatch)}) {
    EXPECT_EQ(size % kVector, 0U) << size;
  }
}

}  // namespace
}  // namespace achilles
