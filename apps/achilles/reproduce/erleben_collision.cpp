// Erleben, sections 6.2 and 6.3: distance maps with resampled surfaces and a tree of balls; contacts of boxes.
#include "reproduce/erleben_shapes.hpp"
#include "reproduce/experiment.hpp"

#include "collision/contact/collide.hpp"
#include "collision/contact/distance_map_contacts.hpp"
#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/gjk.hpp"

#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <random>

namespace achilles::reproduce {
namespace {

// ---- E7: how many samples ----

struct SampleCounts {
  std::size_t vertices, edges, faces;  // samples of vertices; and of edges; and of faces
  std::size_t balls_vertices, balls_edges, balls_faces;
};

SampleCounts count_samples(const MeshGeometry& mesh, double cell) {
  const auto vertices = make_samples(mesh, cell, SampleKind::kVertices);
  const auto edges = make_samples(mesh, cell, SampleKind::kVerticesAndEdges);
  const auto faces = make_samples(mesh, cell, SampleKind::kAll);
  return {vertices.size(),
          edges.size(),
          faces.size(),
          make_sample_tree(vertices).size(),
          make_sample_tree(edges).size(),
          make_sample_tree(faces).size()};
}

/// The largest error of the map within a cell of the surface, in cells.
double worst_map_error(const Mesh& description, double cell, int tries) {
  const MeshGeometry mesh = make_mesh_geometry(description);
  const DistanceGrid grid = make_distance_grid(mesh, cell);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> along(0, 1), off(-cell, cell);
  std::uniform_int_distribution<std::size_t> pick(0, mesh.triangles.size() - 1);
  double worst = 0;
  for (int k = 0; k < tries; ++k) {
    const SurfaceTriangle triangle = mesh.triangle(static_cast<std::uint32_t>(pick(random)));
    const double s = along(random), t = along(random) * (1 - s);
    const auto& [a, b, c] = triangle.corners;
    const Vec3 x = a + s * (b - a) + t * (c - a) + off(random) * triangle.normal;
    const double exact = find_closest_point(mesh, x).distance;
    worst = std::max(worst, std::abs(std::abs(grid.look_up(x).distance) - exact) / cell);
  }
  return worst;
}

Outcome run_sampling(const Setting& setting) {
  const Mesh box = make_box_mesh(5), ring = make_ring_mesh(1, 0.4, 47, 16);
  const SampleCounts of_box = count_samples(make_mesh_geometry(box), 0.2 / 8.5 / std::sqrt(3.0));
  const SampleCounts of_ring = count_samples(make_mesh_geometry(ring), 0.0146);
  const int tries = setting.full ? 200000 : 5000;
  const double error = std::max(worst_map_error(box, 0.05, tries), worst_map_error(ring, 0.05, tries));
  const bool is_box_same = of_box.vertices == 56 && of_box.edges == 536 && of_box.faces == 542;
  const bool is_ring_alike = of_ring.vertices == 752 && of_ring.edges > 6000 && of_ring.edges < 24000;
  Outcome outcome;
  outcome.verdict = is_box_same && is_ring_alike && error < 0.5 ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format(
      "box: {}, {}, {} samples, {}, {}, {} nodes; ring of 752 vertices: {}, {}, {} samples; error of the maps at most "
      "{:.2f} cells",
      of_box.vertices, of_box.edges, of_box.faces, of_box.balls_vertices, of_box.balls_edges, of_box.balls_faces,
      of_ring.vertices, of_ring.edges, of_ring.faces, error);
  outcome.note =
      "The thesis gives no size of its cells: that of the box is chosen between 8 and 9 thresholds to an edge. Its cow "
      "is not published: a ring with as many vertices stands for it. Trees have one leaf to a sample; the splits of "
      "the "
      "upper levels differ, and with them the number of inner nodes.";
  return outcome;
}

// ---- E8: stacks and piles of distance maps ----

struct MapScene {
  std::string name;
  Scene scene;
};

MapScene make_map_scene(const std::string& name, const DistanceMap& map, const std::vector<Pose>& poses) {
  MapScene made{name,
                parse_scene("{achilles: 1, time: {step: 0.01, duration: 1}, method: {name: lcp-fixed, iterations: "
                            "30}, materials: {default: {friction: 0.25, restitution: 0}}, bodies: [{name: ground, "
                            "kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}]}")};
  for (const Pose& pose : poses) {
    BodyDescription body;
    body.name = fmt::format("body{}", made.scene.bodies.size());
    body.shape = {map};
    body.density = 10;
    body.pose = pose;
    made.scene.bodies.push_back(body);
  }
  return made;
}

std::vector<MapScene> make_map_scenes(bool full) {
  std::vector<Pose> stack, pile;
  for (int k = 0; k < 4; ++k) stack.push_back({{0, 0, 0.5 + k}, Quat::Identity()});
  const int side = full ? 4 : 2;
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell(i % side, i / side % side, i / (side * side));
    pile.push_back({{1.3 * cell.x() + 0.1 * cell.z(), 1.3 * cell.y(), 0.3 + 0.6 * cell.z()},
                    Quat(Eigen::AngleAxisd(0.4 * i, Vec3(1, 0.3 * i, 0.5).normalized()))});
  }
  return {make_map_scene("stack", {make_box_mesh(1), 0.1}, stack),
          make_map_scene("oversampled stack", {make_box_mesh(1), 0.04}, stack),
          make_map_scene("pile", {make_ring_mesh(0.35, 0.15, 24, 12), 0.02}, pile)};
}

struct MapRun {
  double fastest = 0;        // [m/s] that any body was
  double tree = 0, all = 0;  // [s] spent searching with the tree and without
  bool is_same = true;       // both found the same number of points
  Curve points;              // over time
};

/// Contacts between all bodies at the present poses, once with the tree and once without.
std::size_t search_both_ways(const World& world, const Geometry& map, MapRun& run) {
  std::array<std::size_t, 2> found{};
  // The first round only fills caches.
  for (const bool is_timed : {false, true}) {
    for (const SampleSearch search : {SampleSearch::kTree, SampleSearch::kAll}) {
      std::vector<ContactPoint> points;
      const std::clock_t start = std::clock();
      for (std::size_t i = 1; i < world.bodies.size(); ++i) {
        for (std::size_t j = i + 1; j < world.bodies.size(); ++j) {
          if ((world.bodies.position[i] - world.bodies.position[j]).norm() > 2 * map.radius) continue;
          append_map_contacts(map, to_transform(world.bodies.frame(i)), map, to_transform(world.bodies.frame(j)),
                              {0.001, search}, points);
        }
      }
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      if (is_timed) (search == SampleSearch::kTree ? run.tree : run.all) += seconds;
      found[search == SampleSearch::kTree ? 0 : 1] = points.size();
    }
  }
  run.is_same = run.is_same && found[0] == found[1];
  return found[0];
}

MapRun run_maps(const MapScene& scene, int steps) {
  MapRun run;
  run.points.name = scene.name;
  Simulation simulation(scene.scene);
  const auto map = make_geometry(scene.scene.bodies.back().shape).front().geometry;
  for (int k = 0; k < steps; ++k) {
    (void)simulation.step();
    for (const BodyVelocity& velocity : simulation.world().bodies.velocity) {
      run.fastest = std::max(run.fastest, velocity.linear.norm());
    }
    if (k % 10 != 0) continue;
    run.points.x.push_back(simulation.world().time);
    run.points.y.push_back(static_cast<double>(search_both_ways(simulation.world(), *map, run)));
  }
  return run;
}

/// Figure 6.38 to its end: whether the whole pile has come to rest, and what it is like then. A round body that rocks
/// on others loses nothing while it rolls: the last ones take seconds.
bool settle_pile(const Setting& setting, std::string& ours) {
  constexpr double kRest = 1e-3, kEarly = 10;  // [J], [s]
  Simulation simulation(load_scene((setting.scenes / "erleben" / "freeform_pile.yaml").string()));
  const World& world = simulation.world();
  double deepest = 0, rest = 0;
  std::ptrdiff_t moving = 0;
  while (world.time < simulation.scene().duration - 0.5 * simulation.step_length()) {
    if (simulation.step().stopped) return false;
    if (world.step_index % 10 == 0) deepest = std::max(deepest, simulation.penetration());
    if (world.kinetic_energy() >= kRest) rest = world.time;
    if (world.time < kEarly) {
      moving = std::count_if(world.bodies.velocity.begin(), world.bodies.velocity.end(),
                             [](const BodyVelocity& u) { return u.linear.norm() > 1e-3; });
    }
  }
  ours += fmt::format(
      "; pile of 250: {} still rock at {} s, under {} J from {:.1f} s on, {:.1g} J, {:.1g} m deep after {} s, at most "
      "{:.2g} m on the way",
      moving, kEarly, kRest, rest, world.kinetic_energy(), simulation.penetration(), simulation.scene().duration,
      deepest);
  return world.kinetic_energy() < kRest;
}

Outcome run_map_scenes(const Setting& setting) {
  const int steps = setting.full ? 300 : 40;
  Outcome outcome;
  Plot plot{"Contact points between bodies", "time [s]", "points", false, false, {}};
  bool is_calm = true, is_same = true;
  std::vector<double> gain;
  for (const MapScene& scene : make_map_scenes(setting.full)) {
    const MapRun run = run_maps(scene, steps);
    // A body that only falls is no faster than from the top of the pile.
    is_calm = is_calm && run.fastest < (scene.name == "pile" ? 9 : 0.5);
    is_same = is_same && run.is_same;
    gain.push_back(run.all / run.tree);
    outcome.ours += fmt::format("{}{}: tree {:.1f} times as fast, up to {:.2f} m/s", outcome.ours.empty() ? "" : "; ",
                                scene.name, gain.back(), run.fastest);
    plot.curves.push_back(run.points);
  }
  if (setting.full) is_calm = settle_pile(setting, outcome.ours) && is_calm;
  outcome.plots = {plot};
  outcome.verdict = is_calm && is_same && gain[2] > gain[0] ? Verdict::holds : Verdict::differs;
  outcome.note =
      "Rings stand for the cows, which are not published, and fewer of them (with --full 250 as well, to their rest); "
      "method lcp-fixed with 30 sweeps. The tree finds the same points as brute force here, in the thesis it loses "
      "some. Stacks do not blow up, oversampled or not.";
  return outcome;
}

// ---- E9: contacts of boxes ----

/// The choice of the old method: the axis of least overlap, whatever it is [Erleben04, fig. 6.42].
bool old_takes_edges(const Transform& X_AB) {
  const Vec3 half = Vec3::Constant(0.5);
  const BoxAxes axes = find_box_axes(half, half, X_AB, std::numeric_limits<double>::infinity());
  return axes.edges.separation > std::max(axes.face_a.separation, axes.face_b.separation);
}

struct Flicker {
  int trials = 0, old_edges = 0, old_flips = 0, edges = 0, flips = 0;
};

/// Unit boxes on top of each other with the errors of a simulation, looked at twice a hair apart.
Flicker count_flicker(int trials) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  const Geometry box = *make_geometry({Box{Vec3::Ones()}}).front().geometry;
  Flicker flicker;
  flicker.trials = trials;
  for (int k = 0; k < trials; ++k) {
    const double error = std::pow(10, -6 + 3 * std::abs(unit(random)));
    std::array<bool, 2> old_edges{}, edges{};
    Transform X{Eigen::AngleAxisd(error, vector().normalized()).toRotationMatrix(),
                Vec3(0.5 * unit(random), 0.5 * unit(random), 1 - error)};
    for (std::size_t look = 0; look < 2; ++look) {
      std::vector<ContactPoint> points;
      collide(box, {}, box, X, {0.01, false}, points);
      old_edges[look] = old_takes_edges(X);
      edges[look] = points.size() < 3 || points.front().normal.z() < 0.99;
      X.R = Eigen::AngleAxisd(error, vector().normalized()) * X.R;
      X.p += 0.01 * error * vector();
    }
    flicker.old_edges += old_edges[0];
    flicker.old_flips += old_edges[0] != old_edges[1];
    flicker.edges += edges[0];
    flicker.flips += edges[0] != edges[1];
  }
  return flicker;
}

