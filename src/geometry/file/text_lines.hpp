// A text split into lines and words, and words into numbers, for readers whose errors name a line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace achilles {

/// Walks over the lines of a text: \n or \r\n ends one, # starts a comment, blank lines are skipped, and a \ at the end
/// joins the next line where requested.
class LineReader {
 public:
  explicit LineReader(std::string_view text, std::string_view separators = " \t\v\f", bool joins_lines = false)
      : text_(text), separators_(separators), joins_lines_(joins_lines) {}

  /// Moves to the next line that has words. False at the end.
  bool next() {
    words_.clear();
    while (words_.empty() && position_ < text_.size()) {
      bool continues = true;
      first_line_ = line_ + 1;
      while (continues && position_ < text_.size()) {
        std::string_view line = take_line();
        continues = joins_lines_ && line.ends_with('\\');
        if (continues) line.remove_suffix(1);
        split(line.substr(0, line.find('#')));
      }
    }
    return !words_.empty();
  }

  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  [[nodiscard]] int line() const { return first_line_; }  // of the first word, from 1

 private:
  std::string_view take_line() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view line = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void split(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
      const std::size_t begin = line.find_first_not_of(separators_, i);
      if (begin == std::string_view::npos) return;
      const std::size_t end = std::min(line.find_first_of(separators_, begin), line.size());
      words_.push_back(line.substr(begin, end - begin));
      i = end;
    }
  }

  std::string_view text_;
  std::string_view separators_;
  bool joins_lines_;
  std::size_t position_ = 0;
  int line_ = 0;
  int first_line_ = 0;
  std::vector<std::string_view> words_;
};

/// The whole word as a finite number, or nothing.
template <typename Number>
std::optional<Number> to_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

}  // namespace achilles
