#include "scene/import/vocabulary.hpp"

#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace achilles::scene_file {
namespace {

bool holds_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const ElementWords* find_words(std::span<const ElementWords> all, std::string_view parent, std::string_view name) {
  const std::string path = fmt::format("{}/{}", parent, name);
  const ElementWords* anywhere = nullptr;
  for (const ElementWords& words : all) {
    if (words.path == path) return &words;
    if (words.path == name) anywhere = &words;
  }
  return anywhere;
}

void report_words_of(ImportContext& context, const XmlNode& element, std::string_view parent,
                     std::span<const ElementWords> all) {
  const ElementWords* words = find_words(all, parent, element.name);
  if (words == nullptr) {
    context.leave_out(element.place, fmt::format("<{}> in <{}>", shorten(element.name), shorten(parent)));
    return;
  }
  if (!words->is_read) return;
  for (const XmlAttribute& attribute : element.attributes) {
    const bool is_namespace = attribute.name == "xmlns" || attribute.name.starts_with("xmlns:");
    if (is_namespace || holds_word(words->used, attribute.name) || holds_word(words->unimportant, attribute.name)) {
      continue;
    }
    context.leave_out(attribute.place, fmt::format("'{}' of <{}>", shorten(attribute.name), shorten(element.name)));
  }
  for (const XmlNode& child : element.children) report_words_of(context, child, element.name, all);
}

void report_repeats_in(ImportContext& context, const XmlNode& element, std::span<const ElementWords> all,
                       std::string_view repeatable) {
  std::set<std::string_view> seen;
  for (const XmlNode& child : element.children) {
    const ElementWords* words = find_words(all, element.name, child.name);
    if (words == nullptr || !words->is_read) continue;
    if (!holds_word(repeatable, child.name) && !seen.insert(child.name).second) {
      context.leave_out(child.place, fmt::format("a further <{}> in <{}>; the first is read", shorten(child.name),
                                                 shorten(element.name)));
    }
    report_repeats_in(context, child, all, repeatable);
  }
}

}  // namespace

void report_repeated_words(ImportContext& context, const XmlNode& root, std::span<const ElementWords> words,
                           std::string_view repeatable) {
  report_repeats_in(context, root, words, repeatable);
}

void report_unknown_words(ImportContext& context, const XmlNode& root, std::span<const ElementWords> words) {
  report_words_of(context, root, "", words);
}

}  // namespace achilles::scene_file
