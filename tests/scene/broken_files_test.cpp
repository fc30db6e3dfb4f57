// Files that cannot be scenes. Each file in tests/data/scenes/broken says in comments at its head what must be said
// about it: "# expect: LINE WORDS", line 0 where the message can name none, and "# set: PATH=VALUE" for overrides it is
// read with.
#include <achilles/scene.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace achilles {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kFolder = source_folder() / "tests/data/scenes/broken";

struct Expectation {
  int line = 0;
  std::string words;
};

struct Head {
  std::vector<Expectation> expectations;
  std::vector<Override> overrides;
};

Head read_head(const fs::path& file) {
  Head head;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line) && line.starts_with("# ")) {
    std::istringstream words(line);
    std::string hash, what;
    words >> hash >> what;
    if (what == "expect:") {
      Expectation expectation;
      words >> expectation.line >> std::ws;
      std::getline(words, expectation.words);
      head.expectations.push_back(expectation);
    } else if (what == "set:") {
      std::string path, value;
      std::getline(words >> std::ws, path, '=');
      std::getline(words, value);
      head.overrides.push_back({path, value});
    }
  }
  return head;
}

std::vector<Diagnostic> read_errors(const fs::path& file, const std::vector<Override>& overrides = {}) {
  try {
    const Scene scene = load_scene(file.string(), overrides);
    ADD_FAILURE() << file << " was read as a scene of " << scene.bodies.size() << " bodies";
    return {};
  } catch (const SceneError& error) {
    return error.diagnostics();
  }
}

std::vector<fs::path> broken_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(BrokenScenes, EachIsRefusedWithThePlaceAndTheWordsItExpects) {
  const std::vector<fs::path> files = broken_files();
  EXPECT_GE(files.size(), 50U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename().string());
    const Head head = read_head(file);
    ASSERT_FALSE(head.expectations.empty()) << "the file does not say what is wrong with it";
    const std::vector<Diagnostic> errors = read_errors(file, head.overrides);
    EXPECT_EQ(errors.size(), head.expectations.size());
    for (const Expectation& expected : head.expectations) {
      const auto is_met = [&](const Diagnostic& error) {
        return error.line == expected.line && error.text().find(expected.words) != std::string::npos;
      };
      std::string said;
      for (const Diagnostic& error : errors) said += error.text() + "\n";
      EXPECT_TRUE(std::any_of(errors.begin(), errors.end(), is_met))
          << "expected on line " << expected.line << ": " << expected.words << "\nsaid:\n"
          << said;
    }
  }
}

TEST(BrokenScenes, EveryMessageNamesTheFileOrTheOverride) {
  for (const fs::path& file : broken_files()) {
    const Head head = read_head(file);
    for (const Diagnostic& error : read_errors(file, head.overrides)) {
      const bool names_file = error.text().starts_with(file.string()) && error.line > 0 && error.column > 0;
      EXPECT_TRUE(names_file || error.text().starts_with("--set ") || error.line == 0) << error.text();
      EXPECT_EQ(error.severity, Diagnostic::Severity::kError);
    }
  }
}

/// A file that lives as long as the test.
class ScratchFile {
 public:
  explicit ScratchFile(const char* name) : path_(fs::path(testing::TempDir()) / fmt::format("achilles_{}", name)) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { fs::remove(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string only_error(const fs::path& file) {
  const std::vector<Diagnostic> errors = read_errors(file);
  return errors.size() == 1 ? errors.front().text() : fmt::format("({} errors)", errors.size());
}

TEST(BrokenScenes, AGigabyteOfNonsenseIsRefusedUnread) {
  // A sparse file: no disk has these bytes, and reading them would take a gigabyte of memory.
  const ScratchFile file("gigabyte.yaml");
  file.write("achilles: 1\n");
  fs::resize_file(file.path(), std::uintmax_t{1} << 30U);
  EXPECT_THAT(only_error(file.path()), HasSubstr("the file has 1073741824 bytes; a scene file has at most 268435456"));
}

TEST(BrokenScenes, ABinaryFileIsToldByItsFirstByteThatNoTextHas) {
  const ScratchFile file("binary.yaml");
  std::string bytes = "achilles: 1\nname: ";
  for (int i = 255; i >= 0; --i) bytes += static_cast<char>(i);
  file.write(bytes);
  EXPECT_THAT(only_error(file.path()), testing::AllOf(HasSubstr(":2:7: error:"), HasSubstr("byte 0xFF")));
  file.write(
      std::string("\x7f"
                  "ELF\0\0\0\0",
                  8));
  EXPECT_THAT(only_error(file.path()), testing::AllOf(HasSubstr(":1:1: error:"), HasSubstr("binary")));
}

TEST(BrokenScenes, MalformedUtf8IsRefusedWhereItStands) {
  const ScratchFile file("utf8.yaml");
  // A lone continuation byte, an overlong slash, a surrogate, a code point beyond the last, a sequence that is cut off.
  for (const char* bytes : {"\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    file.write(std::string("achilles: 1\nname: ") + bytes);
    EXPECT_THAT(only_error(file.path()), HasSubstr(":2:7: error:"));
  }
  file.write("achilles: 1\nname: \"µ, π, 中, 🎲\"\n");
  EXPECT_EQ(load_scene(file.path().string()).name, "µ, π, 中, 🎲");
}

TEST(BrokenScenes, WhatIsNoFileOrHoldsNothingIsRefused) {
  EXPECT_THAT(only_error(kFolder), HasSubstr("is a folder"));
  EXPECT_THAT(only_error(kFolder / "not_there.yaml"), HasSubstr("there is no such file"));
  const ScratchFile file("empty.yaml");
  file.write("");
  EXPECT_THAT(only_error(file.path()), HasSubstr("the file is empty"));
}

TEST(BrokenScenes, AnEndlessFileIsReadOnlyUpToTheLimit) {
  if (!fs::exists("/dev/zero")) GTEST_SKIP() << "there is no endless file here";
  EXPECT_THAT(only_error("/dev/zero"), HasSubstr("more than 268435456 bytes"));
}

}  // namespace
}  // namespace achilles
