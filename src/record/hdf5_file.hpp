// HDF5 identifiers that release themselves, and the few things recordings do with a file. Every failure is a
// std::runtime_error that names the path, what was attempted and the library's reason; the library itself stays quiet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace achilles {

/// A HDF5 identifier together with the function that releases it.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(std::exchange(other.close_, nullptr)) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
  ~Hdf5Handle() { (void)release(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_valid() const { return id_ >= 0; }
  /// Releases it now and says whether that worked: closing a file writes what is left.
  bool release();

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing to stderr while it lives; what went wrong is read from the error stack instead.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Element types of the arrays; on disk always little-endian.
enum class ElementType : std::uint8_t { kFloat64, kInt64, kUint64, kUint32, kUint8 };

[[nodiscard]] std::size_t size_of(ElementType type);  // [bytes]
[[nodiscard]] hid_t memory_type(ElementType type);
[[nodiscard]] hid_t file_type(ElementType type);

template <class T>
constexpr ElementType element_type();
template <>
constexpr ElementType element_type<double>() {
  return ElementType::kFloat64;
}
template <>
constexpr ElementType element_type<std::int64_t>() {
  return ElementType::kInt64;
}
template <>
constexpr ElementType element_type<std::uint64_t>() {
  return ElementType::kUint64;
}
template <>
constexpr ElementType element_type<std::uint32_t>() {
  return ElementType::kUint32;
}
template <>
constexpr ElementType element_type<std::uint8_t>() {
  return ElementType::kUint8;
}

/// One array of an open file: its shape is checked against what the caller expects before anything is read.
class Hdf5Array {
 public:
  Hdf5Array(std::string path, std::string name, Hdf5Handle dataset);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<hsize_t>& shape() const { return shape_; }
  [[nodiscard]] std::size_t rows() const { return shape_.empty() ? 0 : static_cast<std::size_t>(shape_[0]); }
  /// Elements in one row: the product of all extents but the first.
  [[nodiscard]] std::size_t row_size() const { return row_size_; }

  /// Reads rows [first, first + count), converting to the type of `out`, whose size must fit.
  template <class T>
  void read(std::size_t first, std::size_t count, std::span<T> out) const {
    read_as(memory_type(element_type<T>()), first, count, out.data(), out.size());
  }

 private:
  void read_as(hid_t type, std::size_t first, std::size_t count, void* out, std::size_t capacity) const;

  std::string path_, name_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> shape_;
  std::size_t row_size_ = 1;
};

/// An open file.
class Hdf5File {
 public:
  /// A new file in the format of HDF5 1.10, replacing what was there unless another run is recording to it.
  [[nodiscard]] static Hdf5File create(const std::string& path);
  /// For reading, also while it is being written or after its writer was killed.
  [[nodiscard]] static Hdf5File open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] hid_t id() const { return file_.get(); }
  /// std::runtime_error: "path: cannot <action>: <reason>".
  [[noreturn]] void fail(const std::string& action) const;
  void close();

  // While nothing but the creator sees the file.
  void make_group(const std::string& name) const;
  void write_attribute(const std::string& name, std::string_view value) const;
  void write_attribute(const std::string& name, std::span<const double> value) const;
  void write_attribute(const std::string& name, std::int64_t value) const;
  /// A compressed array that stays as it is.
  template <class T>
  void write_array(const std::string& name, const std::vector<hsize_t>& shape, std::span<const T> values) const {
    write_fixed(name, element_type<T>(), shape, values.data());
  }
  /// Texts as one array of strings of equal length, padded with zero bytes; `texts` must not end in one.
  void write_texts(const std::string& name, std::span<const std::string> texts) const;

  [[nodiscard]] std::string read_text_attribute(const std::string& name) const;
  [[nodiscard]] std::vector<double> read_real_attribute(const std::string& name, std::size_t count) const;
  [[nodiscard]] std::int64_t read_integer_attribute(const std::string& name) const;
  [[nodiscard]] bool has_attribute(const std::string& name) const;
  [[nodiscard]] Hdf5Array open_array(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> read_texts(const std::string& name) const;

 private:
  Hdf5File(std::string path, Hdf5Handle file) : path_(std::move(path)), file_(std::move(file)) {}
  void write_fixed(const std::string& name, ElementType type, const std::vector<hsize_t>& shape,
                   const void* values) const;
  void write_compressed(const std::string& name, hid_t stored, hid_t given, const std::vector<hsize_t>& shape,
                        const void* values) const;
  [[nodiscard]] Hdf5Handle open_attribute(const std::string& name, H5T_class_t kind) const;

  std::string path_;
  Hdf5Handle file_;
};

/// std::runtime_error "path: cannot <action>: <reason>", the reason from HDF5's error stack: the operating system's
/// word where there is one.
[[noreturn]] void throw_hdf5(const std::string& path, const std::string& action);

}  // namespace achilles
