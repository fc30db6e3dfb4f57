#include "scene/yaml/screen.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace achilles::scene_file {
namespace {

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
}

// Length of the well-formed UTF-8 sequence at i, 0 when it is malformed (overlong, surrogate, beyond U+10FFFF, cut
// off).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x80) return 1;
  const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : std::uint8_t{0};
  if (lead >= 0xC2 && lead <= 0xDF) return is_continuation(text, i + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!is_continuation(text, i + 1) || !is_continuation(text, i + 2)) return 0;
    const bool overlong = lead == 0xE0 && next < 0xA0;
    const bool surrogate = lead == 0xED && next >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!is_continuation(text, i + 1) || !is_continuation(text, i + 2) || !is_continuation(text, i + 3)) return 0;
    const bool overlong = lead == 0xF0 && next < 0x90;
    const bool beyond = lead == 0xF4 && next >= 0x90;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

}  // namespace

std::optional<ScreenDefect> find_defect(std::string_view text) {
  Place place{0, 1, 1};
  std::size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    if (control) {
      return ScreenDefect{place,
                          fmt::format("found the byte 0x{:02X}; a scene is a text file (YAML in UTF-8), and this "
                                      "looks like a binary one",
                                      c)};
    }
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      return ScreenDefect{place,
                          fmt::format("found the byte 0x{:02X}, which is not UTF-8; a scene is YAML text in UTF-8", c)};
    }
    i += length;
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else {
      ++place.column;
    }
  }
  return std::nullopt;
}

int find_tab_indentation(std::string_view text, int up_to_line) {
  std::size_t start = 0;
  for (int line = 1; line <= up_to_line && start < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t first = text.substr(start, end - start).find_first_not_of(" \t\r");
    if (first != std::string_view::npos && text.substr(start, first).find('\t') != std::string_view::npos) return line;
    start = end + 1;
  }
  return 0;
}

}  // namespace achilles::scene_file
