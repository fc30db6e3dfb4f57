// HDF5 files of problems: reading arrays by name, and errors that state what is wrong where.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace achilles {

/// The file cannot be read or does not hold a usable problem; the text names the file, the item and what is wrong.
class ProblemFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An HDF5 identifier that is closed with its owner.
class ProblemHandle {
 public:
  ProblemHandle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~ProblemHandle() {
    if (id_ >= 0) close_(id_);
  }
  ProblemHandle(const ProblemHandle&) = delete;
  ProblemHandle& operator=(const ProblemHandle&) = delete;
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// One open file; every failure is a ProblemFileError that names the file and the item.
class ProblemReader {
 public:
  explicit ProblemReader(const std::filesystem::path& path);

  [[noreturn]] void fail(const std::string& item, const std::string& what) const;
  [[nodiscard]] bool has(const std::string& item) const;
  /// Numbers in an array; fails where the file is too small to hold them.
  [[nodiscard]] std::size_t count(const std::string& item) const;
  [[nodiscard]] std::vector<double> doubles(const std::string& item) const;
  [[nodiscard]] std::vector<int> ints(const std::string& item) const;
  [[nodiscard]] int integer(const std::string& item) const;
  /// Empty if there is none.
  [[nodiscard]] std::string text(const std::string& item) const;

 private:
  [[nodiscard]] ProblemHandle open(const std::string& item) const;
  [[nodiscard]] std::size_t count(const std::string& item, const ProblemHandle& set) const;
  template <class T>
  [[nodiscard]] std::vector<T> values(const std::string& item, hid_t type) const;

  std::string path_;
  ProblemHandle file_;
};

}  // namespace achilles
