#include "scene/yaml/scalar.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

namespace achilles::scene_file {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_not_finite_word(std::string_view text) {
  if (text.size() > 10) return false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 6> kWords{".inf", ".nan", "inf", "nan", "infinity", ".infinity"};
  return std::find(kWords.begin(), kWords.end(), lower(text)) != kWords.end();
}

}  // namespace

Number read_number(const Node& node) {
  if (node.kind != Node::Kind::kScalar || node.quoted) return {};
  std::string_view text = node.text;
  if (is_not_finite_word(text)) return {Number::Status::kNotFinite, 0};
  const bool signed_plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  if (signed_plus) text.remove_prefix(1);
  Number number;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (end != text.data() + text.size() || text.empty()) return {};
  if (code == std::errc::result_out_of_range) return {Number::Status::kOutOfRange, 0};
  if (code != std::errc()) return {};
  number.status = std::isfinite(number.value) ? Number::Status::kFinite : Number::Status::kNotFinite;
  return number;
}

std::optional<bool> read_boolean(const Node& node) {
  if (node.kind != Node::Kind::kScalar || node.quoted) return std::nullopt;
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return true;
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return false;
  return std::nullopt;
}

bool is_text(const Node& node) {
  if (node.kind != Node::Kind::kScalar) return false;
  return node.quoted || (read_number(node).status == Number::Status::kNone && !read_boolean(node));
}

}  // namespace achilles::scene_file
