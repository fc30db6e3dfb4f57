#include "collision/broad_phase/aabb_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

float round_down(double x) {
  const auto rounded = static_cast<float>(x);
  return rounded > x ? std::nextafter(rounded, -std::numeric_limits<float>::infinity()) : rounded;
}

float round_up(double x) {
  const auto rounded = static_cast<float>(x);
  return rounded < x ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

BoxF merged(const BoxF& a, const BoxF& b) {
  BoxF result;
  for (std::size_t k = 0; k < 3; ++k) {
    result.lower[k] = std::min(a.lower[k], b.lower[k]);
    result.upper[k] = std::max(a.upper[k], b.upper[k]);
  }
  return result;
}

// Half the surface: the chance that a random ray or small box meets the box, up to a factor.
float half_area(const BoxF& box) {
  const float x = box.upper[0] - box.lower[0];
  const float y = box.upper[1] - box.lower[1];
  const float z = box.upper[2] - box.lower[2];
  return x * y + y * z + z * x;
}

float center(const BoxF& box, std::size_t axis) { return 0.5F * (box.lower[axis] + box.upper[axis]); }

}  // namespace

BoxF round_outward(const Aabb& box) {
  BoxF result;
  for (std::size_t k = 0; k < 3; ++k) {
    result.lower[k] = round_down(box.lower[static_cast<Eigen::Index>(k)]);
    result.upper[k] = round_up(box.upper[static_cast<Eigen::Index>(k)]);
  }
  return result;
}

void AabbTree::clear() {
  twins_.clear();
  parents_.clear();
  leaf_of_.clear();
  root_ = kNone;
  free_ = kNone;
  built_cost_ = 0;
}

std::int32_t AabbTree::allocate() {
  if (free_ != kNone) {
    const std::int32_t twins = free_;
    free_ = parents_[index(twins)];
    return twins;
  }
  twins_.emplace_back();
  parents_.push_back(kNone);
  return static_cast<std::int32_t>(twins_.size()) - 1;
}

void AabbTree::release(std::int32_t twins) {
  parents_[index(twins)] = free_;
  free_ = twins;
}

void AabbTree::put_leaf(std::int32_t node, std::uint32_t id, const BoxF& box) {
  at(node) = {box.lower, kNone, box.upper, id};
  leaf_of_[id] = node;
}

void AabbTree::put_below(std::int32_t node, std::int32_t twins) {
  at(node).below = twins;
  parents_[index(twins)] = node;
}

/// What lay elsewhere, with all below it.
void AabbTree::put(std::int32_t node, const Node& contents) {
  at(node) = contents;
  (contents.is_leaf() ? leaf_of_[contents.id] : parents_[index(contents.below)]) = node;
}

void AabbTree::build(std::span<const std::uint32_t> ids, std::span<const BoxF> boxes) {
  clear();
  if (ids.empty()) return;
  leaf_of_.assign(std::size_t{*std::max_element(ids.begin(), ids.end())} + 1, kNone);
  twins_.reserve(ids.size());
  parents_.reserve(ids.size());
  items_.resize(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    items_[i] = {{center(boxes[i], 0), center(boxes[i], 1), center(boxes[i], 2)}, i};
  }
  root_ = 2 * allocate();
  parent_of(root_) = kNone;
  build_range(root_, items_, ids, boxes);
  built_cost_ = refit_below(root_);
}

void AabbTree::build_range(std::int32_t node, std::span<BuildItem> items, std::span<const std::uint32_t> ids,
                           std::span<const BoxF> boxes) {
  if (items.size() == 1) return put_leaf(node, ids[items[0].place], boxes[items[0].place]);
  BoxF centers{items[0].center, items[0].center};
  for (const BuildItem& item : items) {
    for (std::size_t k = 0; k < 3; ++k) {
      centers.lower[k] = std::min(centers.lower[k], item.center[k]);
      centers.upper[k] = std::max(centers.upper[k], item.center[k]);
    }
  }
  std::size_t axis = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (centers.upper[k] - centers.lower[k] > centers.upper[axis] - centers.lower[axis]) axis = k;
  }
  const float middle = center(centers, axis);
  const auto split =
      std::partition(items.begin(), items.end(), [&](const BuildItem& item) { return item.center[axis] < middle; });
  auto left_count = static_cast<std::size_t>(split - items.begin());
  // A split that leaves less than a tenth on one side (coinciding centres, one far outlier) gives way to the median,
  // which bounds the depth of the recursion by a multiple of log n.
  if (10 * std::min(left_count, items.size() - left_count) < items.size()) {
    left_count = items.size() / 2;
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(left_count), items.end(),
                     [&](const BuildItem& i, const BuildItem& j) { return i.center[axis] < j.center[axis]; });
  }
  const std::int32_t below = allocate();
  put_below(node, below);
  build_range(2 * below, items.first(left_count), ids, boxes);
  build_range(2 * below + 1, items.subspan(left_count), ids, boxes);
}

void AabbTree::set_box(std::uint32_t id, const BoxF& box) {
  Node& leaf = at(leaf_of_[id]);
  leaf.lower = box.lower;
  leaf.upper = box.upper;
}

double AabbTree::refit_all() {
  const double cost = root_ == kNone ? 0 : refit_below(root_);
  return cost <= built_cost_ ? 1 : cost / built_cost_;
}

