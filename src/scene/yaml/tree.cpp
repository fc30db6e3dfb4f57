#include "scene/yaml/tree.hpp"

#include "scene/wording.hpp"
#include "scene/yaml/screen.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace achilles::scene_file {
namespace {

/// Ends the parse: what follows cannot be trusted or must not be read.
struct Stop {
  Place place;
  std::string message;
};

/// Reads memory in place: std::istringstream would copy up to 256 MB.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // setg wants it; a get area is never written
    setg(begin, begin, begin + text.size());
  }
};

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  return count;
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(int origin, const TreeLimits& limits, Complaints& complaints)
      : origin_(origin), limits_(limits), complaints_(complaints) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) throw Stop{place_of(mark), "found a second document (---); a file holds one scene"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.place = place_of(mark);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end()) throw Stop{place_of(mark), "found an alias inside the value it stands for"};
    count(count_nodes(anchored->second), place_of(mark));
    Node copy = anchored->second;
    copy.place = place_of(mark);
    add(std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(tag, mark);
    Node node;
    node.kind = Node::Kind::kScalar;
    node.quoted = tag == "!";
    node.place = place_of(mark);
    node.text = value;
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Node::Kind::kMapping, mark, tag, anchor);
  }
  void OnMapEnd() override {
    merge_keys(open_.back().node);
    refuse_duplicates(open_.back().node);
    close();
  }

  Node take_root() { return std::move(root_); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    Place key_place;
  };

  [[nodiscard]] Place place_of(const YAML::Mark& mark) const { return {origin_, mark.line + 1, mark.column + 1}; }

  void count(std::size_t nodes, const Place& place) {
    if (nodes > limits_.nodes - nodes_) {
      throw Stop{place,
                 fmt::format("the file holds more than {} values once aliases are copied; put large data into mesh, "
                             "point or height files",
                             limits_.nodes)};
    }
    nodes_ += nodes;
  }

  void refuse_tag(const std::string& tag, const YAML::Mark& mark) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Stop{place_of(mark), fmt::format("found the tag '{}'; scene files use no tags", shorten(tag))};
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(tag, mark);
    const Place place = place_of(mark);
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      throw Stop{place, fmt::format("lists and mappings are nested more than {} deep", limits_.depth)};
    }
    if (wants_key())
      throw Stop{place, "found a list or a mapping where a key is expected; a key is a word. Is a bracket left open?"};
    Open frame;
    frame.node.kind = kind;
    frame.node.place = place;
    frame.anchor = anchor;
    open_.push_back(std::move(frame));
  }

  void close() {
    Open frame = std::move(open_.back());
    open_.pop_back();
    add(std::move(frame.node), frame.anchor);
  }

  [[nodiscard]] bool wants_key() const {
    return !open_.empty() && open_.back().node.kind == Node::Kind::kMapping && !open_.back().has_key;
  }

  void add(Node&& node, YAML::anchor_t anchor) {
    count(1, node.place);
    if (anchor != 0) {
      count(count_nodes(node), node.place);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& frame = open_.back();
    if (frame.node.kind == Node::Kind::kMapping && !frame.has_key) {
      if (node.kind != Node::Kind::kScalar) throw Stop{node.place, "found a value without a key"};
      frame.has_key = true;
      frame.key = std::move(node.text);
      frame.key_place = node.place;
      return;
    }
    if (frame.has_key) {
      node.key = std::move(frame.key);
      node.key_place = frame.key_place;
      frame.has_key = false;
    }
    frame.node.items.push_back(std::move(node));
  }

  // `<<: *base` or `<<: [*a, *b]`: the keys of base that the mapping does not have itself; the first of several wins.
  void merge_keys(Node& mapping) {
    const auto at =
        std::find_if(mapping.items.begin(), mapping.items.end(), [](const Node& n) { return n.key == "<<"; });
    if (at == mapping.items.end()) return;
    Node merged = std::move(*at);
    mapping.items.erase(at);
    std::vector<Node> bases;
    if (merged.kind == Node::Kind::kSequence) {
      bases = std::move(merged.items);
    } else {
      bases.push_back(std::move(merged));
    }
    std::unordered_set<std::string> present;
    for (const Node& item : mapping.items) present.insert(item.key);
    for (Node& base : bases) {
      if (base.kind != Node::Kind::kMapping) {
        complaints_.error(base.place, "<<", fmt::format("found {}; allowed: a mapping to take keys from", found(base)));
        continue;
      }
      for (Node& item : base.items) {
        if (present.insert(item.key).second) mapping.items.push_back(std::move(item));
      }
    }
  }

  void refuse_duplicates(Node& mapping) {
    std::unordered_map<std::string_view, int> first_line;
    first_line.reserve(mapping.items.size());
    std::vector<bool> repeated(mapping.items.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < mapping.items.size(); ++i) {
      const Node& item = mapping.items[i];
      const auto [entry, is_new] = first_line.emplace(item.key, item.key_place.line);
      if (is_new) continue;
      complaints_.error(
          item.key_place, "",
          fmt::format("the key '{}' is written twice, first on line {}", shorten(item.key), entry->second));
      repeated[i] = any = true;
    }
    if (!any) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < repeated.size(); ++i) {
      if (repeated[i]) continue;
      if (kept != i) mapping.items[kept] = std::move(mapping.items[i]);
      ++kept;
    }
    mapping.items.resize(kept);
  }

  int origin_;
  const TreeLimits& limits_;
  Complaints& complaints_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Node> anchors_;
  Node root_;
};

std::string explain_syntax(const YAML::Exception& error, std::string_view text) {
  std::string message = fmt::format("this is not YAML: {}", error.msg);
  const int tab_line = find_tab_indentation(text, error.mark.line + 2);
  if (tab_line > 0) message += fmt::format(" (line {} is indented with a tab; YAML indents with spaces)", tab_line);
  return message;
}

}  // namespace

std::optional<Node> parse_tree(std::string_view text, int origin, const TreeLimits& limits, Complaints& complaints) {
  if (text.size() > limits.bytes) {
    complaints.error({origin, 0, 0}, "",
                     fmt::format("the text has {} bytes; at most {} are read", text.size(), limits.bytes));
    return std::nullopt;
  }
  if (std::optional<ScreenDefect> defect = find_defect(text)) {
    defect->place.origin = origin;
    complaints.error(defect->place, "", defect->message);
    return std::nullopt;
  }
  TreeBuilder builder(origin, limits, complaints);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take_root();
  } catch (const Stop& stop) {
    complaints.error(stop.place, "", stop.message);
  } catch (const YAML::Exception& error) {
    const Place place{origin, std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1};
    complaints.error(place, "", explain_syntax(error, text));
  }
  return std::nullopt;
}

}  // namespace achilles::scene_file
