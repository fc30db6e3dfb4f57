// The contact graph at one instant, [Erleben04, secs. 5.1-5.2], for programs and people to look at. It is made on
// request from what the World and the last step hold anyway; no step needs it and none pays for it.
#pragma once

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// [Erleben04, table 5.1]. A logical rule has no node of its own: it is an edge between the two bodies it concerns.
enum class NodeKind : std::uint8_t {
  kRigid,
  kFixed,
  kScripted,
  kLink,       // a rigid body that a joint holds
  kComposite,  // a rigid body of several shapes
  kMultibody,  // the links that joints hold together
  kTrigger,
  kTimer
};

/// [Erleben04, table 5.2].
enum class EdgeKind : std::uint8_t {
  kRule,       // two bodies that pass through each other: by a rule, or a joint holds them
  kStructure,  // a link and its multibody
  kJoint,      // two bodies that a joint holds together
  kPresence,   // a body inside a trigger, where events are watched
  kContact
};

constexpr std::uint32_t kNoIsland = ~std::uint32_t{0};

struct GraphNode {
  NodeKind kind = NodeKind::kRigid;
  std::uint32_t index = 0;           // of the body, trigger or timer; of a multibody its lowest link
  std::uint32_t island = kNoIsland;  // island of a movable body; fixed and scripted bodies cut islands
  std::string name;
};

struct GraphLink {
  EdgeKind kind = EdgeKind::kContact;
  std::uint32_t a = 0, b = 0;   // indices of nodes, a < b
  Pose placement;               // of body b's frame in body a's, where both are bodies
  std::uint32_t points = 0;     // of a contact
  Vec3 impulse = Vec3::Zero();  // [N s] of a contact in the last step, on b, world axes
};

/// Nodes: all bodies in order, then multibodies, triggers, timers. Edges sorted by kind, then by their ends.
struct ContactGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphLink> edges;
  std::uint32_t islands = 0;
};

/// From a world and the contact points of its last step, Simulation::contacts(). Throws std::out_of_range where one
/// names a body that there is not, as after World::remove_body.
[[nodiscard]] ContactGraph make_contact_graph(const World& world, std::span<const ContactRecord> contacts);

[[nodiscard]] const char* to_string(NodeKind kind);
[[nodiscard]] const char* to_string(EdgeKind kind);

/// The graph in the language of Graphviz: `dot -Tsvg graph.dot > graph.svg`.
[[nodiscard]] std::string write_dot(const ContactGraph& graph);

}  // namespace achilles
