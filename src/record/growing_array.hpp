// An array of a recording that grows along its first axis while readers may look.
//
// Rows gather in memory until a chunk is full, which is then compressed and written once. A chunk that must be seen
// before it is full is written as it is, uncompressed, and filled up in place later: rewriting a compressed chunk under
// SWMR would leave its former copy in the file for ever. Which filters apply is stored per chunk, so readers need not
// know.
#pragma once

#include "record/hdf5_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace achilles {

struct GrowingArrayOptions {
  std::size_t chunk_bytes = 65536;  // rows per chunk so that it has about this size; a larger row is cut in pieces
  int compression = 1;              // of deflate, 0 to 9
  bool is_nan_where_unwritten = false;
};

class GrowingArray {
 public:
  /// Makes the empty array; only before the file is in SWMR mode.
  GrowingArray(const Hdf5File& file, const std::string& name, ElementType type, const std::vector<hsize_t>& row_shape,
               const GrowingArrayOptions& options = {});

  /// Takes rows laid out like `row_shape`, one after the other. Does not allocate.
  void append(const void* rows, std::size_t count);
  /// Makes every row taken so far visible to readers, and safe from the end of this process.
  void publish();
  /// As publish, for an array that takes no more rows: what is left is compressed where it can be.
  void finish();

  [[nodiscard]] std::uint64_t rows() const { return chunk_start_ + filled_; }
  /// Rows until the next chunk is written by itself.
  [[nodiscard]] std::size_t room() const { return chunk_rows_ - filled_; }
  /// An upper bound of what the next publish or full chunk adds to the file [bytes].
  [[nodiscard]] std::size_t chunk_bytes() const { return buffer_.size(); }

 private:
  void extend(std::uint64_t rows);
  void write_rows(std::uint64_t first, std::size_t count, const void* rows);
  void write_raw_chunk();
  void write_full_chunk();
  void clear_buffer();

  std::string path_, name_;
  ElementType type_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extent_, start_, block_;  // scratch of the right rank
  std::size_t row_bytes_ = 0;
  std::size_t chunk_rows_ = 1;
  bool has_whole_chunks_ = true;  // false: a row is larger than a chunk
  bool is_nan_where_unwritten_ = false;
  std::vector<unsigned char> buffer_;  // the chunk that is being filled
  std::uint64_t chunk_start_ = 0;      // row
  std::size_t filled_ = 0;             // rows in the buffer
  std::size_t published_ = 0;          // rows of the buffer that are in the file
  bool is_dirty_ = false;              // HDF5 holds something that is not in the file
};

}  // namespace achilles