struct WallRun {
  double moved = 0;  // [m] the furthest any brick is from where it stood
  Curve fastest{"repaired contacts", {}, {}, false};
};

WallRun run_wall(const Setting& setting, double duration) {
  WallRun run;
  Simulation simulation(load_scene(setting.scenes / "erleben/wall.yaml"));
  const std::vector<Vec3> start = simulation.world().bodies.position;
  while (simulation.world().time < duration) {
    (void)simulation.step();
    double fastest = 0;
    for (const BodyVelocity& v : simulation.world().bodies.velocity) fastest = std::max(fastest, v.linear.norm());
    run.fastest.x.push_back(simulation.world().time);
    run.fastest.y.push_back(fastest);
  }
  for (std::size_t i = 0; i < start.size(); ++i) {
    run.moved = std::max(run.moved, (simulation.world().bodies.position[i] - start[i]).norm());
  }
  return run;
}

Outcome run_box_contacts(const Setting& setting) {
  const Flicker flicker = count_flicker(setting.full ? 1000000 : 20000);
  const WallRun wall = run_wall(setting, setting.full ? 30 : 0.5);
  const double late =
      *std::max_element(wall.fastest.y.end() - static_cast<long>(wall.fastest.y.size() / 2), wall.fastest.y.end());
  Outcome outcome;
  const bool is_quiet = flicker.edges == 0 && flicker.flips == 0 && late < 0.1;
  outcome.verdict = is_quiet && flicker.old_flips > 0 ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format(
      "boxes at rest taken for edge against edge: old {:.1f} %, repaired {}; changing between looks: old {:.1f} %, "
      "repaired {}; wall: no brick faster than {:.1e} m/s in the second half, none moved by more than {:.1e} m",
      100.0 * flicker.old_edges / flicker.trials, flicker.edges, 100.0 * flicker.old_flips / flicker.trials,
      flicker.flips, late, wall.moved);
  outcome.note =
      "The old method is judged by its choice of axis alone, which is what makes its contacts jump; the wall is run "
      "with "
      "the repaired contacts and lcp-fixed.";
  outcome.plots = {{"Fastest brick of the wall", "time [s]", "speed [m/s]", false, false, {wall.fastest}}};
  return outcome;
}

}  // namespace

std::vector<Experiment> erleben_collision_experiments() {
  return {{"E7", "samples of distance maps", "tables 6.4-6.5",
           "box of 152 vertices, 450 edges, 300 faces; free-form mesh of 752 vertices",
           "box: samples 56, 536, 542, nodes 65, 745, 754; cow: samples 752, 11995, 13495", run_sampling},
          {"E8", "stacks and piles of distance maps", "tables 6.6-6.7, figures 6.31-6.40",
           "step 0.01 s; boxes stacked, sampled sensibly and too finely, and a pile of free-form bodies",
           "the tree of balls pays off for the pile only; oversampled walls blow up", run_map_scenes},
          {"E9", "contacts of boxes", "section 6.3, figures 6.41-6.46", "wall of 200 bricks, step 0.01 s, 30 s",
           "with the old contacts the wall jitters, with the repaired ones it is quiet", run_box_contacts}};
}

}  // namespace achilles::reproduce
