#include "scene/read_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace achilles {

std::string with_two_boxes(const std::string& more) {
  return "achilles: 1\n"
         "bodies:\n"
         "  - {name: lower, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
         "  - {name: upper, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 2.5]}\n" +
         more;
}

std::string with_ball(const std::string& keys, const std::string& more) {
  std::string indented = "    " + keys;
  for (std::size_t at = indented.find('\n'); at != std::string::npos; at = indented.find('\n', at + 1)) {
    indented.insert(at + 1, "    ");
  }
  return "achilles: 1\nbodies:\n  - name: ball\n    shape: {sphere: {radius: 1}}\n" + indented + "\n" + more;
}

BodyDescription read_ball(const std::string& keys) { return parse_scene(with_ball(keys)).bodies.at(0); }

std::vector<Diagnostic> errors_of(const std::string& text, const std::vector<Override>& overrides) {
  try {
    const Scene scene = parse_scene(text, "test.yaml", overrides);
    return {};
  } catch (const SceneError& error) {
    return error.diagnostics();
  }
}

std::string error_of(const std::string& text, const std::vector<Override>& overrides) {
  const std::vector<Diagnostic> errors = errors_of(text, overrides);
  if (errors.size() == 1) return errors.front().text();
  std::string all = fmt::format("({} errors)", errors.size());
  for (const Diagnostic& error : errors) all += fmt::format("\n{}", error.text());
  return all;
}

std::vector<std::string> warnings_of(const std::string& text) {
  std::vector<std::string> texts;
  for (const Diagnostic& warning : parse_scene(text, "test.yaml").warnings) texts.push_back(warning.text());
  return texts;
}

}  // namespace achilles