double AabbTree::refit_below(std::int32_t node) {
  const Node& inner = at(node);
  if (inner.is_leaf()) return 0;
  const double left = refit_below(left_of(inner)), below = left + refit_below(right_of(inner));
  refit(node);
  return below + static_cast<double>(half_area(inner.box()));
}

void AabbTree::insert(std::uint32_t id, const BoxF& box) {
  if (leaf_of_.size() <= id) leaf_of_.resize(std::size_t{id} + 1, kNone);
  const std::int32_t twins = allocate();
  if (root_ == kNone) {
    root_ = 2 * twins;
    parent_of(root_) = kNone;
    return put_leaf(root_, id, box);
  }
  // What is there makes room for the parent of both.
  const std::int32_t sibling = find_sibling(box);
  put(2 * twins, at(sibling));
  put_leaf(2 * twins + 1, id, box);
  put_below(sibling, twins);
  refit_and_rotate_upward(sibling);
}

void AabbTree::remove(std::uint32_t id) {
  const std::int32_t leaf = leaf_of_[id], sibling = leaf ^ 1, parent = parent_of(leaf);
  leaf_of_[id] = kNone;
  if (parent == kNone) {
    root_ = kNone;
  } else {
    put(parent, at(sibling));
  }
  release(leaf / 2);
  if (parent != kNone) refit_and_rotate_upward(parent_of(parent));
}

// Greedy descent: at each inner node the new leaf either becomes its sibling, or goes down on the side where the tree
// grows less. Growing an inner node is paid by everything below it, hence the inherited cost.
std::int32_t AabbTree::find_sibling(const BoxF& box) const {
  std::int32_t current = root_;
  while (!at(current).is_leaf()) {
    const Node& node = at(current);
    const float combined = half_area(merged(node.box(), box));
    const float inherited = combined - half_area(node.box());
    const auto cost_below = [&](std::int32_t child) {
      const BoxF child_box = at(child).box();
      const float grown = half_area(merged(child_box, box));
      return inherited + (at(child).is_leaf() ? grown : grown - half_area(child_box));
    };
    const float left = cost_below(left_of(node));
    const float right = cost_below(right_of(node));
    if (combined < left && combined < right) break;
    current = left < right ? left_of(node) : right_of(node);
  }
  return current;
}

void AabbTree::refit(std::int32_t node) {
  Node& inner = at(node);
  const BoxF box = merged(at(left_of(inner)).box(), at(right_of(inner)).box());
  inner.lower = box.lower;
  inner.upper = box.upper;
}

void AabbTree::refit_and_rotate_upward(std::int32_t node) {
  for (; node != kNone; node = parent_of(node)) {
    refit(node);
    rotate(node);
  }
}

// Exchanges a child with a grandchild on the other side where that shrinks the other child most: the box of `node`
// itself does not change. Keeps trees good that are fed in sorted order.
void AabbTree::rotate(std::int32_t node) {
  const std::int32_t left = left_of(at(node)), right = right_of(at(node));
  float best_gain = 0;
  std::int32_t best_upper = kNone;
  std::int32_t best_lower_parent = kNone;
  std::int32_t best_lower = kNone;
  const auto consider = [&](std::int32_t upper, std::int32_t lower_parent) {
    const Node& other = at(lower_parent);
    if (other.is_leaf()) return;
    const float area = half_area(other.box());
    const BoxF upper_box = at(upper).box();
    const float gain_left = area - half_area(merged(upper_box, at(right_of(other)).box()));
    const float gain_right = area - half_area(merged(upper_box, at(left_of(other)).box()));
    const float gain = std::max(gain_left, gain_right);
    if (gain > best_gain) {
      best_gain = gain;
      best_upper = upper;
      best_lower_parent = lower_parent;
      best_lower = gain_left >= gain_right ? left_of(other) : right_of(other);
    }
  };
  consider(left, right);
  consider(right, left);
  if (best_upper == kNone) return;
  const Node upper = at(best_upper);
  put(best_upper, at(best_lower));
  put(best_lower, upper);
  refit(best_lower_parent);
}

double AabbTree::compute_cost() const {
  double cost = 0;
  std::vector<std::int32_t> open;
  if (root_ != kNone) open.push_back(root_);
  while (!open.empty()) {
    const Node& node = at(open.back());
    open.pop_back();
    if (node.is_leaf()) continue;
    cost += 2.0 * static_cast<double>(half_area(node.box()));
    open.push_back(left_of(node));
    open.push_back(right_of(node));
  }
  return cost;
}

bool AabbTree::is_consistent() const {
  std::size_t leaves = 0;
  std::vector<std::int32_t> open;
  if (root_ != kNone) open.push_back(root_);
  if (root_ != kNone && parent_of(root_) != kNone) return false;
  while (!open.empty()) {
    const std::int32_t current = open.back();
    const Node& node = at(current);
    open.pop_back();
    if (node.is_leaf()) {
      if (leaf_of_[node.id] != current) return false;
      ++leaves;
      continue;
    }
    const BoxF united = merged(at(left_of(node)).box(), at(right_of(node)).box());
    if (united.lower != node.lower || united.upper != node.upper) return false;
    if (parents_[index(node.below)] != current) return false;
    open.push_back(left_of(node));
    open.push_back(right_of(node));
  }
  const auto in_tree = std::count_if(leaf_of_.begin(), leaf_of_.end(), [](std::int32_t leaf) { return leaf != kNone; });
  return static_cast<std::size_t>(in_tree) == leaves;
}

}  // namespace achilles
