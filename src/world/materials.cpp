#include <achilles/world.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

bool has_directions(const ContactLaw& law) { return law.anisotropy.has_value(); }

/// Throws std::invalid_argument naming the material unless the law is possible.
void check(const std::string& name, const ContactLaw& law) {
  const auto is_amount = [](double value) { return value >= 0 && std::isfinite(value); };
  const bool amounts = is_amount(law.friction) && is_amount(law.rolling_friction) &&
                       is_amount(law.torsional_friction) && is_amount(law.stiffness) && is_amount(law.damping);
  if (!amounts) {
    throw std::invalid_argument("material '" + name +
                                "': friction, stiffness and damping must be finite and not negative");
  }
  if (has_directions(law) && !(is_amount(law.anisotropy->x()) && is_amount(law.anisotropy->y()))) {
    throw std::invalid_argument("material '" + name + "': anisotropy must be finite and not negative");
  }
  if (!(law.restitution >= 0 && law.restitution <= 1)) {
    throw std::invalid_argument("material '" + name + "': restitution must lie between 0 and 1");
  }
}

/// Along the axes of the body whose surface has this law.
Vec3 coefficients_of(const ContactLaw& law) {
  return has_directions(law) ? Vec3(law.anisotropy->x(), law.anisotropy->y(), law.friction)
                             : Vec3(Vec3::Constant(law.friction));
}

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
  for (const Material& material : materials) {
    check(material.name, material.law);
    names_.push_back(material.name);
  }
  for (const Material& first : materials) {
    for (const Material& second : materials) {
      laws_.push_back(&first == &second ? first.law : mix(first.law, second.law));
    }
  }
  const auto has_any = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& item) { return has_directions(item.law); });
  };
  if (has_any(materials) || has_any(pairs)) directional_.resize(laws_.size());
  for (std::size_t a = 0; a < materials.size() && !directional_.empty(); ++a) {
    for (std::size_t b = 0; b < materials.size(); ++b) {
      directional_[a * names_.size() + b] = {coefficients_of(materials[a].law), coefficients_of(materials[b].law)};
    }
  }
  for (const MaterialPair& pair : pairs) set_law(index_of(pair.first), index_of(pair.second), pair.law);
}

void MaterialTable::set_law(std::uint32_t a, std::uint32_t b, const ContactLaw& law) {
  check(a == b ? names_[a] : names_[a] + "' with '" + names_[b], law);
  laws_[a * names_.size() + b] = law;
  laws_[b * names_.size() + a] = law;
  if (!has_directions(law)) return;
  directional_.resize(laws_.size());
  const Vec3 coefficients = coefficients_of(law);
  directional_[b * names_.size() + a] = {std::nullopt, coefficients};
  directional_[a * names_.size() + b] = {coefficients, std::nullopt};
  if (a == b) directional_[a * names_.size() + b].of_b = coefficients;
}

void World::set_contact_law(std::string_view first, std::string_view second, const ContactLaw& law) {
  const std::uint32_t a = materials.index_of(first), b = materials.index_of(second);
  materials.set_law(a, b, law);
  for (const WorldPiece& piece : pieces) {
    if (piece.material == a || piece.material == b) wake(piece.body);
  }
}

void World::set_friction(std::string_view first, std::string_view second, double friction) {
  ContactLaw law = materials.law(materials.index_of(first), materials.index_of(second));
  law.friction = friction;
  law.anisotropy.reset();
  set_contact_law(first, second, law);
}

std::uint32_t MaterialTable::index_of(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::invalid_argument("no material is named '" + std::string(name) + "'");
  return static_cast<std::uint32_t>(found - names_.begin());
}

}  // namespace achilles
