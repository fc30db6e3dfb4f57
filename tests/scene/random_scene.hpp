// Scenes drawn at random from the format itself.
#pragma once

#include "scene/format/spec.hpp"
#include "scene/yaml/node.hpp"

#include <random>

namespace achilles {

/// Draws a tree that the format allows, but for mistakes: each value is with this probability one of the wrong type or
/// range, a key one too many or one too few.
class RandomScene {
 public:
  RandomScene(const scene_file::Format& format, std::uint32_t seed, double mistakes)
      : format_(format), random_(seed), mistakes_(mistakes) {}

  [[nodiscard]] scene_file::Node draw() { return draw(format_.root, 0); }

 private:
  using Node = scene_file::Node;
  using Spec = scene_file::Spec;

  Node draw(const Spec& given, int depth);
  Node draw_number(const Spec& spec);
  Node draw_list(const Spec& spec, int depth);
  Node draw_mapping(const Spec& spec, int depth);
  Node draw_mistake();
  void add_fields(Node& node, const std::vector<scene_file::Field>& fields,
                  const std::vector<scene_file::Alternatives>& alternatives, int depth);
  void add(Node& mapping, const std::string& key, Node value);

  [[nodiscard]] bool chance(double probability);
  [[nodiscard]] int below(int count);
  [[nodiscard]] static Node scalar(std::string text, bool quoted = false);

  const scene_file::Format& format_;
  std::mt19937 random_;
  double mistakes_;
};

}  // namespace achilles
