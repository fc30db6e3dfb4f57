#include "scene/import/xml.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cctype>

namespace achilles::scene_file {
namespace {

bool copy_element(const tinyxml2::XMLElement& from, int origin, int depth, XmlNode& to, XmlDefect& defect) {
  to.name = from.Name();
  to.place = {origin, from.GetLineNum(), 0};
  if (depth > kMaxXmlDepth) {
    defect = {from.GetLineNum(), fmt::format("elements stand more than {} deep in each other", kMaxXmlDepth)};
    return false;
  }
  for (const tinyxml2::XMLAttribute* a = from.FirstAttribute(); a != nullptr; a = a->Next()) {
    if (to.find_attribute(a->Name()) != nullptr) {
      defect = {a->GetLineNum(), fmt::format("<{}> has the attribute '{}' twice", from.Name(), a->Name())};
      return false;
    }
    to.attributes.push_back({a->Name(), a->Value(), {origin, a->GetLineNum(), 0}});
  }
  for (const tinyxml2::XMLNode* child = from.FirstChild(); child != nullptr; child = child->NextSibling()) {
    if (const tinyxml2::XMLText* text = child->ToText()) {
      to.text += text->Value();
    } else if (const tinyxml2::XMLElement* element = child->ToElement()) {
      to.children.emplace_back();
      if (!copy_element(*element, origin, depth + 1, to.children.back(), defect)) return false;
    }
  }
  return true;
}

// A document type is no XMLElement: tinyxml2 keeps `<!DOCTYPE ...>` as an unknown node up to the first '>'.
bool defines_entities(const tinyxml2::XMLDocument& document, int& line) {
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
    const tinyxml2::XMLUnknown* unknown = node->ToUnknown();
    if (unknown == nullptr) continue;
    line = unknown->GetLineNum();
    const std::string_view value = unknown->Value();
    if (value.find("ENTITY") != std::string_view::npos || value.find('[') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

const XmlAttribute* XmlNode::find_attribute(std::string_view key) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [key](const XmlAttribute& a) { return a.name == key; });
  return found == attributes.end() ? nullptr : &*found;
}

const XmlNode* XmlNode::find(std::string_view child) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [child](const XmlNode& node) { return node.name == child; });
  return found == children.end() ? nullptr : &*found;
}

std::optional<XmlNode> parse_xml(std::string_view text, int origin, XmlDefect& defect) {
  if (text.size() > kMaxXmlBytes) {
    defect = {0, fmt::format("the file has {} bytes; at most {} are read", text.size(), kMaxXmlBytes)};
    return std::nullopt;
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    defect = {1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n')),
              "the text holds a zero byte"};
    return std::nullopt;
  }
  tinyxml2::XMLDocument document;
  const tinyxml2::XMLError error = document.Parse(text.data(), text.size());
  int line = 0;
  if (defines_entities(document, line)) {
    defect = {line, "the document type defines entities; they are not expanded. Write what they stand for"};
    return std::nullopt;
  }
  if (error != tinyxml2::XML_SUCCESS) {
    defect = {document.ErrorLineNum(), fmt::format("this is no well-formed XML ({})", document.ErrorName())};
    return std::nullopt;
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) {
    defect = {1, "the document has no element"};
    return std::nullopt;
  }
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement()) {
    defect = {second->GetLineNum(), fmt::format("a second root element <{}>; a document has one", second->Name())};
    return std::nullopt;
  }
  XmlNode tree;
  if (!copy_element(*root, origin, 1, tree, defect)) return std::nullopt;
  return tree;
}

}  // namespace achilles::scene_file
