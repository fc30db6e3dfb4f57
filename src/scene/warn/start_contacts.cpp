#include "scene/warn/warn.hpp"
#include "scene/wording.hpp"

#include "collision/broad_phase/aabb_tree.hpp"
#include "collision/collider.hpp"
#include "collision/contact/collide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr double kTouching = 1e-3;      // of the smaller size: nearer than that counts as touching
constexpr double kRounding = 1e-6;      // of the smaller size: shallower than that is how decimals fall
constexpr double kLargestRatio = 1000;  // of masses in contact
constexpr std::size_t kManyFound = 10'000;
constexpr std::size_t kManyPairs = 2'000'000;
constexpr double kMeasurable = 1e12;  // [m] and 1/m: beyond, squares of lengths leave what doubles resolve

struct Finding {
  double worst = 0;
  std::size_t a = 0;  // bodies
  std::size_t b = 0;
  std::size_t count = 0;

  void add(double value, std::size_t body_a, std::size_t body_b) {
    if (count++ == 0 || value > worst) {
      worst = value;
      a = body_a;
      b = body_b;
    }
  }
};

using SourcePair = std::pair<std::size_t, std::size_t>;

class StartContacts {
 public:
  explicit StartContacts(Build& build) : build_(build) {
    place_colliders();
    list_ignored();
  }

  void search() {
    std::vector<std::uint32_t> bounded;
    std::vector<std::uint32_t> unbounded;
    std::vector<BoxF> boxes;
    for (std::uint32_t i = 0; i < colliders_.size(); ++i) {
      const bool is_bounded = boxes_[i].lower.allFinite() && boxes_[i].upper.allFinite();
      (is_bounded ? bounded : unbounded).push_back(i);
      if (is_bounded) boxes.push_back(round_outward(boxes_[i]));
    }
    AabbTree tree;
    tree.build(bounded, boxes);
    for (std::size_t k = 0; k < bounded.size() && !is_done(); ++k) {
      const std::uint32_t i = bounded[k];
      if (!colliders_[i].movable) continue;
      for (const std::uint32_t j : unbounded) measure(i, j);
      tree.traverse([&](const BoxF& box) { return !is_done() && box.overlaps(boxes[k]); },
                    [&](std::uint32_t j) {
                      if (!colliders_[j].movable || i < j) measure(i, j);
                    });
    }
  }

  void report() {
    for (const auto& [pair, finding] : overlaps_) {
      warn(pair, fmt::format("overlaps {} by {:.3g} m at the start", name(finding.b), finding.worst), finding);
    }
    for (const auto& [pair, finding] : ratios_) {
      warn(pair,
           fmt::format("touches {}, and one is {:.4g} times as heavy as the other; above {} most methods need many "
                       "iterations",
                       name(finding.b), finding.worst, kLargestRatio),
           finding);
    }
    if (is_done()) {
      build_.complaints.warning(
          build_.sources.front().node->place, "bodies",
          fmt::format("the search for overlaps ended early, after {} pairs and {} overlaps", pairs_, found_));
    }
  }

 private:
  void place_colliders() {
    for (std::size_t s = 0; s < build_.sources.size(); ++s) {
      const BodySource& source = build_.sources[s];
      for (std::size_t body = source.first; body < source.first + source.count; ++body) {
        const BodyDescription& description = build_.scene.bodies[body];
        const Transform X_WB = to_transform(description.pose);
        source_of_.push_back(s);
        for (const GeometryPiece& piece : source.pieces) {
          const Transform X_WG = X_WB * to_transform(piece.pose);
          colliders_.push_back({piece.geometry.get(), X_WG, static_cast<std::uint32_t>(body), 0,
                                description.kind == BodyKind::kDynamic});
          boxes_.push_back(compute_bounds(*piece.geometry, X_WG).grown(kTouching * finite_size(*piece.geometry)));
        }
      }
    }
  }

  void list_ignored() {
    for (const RuleDescription& rule : build_.scene.rules) ignored_.insert(std::minmax(rule.first, rule.second));
    for (const JointDescription& joint : build_.scene.joints) {
      if (!joint.collide) ignored_.insert(std::minmax(joint.first, joint.second));
    }
  }

  [[nodiscard]] bool is_ignored(const BodyDescription& a, const BodyDescription& b) const {
    if (ignored_.empty()) return false;
    for (const std::string& first : {a.name, a.group}) {
      for (const std::string& second : {b.name, b.group}) {
        if (ignored_.contains(std::minmax(first, second))) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool is_done() const { return pairs_ > kManyPairs + 8 * colliders_.size() || found_ > kManyFound; }

  static double finite_size(const Geometry& geometry) { return std::isfinite(geometry.radius) ? geometry.radius : 0; }

  static bool is_measurable(const Collider& collider) {
    const double size = collider.geometry->radius;
    return is_convex(*collider.geometry) && (size < kMeasurable || std::isinf(size)) && size > 1 / kMeasurable &&
           collider.X_WG.p.cwiseAbs().maxCoeff() < kMeasurable;
  }

  void measure(std::uint32_t i, std::uint32_t j) {
    const Collider& a = colliders_[i];
    const Collider& b = colliders_[j];
    if (a.body == b.body || is_done()) return;
    ++pairs_;
    if (!is_measurable(a) || !is_measurable(b)) return;
    if (!boxes_[i].overlaps(boxes_[j])) return;
    const BodyDescription& body_a = build_.scene.bodies[a.body];
    const BodyDescription& body_b = build_.scene.bodies[b.body];
    const double gap = compute_signed_distance(*a.geometry, a.X_WG, *b.geometry, b.X_WG).distance;
    const double size = std::min(a.geometry->radius, b.geometry->radius);
    if (!(gap < kTouching * size) || !may_meet(body_a.collision, body_b.collision) || is_ignored(body_a, body_b))
      return;
    const std::size_t first = std::min(a.body, b.body);
    const std::size_t second = std::max(a.body, b.body);
    const SourcePair sources{source_of_[second], source_of_[first]};
    if (gap < -kRounding * size) {
      ++found_;
      overlaps_[sources].add(-gap, second, first);
    }
    const double mass_a = build_.sources[source_of_[a.body]].mass;
    const double mass_b = build_.sources[source_of_[b.body]].mass;
    const double ratio = std::max(mass_a, mass_b) / std::min(mass_a, mass_b);
    if (b.movable && ratio > kLargestRatio) ratios_[sources].add(ratio, second, first);
  }

  [[nodiscard]] std::string name(std::size_t body) const {
    return fmt::format("'{}'", shorten(build_.scene.bodies[body].name));
  }

  void warn(const SourcePair& pair, const std::string& what, const Finding& finding) {
    const BodySource& source = build_.sources[pair.first];
    std::string message = what;
    if (finding.count > 1) message += fmt::format(", and {} more pairs of the same entries do", finding.count - 1);
    build_.complaints.warning(source.node->place, "bodies." + shorten(build_.scene.bodies[finding.a].name), message);
  }

  Build& build_;
  std::vector<Collider> colliders_;
  std::vector<Aabb> boxes_;
  std::vector<std::size_t> source_of_;  // per body
  std::set<std::pair<std::string, std::string>> ignored_;
  std::map<SourcePair, Finding> overlaps_;  // the later entry first
  std::map<SourcePair, Finding> ratios_;
  std::size_t pairs_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

void warn_of_start_contacts(Build& build) {
  if (build.scene.bodies.empty()) return;
  StartContacts contacts(build);
  contacts.search();
  contacts.report();
}

}  // namespace achilles::scene_file
