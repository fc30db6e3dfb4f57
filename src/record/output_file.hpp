// A file that is written from start to end. Failures are std::runtime_error with path and reason.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace achilles {

/// Grows beside the path, as `<path>.new`, and takes its place at close(): at any moment, also after a loss of power,
/// the path holds the old or the new file, never a part. A link is followed; a device or a pipe is written to as it is.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// Without close() what was written is removed, and the path is as it was.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// Waits for the disk.
  void close();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;    // as given, for messages
  std::string target_;  // behind links
  std::string whole_;   // where it grows: beside the target, or the target itself
  std::FILE* file_ = nullptr;
};

/// Writes a whole file likewise.
void replace_file(const std::string& path, std::string_view text);

}  // namespace achilles
