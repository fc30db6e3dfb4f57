#include "record/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace achilles {

OutputFile::OutputFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) fail("create");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("write");
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) fail("write");
}

void OutputFile::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("write");
}

void OutputFile::fail(const char* action) const {
  const int error = errno;
  throw std::runtime_error(path_ + ": cannot " + action + " the file: " + std::strerror(error));
}

void replace_file(const std::string& path, std::string_view text) {
  // A device or a pipe is written to as it is.
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    OutputFile file(path);
    file.write(text);
    file.close();
    return;
  }
  const std::string whole = path + ".new";
  try {
    OutputFile file(whole);
    file.write(text);
    file.close();
    std::filesystem::rename(whole, path);
  } catch (...) {
    std::filesystem::remove(whole, error);
    throw;
  }
}

}  // namespace achilles
