#include "record/growing_array.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace achilles {
namespace {

constexpr std::uint32_t kNoFilters = 0x3;                    // mask that skips both filters, shuffle and deflate
constexpr std::size_t kLargestPiece = std::size_t{1} << 20;  // [bytes] of a chunk where a row is cut

}  // namespace

GrowingArray::GrowingArray(const Hdf5File& file, const std::string& name, ElementType type,
                           const std::vector<hsize_t>& row_shape, const GrowingArrayOptions& options)
    : path_(file.path()), name_(name), type_(type), is_nan_where_unwritten_(options.is_nan_where_unwritten) {
  const QuietHdf5 quiet;
  row_bytes_ = size_of(type);
  for (const hsize_t extent : row_shape) row_bytes_ *= static_cast<std::size_t>(extent);
  chunk_rows_ = std::max<std::size_t>(1, options.chunk_bytes / std::max<std::size_t>(row_bytes_, 1));
  has_whole_chunks_ = row_bytes_ <= kLargestPiece;
  buffer_.resize(chunk_rows_ * row_bytes_);

  extent_.assign(1, 0);
  extent_.insert(extent_.end(), row_shape.begin(), row_shape.end());
  start_.assign(extent_.size(), 0);
  block_ = extent_;
  std::vector<hsize_t> chunk = extent_;
  for (hsize_t& length : chunk) length = std::max<hsize_t>(length, 1);
  std::vector<hsize_t> limit = chunk;
  limit[0] = H5S_UNLIMITED;
  chunk[0] = chunk_rows_;
  if (!has_whole_chunks_) {
    const std::size_t item_bytes = row_bytes_ / static_cast<std::size_t>(chunk[1]);
    chunk[1] = std::max<std::size_t>(1, kLargestPiece / item_bytes);
  }

  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extent_.size()), extent_.data(), limit.data()), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), static_cast<unsigned>(options.compression));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (is_nan_where_unwritten_) H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &nan);
  dataset_ = {
      H5Dcreate2(file.id(), name.c_str(), file_type(type), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
      H5Dclose};
  if (!dataset_.is_valid()) file.fail("make the array /" + name);
  clear_buffer();
}

void GrowingArray::append(const void* rows, std::size_t count) {
  if (row_bytes_ == 0) {  // a world without bodies: rows without content still count
    chunk_start_ += count;
    is_dirty_ = true;
    return;
  }
  const auto* source = static_cast<const unsigned char*>(rows);
  while (count > 0) {
    const std::size_t taken = std::min(count, chunk_rows_ - filled_);
    std::memcpy(buffer_.data() + filled_ * row_bytes_, source, taken * row_bytes_);
    filled_ += taken;
    source += taken * row_bytes_;
    count -= taken;
    if (filled_ == chunk_rows_) write_full_chunk();
  }
}

void GrowingArray::publish() {
  if (filled_ > published_) write_raw_chunk();
  if (!is_dirty_) return;
  const QuietHdf5 quiet;
  if (row_bytes_ == 0) extend(chunk_start_);
  if (H5Dflush(dataset_.get()) < 0) throw_hdf5(path_, "write /" + name_);
  is_dirty_ = false;
}

void GrowingArray::finish() {
  if (filled_ > 0 && published_ == 0) {
    write_rows(chunk_start_, filled_, buffer_.data());
    published_ = filled_;
  }
  publish();
}

void GrowingArray::extend(std::uint64_t rows) {
  extent_[0] = rows;
  if (H5Dset_extent(dataset_.get(), extent_.data()) < 0) throw_hdf5(path_, "extend /" + name_);
  is_dirty_ = true;
}

void GrowingArray::write_rows(std::uint64_t first, std::size_t count, const void* rows) {
  const QuietHdf5 quiet;
  extend(first + count);
  start_[0] = first;
  block_[0] = count;
  const Hdf5Handle to(H5Dget_space(dataset_.get()), H5Sclose);
  const Hdf5Handle from(H5Screate_simple(static_cast<int>(block_.size()), block_.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(to.get(), H5S_SELECT_SET, start_.data(), nullptr, block_.data(), nullptr);
  if (H5Dwrite(dataset_.get(), memory_type(type_), from.get(), to.get(), H5P_DEFAULT, rows) < 0) {
    throw_hdf5(path_, "write /" + name_);
  }
}

void GrowingArray::write_raw_chunk() {
  const QuietHdf5 quiet;
  extend(rows());
  start_[0] = chunk_start_;
  if (H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, kNoFilters, start_.data(), buffer_.size(), buffer_.data()) < 0) {
    throw_hdf5(path_, "write /" + name_);
  }
  published_ = filled_;
}

void GrowingArray::write_full_chunk() {
  if (published_ > 0) {
    write_raw_chunk();
  } else {
    write_rows(chunk_start_, chunk_rows_, buffer_.data());
  }
  chunk_start_ += chunk_rows_;
  filled_ = 0;
  published_ = 0;
  clear_buffer();
}

// A reader may see the new length before the new rows: until then there is what stood in the buffer.
void GrowingArray::clear_buffer() {
  if (is_nan_where_unwritten_) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t at = 0; at + sizeof nan <= buffer_.size(); at += sizeof nan) {
      std::memcpy(buffer_.data() + at, &nan, sizeof nan);
    }
  } else {
    std::fill(buffer_.begin(), buffer_.end(), static_cast<unsigned char>(0));
  }
}

}  // namespace achilles
