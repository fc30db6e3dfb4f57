// XML as a plain tree in which every element and attribute knows where it was written.
#pragma once

#include "scene/yaml/node.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

struct XmlAttribute {
  std::string name;
  std::string value;
  Place place;
};

struct XmlNode {
  std::string name;
  Place place;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlNode> children;  // elements
  std::string text;               // between them

  [[nodiscard]] const XmlAttribute* find_attribute(std::string_view key) const;
  /// The first child of that name; nullptr when there is none.
  [[nodiscard]] const XmlNode* find(std::string_view child) const;
};

/// What is wrong with a text that is no XML that is accepted.
struct XmlDefect {
  int line = 0;
  std::string message;
};

/// The most that is read: bytes, and elements inside each other.
inline constexpr std::size_t kMaxXmlBytes = std::size_t{64} << 20U;
inline constexpr int kMaxXmlDepth = 64;

/// Parses one document; `origin` is stored in every place. Entities that a document type would define are refused, not
/// expanded. Returns nothing and fills the defect when the text is not accepted.
[[nodiscard]] std::optional<XmlNode> parse_xml(std::string_view text, int origin, XmlDefect& defect);

}  // namespace achilles::scene_file
