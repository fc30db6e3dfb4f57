#include <achilles/world.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

double in_series(double a, double b) { return a > 0 && b > 0 ? a * b / (a + b) : std::max(a, b); }

ContactLaw mix(const ContactLaw& a, const ContactLaw& b) {
  ContactLaw law;
  law.friction = std::sqrt(a.friction * b.friction);
  law.restitution = std::sqrt(a.restitution * b.restitution);
  law.rolling_friction = std::sqrt(a.rolling_friction * b.rolling_friction);
  law.torsional_friction = std::sqrt(a.torsional_friction * b.torsional_friction);
  // A rigid side (0) adds no compliance of its own.
  law.stiffness = in_series(a.stiffness, b.stiffness);
  law.damping = in_series(a.damping, b.damping);
  law.anisotropy = a.anisotropy ? a.anisotropy : b.anisotropy;
  return law;
}

}  // namespace

MaterialTable::MaterialTable() : names_{"default"}, laws_(1) {}

MaterialTable::MaterialTable(std::span<const Material> materials, std::span<const MaterialPair> pairs) {
  for (const Material& material : materials) names_.push_back(material.name);
  for (const Material& first : materials) {
    for (const Material& second : materials) {
      laws_.push_back(&first == &second ? first.law : mix(first.law, second.law));
    }
  }
  for (const MaterialPair& pair : pairs) {
    const std::uint32_t a = index_of(pair.first);
    const std::uint32_t b = index_of(pair.second);
    laws_[a * names_.size() + b] = pair.law;
    laws_[b * names_.size() + a] = pair.law;
  }
}

std::uint32_t MaterialTable::index_of(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::invalid_argument("no material is named '" + std::string(name) + "'");
  return static_cast<std::uint32_t>(found - names_.begin());
}

}  // namespace achilles
