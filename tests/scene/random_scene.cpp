#include "scene/random_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles {

using scene_file::Alternatives;
using scene_file::Field;
using scene_file::Node;
using scene_file::Spec;
using scene_file::Variant;

bool RandomScene::chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }

int RandomScene::below(int count) { return std::uniform_int_distribution<>(0, count - 1)(random_); }

Node RandomScene::scalar(std::string text, bool quoted) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

void RandomScene::add(Node& mapping, const std::string& key, Node value) {
  if (mapping.find(key) != nullptr) return;
  value.key = key;
  mapping.items.push_back(std::move(value));
}

Node RandomScene::draw_mistake() {
  Node node;
  switch (below(9)) {
    case 0:
      return node;  // nothing
    case 1:
      return scalar("strange");
    case 2:
      return scalar("", true);
    case 3:
      return scalar("-1");
    case 4:
      return scalar(".nan");
    case 5:
      return scalar("0");
    case 6:
      return scalar("true");
    case 7:
      node.kind = Node::Kind::kSequence;
      return node;
    default:
      node.kind = Node::Kind::kMapping;
      add(node, "strange", scalar("1"));
      return node;
  }
}

Node RandomScene::draw_number(const Spec& spec) {
  const double lower = std::isfinite(spec.range.lower) ? spec.range.lower : -10;
  const double upper = std::isfinite(spec.range.upper) ? spec.range.upper : lower + 20;
  double value = std::uniform_real_distribution<>(lower, std::min(upper, lower + 20))(random_);
  if (spec.kind == Spec::Kind::kInteger || spec.is_integral) value = std::min(upper, std::ceil(value));
  if (spec.range.above && value <= lower) value = lower + 1;
  const bool plain = value == std::floor(value);
  return scalar(plain ? fmt::format("{:.0f}", value) : fmt::format("{}", value));
}

Node RandomScene::draw_list(const Spec& spec, int depth) {
  Node node;
  node.kind = Node::Kind::kSequence;
  const auto least = static_cast<int>(spec.min_items);
  const int most = std::min<int>(least + 3, spec.max_items < 100 ? static_cast<int>(spec.max_items) : 100);
  int count = least + (most > least ? below(most - least + 1) : 0);
  if (depth > 5) count = least;
  if (chance(mistakes_)) count = std::max(0, count - 1);
  for (int i = 0; i < count; ++i) {
    Node item = draw(spec.parts.front(), depth + 1);
    const auto is_same = [&](const Node& other) { return other.text == item.text; };
    const bool is_double = spec.is_unique && std::any_of(node.items.begin(), node.items.end(), is_same);
    if (!is_double || chance(mistakes_)) node.items.push_back(std::move(item));
  }
  return node;
}

void RandomScene::add_fields(Node& node, const std::vector<Field>& fields,
                             const std::vector<Alternatives>& alternatives, int depth) {
  const auto group_of = [&](const Field& field) {
    return std::find_if(alternatives.begin(), alternatives.end(), [&](const Alternatives& group) {
      return std::find(group.keys.begin(), group.keys.end(), field.name) != group.keys.end();
    });
  };
  for (const Field& field : fields) {
    const bool wanted = field.required ? !chance(mistakes_) : chance(0.35);
    if (wanted && group_of(field) == alternatives.end()) add(node, field.name, draw(field.spec, depth + 1));
  }
  for (const Alternatives& group : alternatives) {
    const int count = chance(mistakes_) ? below(3) : group.required ? 1 : below(2);
    for (int i = 0; i < count; ++i) {
      // Deep in a tree of shapes only the first kinds, which hold no further ones.
      const int most = static_cast<int>(group.keys.size());
      const std::string& key = group.keys[static_cast<std::size_t>(below(depth > 5 ? std::min(most, 2) : most))];
      const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == key; });
      add(node, key, draw(field->spec, depth + 1));
    }
  }
  if (chance(0.3 * mistakes_)) add(node, "strange", scalar("1"));
}

Node RandomScene::draw_mapping(const Spec& spec, int depth) {
  Node node;
  node.kind = Node::Kind::kMapping;
  std::vector<Field> fields = spec.fields;
  std::vector<Alternatives> alternatives = spec.alternatives;
  if (spec.kind == Spec::Kind::kTagged) {
    const Variant& variant = spec.variants[static_cast<std::size_t>(below(static_cast<int>(spec.variants.size())))];
    if (!chance(mistakes_)) add(node, spec.tag, chance(mistakes_) ? draw_mistake() : scalar(variant.word));
    fields.insert(fields.end(), variant.fields.begin(), variant.fields.end());
    alternatives.insert(alternatives.end(), variant.alternatives.begin(), variant.alternatives.end());
  }
  if (spec.kind == Spec::Kind::kDictionary) {
    for (int i = below(3); i > 0; --i) add(node, fmt::format("name {}", i), draw(spec.parts.front(), depth + 1));
  }
  add_fields(node, fields, alternatives, depth);
  return node;
}

Node RandomScene::draw(const Spec& given, int depth) {
  const Spec& spec = format_.resolve(given);
  if (depth > 0 && chance(mistakes_)) return draw_mistake();
  switch (spec.kind) {
    case Spec::Kind::kNumber:
    case Spec::Kind::kInteger:
      return draw_number(spec);
    case Spec::Kind::kBoolean:
      return scalar(chance(0.5) ? "true" : "false");
    case Spec::Kind::kWord:
      return scalar(spec.words[static_cast<std::size_t>(below(static_cast<int>(spec.words.size())))]);
    case Spec::Kind::kText: {
      const std::vector<std::string> texts{"a",   "12",   "a: b", "- c", "true", "# d",
                                           " e ", "f\ng", "\"",   "µ",   "~",    "null"};
      return scalar(texts[static_cast<std::size_t>(below(static_cast<int>(texts.size())))], true);
    }
    case Spec::Kind::kVector: {
      Node node;
      node.kind = Node::Kind::kSequence;
      const int count = chance(mistakes_) ? below(5) : spec.size;
      for (int i = 0; i < count; ++i) node.items.push_back(draw_number(spec));
      return node;
    }
    case Spec::Kind::kTuple: {
      Node node;
      node.kind = Node::Kind::kSequence;
      for (const Spec& part : spec.parts) node.items.push_back(draw(part, depth + 1));
      return node;
    }
    case Spec::Kind::kList:
      return draw_list(spec, depth);
    case Spec::Kind::kEither:
      return draw(spec.parts[static_cast<std::size_t>(below(static_cast<int>(spec.parts.size())))], depth);
    default:
      return draw_mapping(spec, depth);
  }
}

}  // namespace achilles
