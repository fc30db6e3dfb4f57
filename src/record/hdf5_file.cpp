#include "record/hdf5_file.hpp"

#include "platform/system.hpp"
#include "record/superblock.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::size_t kLargestChunk = std::size_t{1} << 20;  // [bytes]
// What fails its checksum may be in the middle of being written: it is read again, after pauses that double from 1 ns,
// 34 ms in all. The library's own 100 attempts would take for ever on a damaged file.
constexpr unsigned kReadAttempts = 25;
constexpr std::size_t kLargestText = std::size_t{1} << 30;  // [bytes] of one array of texts

[[noreturn]] void throw_system(const std::string& path, const std::string& action, int error) {
  throw std::runtime_error(path + ": cannot " + action + ": " + std::strerror(error));
}

/// The innermost frame of the error stack is where it went wrong; a system call's own words stand between quotes there.
herr_t keep_reason(unsigned, const H5E_error2_t* frame, void* out) {
  auto& reason = *static_cast<std::string*>(out);
  if (!reason.empty() || frame->desc == nullptr) return 0;
  const std::string description = frame->desc;
  const std::string mark = "error message = '";
  const std::size_t start = description.find(mark);
  if (start == std::string::npos) {
    reason = description;
  } else {
    const std::size_t from = start + mark.size();
    reason = description.substr(from, description.find('\'', from) - from);
  }
  return 0;
}

Hdf5Handle make_space(std::span<const hsize_t> shape) {
  return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose};
}

/// Chunks of at most kLargestChunk bytes: whole rows where they fit, else pieces of a row.
std::vector<hsize_t> chunk_of(std::vector<hsize_t> shape, std::size_t element_bytes) {
  for (hsize_t& extent : shape) extent = std::max<hsize_t>(extent, 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::size_t inner = element_bytes;
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
    shape[axis] = std::min<hsize_t>(shape[axis], std::max<std::size_t>(1, kLargestChunk / inner));
    if (inner <= kLargestChunk) break;
  }
  return shape;
}

/// Padding is zero bytes, so a text that ends in one would not come back as it was.
void check_text(const std::string& path, const std::string& name, std::string_view text) {
  if (!text.empty() && text.back() == '\0') {
    throw std::runtime_error(path + ": cannot write " + name + ": a text ends in a zero byte");
  }
}

Hdf5Handle make_text_type(std::size_t bytes) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

void throw_hdf5(const std::string& path, const std::string& action) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
  throw std::runtime_error(path + ": cannot " + action + ": " + (reason.empty() ? "HDF5 gives no reason" : reason));
}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  if (this != &other) {
    (void)release();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    close_ = std::exchange(other.close_, nullptr);
  }
  return *this;
}

bool Hdf5Handle::release() {
  if (id_ < 0) return true;
  const QuietHdf5 quiet;
  return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
}

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
    case ElementType::kInt64:
    case ElementType::kUint64:
      return 8;
    case ElementType::kUint32:
      return 4;
    case ElementType::kUint8:
      break;
  }
  return 1;
}

hid_t memory_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::kInt64:
      return H5T_NATIVE_INT64;
    case ElementType::kUint64:
      return H5T_NATIVE_UINT64;
    case ElementType::kUint32:
      return H5T_NATIVE_UINT32;
    case ElementType::kUint8:
      break;
  }
  return H5T_NATIVE_UINT8;
}

hid_t file_type(ElementType type) {
  switch (type) {
    case ElementType::kFloat64:
      return H5T_IEEE_F64LE;
    case ElementType::kInt64:
      return H5T_STD_I64LE;
    case ElementType::kUint64:
      return H5T_STD_U64LE;
    case ElementType::kUint32:
      return H5T_STD_U32LE;
    case ElementType::kUint8:
      break;
  }
  return H5T_STD_U8LE;
}

Hdf5Array::Hdf5Array(std::string path, std::string name, Hdf5Handle dataset)
    : path_(std::move(path)), name_(std::move(name)), dataset_(std::move(dataset)) {
  const QuietHdf5 quiet;
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
  const int rank = space.is_valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (rank < 0) throw_hdf5(path_, "read the shape of /" + name_);
  shape_.resize(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(space.get(), shape_.data(), nullptr) < 0) {
    throw_hdf5(path_, "read the shape of /" + name_);
  }
  for (std::size_t k = 1; k < shape_.size(); ++k) {
    if (__builtin_mul_overflow(row_size_, static_cast<std::size_t>(shape_[k]), &row_size_)) {
      throw std::runtime_error(path_ + ": /" + name_ + " has an impossible shape");
    }
  }
}

