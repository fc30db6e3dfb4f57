#include "record/output_file.hpp"

#include "platform/system.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace achilles {
namespace {

/// What a link points to at last, which need not exist; any other path as it is. Of links in a ring none exists.
std::string follow_link(const std::string& path) {
  constexpr int kMostLinks = 40;  // in a row, as Linux allows
  std::filesystem::path target = path;
  std::error_code error;
  for (int k = 0; k < kMostLinks && std::filesystem::is_symlink(target, error); ++k) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / next;  // an absolute one takes the place of the whole
  }
  return target.string();
}

/// A device or a pipe; what the error behind `exists` is shows when the file is opened.
bool is_written_in_place(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
}

}  // namespace

OutputFile::OutputFile(const std::string& path)
    : path_(path), target_(follow_link(path)), whole_(is_written_in_place(target_) ? target_ : target_ + ".new") {
  file_ = std::fopen(whole_.c_str(), "wb");
  if (file_ == nullptr) fail("create");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (!whole_.empty() && whole_ != target_) std::filesystem::remove(whole_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("write");
}

void OutputFile::close() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail("write");
  if (whole_ != target_ && !platform::put_in_place(whole_, target_)) fail("write");
  whole_.clear();
}

void OutputFile::fail(const char* action) const {
  const int error = errno;
  throw std::runtime_error(path_ + ": cannot " + action + " the file: " + std::strerror(error));
}

void replace_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace achilles
