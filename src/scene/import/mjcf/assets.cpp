// Meshes, height fields and materials of an MJCF file.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace achilles::scene_file {
namespace {

namespace fs = std::filesystem;

void read_mesh_asset(MjcfRobot& robot, const XmlNode& node) {
  const MjcfDocument& document = robot.document;
  const MjcfElement element = document.resolve(node, "");
  MjcfMesh mesh;
  mesh.place = node.place;
  mesh.scale = document.vec3(element, "scale", Vec3::Ones());
  const std::string file = element.text("file");
  const std::string name = element.text("name", fs::path(file).stem().string());
  if ((mesh.scale.array() == 0).any()) robot.context.error(node.place, "a factor of 'scale' is 0");
  if (const std::optional<std::vector<double>> v = document.numbers(element, "vertex")) {
    if (v->size() % 3 != 0) robot.context.error(node.place, fmt::format("vertex: {} numbers are no points", v->size()));
    for (std::size_t i = 0; i + 2 < v->size(); i += 3) {
      mesh.points.push_back(mesh.scale.cwiseProduct(Vec3((*v)[i], (*v)[i + 1], (*v)[i + 2])));
    }
    if (element.has("face"))
      robot.context.leave_out(node.place, "faces of a mesh in the file; its convex hull is taken");
  } else if (file.empty()) {
    mesh.missing = fmt::format("the mesh '{}' has neither a file nor vertices", shorten(name));
  } else {
    std::string reason;
    const fs::path folder = document.compiler().mesh_folder;
    const fs::path wanted = document.compiler().strips_path ? fs::path(file).filename() : fs::path(file);
    const std::optional<std::string> found =
        robot.context.find_file(wanted.generic_string(), robot.context.folder() / folder, reason);
    if (found) {
      mesh.file = *found;
    } else {
      mesh.missing = reason;
    }
  }
  robot.meshes[name] = std::move(mesh);
}

// The rows of `elevation` run from the far end in y to the near one; heights are scaled to lie between 0 and the size.
void read_height_asset(MjcfRobot& robot, const XmlNode& node) {
  const MjcfElement element(node);
  const std::string file = element.text("file");
  std::optional<MjcfHeights>& known =
      robot.heights[element.text("name", file.empty() ? "hfield 0" : fs::path(file).stem().string())];
  const std::vector<double> size = robot.document.numbers(element, "size").value_or(std::vector<double>());
  const auto count = [&](const char* key) {
    return static_cast<std::size_t>(std::clamp(robot.document.number(element, key).value_or(0), 0.0, 1e4));
  };
  const std::size_t rows = count("nrow"), columns = count("ncol");
  if (!file.empty()) return robot.context.leave_out(node.place, "a height field from a file");
  if (size.size() != 4 || rows < 2 || columns < 2) {
    return robot.context.error(node.place, "<hfield> needs nrow and ncol of at least 2 and a size of 4 numbers");
  }
  const std::vector<double> data = robot.document.numbers(element, "elevation").value_or(std::vector<double>());
  if (!data.empty() && data.size() != rows * columns) {
    return robot.context.error(node.place,
                               fmt::format("elevation: found {} numbers; allowed: {}", data.size(), rows * columns));
  }
  MjcfHeights heights;
  heights.cell = {2 * size[0] / static_cast<double>(columns - 1), 2 * size[1] / static_cast<double>(rows - 1)};
  heights.base = size[3];
  double low = 0, high = 0;
  if (!data.empty()) {
    low = *std::min_element(data.begin(), data.end());
    high = *std::max_element(data.begin(), data.end());
  }
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> row(columns, 0);
    for (std::size_t j = 0; j < columns && high > low; ++j) {
      row[j] = size[2] * (data[(rows - 1 - i) * columns + j] - low) / (high - low);
    }
    heights.rows.push_back(std::move(row));
  }
  known = std::move(heights);
}

}  // namespace

void read_mjcf_assets(MjcfRobot& robot) {
  for (const XmlNode* node : robot.document.list("asset")) {
    if (node->name == "mesh") read_mesh_asset(robot, *node);
    if (node->name == "hfield") read_height_asset(robot, *node);
    if (node->name != "material") continue;
    const MjcfElement material = robot.document.resolve(*node, "");
    const std::optional<std::vector<double>> rgba = robot.document.numbers(material, "rgba");
    if (!rgba || rgba->size() != 4) continue;
    robot.colors[material.text("name")] = {(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
  }
}

std::string name_of(const XmlNode& node, std::string_view standard, std::size_t number) {
  const std::string name = text_at(node, "name");
  return name.empty() ? fmt::format("{} {}", standard, number) : name;
}

}  // namespace achilles::scene_file
