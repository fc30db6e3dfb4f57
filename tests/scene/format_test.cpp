// One description of the format; the checks, the schema, the text and the documentation must tell the same of it.
#include "scene/format/format.hpp"
#include "scene/complaints.hpp"
#include "scene/dump_scene.hpp"
#include "scene/format/check.hpp"
#include "scene/format/reference.hpp"
#include "scene/json_schema.hpp"
#include "scene/random_scene.hpp"
#include "scene/yaml/text.hpp"
#include "scene/yaml/tree.hpp"
#include "support/full_size.hpp"
#include "support/source_folder.hpp"

#include <achilles/scene.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace achilles {
namespace {

using namespace scene_file;
namespace fs = std::filesystem;

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_under(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

// Whether the tree keeps to the format, without regard to what references mean and files hold.
bool is_well_formed(Node tree) {
  Complaints complaints("test.yaml", {});
  check_tree(tree, scene_format(), complaints);
  return !complaints.has_errors();
}

const nlohmann::json& schema() {
  static const nlohmann::json parsed = nlohmann::json::parse(scene_schema());
  return parsed;
}

int sample_count() { return is_full() ? 200'000 : 3'000; }

TEST(SceneSchema, AcceptsEverySceneOfTheRepository) {
  for (const fs::path& file : files_under(source_folder() / "scenes")) {
    Complaints complaints(file.string(), {});
    const std::optional<Node> tree = parse_tree(read_all(file), 0, TreeLimits{}, complaints);
    ASSERT_TRUE(tree) << file;
    EXPECT_EQ(find_schema_defect(schema(), to_json(*tree)), "") << file;
  }
}

TEST(SceneSchema, RefusesEveryBrokenFileWhoseStructureIsWrong) {
  int refused = 0;
  for (const fs::path& file : files_under(source_folder() / "tests/data/scenes/broken")) {
    Complaints complaints(file.string(), {});
    const std::optional<Node> tree = parse_tree(read_all(file), 0, TreeLimits{}, complaints);
    if (!tree || complaints.has_errors()) continue;  // no YAML, so nothing a schema sees
    const bool is_valid = find_schema_defect(schema(), to_json(*tree)).empty();
    EXPECT_EQ(is_valid, is_well_formed(*tree)) << file;
    refused += is_valid ? 0 : 1;
  }
  EXPECT_GE(refused, 20);
}

TEST(SceneSchema, AgreesWithTheReaderOnRandomScenes) {
  int valid = 0;
  for (int i = 0; i < sample_count(); ++i) {
    const double mistakes = i % 2 == 0 ? 0 : 0.01;
    const Node tree = RandomScene(scene_format(), static_cast<std::uint32_t>(i), mistakes).draw();
    const std::string defect = find_schema_defect(schema(), to_json(tree));
    const bool expected = is_well_formed(tree);
    ASSERT_EQ(defect.empty(), expected) << "sample " << i << ": " << defect << "\n" << write_tree(tree);
    valid += expected ? 1 : 0;
    ASSERT_TRUE(expected || mistakes > 0) << "sample " << i << "\n" << write_tree(tree);
  }
  EXPECT_LT(valid, sample_count()) << "no sample had a mistake";
}

bool is_same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.key != b.key || a.text != b.text || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!is_same(a.items[i], b.items[i])) return false;
  }
  return true;
}

TEST(SceneText, ParsesToTheTreeItWasWrittenFrom) {
  for (int i = 0; i < sample_count(); ++i) {
    const Node tree = RandomScene(scene_format(), static_cast<std::uint32_t>(i), i % 2 == 0 ? 0 : 0.02).draw();
    const std::string text = write_tree(tree);
    Complaints complaints("test.yaml", {});
    const std::optional<Node> again = parse_tree(text, 0, TreeLimits{}, complaints);
    ASSERT_TRUE(again) << "sample " << i << "\n" << text;
    ASSERT_TRUE(is_same(tree, *again)) << "sample " << i << "\n" << text << "\nread as\n" << write_tree(*again);
  }
}

TEST(SceneText, GivesTheSameSceneAgainForEveryFileOfTheRepository) {
  for (const fs::path& file : files_under(source_folder() / "scenes")) {
    // The override makes the reader write the text anew, although it changes nothing that matters.
    const Scene scene = load_scene(file.string(), {{"name", "written anew"}});
    const Scene again = parse_scene(scene.text, file.string());
    EXPECT_EQ(first_difference(dump_scene(scene), dump_scene(again)), "") << file;
  }
}

const fs::path kDocument = source_folder() / "docs/scene-format.md";
constexpr const char* kBegin = "<!-- tables: begin -->\n";
constexpr const char* kEnd = "<!-- tables: end -->\n";

// With ACHILLES_WRITE_DOCS in the environment the tables are written instead of compared.
TEST(SceneDocument, HoldsTheTablesOfTheFormat) {
  const std::string document = read_all(kDocument);
  const std::size_t begin = document.find(kBegin);
  const std::size_t end = document.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t start = begin + std::string(kBegin).size();
  if (std::getenv("ACHILLES_WRITE_DOCS") != nullptr) {
    std::ofstream(kDocument) << document.substr(0, start) << format_reference() << "\n" << document.substr(end);
    return;
  }
  EXPECT_EQ(document.substr(start, end - start), format_reference() + "\n")
      << "run this test with ACHILLES_WRITE_DOCS=1 to write the tables anew";
}

TEST(SceneDocument, EveryExampleIsASceneWithoutErrorOrWarning) {
  std::istringstream lines(read_all(kDocument));
  std::string line, example;
  int examples = 0;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line == "```yaml") {
      inside = true;
      example.clear();
    } else if (inside && line == "```") {
      inside = false;
      ++examples;
      const Scene scene = parse_scene(example, kDocument.string());
      for (const Diagnostic& warning : scene.warnings) ADD_FAILURE() << warning.text() << "\n" << example;
    } else if (inside) {
      example += line + "\n";
    }
  }
  EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace achilles
