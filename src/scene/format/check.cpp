#include "scene/format/check.hpp"

#include "scene/wording.hpp"
#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::scene_file {
namespace {

bool is_inside(double value, const Range& range) {
  return (range.above ? value > range.lower : value >= range.lower) && value <= range.upper;
}

bool is_mapping_kind(Spec::Kind kind) {
  return kind == Spec::Kind::kMapping || kind == Spec::Kind::kDictionary || kind == Spec::Kind::kTagged;
}

bool may_be(const Node& node, const Spec& spec) {
  const bool nested = !node.items.empty() && node.items.front().kind == Node::Kind::kSequence;
  switch (spec.kind) {
    case Spec::Kind::kMapping:
    case Spec::Kind::kDictionary:
    case Spec::Kind::kTagged:
      return node.kind == Node::Kind::kMapping;
    case Spec::Kind::kVector:
      return node.kind == Node::Kind::kSequence && !nested;
    case Spec::Kind::kTuple:
    case Spec::Kind::kList:
      return node.kind == Node::Kind::kSequence && nested;
    default:
      return node.kind == Node::Kind::kScalar;
  }
}

class Checker {
 public:
  Checker(const Format& format, Complaints& complaints) : format_(format), complaints_(complaints) {}

  void check(Node& node, const Spec& given, const Path& path) {
    const Spec& spec = format_.resolve(given);
    if (spec.kind == Spec::Kind::kEither) {
      const Spec* meant = choose(node, spec, format_);
      if (meant == nullptr) return refuse(node, spec, path);
      return check(node, *meant, path);
    }
    if (is_mapping_kind(spec.kind)) {
      if (node.kind != Node::Kind::kMapping) return refuse(node, spec, path);
      return check_mapping(node, spec, path);
    }
    switch (spec.kind) {
      case Spec::Kind::kNumber:
      case Spec::Kind::kInteger:
        return check_number(node, spec, spec.kind == Spec::Kind::kInteger, path);
      case Spec::Kind::kBoolean:
        if (!read_boolean(node)) refuse(node, spec, path);
        return;
      case Spec::Kind::kWord:
        return check_word(node, spec, path);
      case Spec::Kind::kText:
        return check_text(node, spec, path);
      case Spec::Kind::kVector:
        return check_vector(node, spec, path);
      case Spec::Kind::kTuple:
        return check_tuple(node, spec, path);
      default:
        return check_list(node, spec, path);
    }
  }

 private:
  void complain(Node& node, const Path& path, const std::string& message) {
    node.bad = true;
    complaints_.error(node.place, path.text(), message);
  }

  void refuse(Node& node, const Spec& spec, const Path& path) {
    complain(node, path, fmt::format("found {}; allowed: {}", found(node), describe(spec, format_)));
  }

  void check_number(Node& node, const Spec& spec, bool integral, const Path& path) {
    const Number number = read_number(node);
    if (number.status == Number::Status::kNotFinite || number.status == Number::Status::kOutOfRange) {
      return complain(node, path,
                      fmt::format("found {}, which is {}; allowed: {}", shorten(node.text),
                                  number.status == Number::Status::kNotFinite ? "not finite" : "out of range",
                                  describe(spec, format_)));
    }
    const bool fits = number.status == Number::Status::kFinite && is_inside(number.value, spec.range) &&
                      (!integral || number.value == std::floor(number.value));
    if (!fits) refuse(node, spec, path);
  }

  void check_word(Node& node, const Spec& spec, const Path& path) {
    if (node.kind != Node::Kind::kScalar) return refuse(node, spec, path);
    if (std::find(spec.words.begin(), spec.words.end(), node.text) != spec.words.end()) return;
    complain(node, path, fmt::format("found '{}'{}", shorten(node.text), suggestion(node.text, spec.words)));
  }

  void check_text(Node& node, const Spec& spec, const Path& path) {
    if (node.kind != Node::Kind::kScalar) return refuse(node, spec, path);
    if (node.text.empty()) return complain(node, path, "found empty text; allowed: text of at least one character");
    if (!is_text(node)) {
      complain(
          node, path,
          fmt::format("found {0}, which is not text; allowed: text, such as \"{0}\" in quotes", shorten(node.text)));
    }
  }

