// JSON Schema, draft 2020-12, of the scene format.
#include "scene/format/format.hpp"

#include <achilles/scene.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace achilles {
namespace {

using namespace scene_file;
using Json = nlohmann::ordered_json;

Json to_schema(const Spec& spec);

void add_range(Json& schema, const Range& range) {
  if (std::isfinite(range.lower)) schema[range.above ? "exclusiveMinimum" : "minimum"] = range.lower;
  if (std::isfinite(range.upper)) schema["maximum"] = range.upper;
}

Json number_schema(const Spec& spec, bool integral) {
  Json schema{{"type", integral ? "integer" : "number"}};
  add_range(schema, spec.range);
  return schema;
}

Json list_schema(Json item, std::size_t min_items, std::size_t max_items) {
  Json schema{{"type", "array"}, {"items", std::move(item)}};
  if (min_items > 0) schema["minItems"] = min_items;
  if (max_items != std::numeric_limits<std::size_t>::max()) schema["maxItems"] = max_items;
  return schema;
}

Json vector_schema(const Spec& spec) {
  const auto size = static_cast<std::size_t>(spec.size);
  Json schema = list_schema(number_schema(spec, spec.is_integral), size, size);
  if (spec.is_direction) schema["contains"] = {{"not", {{"const", 0}}}};
  return schema;
}

Json tuple_schema(const Spec& spec) {
  Json schema{{"type", "array"}, {"minItems", spec.parts.size()}, {"maxItems", spec.parts.size()}};
  for (const Spec& part : spec.parts) schema["prefixItems"].push_back(to_schema(part));
  return schema;
}

Json field_schema(const Field& field) {
  Json schema = to_schema(field.spec);
  std::string meaning = field.meaning;
  if (!field.spec.unit.empty()) meaning += " [" + field.spec.unit + "]";
  if (!field.standard.empty()) meaning += " Default: " + field.standard + ".";
  schema["description"] = meaning;
  return schema;
}

void add_fields(Json& schema, const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    schema["properties"][field.name] = field_schema(field);
    if (field.required) schema["required"].push_back(field.name);
  }
}

// At most one of the keys: no two of them together. Exactly one: besides, any of them.
void add_alternatives(Json& schema, const std::vector<Alternatives>& all) {
  for (const Alternatives& group : all) {
    Json any = Json::array();
    for (std::size_t i = 0; i < group.keys.size(); ++i) {
      any.push_back({{"required", {group.keys[i]}}});
      for (std::size_t j = i + 1; j < group.keys.size(); ++j) {
        schema["allOf"].push_back({{"not", {{"required", {group.keys[i], group.keys[j]}}}}});
      }
    }
    if (group.required) schema["allOf"].push_back({{"anyOf", std::move(any)}});
  }
}

Json mapping_schema(const Spec& spec) {
  Json schema{{"type", "object"}};
  add_fields(schema, spec.fields);
  schema["additionalProperties"] = spec.kind == Spec::Kind::kDictionary ? to_schema(spec.parts.front()) : Json(false);
  if (spec.kind == Spec::Kind::kDictionary) schema["propertyNames"] = {{"minLength", 1}, {"maxLength", kLongestName}};
  const bool one_key = spec.alternatives.size() == 1 && spec.alternatives[0].required &&
                       spec.alternatives[0].keys.size() == spec.fields.size();
  if (one_key) {
    schema["minProperties"] = 1;
    schema["maxProperties"] = 1;
  } else {
    add_alternatives(schema, spec.alternatives);
  }
  return schema;
}

// The variant's keys are checked whole, the common ones among them, because additionalProperties sees one level only.
Json variant_schema(const Spec& spec, const Variant& variant) {
  Json schema = Json::object();
  schema["properties"][spec.tag] = Json::object();
  add_fields(schema, spec.fields);
  add_fields(schema, variant.fields);
  schema["additionalProperties"] = false;
  add_alternatives(schema, variant.alternatives);
  return schema;
}

Json tagged_schema(const Spec& spec) {
  Json schema{{"type", "object"}};
  Json words = Json::array();
  for (const Variant& variant : spec.variants) words.push_back(variant.word);
  schema["properties"][spec.tag] = {{"enum", words}};
  if (spec.standard.empty()) schema["required"] = {spec.tag};
  for (const Variant& variant : spec.variants) {
    Json selected{{"properties", {{spec.tag, {{"const", variant.word}}}}}};
    if (variant.word != spec.standard) selected["required"] = {spec.tag};
    schema["allOf"].push_back({{"if", std::move(selected)}, {"then", variant_schema(spec, variant)}});
  }
  return schema;
}

Json to_schema(const Spec& spec) {
  switch (spec.kind) {
    case Spec::Kind::kNumber:
      return number_schema(spec, false);
    case Spec::Kind::kInteger:
      return number_schema(spec, true);
    case Spec::Kind::kBoolean:
      return {{"type", "boolean"}};
    case Spec::Kind::kWord:
      return {{"enum", spec.words}};
    case Spec::Kind::kText:
      return {{"type", "string"}, {"minLength", 1}};
    case Spec::Kind::kVector:
      return vector_schema(spec);
    case Spec::Kind::kTuple:
      return tuple_schema(spec);
    case Spec::Kind::kList: {
      Json schema = list_schema(to_schema(spec.parts.front()), spec.min_items, spec.max_items);
      if (spec.is_unique) schema["uniqueItems"] = true;
      return schema;
    }
    case Spec::Kind::kTagged:
      return tagged_schema(spec);
    case Spec::Kind::kEither: {
      Json schema = Json::object();
      for (const Spec& part : spec.parts) schema["anyOf"].push_back(to_schema(part));
      return schema;
    }
    case Spec::Kind::kReference:
      return {{"$ref", "#/$defs/" + spec.name}};
    default:
      return mapping_schema(spec);
  }
}

}  // namespace

std::string scene_schema() {
  const Format& format = scene_format();
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Achilles scene"}};
  schema.update(to_schema(format.root));
  for (const auto& [name, spec] : format.definitions) schema["$defs"][name] = to_schema(spec);
  return schema.dump(2) + "\n";
}

}  // namespace achilles
