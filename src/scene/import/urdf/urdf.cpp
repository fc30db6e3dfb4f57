#include "scene/import/urdf/urdf.hpp"

#include "scene/import/urdf/links.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

struct UrdfJoint {
  const XmlNode* node = nullptr;
  std::string name;
  std::string type;
  int parent = -1;
  int child = -1;
  Pose origin;  // of the child's frame in the parent's at position 0
  Vec3 axis = Vec3::UnitX();
  std::optional<std::pair<double, double>> limits;
  double effort = 0;
  double damping = 0;
  double friction = 0;
  double start = 0;  // [rad] or [m]
  struct Mimic {
    std::string joint;
    double multiplier = 1;
    double offset = 0;
    Place place;
  };
  std::optional<Mimic> mimic;
};

constexpr std::array<std::string_view, 7> kUrdfJointTypes{"revolute", "continuous", "prismatic", "fixed",
                                                          "floating", "planar",     "spherical"};

class UrdfReader {
 public:
  UrdfReader(ImportContext& context, const XmlNode& robot) : context_(context), robot_(robot) {}

  Model read() {
    model_.name = text_at(robot_, "name");
    model_.place = robot_.place;
    read_links();
    read_surfaces();
    for (const XmlNode& node : robot_.children) {
      if (node.name == "joint") read_joint(node);
    }
    if (model_.links.empty()) context_.error(robot_.place, "the robot has no <link>");
    if (!find_starts() || !sort_tree()) return std::move(model_);
    for (const int joint : order_) place_child(joints_[static_cast<std::size_t>(joint)]);
    add_mimics();
    rename_world();
    return std::move(model_);
  }

 private:
  void read_links() {
    const std::map<std::string, Color> colors = read_urdf_colors(context_, robot_);
    for (const XmlNode& node : robot_.children) {
      if (node.name != "link") continue;
      const std::string name = text_at(node, "name");
      if (name.empty()) {
        context_.error(node.place, "a <link> has no name");
      } else if (!link_index_.emplace(name, static_cast<int>(model_.links.size())).second) {
        context_.error(node.place, fmt::format("a link named '{}' exists already", shorten(name)));
      } else {
        model_.links.push_back(read_urdf_link(context_, node, colors, model_.materials));
      }
    }
  }

  // <gazebo reference="LINK"><mu1>0.9</mu1>, the friction that Gazebo reads.
  void read_surfaces() {
    std::set<std::string> known;
    for (const XmlNode& node : robot_.children) {
      if (node.name != "gazebo") continue;
      const XmlNode* mu1 = node.find("mu1");
      const XmlNode* mu2 = node.find("mu2");
      if (mu1 == nullptr && mu2 == nullptr) continue;
      const XmlNode& first = mu1 != nullptr ? *mu1 : *mu2;
      const std::string name = text_at(node, "reference");
      const auto link = link_index_.find(name);
      if (link == link_index_.end()) {
        context_.leave_out(first.place, fmt::format("<{}> of '{}', which is no link", first.name, shorten(name)));
      } else if (mu1 == nullptr) {
        context_.leave_out(first.place, "<mu2> without <mu1>");
      } else if (!known.insert(name).second) {
        context_.leave_out(first.place, fmt::format("a further <mu1> of the link '{}'", shorten(name)));
      } else {
        read_friction(*mu1, mu2, model_.links[static_cast<std::size_t>(link->second)]);
      }
    }
  }

  void read_friction(const XmlNode& mu1, const XmlNode* mu2, ModelLink& link) {
    const auto read = [&](const XmlNode& node) -> std::optional<double> {
      const std::string text = node.text.empty() ? text_at(node, "value") : node.text;
      const auto numbers = parse_numbers(context_, text, node.place, node.name);
      if (numbers && numbers->size() == 1 && numbers->front() >= 0) return numbers->front();
      if (numbers) context_.error(node.place, fmt::format("<{}>: allowed: one number of at least 0", node.name));
      return std::nullopt;
    };
    const std::optional<double> along = read(mu1);
    const std::optional<double> across = mu2 != nullptr ? read(*mu2) : along;
    if (!along || !across) return;
    ContactLaw law;
    law.friction = *along;
    link.material = add_surface(model_.materials, link.name, law);
    if (*across == *along) return;
    context_.leave_out(mu2->place, "<mu2> that differs from <mu1>: friction is the same in all directions");
  }