  void check_vector(Node& node, const Spec& spec, const Path& path) {
    if (node.kind != Node::Kind::kSequence || static_cast<int>(node.items.size()) != spec.size) {
      return refuse(node, spec, path);
    }
    bool all_zero = true;
    for (Node& item : node.items) {
      check_vector_component(item, spec, path);
      node.bad = node.bad || item.bad;
      all_zero = all_zero && read_number(item).value == 0;
    }
    if (spec.is_direction && !node.bad && all_zero) {
      complain(node, path,
               fmt::format("found only zeros, which is no direction; allowed: {}", describe(spec, format_)));
    }
  }

  void check_vector_component(Node& item, const Spec& spec, const Path& path) {
    const Number number = read_number(item);
    const bool fits = number.status == Number::Status::kFinite && is_inside(number.value, spec.range) &&
                      (!spec.is_integral || number.value == std::floor(number.value));
    if (fits) return;
    const char* why = number.status == Number::Status::kNotFinite ? ", which is not finite" : "";
    complain(item, path, fmt::format("found {}{}; allowed: {}", found(item), why, describe(spec, format_)));
  }

  void check_tuple(Node& node, const Spec& spec, const Path& path) {
    if (node.kind != Node::Kind::kSequence || node.items.size() != spec.parts.size()) return refuse(node, spec, path);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      check(node.items[i], spec.parts[i], path);
      node.bad = node.bad || node.items[i].bad;
    }
  }

