// Files that are whole or not there.
#include "record/output_file.hpp"
#include "record/csv.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t count_files(const testing::TemporaryFolder& folder) {
  const std::filesystem::directory_iterator entries(std::filesystem::path(folder.file("x")).parent_path());
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST(OutputFile, TakesItsPlaceWhenItIsClosedAndNotBefore) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  replace_file(path, "old");
  {
    OutputFile file(path);
    file.write("ne");
    EXPECT_EQ(read(path), "old");
    file.write("w");
    file.close();
    EXPECT_EQ(read(path), "new");
  }
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(count_files(folder), 1U);
}

TEST(OutputFile, LeavesNothingWithoutBeingClosed) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  { OutputFile(path).write("half"); }
  EXPECT_EQ(count_files(folder), 0U);
  replace_file(path, "old");
  { OutputFile(path).write("half"); }
  EXPECT_EQ(read(path), "old");
  { const CsvWriter csv(folder.file("out.csv")); }  // as when a run throws
  EXPECT_EQ(count_files(folder), 1U);
}

TEST(OutputFile, FollowsALinkAndLeavesItALink) {
  const testing::TemporaryFolder folder;
  const std::string link = folder.file("link.txt");
  std::filesystem::create_symlink("target.txt", link);
  for (const char* const text : {"first", "second"}) {  // to nothing, and to a file
    replace_file(link, text);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(read(folder.file("target.txt")), text);
  }
}

TEST(OutputFile, WritesToADeviceAsItIsAndNamesWhatCannotBeWritten) {
  replace_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.new"));
  const testing::TemporaryFolder folder;
  for (const std::string& path : {folder.file("none/out.txt"), std::string("/dev/full")}) {
    try {
      replace_file(path, "text");
      ADD_FAILURE() << path;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find(path + ": cannot"), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace achilles
