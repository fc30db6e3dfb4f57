// Changes what an HDF5 file holds, not its bytes: the library's own parser is not what is fuzzed here.
//
// The input is a list of changes, ten bytes each: what (1), which array or attribute (1), where (4), the new value (4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles::fuzz {

class Hdf5Mutator {
 public:
  /// Keeps the bytes of the whole file at `path`.
  explicit Hdf5Mutator(const std::string& path);
  /// Writes the file to `path` with the changes applied; those that HDF5 refuses are left out.
  void write(const std::string& path, std::span<const std::uint8_t> changes) const;

 private:
  std::string bytes_;
  std::vector<std::string> arrays_;      // paths of all datasets
  std::vector<std::string> attributes_;  // names of the root's attributes
};

/// A path for files of this process, in memory where the system has such a place.
[[nodiscard]] std::string make_scratch_path(const std::string& name);

}  // namespace achilles::fuzz