  int find_link(const XmlNode& joint, const char* end) {
    const XmlNode* node = joint.find(end);
    if (node == nullptr) {
      context_.error(joint.place, fmt::format("the joint '{}' has no <{}>", shorten(text_at(joint, "name")), end));
      return -1;
    }
    const std::string name = text_at(*node, "link");
    const auto found = link_index_.find(name);
    if (found != link_index_.end()) return found->second;
    std::vector<std::string> names;
    for (const ModelLink& link : model_.links) names.push_back(link.name);
    context_.error(node->place, fmt::format("there is no link '{}'{}", shorten(name), suggestion(name, names)));
    return -1;
  }

  void read_joint(const XmlNode& node) {
    UrdfJoint joint;
    joint.node = &node;
    joint.name = text_at(node, "name");
    joint.type = text_at(node, "type");
    joint.parent = find_link(node, "parent");
    joint.child = find_link(node, "child");
    if (joint.name.empty()) context_.error(node.place, "a <joint> has no name");
    if (std::find(kUrdfJointTypes.begin(), kUrdfJointTypes.end(), joint.type) == kUrdfJointTypes.end()) {
      const std::vector<std::string> types(kUrdfJointTypes.begin(), kUrdfJointTypes.end());
      context_.error(node.place, fmt::format("the joint '{}' is of the unknown type '{}'{}", shorten(joint.name),
                                             shorten(joint.type), suggestion(joint.type, types)));
      return;
    }
    joint.origin = read_urdf_origin(context_, node);
    read_axis(node, joint);
    read_limits(node, joint);
    if (const XmlNode* dynamics = node.find("dynamics")) {
      joint.damping = not_negative(*dynamics, "damping");
      joint.friction = not_negative(*dynamics, "friction");
    }
    if (const XmlNode* mimic = node.find("mimic")) {
      joint.mimic = UrdfJoint::Mimic{text_at(*mimic, "joint"), number_at(context_, *mimic, "multiplier").value_or(1),
                                     number_at(context_, *mimic, "offset").value_or(0), mimic->place};
    }
    if (joint.parent < 0 || joint.child < 0) return;
    if (!joint_index_.emplace(joint.name, joints_.size()).second) {
      context_.error(node.place, fmt::format("a joint named '{}' exists already", shorten(joint.name)));
      return;
    }
    joints_.push_back(std::move(joint));
  }

  double not_negative(const XmlNode& node, std::string_view key) {
    const double value = number_at(context_, node, key).value_or(0);
    if (value >= 0) return value;
    context_.error(node.place, fmt::format("{} is {}; allowed: a number of at least 0", key, value));
    return 0;
  }

  void read_axis(const XmlNode& node, UrdfJoint& joint) {
    const XmlNode* axis = node.find("axis");
    if (axis == nullptr) return;
    const Vec3 direction = vec3_at(context_, *axis, "xyz").value_or(Vec3::UnitX());
    const double length = direction.stableNorm();
    const bool is_used = joint.type != "fixed" && joint.type != "floating" && joint.type != "spherical";
    if (is_used && !(length > 0)) context_.error(axis->place, "the axis has length 0");
    if (length > 0) joint.axis = direction / length;
  }

  void read_limits(const XmlNode& node, UrdfJoint& joint) {
    const bool is_revolute = joint.type == "revolute", is_prismatic = joint.type == "prismatic";
    const XmlNode* limit = node.find("limit");
    if (limit == nullptr) {
      if (is_revolute || is_prismatic) {
        context_.error(node.place, fmt::format("the {} joint '{}' has no <limit>", joint.type, shorten(joint.name)));
      }
      return;
    }
    joint.effort = number_at(context_, *limit, "effort").value_or(0);
    if (!is_revolute && !is_prismatic) return;
    const double lower = number_at(context_, *limit, "lower").value_or(0);
    const double upper = number_at(context_, *limit, "upper").value_or(0);
    if (lower < upper) {
      joint.limits = {lower, upper};
    } else if (lower > upper) {
      context_.error(limit->place, fmt::format("the lower limit {} is above the upper limit {}", lower, upper));
    } else {
      // Exporters write 0 and 0 for a joint whose limits nobody gave; a joint that cannot move is a fixed one.
      context_.note(limit->place,
                    fmt::format("both limits of '{}' are {}, read as: no limits. A joint that cannot move "
                                "is of type fixed",
                                shorten(joint.name), lower));
    }
  }

