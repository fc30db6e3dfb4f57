// Which words of a robot format are used, which do not matter for motion, and which are left out with a message.
#pragma once

#include "scene/import/context.hpp"
#include "scene/import/xml.hpp"

#include <span>
#include <string_view>

namespace achilles::scene_file {

/// The attributes of an element, in words separated by blanks. An element that is not `is_read` does not matter for
/// motion, with all that stands in it.
struct ElementWords {
  std::string_view path;         // "parent/element", or "element" wherever it stands
  std::string_view used;         // attributes that the reader reads
  std::string_view unimportant;  // attributes that do not matter for motion
  bool is_read = true;
};

/// Reports every element and attribute below `root` that the words do not know as left out. An element that is not
/// known is reported once, with all that stands in it.
void report_unknown_words(ImportContext& context, const XmlNode& root, std::span<const ElementWords> words);

/// Reports every element that is read and stands in its parent a second time, unless it is one of the `repeatable`
/// words, separated by blanks: the first is read.
void report_repeated_words(ImportContext& context, const XmlNode& root, std::span<const ElementWords> words,
                           std::string_view repeatable);

}  // namespace achilles::scene_file
