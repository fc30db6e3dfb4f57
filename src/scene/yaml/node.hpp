// A YAML document as a plain tree in which every node knows where it was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace achilles::scene_file {

/// Where something was written.
struct Place {
  int origin = 0;  // 0: the scene file; k: the k-th --set; -k: the k-th file besides (Complaints::add_file)
  int line = 0;    // from 1
  int column = 0;  // from 1
};

struct Node {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  bool quoted = false;  // a scalar in quotes is text, whatever it looks like
  bool bad = false;     // already complained about: its value is not read
  bool lacks = false;  // a mapping with too few or too many keys, complained about: its parts are fine, it is not whole
  Place place;
  Place key_place;
  std::string key;          // of a child of a mapping
  std::string text;         // of a scalar
  std::vector<Node> items;  // children of a sequence or a mapping, in the order of the file

  [[nodiscard]] const Node* find(std::string_view name) const {
    if (kind != Kind::kMapping) return nullptr;
    for (const Node& item : items) {
      if (item.key == name) return &item;
    }
    return nullptr;
  }
  [[nodiscard]] Node* find(std::string_view name) {
    return const_cast<Node*>(static_cast<const Node*>(this)->find(name));
  }
};

}  // namespace achilles::scene_file
