#include "engines/engine.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace achilles::bench {
namespace {

// This version keeps a dense matrix of all rows in a buffer whose size is an int: 2 GiB.
constexpr std::size_t kMostRows = 10'500;
constexpr std::size_t kLeastRowsPerBody = 15;  // five points of contact of three rows
constexpr std::size_t kStack = 200'000'000;    // numbers

std::string write(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }
std::string write(const Quat& q) { return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z()); }

std::string write_geometry(const Shape& shape) {
  if (const auto* box = std::get_if<Box>(&shape.kind)) {
    return fmt::format("<geom type=\"box\" size=\"{}\"/>", write(Vec3(0.5 * box->size)));
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape.kind)) {
    return fmt::format("<geom type=\"sphere\" size=\"{:.17g}\"/>", sphere->radius);
  }
  const Plane& plane = std::get<Plane>(shape.kind);
  return fmt::format("<geom type=\"plane\" size=\"0 0 1\" pos=\"{}\" zaxis=\"{}\"/>",
                     write(Vec3(plane.offset * plane.normal)), write(plane.normal));
}

/// The scene as a model text, with the engine's own settings but for elliptic cones, which need fewer rows, and a
/// sparse Jacobian and conjugate gradients, which for hundreds of bodies are several times faster than its Newton
/// method.
std::string write_model(const Scene& scene) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "<mujoco><compiler angle=\"radian\"/><size nconmax=\"{}\" njmax=\"{}\" nstack=\"{}\"/>",
                 kMostRows / 3, kMostRows, kStack);
  fmt::format_to(out,
                 "<option timestep=\"{:.17g}\" gravity=\"{}\" jacobian=\"sparse\" cone=\"elliptic\" solver=\"CG\"/>",
                 scene.step, write(scene.gravity));
  fmt::format_to(out, "<default><geom friction=\"{:.17g} 0 0\"/></default><worldbody>",
                 scene.materials.front().law.friction);
  for (const BodyDescription& body : scene.bodies) {
    fmt::format_to(out, "<body pos=\"{}\" quat=\"{}\">", write(body.pose.p), write(body.pose.q));
    if (body.kind == BodyKind::kDynamic) {
      const SolidMass solid = weigh(body);
      fmt::format_to(out, "<freejoint/><inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", solid.mass,
                     write(solid.inertia));
    }
    fmt::format_to(out, "{}</body>", write_geometry(body.shape));
  }
  text += "</worldbody></mujoco>";
  return text;
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size())) != 0) {
    throw std::runtime_error("MuJoCo: no room for the model's text");
  }
  std::memcpy(files->filedata[0], text.data(), text.size());
  std::array<char, 500> error{};
  mjModel* model = mj_loadXML("scene.xml", files.get(), error.data(), static_cast<int>(error.size()));
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error.data());
  return model;
}

class MujocoEngine final : public Engine {
 public:
  explicit MujocoEngine(const Scene& scene) : model_(load(write_model(scene))), data_(mj_makeData(model_)) {
    mj_forward(model_, data_);
  }
  ~MujocoEngine() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  /// Whether all contacts of the first instant found room.
  [[nodiscard]] bool is_whole() const {
    return data_->warning[mjWARN_CONTACTFULL].number == 0 && data_->warning[mjWARN_CNSTRFULL].number == 0;
  }
  void step() override { mj_step(model_, data_); }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    // Body 0 is the world. Of what can move the joint's coordinates are of the end of the step, xpos of its beginning.
    const std::size_t own = body + 1;
    const int joint = model_->body_jntadr[own];
    if (joint < 0) return read(data_->xpos + 3 * own, data_->xquat + 4 * own);
    const mjtNum* q = data_->qpos + model_->jnt_qposadr[joint];
    return read(q, q + 3);
  }

 private:
  static Pose read(const mjtNum* p, const mjtNum* q) { return {Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3])}; }

  mjModel* model_;
  mjData* data_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco(const Scene& scene, int) {
  const auto is_known = [](const BodyDescription& body) {
    const auto& kind = body.shape.kind;
    const bool known = std::holds_alternative<Box>(kind) || std::holds_alternative<Sphere>(kind) ||
                       std::holds_alternative<Plane>(kind);
    return known && body.kind != BodyKind::kScripted;
  };
  if (kLeastRowsPerBody * scene.bodies.size() > kMostRows) return nullptr;
  const bool able = scene.joints.empty() && std::all_of(scene.bodies.begin(), scene.bodies.end(), is_known);
  if (!able) return nullptr;
  auto engine = std::make_unique<MujocoEngine>(scene);
  return engine->is_whole() ? std::move(engine) : nullptr;
}

}  // namespace achilles::bench
