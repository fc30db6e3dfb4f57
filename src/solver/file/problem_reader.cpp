#include "solver/file/problem_reader.hpp"

namespace achilles {
namespace {

hid_t open_file(const std::filesystem::path& path) {
  hid_t id = -1;
  H5E_BEGIN_TRY { id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); }
  H5E_END_TRY
  return id;
}

}  // namespace

ProblemReader::ProblemReader(const std::filesystem::path& path)
    : path_(path.string()), file_(open_file(path), H5Fclose) {
  if (!file_.valid()) throw ProblemFileError(path_ + ": not a readable HDF5 file");
}

void ProblemReader::fail(const std::string& item, const std::string& what) const {
  throw ProblemFileError(path_ + ": " + item + ": " + what);
}

bool ProblemReader::has(const std::string& item) const {
  // H5Lexists wants every group on the way to exist.
  for (std::size_t at = item.find('/', 1); at != std::string::npos; at = item.find('/', at + 1)) {
    if (H5Lexists(file_.get(), item.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file_.get(), item.c_str(), H5P_DEFAULT) > 0;
}

ProblemHandle ProblemReader::open(const std::string& item) const {
  if (!has(item)) fail(item, "missing");
  const hid_t id = H5Dopen2(file_.get(), item.c_str(), H5P_DEFAULT);
  if (id < 0) fail(item, "not a dataset");
  return {id, H5Dclose};
}

std::size_t ProblemReader::count(const std::string& item, const ProblemHandle& set) const {
  const ProblemHandle space(H5Dget_space(set.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0) fail(item, "has no extent");
  // An array that was declared but never written has no bytes; deflate packs 1,032 bytes into one at most.
  constexpr hsize_t kMostPacked = 1032;
  if (static_cast<hsize_t>(count) > kMostPacked * H5Dget_storage_size(set.get())) {
    fail(item, "claims " + std::to_string(count) + " numbers, more than the file holds");
  }
  return static_cast<std::size_t>(count);
}

std::size_t ProblemReader::count(const std::string& item) const { return count(item, open(item)); }

template <class T>
std::vector<T> ProblemReader::values(const std::string& item, hid_t type) const {
  const ProblemHandle set = open(item);
  std::vector<T> all(count(item, set));
  herr_t status = 0;
  H5E_BEGIN_TRY { status = H5Dread(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()); }
  H5E_END_TRY
  if (status < 0) fail(item, "cannot be read as numbers");
  return all;
}

std::vector<double> ProblemReader::doubles(const std::string& item) const {
  return values<double>(item, H5T_NATIVE_DOUBLE);
}

std::vector<int> ProblemReader::ints(const std::string& item) const { return values<int>(item, H5T_NATIVE_INT); }

int ProblemReader::integer(const std::string& item) const {
  const std::vector<int> all = ints(item);
  if (all.size() != 1) fail(item, "expected one integer, found " + std::to_string(all.size()));
  return all.front();
}

std::string ProblemReader::text(const std::string& item) const {
  if (!has(item)) return {};
  const ProblemHandle set(H5Dopen2(file_.get(), item.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) return {};
  const ProblemHandle type(H5Dget_type(set.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return {};
  std::string value(H5Tget_size(type.get()), '\0');
  if (H5Dread(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0) return {};
  return value.substr(0, value.find('\0'));
}

}  // namespace achilles
