#include "scene/json_schema.hpp"

#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace achilles {
namespace {

using Json = nlohmann::json;

class SchemaChecker {
 public:
  explicit SchemaChecker(const Json& root) : root_(root) {}

  // The first defect found, empty when there is none.
  std::string check(const Json& schema, const Json& value, const std::string& where) const {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : where + ": nothing is allowed here";
    for (const auto& [keyword, argument] : schema.items()) {
      const std::string defect = check_keyword(keyword, argument, schema, value, where);
      if (!defect.empty()) return defect;
    }
    return {};
  }

 private:
  std::string check_keyword(const std::string& keyword, const Json& argument, const Json& schema, const Json& value,
                            const std::string& where) const {
    const auto fail_unless = [&](bool holds) {
      return holds ? std::string() : fmt::format("{}: {} {} does not hold", where, keyword, argument.dump());
    };
    if (keyword == "$schema" || keyword == "$defs" || keyword == "title" || keyword == "description") return {};
    if (keyword == "then") return {};  // read with `if`
    if (keyword == "$ref") return check(resolve(argument.get<std::string>()), value, where);
    if (keyword == "type") return fail_unless(has_type(value, argument.get<std::string>()));
    if (keyword == "enum") return fail_unless(std::find(argument.begin(), argument.end(), value) != argument.end());
    if (keyword == "const") return fail_unless(value == argument);
    if (keyword == "not") return fail_unless(!check(argument, value, where).empty());
    if (keyword == "allOf" || keyword == "anyOf") return check_several(keyword, argument, value, where);
    if (keyword == "if") {
      const bool applies = check(argument, value, where).empty();
      return applies && schema.contains("then") ? check(schema["then"], value, where) : std::string();
    }
    if (value.is_number()) {
      const double number = value.get<double>();
      if (keyword == "minimum") return fail_unless(number >= argument.get<double>());
      if (keyword == "maximum") return fail_unless(number <= argument.get<double>());
      if (keyword == "exclusiveMinimum") return fail_unless(number > argument.get<double>());
    }
    if (value.is_string()) {
      if (keyword == "minLength") return fail_unless(value.get<std::string>().size() >= argument.get<std::size_t>());
      if (keyword == "maxLength") return fail_unless(value.get<std::string>().size() <= argument.get<std::size_t>());
    }
    if (value.is_array()) return check_array_keyword(keyword, argument, schema, value, where);
    if (value.is_object()) return check_object_keyword(keyword, argument, schema, value, where);
    return known(keyword);
  }

  std::string check_several(const std::string& keyword, const Json& schemas, const Json& value,
                            const std::string& where) const {
    std::string last;
    for (const Json& schema : schemas) {
      last = check(schema, value, where);
      if (last.empty() == (keyword == "anyOf")) return last;
    }
    return last;
  }

  std::string check_array_keyword(const std::string& keyword, const Json& argument, const Json& schema,
                                  const Json& value, const std::string& where) const {
    const auto fail_unless = [&](bool holds) {
      return holds ? std::string() : fmt::format("{}: {} {} does not hold", where, keyword, argument.dump());
    };
    if (keyword == "minItems") return fail_unless(value.size() >= argument.get<std::size_t>());
    if (keyword == "maxItems") return fail_unless(value.size() <= argument.get<std::size_t>());
    if (keyword == "uniqueItems") {
      bool unique = true;
      for (auto a = value.begin(); a != value.end(); ++a) unique = unique && std::find(value.begin(), a, *a) == a;
      return fail_unless(unique);
    }
    if (keyword == "contains") {
      const auto matches = [&](const Json& item) { return check(argument, item, where).empty(); };
      return fail_unless(std::any_of(value.begin(), value.end(), matches));
    }
    if (keyword != "items" && keyword != "prefixItems") return known(keyword);
    const std::size_t first = keyword == "items" && schema.contains("prefixItems") ? schema["prefixItems"].size() : 0;
    for (std::size_t i = first; i < value.size(); ++i) {
      if (keyword == "prefixItems" && i >= argument.size()) break;
      const std::string defect =
          check(keyword == "items" ? argument : argument[i], value[i], fmt::format("{}[{}]", where, i));
      if (!defect.empty()) return defect;
    }
    return {};
  }

  std::string check_object_keyword(const std::string& keyword, const Json& argument, const Json& schema,
                                   const Json& value, const std::string& where) const {
    const auto fail_unless = [&](bool holds) {
      return holds ? std::string() : fmt::format("{}: {} {} does not hold", where, keyword, argument.dump());
    };
    if (keyword == "minProperties") return fail_unless(value.size() >= argument.get<std::size_t>());
    if (keyword == "maxProperties") return fail_unless(value.size() <= argument.get<std::size_t>());
    if (keyword == "required") {
      const auto is_present = [&](const Json& name) { return value.contains(name.get<std::string>()); };
      return fail_unless(std::all_of(argument.begin(), argument.end(), is_present));
    }
    for (const auto& [name, child] : value.items()) {
      const std::string place = where + "." + name;
      const bool is_listed = schema.contains("properties") && schema["properties"].contains(name);
      std::string defect;
      if (keyword == "properties") {
        if (is_listed) defect = check(argument[name], child, place);
      } else if (keyword == "additionalProperties") {
        if (!is_listed) defect = check(argument, child, place);
      } else if (keyword == "propertyNames") {
        defect = check(argument, Json(name), place);
      } else {
        return known(keyword);
      }
      if (!defect.empty()) return defect;
    }
    return {};
  }

  const Json& resolve(const std::string& reference) const {
    return root_.at(nlohmann::json_pointer<std::string>(reference.substr(1)));
  }

  static bool has_type(const Json& value, const std::string& type) {
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    if (type == "boolean") return value.is_boolean();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    throw std::invalid_argument("unknown type " + type);
  }

  // A keyword about another type of value says nothing about this one, but it must be one that is known.
  static std::string known(const std::string& keyword) {
    static const std::set<std::string> kKeywords{"minimum",          "maximum",
                                                 "exclusiveMinimum", "minLength",
                                                 "maxLength",        "minItems",
                                                 "maxItems",         "items",
                                                 "prefixItems",      "uniqueItems",
                                                 "contains",         "minProperties",
                                                 "properties",       "additionalProperties",
                                                 "required",         "maxProperties",
                                                 "propertyNames"};
    if (!kKeywords.contains(keyword)) throw std::invalid_argument("unknown keyword " + keyword);
    return {};
  }

  const Json& root_;
};

}  // namespace

std::string find_schema_defect(const Json& schema, const Json& instance) {
  return SchemaChecker(schema).check(schema, instance, "scene");
}

Json to_json(const scene_file::Node& node) {
  using Kind = scene_file::Node::Kind;
  using scene_file::Number;
  if (node.kind == Kind::kNull) return nullptr;
  if (node.kind == Kind::kSequence || node.kind == Kind::kMapping) {
    Json all = node.kind == Kind::kSequence ? Json::array() : Json::object();
    for (const scene_file::Node& item : node.items) {
      if (node.kind == Kind::kSequence) {
        all.push_back(to_json(item));
      } else {
        all[item.key] = to_json(item);
      }
    }
    return all;
  }
  const Number number = read_number(node);
  if (number.status == Number::Status::kFinite) return number.value;
  if (number.status != Number::Status::kNone) return nullptr;  // JSON has no such number
  if (const std::optional<bool> truth = read_boolean(node)) return *truth;
  return node.text;
}

}  // namespace achilles
