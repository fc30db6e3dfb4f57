// A checker for the part of JSON Schema (draft 2020-12) that the scene schema uses, written from the specification and
// without regard to how the schema is made.
#pragma once

#include "scene/yaml/node.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace achilles {

/// What is wrong with the instance, empty when it is valid. Throws std::invalid_argument for a keyword it does not
/// know, so that nothing goes unchecked.
[[nodiscard]] std::string find_schema_defect(const nlohmann::json& schema, const nlohmann::json& instance);

/// A YAML tree as an editor's checker sees it: numbers, truth values, null and text.
[[nodiscard]] nlohmann::json to_json(const scene_file::Node& node);

}  // namespace achilles
