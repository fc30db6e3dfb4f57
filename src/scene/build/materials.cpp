#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"

#include <achilles/world.hpp>

#include <fmt/format.h>

#include <utility>

namespace achilles::scene_file {
namespace {

// Keys that are absent keep the value of `base`.
ContactLaw read_law(const Node& node, const ContactLaw& base) {
  ContactLaw law = base;
  law.friction = read_number(node, "friction").value_or(law.friction);
  law.restitution = read_number(node, "restitution").value_or(law.restitution);
  law.rolling_friction = read_number(node, "rolling_friction").value_or(law.rolling_friction);
  law.torsional_friction = read_number(node, "torsional_friction").value_or(law.torsional_friction);
  law.stiffness = read_number(node, "stiffness").value_or(law.stiffness);
  law.damping = read_number(node, "damping").value_or(law.damping);
  if (const Node* anisotropy = usable(node, "anisotropy")) law.anisotropy = vec2_at(*anisotropy);
  return law;
}

std::vector<std::string> material_names(const Build& build) {
  return {build.material_names.begin(), build.material_names.end()};
}

bool read_pair(Build& build, const Node& node, const std::string& field, MaterialPair& pair) {
  const Node& between = children(node, "between");
  bool known = between.items.size() == 2;
  for (const Node& name : between.items) {
    if (name.bad || build.material_names.contains(name.text)) continue;
    build.complaints.error(
        name.place, field + ".between",
        fmt::format("there is no material '{}'{}", shorten(name.text), suggestion(name.text, material_names(build))));
    known = false;
  }
  if (!known || between.items[0].bad || between.items[1].bad) return false;
  pair.first = between.items[0].text;
  pair.second = between.items[1].text;
  return true;
}

// What would hold between the two without the pair.
ContactLaw mixed_law(const Build& build, const MaterialPair& pair) {
  std::vector<Material> two;
  for (const Material& material : build.scene.materials) {
    if (material.name == pair.first || material.name == pair.second) two.push_back(material);
  }
  const MaterialTable table(two, {});
  return table.law(table.index_of(pair.first), table.index_of(pair.second));
}

void build_pairs(Build& build, const Node& pairs) {
  std::map<std::pair<std::string, std::string>, int> first_line;
  for (std::size_t i = 0; i < pairs.items.size(); ++i) {
    const Node& node = pairs.items[i];
    const std::string field = fmt::format("materials.pairs[{}]", i);
    MaterialPair pair;
    if (!read_pair(build, node, field, pair)) continue;
    const auto [entry, is_new] = first_line.emplace(std::minmax(pair.first, pair.second), node.place.line);
    if (!is_new) {
      build.complaints.error(node.place, field,
                             fmt::format("the pair '{}' and '{}' is given twice, first on line {}", shorten(pair.first),
                                         shorten(pair.second), entry->second));
      continue;
    }
    pair.law = read_law(node, mixed_law(build, pair));
    build.scene.material_pairs.push_back(std::move(pair));
  }
}

}  // namespace

void build_materials(Build& build, const Node& root) {
  const Node& materials = children(root, "materials");
  const ContactLaw standard = read_law(children(materials, "default"), ContactLaw{});
  build.scene.materials.push_back({"default", standard});
  build.material_names.insert("default");
  for (const Node& item : materials.items) {
    if (item.key == "pairs" || item.key == "default") continue;
    build.scene.materials.push_back({item.key, read_law(item, standard)});
    build.material_names.insert(item.key);
  }
  if (build.scene.materials.size() > kMaxMaterials) {
    build.complaints.error(
        materials.place, "materials",
        fmt::format("found {} materials; allowed: at most {}", build.scene.materials.size(), kMaxMaterials));
    return;
  }
  build_pairs(build, children(materials, "pairs"));
}

}  // namespace achilles::scene_file
