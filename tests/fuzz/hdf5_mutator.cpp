#include "hdf5_mutator.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace achilles::fuzz {
namespace {

constexpr std::size_t kChangeBytes = 10;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of an array that is changed element by element

struct Change {
  std::uint8_t what = 0, which = 0;
  std::uint32_t where = 0, value = 0;
};

herr_t collect_array(hid_t, const char* name, const H5O_info_t* info, void* out) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* out) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

/// Overwrites four bytes of an array, as they lie in the file's own types.
void change_bytes(hid_t array, const Change& change) {
  const hid_t type = H5Dget_type(array);
  const hid_t space = H5Dget_space(array);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const std::size_t size = count > 0 ? static_cast<std::size_t>(count) * H5Tget_size(type) : 0;
  if (size > 0 && size <= kMostBytes) {
    std::vector<char> bytes(size);
    if (H5Dread(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0) {
      const std::size_t at = change.where % size;
      std::memcpy(bytes.data() + at, &change.value, std::min(sizeof change.value, size - at));
      H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    }
  }
  H5Sclose(space);
  H5Tclose(type);
}

/// Makes an array longer or shorter; small numbers are more telling than large ones.
void change_length(hid_t array, const Change& change) {
  const hid_t space = H5Dget_space(array);
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!shape.empty()) {
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    shape[change.where % shape.size()] = change.value % 3 == 0 ? change.value : change.value % 64;
    H5Dset_extent(array, shape.data());
  }
  H5Sclose(space);
}

void change_attribute(hid_t file, const std::string& name, const Change& change) {
  const hid_t attribute = H5Aopen(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  const hid_t space = H5Aget_space(attribute);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  std::vector<char> bytes((count > 0 ? static_cast<std::size_t>(count) : 1) * H5Tget_size(type) + 1);
  if (H5Tis_variable_str(type) <= 0 && H5Aread(attribute, type, bytes.data()) >= 0) {
    const std::size_t at = change.where % (bytes.size() - 1);
    std::memcpy(bytes.data() + at, &change.value, std::min(sizeof change.value, bytes.size() - 1 - at));
    H5Awrite(attribute, type, bytes.data());
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
}

}  // namespace

std::string make_scratch_path(const std::string& name) {
  const std::filesystem::path memory = "/dev/shm";
  const std::filesystem::path folder =
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return (folder / ("achilles_fuzz_" + std::to_string(::getpid()) + "_" + name)).string();
}

Hdf5Mutator::Hdf5Mutator(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, collect_array, &arrays_);
  hsize_t at = 0;
  H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, &at, collect_attribute, &attributes_);
  H5Fclose(file);
}

void Hdf5Mutator::write(const std::string& path, std::span<const std::uint8_t> changes) const {
  std::ofstream(path, std::ios::binary) << bytes_;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (; changes.size() >= kChangeBytes; changes = changes.subspan(kChangeBytes)) {
    Change change{changes[0], changes[1], 0, 0};
    std::memcpy(&change.where, changes.data() + 2, sizeof change.where);
    std::memcpy(&change.value, changes.data() + 6, sizeof change.value);
    if (change.what % 8 == 7 && !attributes_.empty()) {
      change_attribute(file, attributes_[change.which % attributes_.size()], change);
      continue;
    }
    if (arrays_.empty()) continue;
    const std::string& name = arrays_[change.which % arrays_.size()];
    if (change.what % 16 == 6) {
      H5Ldelete(file, name.c_str(), H5P_DEFAULT);
      continue;
    }
    const hid_t array = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    if (array < 0) continue;
    change.what % 8 == 5 ? change_length(array, change) : change_bytes(array, change);
    H5Dclose(array);
  }
  H5Fclose(file);
}

}  // namespace achilles::fuzz
