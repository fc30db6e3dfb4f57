// Scripts, triggers and rules.
#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/build/solid.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace achilles::scene_file {
namespace {

void check_rising(Build& build, const Node& entries, const std::string& field) {
  for (std::size_t i = 1; i < entries.items.size(); ++i) {
    const Node& before = entries.items[i - 1];
    const Node& now = entries.items[i];
    if (before.bad || now.bad || number_at(before.items[0]) < number_at(now.items[0])) continue;
    build.complaints.error(now.place, field,
                           fmt::format("the time {} does not come after {}; allowed: rising times",
                                       number_at(now.items[0]), number_at(before.items[0])));
    return;
  }
}

void check_scripted(Build& build, const Node& body, const std::string& field) {
  if (!check_body_name(build, body, field + ".body")) return;
  if (build.scene.bodies[build.body_index.at(body.text)].kind == BodyKind::kScripted) return;
  build.complaints.error(body.place, field + ".body",
                         fmt::format("the body '{}' is not scripted; allowed: a body with "
                                     "kind: scripted",
                                     shorten(body.text)));
}

ScriptDescription read_script(Build& build, const Node& node, const std::string& field) {
  ScriptDescription script;
  script.body = read_text(node, "body").value_or("");
  const Node& path = children(node, "path");
  for (const Node& point : children(path, "space").items) {
    if (!point.bad) script.space.push_back(vec3_at(point));
  }
  const Node& speed = children(path, "speed");
  check_rising(build, speed, field + ".path.speed");
  for (const Node& entry : speed.items) {
    if (!entry.bad) script.speed.emplace_back(number_at(entry.items[0]), number_at(entry.items[1]));
  }
  const Node& turn = children(node, "turn");
  check_rising(build, turn, field + ".turn");
  for (const Node& entry : turn.items) {
    if (!entry.bad) script.turn.emplace_back(number_at(entry.items[0]), unit_quaternion_at(entry.items[1]));
  }
  if (node.find("path") == nullptr && node.find("turn") == nullptr) {
    build.complaints.error(node.place, field, "found neither path nor turn; allowed: one or both");
  }
  return script;
}

void warn_of_unscripted(Build& build, const std::set<std::string>& scripted) {
  for (const BodySource& source : build.sources) {
    if (source.count == 0 || build.scene.bodies[source.first].kind != BodyKind::kScripted) continue;
    const std::string& name = build.scene.bodies[source.first].name;
    if (scripted.contains(name)) continue;
    build.complaints.warning(source.node->place, "bodies." + shorten(source.name),
                             "is scripted, but there is no script for it");
  }
}

}  // namespace

void build_scripts(Build& build, const Node& root) {
  std::set<std::string> scripted;
  const Node& scripts = children(root, "scripts");
  for (std::size_t i = 0; i < scripts.items.size(); ++i) {
    const Node& node = scripts.items[i];
    if (node.bad) continue;
    const Node* body = usable(node, "body");
    const std::string field = fmt::format("scripts[{}]", i);
    if (body != nullptr) check_scripted(build, *body, field);
    if (body != nullptr && !scripted.insert(body->text).second) {
      build.complaints.error(body->place, field + ".body",
                             fmt::format("the body '{}' has a script already", shorten(body->text)));
    }
    build.scene.scripts.push_back(read_script(build, node, field));
  }
  warn_of_unscripted(build, scripted);
}

void build_triggers(Build& build, const Node& root) {
  std::set<std::string> names;
  const Node& triggers = children(root, "triggers");
  for (std::size_t i = 0; i < triggers.items.size(); ++i) {
    const Node& node = triggers.items[i];
    if (node.bad) continue;
    const Node* name = usable(node, "name");
    const std::string field =
        name != nullptr ? fmt::format("triggers.{}", shorten(name->text)) : fmt::format("triggers[{}]", i);
    check_name(build, node, field);
    TriggerDescription trigger;
    if (name != nullptr) trigger.name = name->text;
    if (name != nullptr && !names.insert(name->text).second) {
      build.complaints.error(name->place, field + ".name",
                             fmt::format("a trigger named '{}' exists already", shorten(name->text)));
    }
    trigger.pose = build_pose(build, node, field);
    if (const Node* shape = usable(node, "shape"); shape != nullptr && !has_bad_part(*shape)) {
      const std::size_t errors = build.complaints.count_errors();
      trigger.shape = build_shape(build, *shape, field + ".shape");
      if (build.complaints.count_errors() == errors) {
        static_cast<void>(check_shape_use(build, *shape, trigger.shape, field + ".shape"));
      }
    }
    build.scene.triggers.push_back(std::move(trigger));
  }
}

void build_rules(Build& build, const Node& root) {
  std::unordered_set<std::string> known;
  std::vector<std::string> names = body_names(build);
  for (const BodyDescription& body : build.scene.bodies) {
    known.insert(body.name);
    if (!body.group.empty() && known.insert(body.group).second) names.push_back(body.group);
  }
  const Node& rules = children(root, "rules");
  for (std::size_t i = 0; i < rules.items.size(); ++i) {
    const Node& ignore = children(rules.items[i], "ignore");
    if (ignore.items.size() != 2 || has_bad_part(ignore)) continue;
    if (build.complaints.is_full()) names.clear();
    for (const Node& name : ignore.items) {
      if (known.contains(name.text)) continue;
      build.complaints.error(
          name.place, fmt::format("rules[{}].ignore", i),
          fmt::format("there is no group or body '{}'{}", shorten(name.text), suggestion(name.text, names)));
    }
    build.scene.rules.push_back({ignore.items[0].text, ignore.items[1].text});
  }
}

}  // namespace achilles::scene_file
