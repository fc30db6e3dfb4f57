// A file that is written from start to end. Failures are std::runtime_error with path and reason.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace achilles {

class OutputFile {
 public:
  /// Replaces what was there.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void flush();
  /// Without it the last bytes are written too, but errors are lost.
  void close();

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  std::FILE* file_ = nullptr;
};

/// Writes a whole file beside the path and then puts it in its place: at any moment the path holds the old or the new
/// text, never a part.
void replace_file(const std::string& path, std::string_view text);

}  // namespace achilles
