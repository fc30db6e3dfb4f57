#include <achilles/json.hpp>

#include "methods/capabilities.hpp"
#include "methods/method_spec.hpp"
#include "record/run_report.hpp"
#include "scene/complaints.hpp"
#include "scene/yaml/scalar.hpp"
#include "scene/yaml/text.hpp"
#include "scene/yaml/tree.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace achilles {
namespace {

using OrderedJson = nlohmann::ordered_json;
using scene_file::Node;

OrderedJson bound_to_json(double bound) {
  return std::abs(bound) < std::numeric_limits<double>::max() ? OrderedJson(bound) : OrderedJson(nullptr);
}

OrderedJson option_to_json(const OptionInfo& option) {
  OrderedJson json;
  json["name"] = option.name;
  switch (option.type) {
    case OptionInfo::Type::kNumber:
      json["type"] = "number";
      break;
    case OptionInfo::Type::kInteger:
      json["type"] = "integer";
      break;
    case OptionInfo::Type::kBoolean:
      json["type"] = "boolean";
      break;
    case OptionInfo::Type::kWord:
      json["type"] = "word";
      break;
  }
  std::visit([&](const auto& value) { json["default"] = value; }, option.standard);
  if (option.type == OptionInfo::Type::kInteger) {
    json["default"] = static_cast<std::int64_t>(std::get<double>(option.standard));
  }
  if (option.type == OptionInfo::Type::kNumber || option.type == OptionInfo::Type::kInteger) {
    json["minimum"] = bound_to_json(option.minimum);
    json["maximum"] = bound_to_json(option.maximum);
  }
  if (!option.words.empty()) json["words"] = option.words;
  json["meaning"] = option.meaning;
  if (!option.needs.empty()) json["needs"] = option.needs;
  if (!option.solvers.empty()) json["solvers"] = option.solvers;
  return json;
}

Node parse_whole_tree(std::string_view text, const std::string& file) {
  scene_file::Complaints complaints(file, {});
  std::optional<Node> root = scene_file::parse_tree(text, 0, scene_file::TreeLimits{}, complaints);
  complaints.throw_errors();
  return root ? std::move(*root) : Node{};
}

OrderedJson node_to_json(const Node& node) {
  OrderedJson json;
  switch (node.kind) {
    case Node::Kind::kNull:
      break;
    case Node::Kind::kScalar: {
      const scene_file::Number number = scene_file::read_number(node);
      if (const std::optional<bool> truth = scene_file::read_boolean(node)) {
        json = *truth;
      } else if (number.status == scene_file::Number::Status::kFinite) {
        // Integers stay integers, so that counts and indices are what they look like.
        const bool is_integer = node.text.find_first_of(".eE") == std::string::npos && std::abs(number.value) < 1e15 &&
                                !(number.value == 0 && std::signbit(number.value));
        json = is_integer ? OrderedJson(static_cast<std::int64_t>(number.value)) : OrderedJson(number.value);
      } else {
        json = node.text;
      }
      break;
    }
    case Node::Kind::kSequence:
      json = OrderedJson::array();
      for (const Node& item : node.items) json.push_back(node_to_json(item));
      break;
    case Node::Kind::kMapping:
      json = OrderedJson::object();
      for (const Node& item : node.items) json[item.key] = node_to_json(item);
      break;
  }
  return json;
}

OrderedJson capabilities_to_json(const Capabilities& capabilities) {
  OrderedJson json = OrderedJson::object();
  for (const CapabilityInfo& info : capability_infos()) json[std::string(info.words)] = capabilities.*info.flag;
  return json;
}

OrderedJson variant_to_json(const MethodVariant& variant) {
  OrderedJson json;
  json["option"] = variant.option;
  json["word"] = variant.word;
  json["capabilities"] = capabilities_to_json(variant.capabilities);
  json["options"] = variant.options;
  return json;
}

}  // namespace

std::string report_to_json(const RunReport& report) { return to_json(report).dump(); }

std::string methods_to_json() {
  OrderedJson list = OrderedJson::array();
  for (const MethodSpec& method : method_specs()) {
    OrderedJson json;
    json["name"] = method.name;
    json["source"] = method.source;
    json["summary"] = method.summary;
    json["solvers"] = method.solvers;
    json["impact_laws"] = method.impact_laws;
    json["capabilities"] = capabilities_to_json(method.capabilities);
    for (const MethodVariant& variant : method.variants) json["variants"].push_back(variant_to_json(variant));
    json["options"] = OrderedJson::array();
    for (const OptionInfo& option : method.options) json["options"].push_back(option_to_json(option));
    list.push_back(std::move(json));
  }
  return list.dump();
}

std::string scene_text_to_json(std::string_view text, const std::string& file) {
  return node_to_json(parse_whole_tree(text, file)).dump();
}

std::string scene_text_to_yaml(std::string_view text, const std::string& file) {
  return scene_file::write_tree(parse_whole_tree(text, file));
}

}  // namespace achilles
