// A robot between its file and the scene: links placed in the world as the scene starts, and what joins them. Every
// part knows where it was written, so that later errors name the place in the robot file.
#pragma once

#include "scene/yaml/node.hpp"

#include <achilles/scene.hpp>
#include <achilles/shape.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace achilles::scene_file {

/// A shape as robot files have it.
struct ModelShape {
  enum class Kind : std::uint8_t {
    kSphere,       // size: radius
    kBox,          // size: full edges
    kCapsule,      // size: radius, length of the straight part
    kCylinder,     // size: radius, height
    kCone,         // size: radius, height
    kPlane,        // normal z
    kEllipsoid,    // size: half axes
    kMesh,         // file and scale, or points
    kHeightfield,  // rows of heights
  };
  Kind kind = Kind::kSphere;
  Vec3 size = Vec3::Zero();  // [m]
  std::string file;          // relative to the robot file's folder
  Vec3 scale = Vec3::Ones();
  std::vector<Vec3> points;                  // [m] of a mesh that is written in the file: its convex hull
  std::vector<std::vector<double>> heights;  // [m]
  Vec2 cell = Vec2::Ones();                  // [m]
  Pose pose;                                 // in the link's frame
  std::optional<Color> color;
  Place place;
};

struct ModelLink {
  std::string name;
  Place place;
  Pose pose;        // in the world, at the start
  int parent = -1;  // the link in whose frame the scene writes the pose; -1: the world
  bool fixed = false;
  bool is_made = false;  // by the reader, between joints of one body: it has no mass of its own
  MassProperties mass;   // in the link's frame; 0 where the file gives none
  Place mass_place;
  std::vector<ModelShape> colliders;
  std::vector<ModelShape> visuals;
  std::string material = "default";
  CollisionFilter filter;
};

struct ModelJoint {
  JointDescription description;  // in the world, at the start; bodies by name of link
  int first = -1;                // link; -1: the world
  int second = -1;
  double effort = 0;  // [N m] or [N] that its motor has, where there is one; 0: not known
  Place place;
};

template <typename Description>
struct Placed {
  Description description;
  Place place;
};

struct Model {
  std::string name;
  Place place;
  std::optional<Vec3> gravity;
  double step = 0.002;  // [s]
  std::string method;   // empty: the scene's standard
  std::vector<Material> materials;
  std::vector<MaterialPair> pairs;
  std::vector<ModelLink> links;
  std::vector<ModelJoint> joints;
  std::vector<Placed<CouplingDescription>> couplings;
  std::vector<Placed<SensorDescription>> sensors;
  std::vector<Placed<RuleDescription>> rules;
};

}  // namespace achilles::scene_file
