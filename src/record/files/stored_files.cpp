#include "record/files/stored_files.hpp"

#include "record/layout.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace achilles {
namespace {

constexpr const char* kFileCount = "file_count";
constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;  // more is not read for a scene either

std::string content_name(std::uint32_t index) { return "files/content_" + std::to_string(index); }

std::uint64_t digest_of(const std::string& bytes) {
  Digest digest;
  digest.take(bytes);
  return digest.value();
}

}  // namespace

std::vector<StoredFile> list_files(std::span<const SceneFile> files) {
  std::vector<StoredFile> stored;
  std::uint32_t contents = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::size_t same = 0;
    while (*files[same].bytes != *files[k].bytes) ++same;
    const std::uint32_t content = same < k ? stored[same].content : contents++;
    stored.push_back({files[k].name, content, digest_of(*files[k].bytes)});
  }
  return stored;
}

void write_files(const Hdf5File& file, std::span<const SceneFile> files, std::span<const StoredFile> stored) {
  if (stored.empty()) return;
  std::vector<std::string> names;
  std::vector<std::uint32_t> contents;
  std::vector<std::uint64_t> digests;
  file.write_attribute(kFileCount, static_cast<std::int64_t>(stored.size()));
  file.make_group("files");
  std::uint32_t written = 0;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    names.push_back(stored[k].name);
    contents.push_back(stored[k].content);
    digests.push_back(stored[k].digest);
    if (stored[k].content < written) continue;
    const std::string& bytes = *files[k].bytes;
    file.write_array<std::uint8_t>(content_name(written++), {bytes.size()},
                                   {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  file.write_texts("files/name", names);
  file.write_array<std::uint32_t>("files/content", {contents.size()}, contents);
  file.write_array<std::uint64_t>("files/digest", {digests.size()}, digests);
}

std::vector<StoredFile> read_file_list(const Hdf5File& file) {
  if (!file.has_attribute(kFileCount)) return {};
  const std::vector<std::string> names = file.read_texts("files/name");
  const Hdf5Array content = file.open_array("files/content");
  const Hdf5Array digest = file.open_array("files/digest");
  if (static_cast<std::int64_t>(names.size()) != file.read_integer_attribute(kFileCount) ||
      content.shape() != std::vector<hsize_t>{names.size()} || digest.shape() != content.shape()) {
    throw std::runtime_error(file.path() + ": /files contradicts itself");
  }
  std::vector<std::uint32_t> contents(names.size());
  std::vector<std::uint64_t> digests(names.size());
  content.read<std::uint32_t>(0, contents.size(), contents);
  digest.read<std::uint64_t>(0, digests.size(), digests);
  std::vector<StoredFile> stored;
  for (std::size_t k = 0; k < names.size(); ++k) stored.push_back({names[k], contents[k], digests[k]});
  return stored;
}

std::vector<SceneFile> read_files(const Hdf5File& file, std::span<const StoredFile> stored) {
  std::vector<SceneFile> files;
  for (const StoredFile& one : stored) {
    const auto shared = std::find_if(stored.begin(), stored.end(),
                                     [&](const StoredFile& other) { return other.content == one.content; });
    const auto index = static_cast<std::size_t>(shared - stored.begin());
    if (index < files.size()) {
      files.push_back({one.name, files[index].bytes});
      continue;
    }
    const Hdf5Array array = file.open_array(content_name(one.content));
    if (array.shape().size() != 1 || array.rows() > kMostFileBytes) {
      throw std::runtime_error(file.path() + ": /" + array.name() + " is not the content of a file");
    }
    std::string bytes(array.rows(), '\0');
    array.read<std::uint8_t>(0, bytes.size(), {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    if (digest_of(bytes) != one.digest) {
      throw std::runtime_error(file.path() + ": the stored file '" + one.name + "' was changed or is damaged");
    }
    files.push_back({one.name, std::make_shared<const std::string>(std::move(bytes))});
  }
  return files;
}

}  // namespace achilles