void Hdf5Array::read_as(hid_t type, std::size_t first, std::size_t count, void* out, std::size_t capacity) const {
  if (first > rows() || count > rows() - first) {
    throw std::out_of_range(path_ + ": /" + name_ + " holds " + std::to_string(rows()) + " rows, asked for " +
                            std::to_string(count) + " from " + std::to_string(first));
  }
  if (count == 0 || row_size_ == 0) return;
  if (count > capacity / row_size_) throw std::logic_error("the buffer is too small for the rows of /" + name_);
  const QuietHdf5 quiet;
  std::vector<hsize_t> start(shape_.size(), 0);
  std::vector<hsize_t> block = shape_;
  start[0] = first;
  block[0] = count;
  const Hdf5Handle from(H5Dget_space(dataset_.get()), H5Sclose);
  const Hdf5Handle to = make_space(block);
  H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, start.data(), nullptr, block.data(), nullptr);
  if (H5Dread(dataset_.get(), type, to.get(), from.get(), H5P_DEFAULT, out) < 0) {
    throw_hdf5(path_, "read /" + name_);
  }
}

Hdf5File Hdf5File::create(const std::string& path) {
  // HDF5 truncates a file before it finds it locked: look first, and hear from the system itself why it cannot be.
  {
    const platform::File file(path, platform::OpenMode::kCreate);
    if (!file.is_open()) throw_system(path, "create the recording", errno);
    if (!file.is_regular()) throw std::runtime_error(path + ": cannot create the recording: not a regular file");
    if (file.lock_alone() == platform::LockResult::kBusy) {
      throw std::runtime_error(path + ": cannot create the recording: another program has the file open");
    }
  }

  const QuietHdf5 quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  // Chunks are gathered before they are written: a second cache inside the library would only copy them.
  H5Pset_cache(access.get(), 0, 0, 0, 1.0);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (!file.is_valid()) throw_hdf5(path, "create the recording");
  return {path, std::move(file)};
}

Hdf5File Hdf5File::open(const std::string& path) {
  check_superblock(path);
  const QuietHdf5 quiet;
  // Where this process is also writing the file, HDF5 would hand out the writer's own view of it, in which the address
  // of a chunk is remembered without its filters. A file driver other than the writer's makes it look at the disk, as
  // another process would; this one is the default driver but for a log, which is off.
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_log(access.get(), nullptr, 0, 0);
  H5Pset_metadata_read_attempts(access.get(), kReadAttempts);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()), H5Fclose);
  if (!file.is_valid()) throw_hdf5(path, "open the recording");
  return {path, std::move(file)};
}

void Hdf5File::fail(const std::string& action) const { throw_hdf5(path_, action); }

void Hdf5File::close() {
  const QuietHdf5 quiet;
  if (!file_.release()) fail("finish the recording");
}

