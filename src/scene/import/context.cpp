#include "scene/import/context.hpp"

#include "scene/wording.hpp"

#include "geometry/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace achilles::scene_file {
namespace {

namespace fs = std::filesystem;

bool is_readable_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

bool climbs(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

ImportContext::ImportContext(Complaints& complaints, const ImportOptions& options, const std::string& file)
    : complaints_(complaints),
      options_(options),
      folder_(fs::path(file).parent_path()),
      tree_(folder_, options.packages) {}

void ImportContext::error(const Place& place, const std::string& message) { complaints_.error(place, "", message); }

void ImportContext::note(const Place& place, const std::string& message) { complaints_.warning(place, "", message); }

void ImportContext::leave_out(const Place& place, const std::string& what) {
  const auto [entry, is_new] = left_out_index_.emplace(what, left_out_.size());
  if (is_new) left_out_.push_back({place, what, 0});
  ++left_out_[entry->second].count;
}

void ImportContext::report_further_shapes(const XmlNode& geometry) {
  for (const XmlNode& shape : geometry.children) {
    if (shape.name == geometry.children.front().name) continue;  // a repeated word
    leave_out(shape.place, fmt::format("a further shape <{}> in <geometry>; the first is read", shorten(shape.name)));
  }
}

void ImportContext::finish() {
  for (const LeftOut& left : left_out_) {
    const std::string again = left.count > 1 ? fmt::format(" ({} times, here first)", left.count) : std::string();
    const std::string message = fmt::format("not supported, left out: {}{}", left.what, again);
    if (options_.strict) {
      complaints_.error(left.first, "", message);
    } else {
      complaints_.warning(left.first, "", message);
    }
  }
  left_out_.clear();
  left_out_index_.clear();
}

int ImportContext::add_file(const std::string& file) {
  const int origin = complaints_.add_file(file);
  folders_[origin] = fs::path(file).parent_path();
  return origin;
}

fs::path ImportContext::folder_of(const Place& place) const {
  const auto found = folders_.find(place.origin);
  return found == folders_.end() ? folder_ : found->second;
}

std::optional<double> ImportContext::take_start(const std::string& joint) {
  const auto given = options_.start.find(joint);
  if (given == options_.start.end()) return std::nullopt;
  starts_taken_.insert(joint);
  return given->second;
}

void ImportContext::check_starts(const Place& place, const std::vector<std::string>& joints) {
  for (const auto& [joint, position] : options_.start) {
    if (starts_taken_.contains(joint)) continue;
    error(place, fmt::format("there is no joint '{}' that could start at {}{}", shorten(joint), position,
                             suggestion(joint, joints)));
  }
}

std::string ImportContext::relative_name(const fs::path& path) const {
  const fs::path name = path.lexically_normal();
  if (name.is_absolute() != folder_.is_absolute()) return name.generic_string();
  const fs::path relative = name.lexically_proximate(folder_.lexically_normal());
  return relative.empty() ? name.generic_string() : relative.generic_string();
}

std::optional<std::string> ImportContext::find_file(const std::string& name, const fs::path& base,
                                                    std::string& reason) {
  if (name.empty()) {
    reason = "the file name is empty";
    return std::nullopt;
  }
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (name.starts_with(scheme)) return find_in_package(name.substr(scheme.size()), reason);
  }
  const bool is_file_url = name.starts_with("file://");
  if (!is_file_url && name.find("://") != std::string::npos) {
    reason = fmt::format("'{}' is not fetched; allowed: a file, file://, package:// or model://", shorten(name));
    return std::nullopt;
  }
  const fs::path named = is_file_url ? name.substr(7) : name;
  const fs::path path = (named.is_absolute() ? named : base / named).lexically_normal();
  if (!tree_.holds(path)) {
    reason = fmt::format("'{}' is outside of the robot's files in '{}'; --package NAME=FOLDER adds a folder",
                         shorten(name, 200), tree_.root().generic_string());
    return std::nullopt;
  }
  if (is_readable_file(path)) return relative_name(path);
  reason = fmt::format("there is no file '{}'", path.generic_string());
  return std::nullopt;
}

// package://NAME/PATH is PATH in the folder that --package gives for NAME, or in the nearest folder of that name, or in
// the folder around the robot file that holds the longest end of NAME/PATH: packages are mostly copied without the
// folders around them.
std::optional<std::string> ImportContext::find_in_package(const std::string& name, std::string& reason) {
  const fs::path path = fs::path(name).lexically_normal();
  if (climbs(fs::path(name)) || path.is_absolute() || path.empty()) {
    reason = fmt::format("'{}' leaves its package; allowed: a path below it without '..'", shorten(name));
    return std::nullopt;
  }
  const std::string package = path.begin()->string();
  const fs::path inner = path.lexically_relative(package);
  if (const auto given = options_.packages.find(package); given != options_.packages.end()) {
    const fs::path found = fs::path(given->second) / inner;
    if (is_readable_file(found)) return relative_name(found);
    reason = fmt::format("there is no file '{}' in the package '{}'", found.generic_string(), shorten(package));
    return std::nullopt;
  }
  for (fs::path rest = path; !rest.empty() && rest != "."; rest = rest.lexically_relative(*rest.begin())) {
    for (const fs::path& around : tree_.folders_around()) {
      if (!is_readable_file(around / rest)) continue;
      const fs::path found = around / rest;
      if (folder_.is_absolute()) return relative_name(found);
      return found.lexically_proximate(tree_.folder()).generic_string();
    }
  }
  reason = fmt::format(
      "there is no file '{}' in a folder around the robot file; --package {}=FOLDER says where the "
      "package is",
      shorten(name, 200), shorten(package));
  return std::nullopt;
}

const Mesh* ImportContext::load_mesh(const std::string& file, const Place& place) {
  const auto [entry, is_new] = meshes_.try_emplace(file);
  if (is_new) {
    const fs::path path = fs::path(file).is_absolute() ? fs::path(file) : folder_ / file;
    try {
      entry->second = load_mesh_file(path);
    } catch (const std::invalid_argument& defect) {
      error(place, shorten(defect.what(), 400));
    }
  }
  return entry->second ? &*entry->second : nullptr;
}

}  // namespace achilles::scene_file
