#include "scene/overrides.hpp"

#include "scene/format/check.hpp"
#include "scene/wording.hpp"
#include "scene/yaml/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr std::size_t kLongestPath = 4096;

/// Walks one path down the tree and puts the value at its end.
class Setter {
 public:
  Setter(const Override& set, int origin, const Format& format, Complaints& complaints)
      : set_(set), place_{origin, 0, 0}, format_(format), complaints_(complaints) {}

  void apply(Node& root, Node value) {
    value_ = std::move(value);
    descend(root, format_.root, set_.path);
  }

 private:
  void complain(const std::string& message) { complaints_.error(place_, walked_, message); }

  void put(Node& target) {
    Node fresh = value_;
    fresh.key = std::move(target.key);
    fresh.key_place = place_;
    target = std::move(fresh);
  }

  void remember(std::string_view step) {
    if (!walked_.empty()) walked_ += '.';
    walked_ += shorten(step);
  }

  void descend(Node& node, const Spec& given, std::string_view rest) {
    const Spec* spec = &format_.resolve(given);
    if (rest.empty()) return put(node);
    if (spec->kind == Spec::Kind::kEither) spec = &choose_deeper(node, *spec);
    switch (spec->kind) {
      case Spec::Kind::kMapping:
      case Spec::Kind::kDictionary:
      case Spec::Kind::kTagged:
        return into_mapping(node, *spec, rest);
      case Spec::Kind::kList:
      case Spec::Kind::kTuple:
      case Spec::Kind::kVector:
        return into_list(node, *spec, rest);
      default:
        return complain(
            fmt::format("the path goes on with '{}', but here stands {}", shorten(rest), describe(*spec, format_)));
    }
  }

  // `method: name` is short for `method: {name: name}`: a path that goes deeper needs the long form.
  const Spec& choose_deeper(Node& node, const Spec& either) {
    const Spec* present = choose(node, either, format_);
    const auto is_tagged = [](const Spec& part) { return part.kind == Spec::Kind::kTagged; };
    const auto tagged = std::find_if(either.parts.begin(), either.parts.end(), is_tagged);
    if (tagged != either.parts.end() && node.kind == Node::Kind::kScalar) {
      Node name = node;
      name.key = tagged->tag;
      make(node, Node::Kind::kMapping);
      node.items.push_back(std::move(name));
      return *tagged;
    }
    if (present != nullptr && node.kind != Node::Kind::kScalar) return format_.resolve(*present);
    const auto is_deep = [&](const Spec& part) { return part.kind >= Spec::Kind::kVector; };
    const auto deep = std::find_if(either.parts.begin(), either.parts.end(), is_deep);
    return format_.resolve(deep != either.parts.end() ? *deep : either.parts.front());
  }

  void make(Node& node, Node::Kind kind) {
    Node fresh;
    fresh.kind = kind;
    fresh.key = std::move(node.key);
    fresh.key_place = node.key_place;
    fresh.place = place_;
    node = std::move(fresh);
  }

  void into_mapping(Node& node, const Spec& spec, std::string_view rest) {
    if (node.kind == Node::Kind::kNull) make(node, Node::Kind::kMapping);
    if (node.kind != Node::Kind::kMapping) {
      return complain(fmt::format("the path goes on with '{}', but the scene has {} here", shorten(rest), found(node)));
    }
    std::vector<std::string> names;
    for (const Field* field : allowed_fields(node, spec)) names.push_back(field->name);
    if (spec.kind == Spec::Kind::kTagged) names.push_back(spec.tag);
    if (spec.kind == Spec::Kind::kDictionary) {
      names.emplace_back("default");
      for (const Node& item : node.items) names.push_back(item.key);
    }
    const std::optional<std::string> step = first_step(rest, names);
    if (!step) {
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      return complain(fmt::format("there is no '{}' in {}{}", shorten(until_dot(rest)), spec.name,
                                  suggestion(until_dot(rest), names)));
    }
    remember(*step);
    std::string_view deeper = skip(rest, *step);
    if (deeper.empty() && value_.kind == Node::Kind::kNull) return take_away(node, *step);
    if (node.find(*step) == nullptr) node.items.push_back(make_child(node, spec, *step, !deeper.empty()));
    descend(*node.find(*step), spec_of(node, spec, *step), deeper);
    if (node.find(*step)->kind == Node::Kind::kNull) take_away(node, *step);  // the path did not lead to a value
  }

  // A path into a vector that is not written begins with its default; elsewhere with nothing.
  Node make_child(const Node& node, const Spec& spec, const std::string& key, bool is_deeper) {
    Node fresh;
    for (const Field* field : allowed_fields(node, spec)) {
      const bool is_meant = field->name == key && field->spec.kind == Spec::Kind::kVector && !field->standard.empty();
      if (!is_meant || !is_deeper) continue;
      fresh = parse_tree(field->standard, place_.origin, TreeLimits{}, complaints_).value_or(Node{});
    }
    fresh.key = key;
    fresh.key_place = place_;
    fresh.place = place_;
    return fresh;
  }

  static void take_away(Node& node, const std::string& key) {
    std::erase_if(node.items, [&](const Node& item) { return item.key == key; });
  }

  const Spec& spec_of(const Node& node, const Spec& spec, const std::string& key) const {
    static const Spec any_text = text();
    for (const Field* field : allowed_fields(node, spec)) {
      if (field->name == key) return field->spec;
    }
    return spec.kind == Spec::Kind::kDictionary ? spec.parts.front() : any_text;
  }

