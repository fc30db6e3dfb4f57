// How messages quote what they found and guess what was meant.
#pragma once

#include "scene/yaml/node.hpp"

#include <span>
#include <string>
#include <string_view>

namespace achilles::scene_file {

/// The text on one line, without control characters, cut after `limit` characters.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t limit = 60);

/// What stands at a node, as the subject of "found ...": "the text 'x'", "the number -1", "a list of 2", "nothing".
[[nodiscard]] std::string found(const Node& node);

/// "a, b, c"; past `limit` words the rest is counted.
[[nodiscard]] std::string enumerate(std::span<const std::string> words, std::size_t limit = 40);

/// The word nearest to `word` in letters changed, left out, added or swapped; empty when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> words);

/// "; did you mean 'x'?" (the word that another engine uses for it, or the nearest one) or nothing, followed by ";
/// allowed: ..." unless there is no word.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> words);

/// A path such as "bodies.left.mass"; put together only when a message needs it.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;  // empty: an item without a name
  std::size_t index = 0;

  [[nodiscard]] std::string text() const;
};

}  // namespace achilles::scene_file
