#include "record/certify/contact_energy.hpp"

#include "world/colliders.hpp"

#include <algorithm>

namespace achilles {

ContactEnergy::ContactEnergy(const World& world) {
  const auto materials = static_cast<std::uint32_t>(world.materials.names().size());
  for (std::uint32_t a = 0; a < materials; ++a) {
    for (std::uint32_t b = a; b < materials; ++b) {
      is_compliant_ = is_compliant_ || world.materials.law(a, b).stiffness > 0;
    }
  }
}

double ContactEnergy::measure(const World& world) {
  if (!is_compliant_ || world.first_not_finite()) return 0;
  place_colliders(world, 0, colliders_);
  list_ignored_pairs(world, ignored_);
  DetectOptions options;
  options.collide.margin = 0;
  detect_contacts(colliders_, ignored_, options, detection_, contacts_);
  double energy = 0;
  for (const Contact& contact : contacts_.contacts) {
    const ContactLaw& law =
        world.materials.law(world.body_material[contact.body_a], world.body_material[contact.body_b]);
    for (const ContactPoint& point : contacts_.points_of(contact)) {
      const double depth = std::max(0.0, -point.gap);
      energy += 0.5 * law.stiffness * depth * depth;
    }
  }
  return energy;
}

}  // namespace achilles
