// Texts that programs in other languages read: JSON of reports, methods and scenes.
#pragma once

#include <achilles/report.hpp>
#include <achilles/scene.hpp>

#include <string>
#include <string_view>

namespace achilles {

/// The object that `achilles run --report` writes.
[[nodiscard]] std::string report_to_json(const RunReport& report);

/// A list of all methods, each with name, source, summary, solvers, impact laws, what of a scene it takes into account,
/// and options with type, default, range, words and meaning; numbers and integers have a `minimum` and a `maximum`,
/// null where there is no bound.
[[nodiscard]] std::string methods_to_json();

/// The tree of a scene file: mappings, lists, numbers, truth values and texts as they are written there, before
/// anything is checked. Throws SceneError when the text is no YAML.
[[nodiscard]] std::string scene_text_to_json(std::string_view text, const std::string& file = "<text>");

/// The same tree in the layout of scene files: reading it gives the same scene, bit for bit.
[[nodiscard]] std::string scene_text_to_yaml(std::string_view text, const std::string& file = "<text>");

}  // namespace achilles