void Hdf5File::make_group(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Handle group(H5Gcreate2(id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.is_valid()) fail("make the group /" + name);
}

void Hdf5File::write_attribute(const std::string& name, std::string_view value) const {
  check_text(path_, "the attribute " + name, value);
  const QuietHdf5 quiet;
  const Hdf5Handle type = make_text_type(value.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(id(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  const char empty = 0;
  if (!attribute.is_valid() || H5Awrite(attribute.get(), type.get(), value.empty() ? &empty : value.data()) < 0) {
    fail("write the attribute " + name);
  }
}

void Hdf5File::write_attribute(const std::string& name, std::span<const double> value) const {
  const QuietHdf5 quiet;
  const std::array<hsize_t, 1> shape{value.size()};
  const Hdf5Handle space = value.size() == 1 ? Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose) : make_space(shape);
  const Hdf5Handle attribute(H5Acreate2(id(), name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (!attribute.is_valid() || H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, value.data()) < 0) {
    fail("write the attribute " + name);
  }
}

void Hdf5File::write_attribute(const std::string& name, std::int64_t value) const {
  const QuietHdf5 quiet;
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(id(), name.c_str(), H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (!attribute.is_valid() || H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
    fail("write the attribute " + name);
  }
}

void Hdf5File::write_fixed(const std::string& name, ElementType type, const std::vector<hsize_t>& shape,
                           const void* values) const {
  write_compressed(name, file_type(type), memory_type(type), shape, values);
}

void Hdf5File::write_compressed(const std::string& name, hid_t stored, hid_t given, const std::vector<hsize_t>& shape,
                                const void* values) const {
  const QuietHdf5 quiet;
  const Hdf5Handle space = make_space(shape);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const std::vector<hsize_t> chunk = chunk_of(shape, H5Tget_size(stored));
  H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), 1);
  const Hdf5Handle dataset(
      H5Dcreate2(id(), name.c_str(), stored, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail("make the array /" + name);
  const bool is_empty = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  if (!is_empty && H5Dwrite(dataset.get(), given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    fail("write the array /" + name);
  }
}

void Hdf5File::write_texts(const std::string& name, std::span<const std::string> texts) const {
  std::size_t length = 1;
  for (const std::string& text : texts) {
    check_text(path_, "/" + name, text);
    length = std::max(length, text.size());
  }
  if (texts.size() > kLargestText / length) {
    throw std::runtime_error(path_ + ": cannot write /" + name + ": its texts are too long for a recording");
  }
  std::string block(length * texts.size(), '\0');
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k].copy(block.data() + k * length, length);
  const QuietHdf5 quiet;
  const Hdf5Handle type = make_text_type(length);
  write_compressed(name, type.get(), type.get(), {texts.size()}, block.data());
}

Hdf5Handle Hdf5File::open_attribute(const std::string& name, H5T_class_t kind) const {
  Hdf5Handle attribute(H5Aopen(id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  if (!attribute.is_valid()) fail("find the attribute " + name);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (!type.is_valid() || H5Tget_class(type.get()) != kind || H5Tis_variable_str(type.get()) > 0) {
    throw std::runtime_error(path_ + ": the attribute " + name + " has another type than a recording's");
  }
  return attribute;
}

std::string Hdf5File::read_text_attribute(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Handle attribute = open_attribute(name, H5T_STRING);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const std::size_t length = H5Tget_size(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || length > kLargestText) fail("read the attribute " + name);
  std::string text(length, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) fail("read the attribute " + name);
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

std::vector<double> Hdf5File::read_real_attribute(const std::string& name, std::size_t count) const {
  const QuietHdf5 quiet;
  const Hdf5Handle attribute = open_attribute(name, H5T_FLOAT);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count)) {
    throw std::runtime_error(path_ + ": the attribute " + name + " should hold " + std::to_string(count) + " numbers");
  }
  std::vector<double> values(count);
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) fail("read the attribute " + name);
  return values;
}

std::int64_t Hdf5File::read_integer_attribute(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Handle attribute = open_attribute(name, H5T_INTEGER);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  std::int64_t value = 0;
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0) {
    fail("read the attribute " + name);
  }
  return value;
}

bool Hdf5File::has_attribute(const std::string& name) const {
  const QuietHdf5 quiet;
  return H5Aexists(id(), name.c_str()) > 0;
}

Hdf5Array Hdf5File::open_array(const std::string& name) const {
  const QuietHdf5 quiet;
  Hdf5Handle dataset(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail("find the array /" + name);
  return {path_, name, std::move(dataset)};
}

std::vector<std::string> Hdf5File::read_texts(const std::string& name) const {
  const QuietHdf5 quiet;
  const Hdf5Handle dataset(H5Dopen2(id(), name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) fail("find the texts /" + name);
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
  hsize_t count = 0;
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0 ||
      H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_dims(space.get(), &count, nullptr) < 0) {
    throw std::runtime_error(path_ + ": /" + name + " is not an array of texts");
  }
  const std::size_t length = H5Tget_size(type.get());
  if (length > kLargestText || count > kLargestText / length) {
    throw std::runtime_error(path_ + ": /" + name + " is impossibly large");
  }
  std::string block(length * count, '\0');
  if (count > 0 && H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, block.data()) < 0) {
    fail("read the texts /" + name);
  }
  std::vector<std::string> texts(count);
  for (std::size_t k = 0; k < count; ++k) {
    texts[k] = block.substr(k * length, length);
    texts[k].erase(texts[k].find_last_not_of('\0') + 1);
  }
  return texts;
}

}  // namespace achilles