  void check_list(Node& node, const Spec& spec, const Path& path) {
    const bool fits = node.kind == Node::Kind::kSequence && node.items.size() >= spec.min_items &&
                      node.items.size() <= spec.max_items;
    if (!fits) return refuse(node, spec, path);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Node& item = node.items[i];
      const Node* name = spec.name_key.empty() ? nullptr : item.find(spec.name_key);
      const bool named = name != nullptr && name->kind == Node::Kind::kScalar && !name->text.empty();
      check(item, spec.parts.front(), Path{&path, named ? std::string_view(name->text) : std::string_view(), i});
      if (spec.is_unique) refuse_repeated(node, i, path);
    }
  }

  void refuse_repeated(Node& list, std::size_t index, const Path& path) {
    Node& item = list.items[index];
    const auto is_same = [&](const Node& other) { return other.text == item.text; };
    const auto end = list.items.begin() + static_cast<std::ptrdiff_t>(index);
    if (!item.bad && std::any_of(list.items.begin(), end, is_same)) {
      complain(item, path, fmt::format("'{}' is written twice", shorten(item.text)));
    }
  }

  void check_mapping(Node& node, const Spec& spec, const Path& path) {
    if (spec.kind == Spec::Kind::kTagged) check_tag(node, spec, path);
    const std::vector<const Field*> fields = allowed_fields(node, spec);
    const Variant* variant = variant_of(node, spec);
    const bool is_open = spec.kind == Spec::Kind::kTagged && variant == nullptr;  // the variant is unknown
    for (Node& item : node.items) {
      if (spec.kind == Spec::Kind::kTagged && item.key == spec.tag) continue;
      const auto is_meant = [&](const Field* field) { return field->name == item.key; };
      const auto field = std::find_if(fields.begin(), fields.end(), is_meant);
      const Path child{&path, item.key, 0};
      if (field != fields.end() && is_open && !is_own(**field, spec)) {
        item.bad = true;
      } else if (field != fields.end()) {
        check(item, (*field)->spec, child);
      } else if (spec.kind == Spec::Kind::kDictionary) {
        check_name(item, child);
        check(item, spec.parts.front(), child);
      } else {
        refuse_key(item, spec, fields, path);
      }
    }
    for (const Field* field : fields) {
      const bool wanted = field->required && (!is_open || is_own(*field, spec));
      if (wanted && node.find(field->name) == nullptr) {
        node.lacks = true;
        complaints_.error(
            node.place, path.text(),
            fmt::format("the key '{}' is missing; allowed: {}", field->name, describe(field->spec, format_)));
      }
    }
    check_alternatives(node, spec.alternatives, path);
    if (variant != nullptr) check_alternatives(node, variant->alternatives, path);
  }

  void check_name(Node& item, const Path& path) {
    if (!item.key.empty() && item.key.size() <= kLongestName) return;
    complaints_.error(item.key_place, path.text(), fmt::format("a name has 1 to {} characters", kLongestName));
  }

  void refuse_key(Node& item, const Spec& spec, const std::vector<const Field*>& fields, const Path& path) {
    item.bad = true;
    std::vector<std::string> names;
    if (spec.kind == Spec::Kind::kTagged) names.push_back(spec.tag);
    for (const Field* field : fields) {
      // Variants share names.
      if (std::find(names.begin(), names.end(), field->name) == names.end()) names.push_back(field->name);
    }
    complaints_.error(
        item.key_place, path.text(),
        fmt::format("unknown key '{}' in {}{}", shorten(item.key), spec.name, suggestion(item.key, names)));
  }

  void check_tag(Node& node, const Spec& spec, const Path& path) {
    std::vector<std::string> words;
    for (const Variant& variant : spec.variants) words.push_back(variant.word);
    Node* tag = node.find(spec.tag);
    if (tag != nullptr) return check_word(*tag, word(words), Path{&path, spec.tag, 0});
    if (!spec.standard.empty()) return;
    complaints_.error(node.place, path.text(),
                      fmt::format("the key '{}' is missing; allowed: one of: {}", spec.tag, enumerate(words)));
  }

  void check_alternatives(Node& node, const std::vector<Alternatives>& all, const Path& path) {
    for (const Alternatives& group : all) {
      std::vector<std::string> present;
      const Node* last = nullptr;
      for (const Node& item : node.items) {
        if (std::find(group.keys.begin(), group.keys.end(), item.key) == group.keys.end()) continue;
        present.push_back(item.key);
        last = &item;
      }
      if (present.size() > 1) {
        node.lacks = true;
        complaints_.error(
            last->key_place, path.text(),
            fmt::format("found {} together; allowed: only one of {}", enumerate(present), enumerate(group.keys)));
      } else if (present.empty() && group.required && !has_unknown_key(node)) {
        node.lacks = true;
        complaints_.error(node.place, path.text(),
                          fmt::format("a key is missing; allowed: one of {}", enumerate(group.keys)));
      }
    }
  }

  // A misspelt key was complained about already; that another is missing follows from it.
  static bool has_unknown_key(const Node& node) {
    return std::any_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.bad; });
  }

  static bool is_own(const Field& field, const Spec& spec) {
    return std::any_of(spec.fields.begin(), spec.fields.end(), [&](const Field& own) { return &own == &field; });
  }

  static const Variant* variant_of(const Node& node, const Spec& spec) {
    if (spec.kind != Spec::Kind::kTagged) return nullptr;
    const Node* tag = node.find(spec.tag);
    return find_variant(spec, tag != nullptr ? tag->text : spec.standard);
  }

  const Format& format_;
  Complaints& complaints_;
};

}  // namespace

const Spec* choose(const Node& node, const Spec& either, const Format& format) {
  for (const Spec& part : either.parts) {
    if (may_be(node, format.resolve(part))) return &part;
  }
  return nullptr;
}

std::vector<const Field*> allowed_fields(const Node& node, const Spec& spec) {
  std::vector<const Field*> fields;
  for (const Field& field : spec.fields) fields.push_back(&field);
  if (spec.kind != Spec::Kind::kTagged) return fields;
  const Node* tag = node.find(spec.tag);
  const Variant* variant = find_variant(spec, tag != nullptr ? tag->text : spec.standard);
  if (variant == nullptr) {
    // The word is unknown, so any variant may be meant: only keys that none of them has are unknown.
    for (const Variant& other : spec.variants) {
      for (const Field& field : other.fields) fields.push_back(&field);
    }
    return fields;
  }
  for (const Field& field : variant->fields) fields.push_back(&field);
  return fields;
}

void check_tree(Node& root, const Format& format, Complaints& complaints) {
  Checker(format, complaints).check(root, format.root, Path{});
}

}  // namespace achilles::scene_file
