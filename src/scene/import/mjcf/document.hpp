// An MJCF file with what it includes, its default classes and the conventions of its compiler.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/xml.hpp"

#include <achilles/math.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

/// Puts the children of every file that <include> names in the place of the element.
void expand_includes(ImportContext& context, XmlNode& root);

/// Attributes of an element with those of its default classes behind them.
class MjcfElement {
 public:
  explicit MjcfElement(const XmlNode& node) : node_(&node) {}

  [[nodiscard]] const XmlNode& node() const { return *node_; }
  [[nodiscard]] const Place& place() const { return node_->place; }
  /// The element's own, or that of the nearest class that has it; nullptr when none has.
  [[nodiscard]] const XmlAttribute* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] std::string text(std::string_view key, std::string_view standard = {}) const;

  void add_default(const XmlNode& node) { defaults_.push_back(&node); }

 private:
  const XmlNode* node_;
  std::vector<const XmlNode*> defaults_;  // nearest first
};

/// Whether something that can be switched on, off or left to a range is on.
enum class MjcfSwitch { kAuto, kOn, kOff };

struct MjcfCompiler {
  bool degrees = true;
  bool autolimits = true;
  std::string eulerseq = "xyz";
  std::filesystem::path mesh_folder;  // relative to the model's
  MjcfSwitch inertia_from_geoms = MjcfSwitch::kAuto;
  bool strips_path = false;
  double bound_mass = 0;  // [kg]
  double total_mass = 0;  // [kg]; 0: as given
};

class MjcfDocument {
 public:
  /// `root` must outlive the document.
  MjcfDocument(ImportContext& context, const XmlNode& root);

  [[nodiscard]] ImportContext& context() const { return context_; }
  [[nodiscard]] const XmlNode& root() const { return root_; }
  [[nodiscard]] const MjcfCompiler& compiler() const { return compiler_; }

  /// All children of all sections of that name, in the order of the file.
  [[nodiscard]] std::vector<const XmlNode*> list(std::string_view section) const;

  /// The element with its default classes: that of its own `class`, or `child_class`, or the main one. `kind` is the
  /// name that the element has in a <default>; empty: its own.
  [[nodiscard]] MjcfElement resolve(const XmlNode& node, const std::string& child_class,
                                    std::string_view kind = {}) const;

  [[nodiscard]] std::optional<double> number(const MjcfElement& element, std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<double>> numbers(const MjcfElement& element, std::string_view key) const;
  [[nodiscard]] Vec3 vec3(const MjcfElement& element, std::string_view key, const Vec3& standard) const;
  /// "true" or "false"; complains of anything else.
  [[nodiscard]] bool flag(const MjcfElement& element, std::string_view key, bool standard) const;
  /// An angle of the file in radians.
  [[nodiscard]] double angle(double value) const;
  /// pos and one of quat, axisangle, euler, xyaxes, zaxis.
  [[nodiscard]] Pose pose(const MjcfElement& element) const;
  /// Where `fromto` puts the middle of an element, its z axis along the line, and half the distance of its ends.
  /// Complains when the ends are no two points.
  [[nodiscard]] std::optional<std::pair<Pose, double>> from_to(const MjcfElement& element) const;
  /// Whether a range acts: `key` says so, or the range is given and the compiler takes that for a yes.
  [[nodiscard]] bool is_limited(const MjcfElement& element, std::string_view key, std::string_view range) const;
  [[nodiscard]] std::optional<std::pair<double, double>> range(const MjcfElement& element, std::string_view key) const;

 private:
  struct DefaultClass {
    std::string parent;
    std::vector<const XmlNode*> elements;
  };

  void read_defaults(const XmlNode& node, const std::string& parent);
  void read_compiler();
  [[nodiscard]] Quat orientation(const MjcfElement& element) const;
  [[nodiscard]] Quat euler(const Vec3& angles) const;

  ImportContext& context_;
  const XmlNode& root_;
  MjcfCompiler compiler_;
  std::map<std::string, DefaultClass> classes_;
};

}  // namespace achilles::scene_file
