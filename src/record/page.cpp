#include "record/page.hpp"

#include "record/base64.hpp"
#include "record/output_file.hpp"
#include "record/page_data.hpp"
#include "record/program_data.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMarker = "/*ACHILLES_DATA*/";

Json vector_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

const char* name_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::kFixed:
      return "fixed";
    case BodyKind::kScripted:
      return "scripted";
    case BodyKind::kDynamic:
      break;
  }
  return "dynamic";
}

Json parse(const Recording& recording, const std::string& text, const std::string& what) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw std::runtime_error(recording.path() + ": " + what + " is not JSON");
  return value;
}

Json quaternion_of(const Quat& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

/// Adds to the bodies what they look like.
void describe_looks(const RobotHead& robots, Json& bodies) {
  for (const RecordedColor& color : robots.colors) bodies[color.body]["color"] = color.color;
  for (const RecordedVisual& visual : robots.visuals) {
    Json one = {
        {"shape", visual.shape}, {"position", vector_of(visual.pose.p)}, {"orientation", quaternion_of(visual.pose.q)}};
    if (visual.color) one["color"] = *visual.color;
    bodies[visual.body]["visuals"].push_back(std::move(one));
  }
}

Json describe_bodies(const Recording& recording) {
  Json list = Json::array();
  for (const RecordedBody& body : recording.head().bodies) {
    list.push_back({{"name", body.name},
                    {"kind", name_of(body.kind)},
                    {"shape", body.shape},
                    {"material", body.material},
                    {"mass", std::isfinite(body.mass) ? Json(body.mass) : Json(nullptr)},
                    {"center", vector_of(body.center)}});
  }
  describe_looks(recording.head().robots, list);
  return list;
}

/// As scenes write it.
const char* name_of(JointKind kind) {
  constexpr std::array<const char*, 8> kNames{"ball",      "hinge", "slider", "hinge2",
                                              "universal", "fixed", "planar", "distance"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json describe_joints(const RobotHead& robots) {
  Json list = Json::array();
  for (const RecordedJoint& joint : robots.joints) {
    Json axes = Json::array();
    for (std::uint32_t k = 0; k < joint.axis_count; ++k) axes.push_back(vector_of(joint.axes[k]));
    list.push_back({{"name", joint.name},
                    {"kind", name_of(joint.kind)},
                    {"bodies", {joint.body_a, joint.body_b}},
                    {"at", vector_of(joint.position)},
                    {"axes", std::move(axes)}});
  }
  return list;
}

Json describe_sensors(const RobotHead& robots) {
  Json list = Json::array();
  for (const RecordedColumn& column : robots.columns) {
    list.push_back({{"sensor", column.sensor}, {"column", column.column}, {"unit", column.unit}});
  }
  return list;
}

/// Names of the scene's triggers, where events may speak of them.
Json list_triggers(const Recording& recording) {
  Json names = Json::array();
  if (recording.event_count() == 0) return names;
  try {
    for (const TriggerDescription& trigger : recording.scene().triggers) names.push_back(trigger.name);
  } catch (const std::exception&) {
    // A scene whose files are gone: its triggers go by number.
  }
  return names;
}

Json describe(const Recording& recording, const PagePlan& plan, bool live) {
  const RecordingHead& head = recording.head();
  Json shapes = Json::array();
  for (std::size_t k = 0; k < head.shapes.size(); ++k) {
    shapes.push_back(parse(recording, head.shapes[k], "shape " + std::to_string(k)));
  }
  return {{"format", "achilles-page"},
          {"version", 1},
          {"achilles", head.version},
          {"scene", head.scene_name},
          {"source", head.source},
          {"method", head.method},
          {"impact", head.impact},
          {"solver", head.solver},
          {"step", head.step},
          {"gravity", vector_of(head.gravity)},
          {"body_count", recording.body_count()},
          {"instants", plan.instants.size()},
          {"recorded_instants", recording.instants()},
          {"decimated", plan.instants.size() < recording.instants()},
          {"over_budget", plan.is_over_budget},
          {"recorded_events", recording.event_count()},
          {"triggers", list_triggers(recording)},
          {"live", live},
          {"complete", recording.is_complete()},
          {"report", recording.is_complete() ? parse(recording, recording.report(), "the report") : Json(nullptr)},
          {"shapes", std::move(shapes)},
          {"bodies", describe_bodies(recording)},
          {"joints", describe_joints(head.robots)},
          {"sensors", describe_sensors(head.robots)},
          {"compression", "deflate"},
          {"arrays", describe_arrays(recording, plan)}};
}

/// JSON in ASCII; in it `<` stands in strings only, where it may be written as an escape.
std::string to_script(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string read_template(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) throw std::runtime_error(path + ": cannot read the template of the page: " + std::strerror(errno));
  return text;
}

/// The members of a recording's object, without its braces.
void write_recording(const Recording& recording, const PagePlan& plan, bool live, OutputFile& file) {
  file.write("\"header\": ");
  file.write(to_script(describe(recording, plan, live)));
  file.write(", \"data\": \"");
  Base64Writer data(file, true);
  write_arrays(recording, plan, data);
  file.write("\"");
}

/// Writes the template with what `write` writes in the place of the marker.
template <class Write>
void write_page(const std::string& out_path, const PageOptions& options, const Write& write) {
  const std::string template_file = options.template_file.empty() ? find_page_template() : options.template_file;
  const std::string page = read_template(template_file);
  const std::size_t at = page.find(kMarker);
  if (at == std::string::npos || page.find(kMarker, at + 1) != std::string::npos) {
    throw std::runtime_error(template_file + ": not the template of a page: it should contain " + std::string(kMarker) +
                             " exactly once");
  }
  const std::string_view text = page;
  OutputFile file(out_path);
  file.write(text.substr(0, at));
  write(file);
  file.write(text.substr(at + kMarker.size()));
  file.close();
}

}  // namespace

void export_page(const Recording& recording, const std::string& out_path, const PageOptions& options) {
  const PagePlan plan = plan_page(recording, options.budget);
  write_page(out_path, options, [&](OutputFile& file) {
    file.write("window.achilles_recording = {");
    write_recording(recording, plan, options.live, file);
    file.write("};");
  });
}

void export_comparison(std::span<const ComparedRun> runs, const std::string& out_path, const PageOptions& options) {
  if (runs.empty()) throw std::runtime_error(out_path + ": there is nothing to compare");
  std::vector<PagePlan> plans;
  for (const ComparedRun& run : runs) plans.push_back(plan_page(*run.recording, options.budget / runs.size()));
  write_page(out_path, options, [&](OutputFile& file) {
    file.write("window.achilles_comparison = [");
    for (std::size_t k = 0; k < runs.size(); ++k) {
      file.write(k > 0 ? ", {\"name\": " : "{\"name\": ");
      file.write(to_script(Json(runs[k].name)));
      if (!runs[k].certified.empty()) file.write(", \"certified\": " + to_script(Json(runs[k].certified)));
      file.write(", ");
      write_recording(*runs[k].recording, plans[k], false, file);
      file.write("}");
    }
    file.write("];");
  });
}

std::string find_page_template() {
  const auto found = find_program_data("template.html", "viewer/dist/template.html");
  if (found) return found->string();
  throw std::runtime_error(
      std::string(
          "cannot find template.html, the template of pages: it is neither in share/achilles of the prefix that "
          "the program or the library is installed in, nor in ") +
      kInstallPaths.data_folder + ", nor is viewer/dist/template.html in a folder above the program");
}

}  // namespace achilles
