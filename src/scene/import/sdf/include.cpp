// <include> of an SDF: a model of another file in the place of the element.
#include "scene/import/sdf/frames.hpp"
#include "scene/import/sdf/sdf.hpp"
#include "scene/import/values.hpp"
#include "scene/read_file.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace achilles::scene_file {
namespace {

namespace fs = std::filesystem;

/// Files that include others twice each would double with every file in a row.
constexpr std::size_t kMostIncludes = 1000;

/// Up to version 1.4 an axis is written in the frame of the model; the later word for that is put in.
void mark_old_axes(XmlNode& node) {
  for (XmlNode& child : node.children) mark_old_axes(child);
  if (node.name != "axis" && node.name != "axis2") return;
  constexpr const char* kWord = "use_parent_model_frame";
  if (node.find(kWord) == nullptr) node.children.push_back({kWord, node.place, {}, {}, "true"});
}

class SdfIncluder {
 public:
  explicit SdfIncluder(ImportContext& context) : context_(context) {}

  void expand_root(XmlNode& sdf) {
    if (sdf_version(context_, sdf) < std::pair(1, 5)) mark_old_axes(sdf);
    expand(sdf);
  }

 private:
  void expand(XmlNode& node) {
    std::vector<XmlNode> children;
    for (XmlNode& child : node.children) {
      if (child.name != "include") {
        if (child.name == "world" || child.name == "model") expand(child);
        children.push_back(std::move(child));
      } else if (std::optional<XmlNode> model = read(child)) {
        children.push_back(std::move(*model));
      }
    }
    node.children = std::move(children);
  }

  std::optional<XmlNode> read(const XmlNode& include) {
    report_words(include);
    if (++count_ > kMostIncludes) {
      if (count_ == kMostIncludes + 1) {
        context_.error(include.place,
                       fmt::format("more than {} <include>s, with those in included files", kMostIncludes));
      }
      return std::nullopt;
    }
    const std::optional<std::string> file = find_model_file(include);
    if (!file) return std::nullopt;
    if (std::find(open_.begin(), open_.end(), *file) != open_.end()) {
      context_.error(include.place, fmt::format("'{}' includes itself", shorten(*file, 200)));
      return std::nullopt;
    }
    std::optional<XmlNode> root = parse(*file);
    if (!root) return std::nullopt;
    if (root->name != "sdf") {
      context_.error(root->place, fmt::format("<{}> cannot be included; allowed: <sdf>", shorten(root->name)));
      return std::nullopt;
    }
    if (sdf_version(context_, *root) < std::pair(1, 5)) mark_old_axes(*root);
    const auto model = std::find_if(root->children.begin(), root->children.end(),
                                    [](const XmlNode& child) { return child.name == "model"; });
    if (model == root->children.end()) {
      context_.error(include.place, fmt::format("'{}' has no <model>", shorten(*file, 200)));
      return std::nullopt;
    }
    open_.push_back(*file);
    expand(*model);
    open_.pop_back();
    replace_parts(include, *model);
    return std::move(*model);
  }

  void report_words(const XmlNode& include) {
    constexpr auto kRead = std::to_array<std::string_view>({"uri", "name", "pose", "static", "placement_frame"});
    for (const XmlNode& child : include.children) {
      if (std::find(kRead.begin(), kRead.end(), child.name) != kRead.end()) continue;
      context_.leave_out(child.place, fmt::format("<{}> in <include>", shorten(child.name)));
    }
    for (const XmlAttribute& attribute : include.attributes) {
      context_.leave_out(attribute.place, fmt::format("'{}' of <include>", shorten(attribute.name)));
    }
  }

  /// A file, or a folder with a model.config that names the file, or with a model.sdf.
  std::optional<std::string> find_model_file(const XmlNode& include) {
    const std::string uri = sdf_text(include, "uri");
    const fs::path folder = context_.folder_of(include.place);
    std::string reason, unused;
    if (std::optional<std::string> file = context_.find_file(uri, folder, reason)) return file;
    if (const auto config = context_.find_file(uri + "/model.config", folder, unused)) {
      const std::string name = find_newest(*config, include);
      if (auto file = context_.find_file(uri + "/" + name, folder, reason)) return file;
    } else if (auto file = context_.find_file(uri + "/model.sdf", folder, unused)) {
      return file;
    }
    context_.error(include.place, reason);
    return std::nullopt;
  }

  std::string find_newest(const std::string& config, const XmlNode& include) {
    const std::optional<XmlNode> root = parse(config);
    if (!root) return {};
    const XmlNode* newest = nullptr;
    for (const XmlNode& child : root->children) {
      if (child.name != "sdf") continue;
      const bool is_newer = newest == nullptr || sdf_version(context_, child) > sdf_version(context_, *newest);
      if (is_newer) newest = &child;
    }
    if (newest != nullptr && split_words(newest->text).size() == 1) return split_words(newest->text).front();
    context_.error(include.place, fmt::format("'{}' names no file in <sdf>", shorten(config, 200)));
    return {};
  }

  std::optional<XmlNode> parse(const std::string& file) {
    const fs::path path(file);
    const std::string name = (path.is_absolute() ? path : context_.folder() / path).string();
    const int origin = context_.add_file(name);
    const std::string text = read_file(name, kMaxXmlBytes);
    XmlDefect defect;
    bytes_ += text.size();
    std::optional<XmlNode> root;
    if (bytes_ > kMaxXmlBytes) {
      defect = {0, fmt::format("all files together have more than {} bytes", kMaxXmlBytes)};
    } else {
      root = parse_xml(text, origin, defect);
    }
    if (!root) context_.error({origin, defect.line, 0}, defect.message);
    return root;
  }

  /// What the <include> gives stands in place of what the model has.
  static void replace_parts(const XmlNode& include, XmlNode& model) {
    for (const char* part : {"pose", "static"}) {
      const XmlNode* given = include.find(part);
      if (given == nullptr) continue;
      std::erase_if(model.children, [&](const XmlNode& child) { return child.name == part; });
      model.children.push_back(*given);
    }
    const auto set = [&](const char* key, const char* from) {
      const XmlNode* given = include.find(from);
      if (given == nullptr) return;
      std::erase_if(model.attributes, [&](const XmlAttribute& attribute) { return attribute.name == key; });
      model.attributes.push_back({key, sdf_text(include, from), given->place});
    };
    set("name", "name");
    set("placement_frame", "placement_frame");
  }

  ImportContext& context_;
  std::vector<std::string> open_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

void expand_sdf_includes(ImportContext& context, XmlNode& sdf) { SdfIncluder(context).expand_root(sdf); }

}  // namespace achilles::scene_file
