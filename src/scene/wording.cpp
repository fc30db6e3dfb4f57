#include "scene/wording.hpp"

#include "scene/yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace achilles::scene_file {
namespace {

char fold(char c) {
  if (c == '_' || c == ' ') return '-';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment: insertions, deletions, changes and swaps of neighbours, each at cost 1.
std::size_t count_edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = fold(a[i - 1]) == fold(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

struct Synonym {
  std::string_view other, ours;
};

/// Words of URDF, SDF, MJCF, Bullet, Chrono and Drake for what this format has under another name, and the former names
/// of options. A dotted word is a key inside a mapping; it is offered where the mapping is allowed.
constexpr Synonym kSynonyms[] = {
    {"revolute", "hinge"},
    {"continuous", "hinge"},
    {"prismatic", "slider"},
    {"slide", "slider"},
    {"spherical", "ball"},
    {"point2point", "ball"},
    {"weld", "fixed"},
    {"rigid", "fixed"},
    {"static", "fixed"},
    {"kinematic", "scripted"},
    {"rope", "distance"},
    {"rod", "distance"},
    {"cuboid", "box"},
    {"cube", "box"},
    {"half-space", "plane"},
    {"halfspace", "plane"},
    {"convex", "hull"},
    {"convex-hull", "hull"},
    {"terrain", "heightfield"},
    {"hfield", "heightfield"},
    {"trimesh", "mesh"},
    {"sdf", "distance_map"},
    {"extents", "size"},
    {"dimensions", "size"},
    {"width", "height"},
    {"length", "height"},
    {"height", "length"},
    {"diameter", "radius"},
    {"mu", "friction"},
    {"bounciness", "restitution"},
    {"elasticity", "restitution"},
    {"damping", "spring.damping"},
    {"stiffness", "spring.stiffness"},
    {"anchor", "at"},
    {"pivot", "at"},
    {"parent", "between"},
    {"child", "between"},
    {"bodies", "between"},
    {"rotation", "orientation"},
    {"quaternion", "orientation"},
    {"quat", "orientation"},
    {"rpy", "euler"},
    {"pose", "position"},
    {"origin", "position"},
    {"translation", "position"},
    {"pos", "position"},
    {"angular-velocity", "spin"},
    {"omega", "spin"},
    {"linear-velocity", "velocity"},
    {"type", "kind"},
    {"timestep", "step"},
    {"dt", "step"},
    {"end", "duration"},
    {"integrator", "method"},
    {"limit", "limits"},
    {"range", "limits"},
    {"actuator", "motor"},
    {"drive", "motor"},
    {"target-velocity", "speed"},
    {"target-position", "position"},
    {"max-effort", "max_torque"},
    {"effort", "max_torque"},
    {"margin", "speculative_distance"},
    {"recycling", "reuse_distance"},
    {"weight-feeling", "gravity_fraction"},
};

/// Our word for one of another engine, if it is allowed here; empty when there is none.
std::string translate(std::string_view word, std::span<const std::string> words) {
  const auto same = [](std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return fold(x) == fold(y); });
  };
  for (const Synonym& synonym : kSynonyms) {
    if (!same(word, synonym.other)) continue;
    const std::string_view allowed = synonym.ours.substr(0, synonym.ours.find('.'));
    if (std::find(words.begin(), words.end(), allowed) != words.end()) return std::string(synonym.ours);
  }
  return {};
}

}  // namespace

std::string shorten(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool starts_character = (c & 0xC0U) != 0x80U;
    if (starts_character && out.size() >= limit) return out + "...";
    out += c < 0x20 || c == 0x7F ? ' ' : text[i];
  }
  return out;
}

std::string found(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kSequence:
      return fmt::format("a list of {}", node.items.size());
    case Node::Kind::kMapping:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  const Number number = read_number(node);
  if (number.status == Number::Status::kNone) return fmt::format("the text '{}'", shorten(node.text));
  return fmt::format("the number {}", shorten(node.text));
}

std::string enumerate(std::span<const std::string> words, std::size_t limit) {
  std::string all;
  for (std::size_t i = 0; i < std::min(words.size(), limit); ++i) {
    if (i > 0) all += ", ";
    all += shorten(words[i]);
  }
  if (words.size() > limit) all += fmt::format(" and {} more", words.size() - limit);
  return all;
}

std::string nearest(std::string_view word, std::span<const std::string> words) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kMostWords = 5000;
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t best_edits = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : words.first(std::min(words.size(), kMostWords))) {
    const std::size_t longer = std::max(candidate.size(), word.size());
    const std::size_t shorter = std::min(candidate.size(), word.size());
    if (candidate.size() > kLongest || longer - shorter >= best_edits) continue;
    const std::size_t edits = count_edits(word, candidate);
    if (edits < best_edits && edits < candidate.size()) {
      best_edits = edits;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> words) {
  std::string all;
  std::string meant = translate(word, words);
  if (meant.empty()) meant = nearest(word, words);
  if (!meant.empty()) all += fmt::format("; did you mean '{}'?", meant);
  if (!words.empty()) all += fmt::format("{} allowed: {}", meant.empty() ? ";" : "", enumerate(words));
  return all;
}

std::string Path::text() const {
  std::string before = parent != nullptr ? parent->text() : std::string();
  if (name.empty()) return parent != nullptr ? fmt::format("{}[{}]", before, index) : before;
  if (!before.empty()) before += '.';
  return before + shorten(name);
}

}  // namespace achilles::scene_file
