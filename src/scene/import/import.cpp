// From a robot file to a Scene: XML, model, tree, and then as a YAML file from its tree on.
#include "scene/import/arrange.hpp"
#include "scene/import/context.hpp"
#include "scene/import/mjcf/document.hpp"
#include "scene/import/mjcf/mjcf.hpp"
#include "scene/import/sdf/sdf.hpp"
#include "scene/import/urdf/urdf.hpp"
#include "scene/import/write.hpp"
#include "scene/import/xml.hpp"
#include "scene/load_tree.hpp"
#include "scene/read_file.hpp"
#include "scene/wording.hpp"
#include "scene/yaml/text.hpp"
#include "scene/yaml/tree.hpp"

#include <achilles/import.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace achilles {
namespace {

using namespace scene_file;

Model read_model(ImportContext& context, XmlNode& root) {
  Model model;
  if (root.name == "robot") {
    report_urdf_words(context, root);
    model = read_urdf(context, root);
  } else if (root.name == "mujoco") {
    expand_includes(context, root);
    report_mjcf_words(context, root);
    model = read_mjcf(context, root);
  } else if (root.name == "sdf") {
    expand_sdf_includes(context, root);
    report_sdf_words(context, root);
    model = read_sdf(context, root);
  } else {
    context.error(root.place,
                  fmt::format("<{}> is no robot; allowed: <robot> (URDF), <mujoco> (MJCF), <sdf>, or a scene "
                              "in YAML",
                              shorten(root.name)));
  }
  std::vector<std::string> joints;
  for (const ModelJoint& joint : model.joints) joints.push_back(joint.description.name);
  if (root.name == "sdf" && !context.options().start.empty()) {
    context.error(root.place, "positions to start from are for URDF and MJCF: an SDF places its links itself");
  } else {
    context.check_starts(root.place, joints);
  }
  return model;
}

void arrange(ImportContext& context, Model& model) {
  merge_fixed_joints(context, model);
  settle_base(context, model);
  merge_fixed_joints(context, model);  // what is fixed to a base that is fixed now
  share_mass(context, model);
  hold_joints(context, model);
  add_ground(context, model);
}

void check_left_out(const ImportOptions& options) {
  for (const std::string& word : options.leave_out) {
    if (std::find(std::begin(kLeftOutWords), std::end(kLeftOutWords), word) != std::end(kLeftOutWords)) continue;
    const std::vector<std::string> words(std::begin(kLeftOutWords), std::end(kLeftOutWords));
    throw SceneError(
        {{Diagnostic::Severity::kError, "", 0, 0, "leave-out",
          fmt::format("there is nothing called '{}' to leave out{}", shorten(word), suggestion(word, words))}});
  }
}

void move_files(Node& node, const std::filesystem::path& from, const std::filesystem::path& to) {
  if (node.key == "file" && node.kind == Node::Kind::kScalar) {
    const std::filesystem::path path(node.text);
    if (!path.is_absolute()) node.text = (from / path).lexically_normal().lexically_proximate(to).generic_string();
  }
  for (Node& item : node.items) move_files(item, from, to);
}

}  // namespace

bool is_robot_text(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '<';
}

Scene import_robot_text(std::string_view text, const std::string& file, const ImportOptions& options,
                        const std::vector<Override>& overrides) {
  check_left_out(options);
  Complaints complaints(file, overrides);
  XmlDefect defect;
  std::optional<XmlNode> root = parse_xml(text, 0, defect);
  if (!root) {
    complaints.error({0, defect.line, 0}, "", defect.message);
    complaints.throw_errors();
  }
  ImportContext context(complaints, options, file);
  Model model = read_model(context, *root);
  complaints.throw_errors();
  arrange(context, model);
  complaints.throw_errors();
  Node tree = write_model(context, model);
  context.finish();
  complaints.throw_errors();
  return load_tree(std::move(tree), "", file, overrides, complaints);
}

Scene import_robot(const std::string& file, const ImportOptions& options, const std::vector<Override>& overrides) {
  return import_robot_text(read_file(file, kMaxXmlBytes), file, options, overrides);
}

std::string move_scene_text(const Scene& scene, const std::string& folder) {
  namespace fs = std::filesystem;
  Complaints complaints(scene.file, {});
  std::optional<Node> root = parse_tree(scene.text, 0, TreeLimits{}, complaints);
  if (!root) complaints.throw_errors();
  std::error_code code;
  const fs::path from = fs::absolute(fs::path(scene.file).parent_path(), code).lexically_normal();
  const fs::path to = fs::absolute(folder.empty() ? fs::path(".") : fs::path(folder), code).lexically_normal();
  if (from != to) move_files(*root, from, to);
  return write_tree(*root);
}

}  // namespace achilles