  void into_list(Node& node, const Spec& spec, std::string_view rest) {
    if (node.kind != Node::Kind::kSequence) {
      return complain(fmt::format("the path goes on with '{}', but the scene has {} here; allowed: {}", shorten(rest),
                                  found(node), describe(spec, format_)));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node* name = spec.name_key.empty() ? nullptr : node.items[i].find(spec.name_key);
      names.push_back(name != nullptr ? name->text : std::to_string(i));
    }
    std::optional<std::string> step = first_step(rest, names);
    std::size_t index = step ? static_cast<std::size_t>(std::find(names.begin(), names.end(), *step) - names.begin())
                             : read_index(until_dot(rest));
    const bool is_beyond = spec.kind == Spec::Kind::kTuple && index >= spec.parts.size();
    if (index >= node.items.size() || is_beyond) return refuse_item(node, rest, names);
    remember(step ? *step : std::string(until_dot(rest)));
    const std::string_view deeper = skip(rest, step ? *step : until_dot(rest));
    if (spec.kind == Spec::Kind::kVector) {
      static const Spec component = number();
      return descend(node.items[index], component, deeper);
    }
    descend(node.items[index], spec.kind == Spec::Kind::kTuple ? spec.parts[index] : spec.parts.front(), deeper);
  }

  void refuse_item(const Node& node, std::string_view rest, const std::vector<std::string>& names) {
    const std::string_view requested = until_dot(rest);
    const std::string_view base = requested.substr(0, requested.find('['));
    const bool is_copy = base.size() < requested.size() && std::find(names.begin(), names.end(), base) != names.end();
    if (is_copy) {
      return complain(fmt::format("'{}' is one of a repetition; only all of them can be set, as '{}'",
                                  shorten(requested), shorten(base)));
    }
    if (node.items.empty()) return complain(fmt::format("there is no '{}': the list is empty", shorten(requested)));
    complain(fmt::format("there is no '{}'{}", shorten(requested), suggestion(requested, names)));
  }

  // Names may hold dots, so the longest name the path begins with is meant.
  static std::optional<std::string> first_step(std::string_view rest, const std::vector<std::string>& names) {
    std::optional<std::string> best;
    for (const std::string& name : names) {
      if (name.empty() || rest.substr(0, name.size()) != name) continue;
      const bool whole = rest.size() == name.size() || rest[name.size()] == '.';
      if (whole && (!best || name.size() > best->size())) best = name;
    }
    return best;
  }

  static std::string_view until_dot(std::string_view rest) { return rest.substr(0, rest.find('.')); }

  static std::string_view skip(std::string_view rest, std::string_view step) {
    return rest.size() > step.size() ? rest.substr(step.size() + 1) : std::string_view();
  }

  static std::size_t read_index(std::string_view text) {
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t index = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
    return code == std::errc() && end == text.data() + text.size() ? index : kNone;
  }

  const Override& set_;
  Place place_;
  const Format& format_;
  Complaints& complaints_;
  Node value_;
  std::string walked_;
};

/// Another method than the scene's takes over: what the scene wrote for its own and the new one does not know goes, and
/// the scene's warnings list it. What overrides write stays and is checked.
void drop_options_of_former_method(Node& root, const Format& format, Complaints& complaints) {
  Node* method = root.find("method");
  if (method == nullptr || method->kind != Node::Kind::kMapping) return;
  const auto is_tagged = [](const Spec& part) { return part.kind == Spec::Kind::kTagged; };
  const auto field = std::find_if(format.root.fields.begin(), format.root.fields.end(),
                                  [](const Field& one) { return one.name == "method"; });
  const Spec& either = format.resolve(field->spec);
  const auto tagged = std::find_if(either.parts.begin(), either.parts.end(), is_tagged);
  const std::vector<const Field*> known = allowed_fields(*method, *tagged);
  const Node* name = method->find(tagged->tag);
  const std::string now = name != nullptr ? name->text : "the standard method";
  std::erase_if(method->items, [&](const Node& item) {
    if (item.key == tagged->tag || item.key_place.origin != 0) return false;
    const auto same = std::find_if(known.begin(), known.end(), [&](const Field* one) { return one->name == item.key; });
    const bool fits = same != known.end() && ((*same)->spec.kind != Spec::Kind::kWord ||
                                              std::ranges::count((*same)->spec.words, item.text) > 0);
    if (fits) return false;
    complaints.warning(item.key_place, "method." + item.key,
                       fmt::format("this is for the scene's own method; {} runs without it", now));
    return true;
  });
}

/// The name of the scene's method as it stands now; empty where there is none.
std::string name_of_method(const Node& root) {
  const Node* method = root.find("method");
  const Node* name = method != nullptr && method->kind == Node::Kind::kMapping ? method->find("name") : method;
  return name != nullptr ? name->text : std::string();
}

}  // namespace

void apply_overrides(Node& root, std::span<const Override> overrides, const Format& format, Complaints& complaints) {
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const int origin = static_cast<int>(i) + 1;
    const Override& set = overrides[i];
    if (set.path.empty() || set.path.size() > kLongestPath) {
      complaints.error({origin, 0, 0}, "",
                       "the path before '=' is empty or too long; allowed: PATH=VALUE, such as "
                       "time.step=0.01");
      continue;
    }
    std::optional<Node> value = parse_tree(set.value, origin, TreeLimits{}, complaints);
    if (!value) continue;
    if (root.kind != Node::Kind::kMapping) return;
    const std::string former_method = name_of_method(root);
    Setter(set, origin, format, complaints).apply(root, std::move(*value));
    if (name_of_method(root) != former_method) drop_options_of_former_method(root, format, complaints);
  }
}

}  // namespace achilles::scene_file
