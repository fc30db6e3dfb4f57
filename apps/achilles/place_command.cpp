// Placing bodies by pulling them.
#include "commands.hpp"
#include "load.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

#include "record/output_file.hpp"

#include <achilles/import.hpp>
#include <achilles/placement.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace achilles::program {
namespace {

Vec3 parse_point(const std::string& text, const std::string& pull) {
  double x = 0, y = 0, z = 0;
  char end = 0, more = 0;
  if (std::sscanf(text.c_str(), " [ %lf , %lf , %lf %c %c", &x, &y, &z, &end, &more) != 4 || end != ']' ||
      !std::isfinite(x + y + z)) {
    throw BadInput(fmt::format("--pull {}: '{}' is no point; allowed: [x,y,z] in metres", pull, text));
  }
  return {x, y, z};
}

/// BODY=[x,y,z] or BODY@[px,py,pz]=[x,y,z].
Pull parse_pull(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw BadInput(fmt::format("--pull {}: allowed: BODY=[x,y,z], or BODY@[px,py,pz]=[x,y,z] for a point of it", text));
  }
  Pull pull;
  pull.target = parse_point(text.substr(equals + 1), text);
  pull.body = text.substr(0, equals);
  const std::size_t at = pull.body.rfind('@');
  if (at == std::string::npos) return pull;
  pull.point_B = parse_point(pull.body.substr(at + 1), text);
  pull.body.resize(at);
  return pull;
}

/// Edits that put the present poses of the bodies into the scene file.
std::vector<Override> describe_poses(const Placement& placement) {
  std::vector<Override> changes;
  for (const BodyDescription& body : placement.scene.bodies) {
    if (std::find(placement.moved.begin(), placement.moved.end(), body.name) == placement.moved.end()) continue;
    if (body.name.ends_with(']')) {
      throw BadInput(
          fmt::format("body '{}' moves, but a scene places only all copies of a repetition together; "
                      "write it as a body of its own",
                      body.name));
    }
    const std::string path = "bodies." + body.name;
    for (const char* other : {".euler", ".axis_angle"}) changes.push_back({path + other, "null"});
    changes.push_back(
        {path + ".position", fmt::format("[{}, {}, {}]", body.pose.p.x(), body.pose.p.y(), body.pose.p.z())});
    changes.push_back({path + ".orientation", fmt::format("[{}, {}, {}, {}]", body.pose.q.w(), body.pose.q.x(),
                                                          body.pose.q.y(), body.pose.q.z())});
  }
  return changes;
}

}  // namespace

int place(const PlaceArguments& arguments) {
  std::vector<Pull> pulls;
  for (const std::string& text : arguments.pulls) pulls.push_back(parse_pull(text));
  const Scene scene = load(arguments.scene);
  const NamedFile output{"--output", arguments.output};
  check_outputs(list_inputs(scene), {&output, 1});
  Placement placement;
  try {
    placement = place_bodies(scene, pulls);
  } catch (const std::invalid_argument& error) {
    throw BadInput(fmt::format("--pull: {}", error.what()));
  }
  std::vector<Override> overrides = parse_sets(arguments.scene);
  const std::vector<Override> poses = describe_poses(placement);
  overrides.insert(overrides.end(), poses.begin(), poses.end());
  const Scene placed = load_scene(arguments.scene.file, overrides);
  const std::string folder = std::filesystem::path(arguments.output).parent_path().string();
  replace_file(arguments.output, move_scene_text(placed, folder));

  fmt::print("moved {} of {} bodies in {} steps; the farthest point is {:.2g} m from its target\n",
             placement.moved.size(), scene.bodies.size(), placement.steps, placement.distance);
  announce_file(arguments.output);
  if (placement.arrived) return kDone;
  std::string obstacles;
  for (const std::string& name : placement.obstacles) obstacles += (obstacles.empty() ? "" : ", ") + name;
  fmt::print(stderr, "achilles: not all points reached their targets{}\n",
             obstacles.empty() ? "" : "; in the way: " + obstacles);
  return kStopped;
}

}  // namespace achilles::program
