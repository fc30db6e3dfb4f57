#include "scene/yaml/text.hpp"

#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace achilles::scene_file {
namespace {

constexpr std::size_t kLineWidth = 100;

// Characters that mean nothing to YAML wherever they stand between others.
bool is_plain_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || c == '_' || c == '.' || c == '+' || c == '-' || c == '/';
}

bool can_be_plain(std::string_view text) {
  if (text.empty() || text == "-" || text.front() == '.' || text.substr(0, 2) == "--") return false;
  return std::all_of(text.begin(), text.end(), is_plain_character);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string write_scalar(const Node& node) {
  if (node.kind == Node::Kind::kNull) return "~";
  const bool is_number = read_number(node).status != Number::Status::kNone;
  if (!node.quoted && (is_number || can_be_plain(node.text))) return node.text;
  return quote(node.text);
}

std::string write_key(const Node& node) {
  Node key;
  key.kind = Node::Kind::kScalar;
  key.text = node.key;
  return is_text(key) && can_be_plain(node.key) && node.key != "null" && node.key != "~" ? node.key : quote(node.key);
}

// Appends the one-line form; gives up, returning false, when the line gets longer than `limit`.
bool append_flow(const Node& node, std::size_t limit, std::string& out) {
  if (node.kind == Node::Kind::kNull || node.kind == Node::Kind::kScalar) {
    out += write_scalar(node);
    return out.size() <= limit;
  }
  const bool is_mapping = node.kind == Node::Kind::kMapping;
  out += is_mapping ? '{' : '[';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (is_mapping) out += write_key(node.items[i]) + ": ";
    if (!append_flow(node.items[i], limit, out)) return false;
  }
  out += is_mapping ? '}' : ']';
  return out.size() <= limit;
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  // Writes the children of a list or mapping, each starting a line of `indent` spaces but the first, whose line is
  // begun.
  void write_items(const Node& node, int indent) {
    bool first = true;
    for (const Node& item : node.items) {
      if (!first) out_.append(static_cast<std::size_t>(indent), ' ');
      first = false;
      const bool is_mapping = node.kind == Node::Kind::kMapping;
      out_ += is_mapping ? write_key(item) + ":" : "-";
      write_value(item, indent, is_mapping);
    }
  }

 private:
  void write_value(const Node& item, int indent, bool after_key) {
    std::string flow;
    const bool top_list = after_key && indent == 0 && item.kind == Node::Kind::kSequence && !item.items.empty() &&
                          item.items.front().kind == Node::Kind::kMapping;
    const bool is_leaf = item.items.empty();
    const std::size_t width = kLineWidth - std::min<std::size_t>(kLineWidth / 2, static_cast<std::size_t>(indent));
    if (is_leaf || (!top_list && append_flow(item, width, flow))) {
      if (is_leaf) append_flow(item, std::string::npos, flow);
      out_ += " " + flow + "\n";
      return;
    }
    if (after_key) {
      out_ += "\n";
      out_.append(static_cast<std::size_t>(indent) + 2, ' ');
    } else {
      out_ += " ";
    }
    write_items(item, indent + 2);
  }

  std::string out_;
};

}  // namespace

std::string write_tree(const Node& root) {
  if (root.items.empty()) {
    std::string out;
    append_flow(root, std::string::npos, out);
    return out + "\n";
  }
  Writer writer;
  writer.write_items(root, 0);
  return writer.take();
}

}  // namespace achilles::scene_file