  static bool has_position(const UrdfJoint& joint) {
    return joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic";
  }

  double start_of(const UrdfJoint& joint) {
    const double wanted = has_position(joint) ? context_.take_start(joint.name).value_or(0) : 0;
    if (!joint.limits) return wanted;
    const double start = std::clamp(wanted, joint.limits->first, joint.limits->second);
    if (start != wanted) {
      context_.note(joint.node->place, fmt::format("'{}' starts at {}, the nearest to {} that its limits allow",
                                                   shorten(joint.name), start, wanted));
    }
    return start;
  }

  /// Followers start where their leaders put them, through chains of them.
  bool find_starts() {
    std::vector<bool> is_known(joints_.size(), false);
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      if (!joints_[i].mimic) joints_[i].start = start_of(joints_[i]);
      is_known[i] = !joints_[i].mimic;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < joints_.size(); ++i) {
        if (is_known[i]) continue;
        const UrdfJoint::Mimic& mimic = *joints_[i].mimic;
        const auto leader = joint_index_.find(mimic.joint);
        if (leader == joint_index_.end()) {
          std::vector<std::string> names;
          for (const UrdfJoint& joint : joints_) names.push_back(joint.name);
          context_.error(mimic.place,
                         fmt::format("there is no joint '{}'{}", shorten(mimic.joint), suggestion(mimic.joint, names)));
          return false;
        }
        if (!is_known[leader->second]) continue;
        joints_[i].start = mimic.multiplier * joints_[leader->second].start + mimic.offset;
        is_known[i] = changed = true;
      }
    }
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      if (is_known[i]) continue;
      context_.error(joints_[i].mimic->place, fmt::format("'{}' follows itself in a circle", shorten(joints_[i].name)));
      return false;
    }
    return true;
  }

  /// The joints in an order in which every parent is placed before its children; complains of loops and second parents.
  bool sort_tree() {
    std::vector<int> holder(model_.links.size(), -1);
    bool is_tree = true;
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      int& held_by = holder[static_cast<std::size_t>(joints_[i].child)];
      if (held_by >= 0) {
        context_.error(joints_[i].node->place,
                       fmt::format("the link '{}' has two parents, by the joints '{}' and '{}'; allowed: one",
                                   shorten(model_.links[static_cast<std::size_t>(joints_[i].child)].name),
                                   shorten(joints_[static_cast<std::size_t>(held_by)].name), shorten(joints_[i].name)));
        is_tree = false;
      }
      held_by = static_cast<int>(i);
    }
    if (!is_tree) return false;
    std::vector<int> open;
    for (std::size_t i = 0; i < holder.size(); ++i) {
      if (holder[i] < 0) open.push_back(static_cast<int>(i));
    }
    std::vector<std::vector<int>> children(model_.links.size());
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      children[static_cast<std::size_t>(joints_[i].parent)].push_back(static_cast<int>(i));
    }
    for (std::size_t k = 0; k < open.size(); ++k) {
      for (const int joint : children[static_cast<std::size_t>(open[k])]) {
        order_.push_back(joint);
        open.push_back(joints_[static_cast<std::size_t>(joint)].child);
      }
    }
    std::set<int> reached(open.begin(), open.end());
    for (const UrdfJoint& joint : joints_) {
      if (reached.contains(joint.child)) continue;
      context_.error(joint.node->place,
                     fmt::format("the joint '{}' is part of a circle of links; allowed: a tree", shorten(joint.name)));
      return false;
    }
    sort_links(open);
    return true;
  }

  /// Parents before children, as the scene wants them.
  void sort_links(const std::vector<int>& order) {
    std::vector<int> number(order.size());
    std::vector<ModelLink> sorted;
    for (const int link : order) {
      number[static_cast<std::size_t>(link)] = static_cast<int>(sorted.size());
      sorted.push_back(std::move(model_.links[static_cast<std::size_t>(link)]));
    }
    model_.links = std::move(sorted);
    for (UrdfJoint& joint : joints_) {
      joint.parent = number[static_cast<std::size_t>(joint.parent)];
      joint.child = number[static_cast<std::size_t>(joint.child)];
    }
  }

  void place_child(const UrdfJoint& joint) {
    const ModelLink& parent = model_.links[static_cast<std::size_t>(joint.parent)];
    ModelLink& child = model_.links[static_cast<std::size_t>(joint.child)];
    const Pose frame = compose(parent.pose, joint.origin);
    Pose moved;
    if (joint.type == "prismatic") moved.p = joint.start * joint.axis;
    if (joint.type == "revolute" || joint.type == "continuous")
      moved = turn_about(Vec3::Zero(), joint.axis, joint.start);
    child.pose = compose(frame, moved);
    child.parent = joint.parent;
    if (joint.type == "planar" || joint.type == "spherical" || joint.type == "floating") report_lost_dynamics(joint);
    if (joint.type == "floating") return;
    ModelJoint made;
    made.place = joint.node->place;
    made.first = joint.parent;
    made.second = joint.child;
    made.effort = joint.effort;
    made.description.name = joint.name;
    made.description.first = parent.name;
    made.description.second = child.name;
    made.description.at = child.pose.p;
    made.description.kind = kind_of(joint.type);
    if (joint.type != "fixed" && joint.type != "spherical") made.description.axes.push_back(axis_of(joint, child.pose));
    model_.joints.push_back(std::move(made));
  }

  static JointKind kind_of(const std::string& type) {
    if (type == "prismatic") return JointKind::kSlider;
    if (type == "planar") return JointKind::kPlanar;
    if (type == "spherical") return JointKind::kBall;
    return type == "fixed" ? JointKind::kFixed : JointKind::kHinge;
  }

  static JointAxis axis_of(const UrdfJoint& joint, const Pose& frame) {
    JointAxis axis;
    axis.axis = frame.q * joint.axis;
    if (joint.type == "planar") return axis;
    if (joint.limits) axis.limits = {joint.limits->first - joint.start, joint.limits->second - joint.start};
    axis.damping = joint.damping;
    axis.friction = joint.friction;
    return axis;
  }

  void report_lost_dynamics(const UrdfJoint& joint) {
    if (joint.damping == 0 && joint.friction == 0) return;
    context_.leave_out(joint.node->place, fmt::format("damping and friction of a {} joint", joint.type));
  }

  void add_mimics() {
    for (const UrdfJoint& joint : joints_) {
      if (!joint.mimic) continue;
      const UrdfJoint& leader = joints_[joint_index_.at(joint.mimic->joint)];
      if (!has_position(joint) || !has_position(leader)) {
        context_.leave_out(joint.mimic->place,
                           fmt::format("<mimic> of a {} joint that follows a {} one", joint.type, leader.type));
        continue;
      }
      CouplingDescription coupling;
      coupling.name = joint.name + " follows " + joint.mimic->joint;
      coupling.terms = {{joint.name, 0, 1}, {joint.mimic->joint, 0, -joint.mimic->multiplier}};
      model_.couplings.push_back({coupling, joint.mimic->place});
    }
  }

  // `world` means the ground in a scene; in a URDF it is by custom a link to which the base is fixed.
  void rename_world() {
    for (ModelLink& link : model_.links) {
      if (link.name != kWorldBody) continue;
      link.name = "world link";
      link.fixed = true;
      link.mass = {};
      for (ModelJoint& joint : model_.joints) {
        if (joint.description.first == kWorldBody) joint.description.first = link.name;
        if (joint.description.second == kWorldBody) joint.description.second = link.name;
      }
    }
  }

  ImportContext& context_;
  const XmlNode& robot_;
  Model model_;
  std::map<std::string, int> link_index_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::size_t> joint_index_;
  std::vector<int> order_;
};

}  // namespace

Model read_urdf(ImportContext& context, const XmlNode& robot) { return UrdfReader(context, robot).read(); }

}  // namespace achilles::scene_file
