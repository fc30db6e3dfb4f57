#include <achilles/contact_graph.hpp>

#include "graph/islands.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace achilles {
namespace {

/// Placement of b in a.
Pose place_in(const Pose& a, const Pose& b) {
  const Quat back = a.q.conjugate();
  return {back * (b.p - a.p), back * b.q};
}

class GraphMaker {
 public:
  GraphMaker(const World& world, std::span<const ContactRecord> contacts) : world_(world), contacts_(contacts) {}

  ContactGraph make() {
    add_bodies();
    add_multibodies();
    add_logic();
    add_contacts();
    number_islands();
    std::sort(graph_.edges.begin(), graph_.edges.end(), [](const GraphLink& x, const GraphLink& y) {
      return std::tuple(x.kind, x.a, x.b) < std::tuple(y.kind, y.a, y.b);
    });
    return std::move(graph_);
  }

 private:
  void add_bodies() {
    const BodyArrays& bodies = world_.bodies;
    std::vector<int> pieces(bodies.size(), 0);
    for (const WorldPiece& piece : world_.pieces) ++pieces[piece.body];
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
      const NodeKind kind = bodies.kind[i] == BodyKind::kFixed      ? NodeKind::kFixed
                            : bodies.kind[i] == BodyKind::kScripted ? NodeKind::kScripted
                            : pieces[i] > 1                         ? NodeKind::kComposite
                                                                    : NodeKind::kRigid;
      graph_.nodes.push_back({kind, i, kNoIsland, world_.names[i]});
    }
  }

  void add_edge(EdgeKind kind, std::uint32_t a, std::uint32_t b) {
    GraphLink link;
    link.kind = kind;
    link.a = std::min(a, b);
    link.b = std::max(a, b);
    if (link.b < world_.bodies.size()) {
      link.placement = place_in(world_.bodies.frame(link.a), world_.bodies.frame(link.b));
    }
    graph_.edges.push_back(link);
  }

  [[nodiscard]] std::vector<std::uint8_t> list_movable() const {
    std::vector<std::uint8_t> movable(world_.bodies.size());
    for (std::size_t i = 0; i < movable.size(); ++i) movable[i] = world_.bodies.is_movable(i) ? 1 : 0;
    return movable;
  }

  /// Links that joints hold together, cut at bodies that cannot move, are a multibody.
  void add_multibodies() {
    std::vector<GraphEdge> joints;
    for (const WorldJoint& joint : world_.joints) {
      joints.push_back({joint.body_a, joint.body_b});
      add_edge(EdgeKind::kJoint, joint.body_a, joint.body_b);
    }
    Islands mechanisms;
    find_islands(joints, list_movable(), mechanisms);
    for (std::size_t island = 0; island < mechanisms.size(); ++island) {
      std::vector<std::uint32_t> links;
      for (const std::uint32_t edge : mechanisms.edges_of(island)) {
        for (const std::uint32_t body : {joints[edge].body_a, joints[edge].body_b}) {
          if (world_.bodies.is_movable(body)) links.push_back(body);
        }
      }
      std::sort(links.begin(), links.end());
      links.erase(std::unique(links.begin(), links.end()), links.end());
      const auto node = static_cast<std::uint32_t>(graph_.nodes.size());
      graph_.nodes.push_back(
          {NodeKind::kMultibody, links.front(), kNoIsland, "mechanism of " + world_.names[links[0]]});
      for (const std::uint32_t body : links) {
        if (graph_.nodes[body].kind == NodeKind::kRigid) graph_.nodes[body].kind = NodeKind::kLink;
        add_edge(EdgeKind::kStructure, body, node);
      }
    }
  }

