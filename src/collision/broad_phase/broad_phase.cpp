#include "collision/broad_phase/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

// Bounds come from a handful of operations, each exact to half a unit in the last place of its largest operand.
constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();

bool reaches_into(const Aabb& box, const BroadPhaseProxy& half_space) {
  const Vec3 center = box.center();
  const Vec3 half = 0.5 * box.extent();
  return half_space.normal.dot(center) - half_space.normal.cwiseAbs().dot(half) <= half_space.offset;
}

}  // namespace

BroadPhaseProxy make_proxy(const Collider& collider, double margin) {
  const Transform& X = collider.X_WG;
  BroadPhaseProxy proxy;
  proxy.body = collider.body;
  proxy.movable = collider.movable;
  proxy.filter = collider.filter;
  proxy.box = compute_bounds(*collider.geometry, X);
  const double scale = X.p.cwiseAbs().maxCoeff();
  const double look_ahead = 0.5 * margin + collider.reach;
  if (!X.R.allFinite() || !X.p.allFinite() || !(proxy.box.lower.array() <= proxy.box.upper.array()).all() ||
      !std::isfinite(look_ahead)) {
    throw std::invalid_argument("broad phase: a collider of body " + std::to_string(collider.body) +
                                " has a pose, bounds or reach that are not finite");
  }
  const auto growth = [&](double x) { return look_ahead + (std::isfinite(x) ? kRounding * (scale + std::abs(x)) : 0); };
  proxy.box.lower -= proxy.box.lower.unaryExpr(growth);
  proxy.box.upper += proxy.box.upper.unaryExpr(growth);
  if (const auto* plane = std::get_if<PlaneGeometry>(&collider.geometry->kind)) {
    proxy.half_space = true;
    proxy.normal = X.R * plane->normal;
    const double shift = proxy.normal.dot(X.p);
    proxy.offset = plane->offset + shift;
    proxy.offset += look_ahead + kRounding * (scale + std::abs(plane->offset));
  }
  return proxy;
}

bool is_ignored(std::uint32_t body_a, std::uint32_t body_b, std::span<const IgnoredPair> ignored) {
  return std::binary_search(ignored.begin(), ignored.end(),
                            IgnoredPair{std::min(body_a, body_b), std::max(body_a, body_b)});
}

bool half_spaces_meet(const BroadPhaseProxy& a, const BroadPhaseProxy& b) {
  if (a.half_space && !b.half_space && b.is_bounded()) return reaches_into(b.box, a);
  if (b.half_space && !a.half_space && a.is_bounded()) return reaches_into(a.box, b);
  return a.box.overlaps(b.box);
}

void find_pairs_brute_force(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                            std::vector<ColliderPair>& pairs) {
  pairs.clear();
  for (std::uint32_t a = 0; a < proxies.size(); ++a) {
    for (std::uint32_t b = a + 1; b < proxies.size(); ++b) {
      if (boxes_intersect(proxies[a], proxies[b]) && may_collide(proxies[a], proxies[b], ignored))
        pairs.push_back({a, b});
    }
  }
}

namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace

void find_pairs(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                const BroadPhaseMethod& method, BlockRunner& runner, BroadPhaseWorkspace& scratch,
                std::vector<ColliderPair>& pairs) {
  std::visit(Overloaded{[&](const TreeOptions& options) {
                          find_pairs_tree(proxies, ignored, options, runner, scratch.tree, pairs);
                        },
                        [&](const SweepOptions&) { find_pairs_sweep(proxies, ignored, scratch.sweep, pairs); },
                        [&](const BruteForceOptions&) { find_pairs_brute_force(proxies, ignored, pairs); }},
             method);
}

}  // namespace achilles
