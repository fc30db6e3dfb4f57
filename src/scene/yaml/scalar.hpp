// What a YAML scalar means: a number, a truth value, or text.
#pragma once

#include "scene/yaml/node.hpp"

#include <optional>

namespace achilles::scene_file {

struct Number {
  enum class Status {
    kFinite,
    kNone,        // not written like a number, or in quotes
    kNotFinite,   // .inf, .nan and their usual other spellings
    kOutOfRange,  // written like a number, but no double is near it
  };
  Status status = Status::kNone;
  double value = 0;
};

[[nodiscard]] Number read_number(const Node& node);

/// true or false (also True, TRUE, ...); nothing for yes, on and the like, which YAML 1.2 no longer takes for truth
/// values.
[[nodiscard]] std::optional<bool> read_boolean(const Node& node);

/// Whether the scalar is text: quoted, or neither a number nor a truth value.
[[nodiscard]] bool is_text(const Node& node);

}  // namespace achilles::scene_file