  void add_logic() {
    for (const auto& [first, second] : world_.ignored_pairs) add_edge(EdgeKind::kRule, first, second);
    const auto triggers = static_cast<std::uint32_t>(graph_.nodes.size());
    for (std::uint32_t k = 0; k < world_.triggers.size(); ++k) {
      graph_.nodes.push_back({NodeKind::kTrigger, k, kNoIsland, world_.triggers[k].name});
    }
    for (const Presence& presence : world_.events.inside) {
      add_edge(EdgeKind::kPresence, presence.body, triggers + presence.trigger);
    }
    for (std::uint32_t k = 0; k < world_.events.timers.size(); ++k) {
      graph_.nodes.push_back({NodeKind::kTimer, k, kNoIsland, "timer " + std::to_string(k)});
    }
  }

  void add_contacts() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, Vec3>> pairs;
    for (const ContactRecord& record : contacts_) {
      const auto [low, high] = std::minmax(record.body_a, record.body_b);
      auto& [points, impulse] = pairs.try_emplace({low, high}, 0U, Vec3::Zero()).first->second;
      ++points;
      impulse += record.body_b == high ? record.impulse : Vec3(-record.impulse);
    }
    for (const auto& [ends, contact] : pairs) {
      add_edge(EdgeKind::kContact, ends.first, ends.second);
      graph_.edges.back().points = contact.first;
      graph_.edges.back().impulse = contact.second;
    }
  }

  void number_islands() {
    std::vector<GraphEdge> ties;
    for (const GraphLink& link : graph_.edges) {
      if (link.kind == EdgeKind::kContact || link.kind == EdgeKind::kJoint) ties.push_back({link.a, link.b});
    }
    Islands islands;
    find_islands(ties, list_movable(), islands);
    for (std::size_t island = 0; island < islands.size(); ++island) {
      for (const std::uint32_t edge : islands.edges_of(island)) {
        for (const std::uint32_t body : {ties[edge].body_a, ties[edge].body_b}) {
          if (world_.bodies.is_movable(body)) graph_.nodes[body].island = static_cast<std::uint32_t>(island);
        }
      }
    }
    graph_.islands = static_cast<std::uint32_t>(islands.size());
  }

  const World& world_;
  std::span<const ContactRecord> contacts_;
  ContactGraph graph_;
};

std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

ContactGraph make_contact_graph(const World& world, std::span<const ContactRecord> contacts) {
  for (const ContactRecord& contact : contacts) {
    if (std::max(contact.body_a, contact.body_b) >= world.bodies.size()) {
      throw std::out_of_range("a contact names a body that there is not: bodies were removed since the step");
    }
  }
  return GraphMaker(world, contacts).make();
}

const char* to_string(NodeKind kind) {
  constexpr const char* kWords[] = {"rigid", "fixed", "scripted", "link", "composite", "multibody", "trigger", "timer"};
  return kWords[static_cast<std::size_t>(kind)];
}

const char* to_string(EdgeKind kind) {
  constexpr const char* kWords[] = {"rule", "structure", "joint", "presence", "contact"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string write_dot(const ContactGraph& graph) {
  constexpr const char* kShapes[] = {"circle", "box", "box", "circle", "doublecircle", "hexagon", "diamond", "diamond"};
  constexpr const char* kStyles[] = {"dotted", "dashed", "bold", "dotted", "solid"};
  std::string text = "graph contact_graph {\n  node [fontsize=10];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    std::string label = node.name;
    label.append("\n").append(to_string(node.kind));
    if (node.island != kNoIsland) label.append(", island ").append(std::to_string(node.island));
    text.append("  n")
        .append(std::to_string(i))
        .append(" [shape=")
        .append(kShapes[static_cast<std::size_t>(node.kind)]);
    text.append(", label=").append(quote(label)).append("];\n");
  }
  for (const GraphLink& link : graph.edges) {
    text.append("  n").append(std::to_string(link.a)).append(" -- n").append(std::to_string(link.b));
    text.append(" [style=").append(kStyles[static_cast<std::size_t>(link.kind)]).append("];\n");
  }
  return text.append("}\n");
}

}  // namespace achilles
