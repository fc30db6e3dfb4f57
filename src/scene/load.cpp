// From file or text to a Scene: tree, overrides, checks, build, warnings.
#include "scene/build/build.hpp"
#include "scene/complaints.hpp"
#include "scene/format/check.hpp"
#include "scene/format/format.hpp"
#include "scene/load_tree.hpp"
#include "scene/overrides.hpp"
#include "scene/read_file.hpp"
#include "scene/warn/warn.hpp"
#include "scene/yaml/text.hpp"
#include "scene/yaml/tree.hpp"

#include <achilles/import.hpp>
#include <achilles/scene.hpp>

#include <filesystem>
#include <optional>
#include <utility>

namespace achilles {
namespace {

using namespace scene_file;

// The comment at the head of a scene describes it; it survives a --set, which writes the rest anew.
std::string_view leading_comment(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '#' || text[end] == '\n')) {
    const std::size_t line_end = text.find_first_of("\r\n", end);
    if (line_end == std::string_view::npos) return {};
    if (text[line_end] == '\r') break;  // to YAML this ends a line too; such files lose their comment
    end = line_end + 1;
  }
  return text.substr(0, end);
}

void check_root(const Node& root, Complaints& complaints) {
  if (root.kind == Node::Kind::kMapping) return;
  const std::string what = root.kind == Node::Kind::kNull       ? "the file is empty"
                           : root.kind == Node::Kind::kSequence ? "the file is a list"
                                                                : "the file is a single value";
  complaints.error({0, std::max(root.place.line, 1), std::max(root.place.column, 1)}, "",
                   what + "; a scene is a mapping that begins with 'achilles: 1' and has 'bodies'");
  complaints.throw_errors();
}

}  // namespace

Scene scene_file::load_tree(Node root, std::string_view text, const std::string& file,
                            const std::vector<Override>& overrides, Complaints& complaints,
                            std::span<const SceneFile> files) {
  apply_overrides(root, overrides, scene_format(), complaints);
  check_tree(root, scene_format(), complaints);

  Build build{complaints, std::filesystem::path(file).parent_path().string(), files};
  build_settings(build, root);
  build_materials(build, root);
  build_bodies(build, root);
  build_joints(build, root);
  build_couplings(build, root);
  build_sensors(build, root);
  build_scripts(build, root);
  build_triggers(build, root);
  build_rules(build, root);
  complaints.throw_errors();
  warn_of_start_contacts(build);
  warn_of_speeds(build);
  warn_of_sizes(build);
  warn_of_meshes(build);

  build.scene.file = file;
  const bool is_as_written = overrides.empty() && !text.empty();
  build.scene.text = is_as_written ? std::string(text) : std::string(leading_comment(text)) + write_tree(root);
  build.scene.warnings = complaints.warnings();
  return std::move(build.scene);
}

Scene parse_scene(std::string_view text, const std::string& file, const std::vector<Override>& overrides,
                  const std::vector<SceneFile>& files) {
  Complaints complaints(file, overrides);
  std::optional<Node> root = parse_tree(text, 0, TreeLimits{}, complaints);
  if (!root) complaints.throw_errors();
  check_root(*root, complaints);
  return load_tree(std::move(*root), text, file, overrides, complaints, files);
}

Scene load_scene(const std::string& file, const std::vector<Override>& overrides, const ImportOptions& options) {
  const std::string text = read_file(file, TreeLimits{}.bytes);
  if (is_robot_text(text)) return import_robot_text(text, file, options, overrides);
  return parse_scene(text, file, overrides);
}

Scene load_scene(const std::string& file, const std::vector<Override>& overrides) {
  return load_scene(file, overrides, ImportOptions{});
}

}  // namespace achilles
