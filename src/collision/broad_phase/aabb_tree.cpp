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
  nodes_.clear();
  parents_.clear();
  leaf_of_.clear();
  root_ = kNone;
  free_ = kNone;
  built_cost_ = 0;
}

std::int32_t AabbTree::allocate() {
  if (free_ != kNone) {
    const std::int32_t node = free_;
    free_ = parents_[index(node)];
    return node;
  }
  nodes_.emplace_back();
  parents_.push_back(kNone);
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

void AabbTree::release(std::int32_t node) {
  parents_[index(node)] = free_;
  free_ = node;
}

void AabbTree::build(std::span<const std::uint32_t> ids, std::span<const BoxF> boxes) {
  clear();
  if (ids.empty()) return;
  leaf_of_.assign(std::size_t{*std::max_element(ids.begin(), ids.end())} + 1, kNone);
  nodes_.reserve(2 * ids.size());
  parents_.reserve(2 * ids.size());
  items_.resize(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    items_[i] = {{center(boxes[i], 0), center(boxes[i], 1), center(boxes[i], 2)}, i};
  }
  root_ = build_range(items_, ids, boxes);
  parents_[index(root_)] = kNone;
  built_cost_ = refit_below(root_);
}

std::int32_t AabbTree::build_range(std::span<BuildItem> items, std::span<const std::uint32_t> ids,
                                   std::span<const BoxF> boxes) {
  const std::int32_t node = allocate();
  if (items.size() == 1) {
    const std::uint32_t place = items[0].place;
    nodes_[index(node)] = {boxes[place].lower, kNone, boxes[place].upper, static_cast<std::int32_t>(ids[place])};
    leaf_of_[ids[place]] = node;
    return node;
  }
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
  const std::int32_t left = build_range(items.first(left_count), ids, boxes);
  const std::int32_t right = build_range(items.subspan(left_count), ids, boxes);
  nodes_[index(node)].left = left;
  nodes_[index(node)].right = right;
  parents_[index(left)] = node;
  parents_[index(right)] = node;
  return node;
}

void AabbTree::set_box(std::uint32_t id, const BoxF& box) {
  Node& leaf = nodes_[index(leaf_of_[id])];
  leaf.lower = box.lower;
  leaf.upper = box.upper;
}

double AabbTree::refit_all() {
  const double cost = root_ == kNone ? 0 : refit_below(root_);
  return cost <= built_cost_ ? 1 : cost / built_cost_;
}

double AabbTree::refit_below(std::int32_t node) {
  const Node& inner = nodes_[index(node)];
  if (inner.is_leaf()) return 0;
  const double below = refit_below(inner.left) + refit_below(inner.right);
  refit(node);
  return below + static_cast<double>(half_area(inner.box()));
}

void AabbTree::insert(std::uint32_t id, const BoxF& box) {
  if (leaf_of_.size() <= id) leaf_of_.resize(std::size_t{id} + 1, kNone);
  const std::int32_t leaf = allocate();
  nodes_[index(leaf)] = {box.lower, kNone, box.upper, static_cast<std::int32_t>(id)};
  leaf_of_[id] = leaf;
  if (root_ == kNone) {
    root_ = leaf;
    parents_[index(leaf)] = kNone;
    return;
  }
  const std::int32_t sibling = find_sibling(box);
  const std::int32_t old_parent = parents_[index(sibling)];
  const std::int32_t inner = allocate();
  nodes_[index(inner)].left = sibling;
  nodes_[index(inner)].right = leaf;
  parents_[index(sibling)] = inner;
  parents_[index(leaf)] = inner;
  replace_child(old_parent, sibling, inner);
  refit_and_rotate_upward(inner);
}

void AabbTree::remove(std::uint32_t id) {
  const std::int32_t leaf = leaf_of_[id];
  leaf_of_[id] = kNone;
  const std::int32_t parent = parents_[index(leaf)];
  release(leaf);
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  const Node& node = nodes_[index(parent)];
  const std::int32_t sibling = node.left == leaf ? node.right : node.left;
  const std::int32_t grandparent = parents_[index(parent)];
  replace_child(grandparent, parent, sibling);
  release(parent);
  if (grandparent != kNone) refit_and_rotate_upward(grandparent);
}

void AabbTree::replace_child(std::int32_t parent, std::int32_t old_child, std::int32_t new_child) {
  parents_[index(new_child)] = parent;
  if (parent == kNone) {
    root_ = new_child;
    return;
  }
  Node& node = nodes_[index(parent)];
  (node.left == old_child ? node.left : node.right) = new_child;
}

// Greedy descent: at each inner node the new leaf either becomes its sibling, or goes down on the side where the tree
// grows less. Growing an inner node is paid by everything below it, hence the inherited cost.
std::int32_t AabbTree::find_sibling(const BoxF& box) const {
  std::int32_t current = root_;
  while (!nodes_[index(current)].is_leaf()) {
    const Node& node = nodes_[index(current)];
    const float combined = half_area(merged(node.box(), box));
    const float inherited = combined - half_area(node.box());
    const auto cost_below = [&](std::int32_t child) {
      const BoxF child_box = nodes_[index(child)].box();
      const float grown = half_area(merged(child_box, box));
      return inherited + (nodes_[index(child)].is_leaf() ? grown : grown - half_area(child_box));
    };
    const float left = cost_below(node.left);
    const float right = cost_below(node.right);
    if (combined < left && combined < right) break;
    current = left < right ? node.left : node.right;
  }
  return current;
}

void AabbTree::refit(std::int32_t node) {
  Node& inner = nodes_[index(node)];
  const BoxF box = merged(nodes_[index(inner.left)].box(), nodes_[index(inner.right)].box());
  inner.lower = box.lower;
  inner.upper = box.upper;
}

void AabbTree::refit_and_rotate_upward(std::int32_t node) {
  for (; node != kNone; node = parents_[index(node)]) {
    refit(node);
    rotate(node);
  }
}

// Exchanges a child with a grandchild on the other side where that shrinks the other child most: the box of `node`
// itself does not change. Keeps trees good that are fed in sorted order.
void AabbTree::rotate(std::int32_t node) {
  const Node& top = nodes_[index(node)];
  float best_gain = 0;
  std::int32_t best_upper = kNone;
  std::int32_t best_lower_parent = kNone;
  std::int32_t best_lower = kNone;
  const auto consider = [&](std::int32_t upper, std::int32_t lower_parent) {
    const Node& other = nodes_[index(lower_parent)];
    if (other.is_leaf()) return;
    const float area = half_area(other.box());
    const BoxF upper_box = nodes_[index(upper)].box();
    const float gain_left = area - half_area(merged(upper_box, nodes_[index(other.right)].box()));
    const float gain_right = area - half_area(merged(upper_box, nodes_[index(other.left)].box()));
    const float gain = std::max(gain_left, gain_right);
    if (gain > best_gain) {
      best_gain = gain;
      best_upper = upper;
      best_lower_parent = lower_parent;
      best_lower = gain_left >= gain_right ? other.left : other.right;
    }
  };
  consider(top.left, top.right);
  consider(top.right, top.left);
  if (best_upper != kNone) swap_subtrees(node, best_upper, best_lower_parent, best_lower);
}

void AabbTree::swap_subtrees(std::int32_t upper_parent, std::int32_t upper, std::int32_t lower_parent,
                             std::int32_t lower) {
  replace_child(upper_parent, upper, lower);
  replace_child(lower_parent, lower, upper);
  refit(lower_parent);
}

double AabbTree::compute_cost() const {
  double cost = 0;
  std::vector<std::int32_t> open;
  if (root_ != kNone) open.push_back(root_);
  while (!open.empty()) {
    const Node& node = nodes_[index(open.back())];
    open.pop_back();
    if (node.is_leaf()) continue;
    cost += 2.0 * static_cast<double>(half_area(node.box()));
    open.push_back(node.left);
    open.push_back(node.right);
  }
  return cost;
}

bool AabbTree::is_consistent() const {
  std::size_t leaves = 0;
  std::vector<std::int32_t> open;
  if (root_ != kNone) open.push_back(root_);
  if (root_ != kNone && parents_[index(root_)] != kNone) return false;
  while (!open.empty()) {
    const std::int32_t current = open.back();
    const Node& node = nodes_[index(current)];
    open.pop_back();
    if (node.is_leaf()) {
      if (leaf_of_[static_cast<std::size_t>(node.right)] != current) return false;
      ++leaves;
      continue;
    }
    const BoxF united = merged(nodes_[index(node.left)].box(), nodes_[index(node.right)].box());
    if (united.lower != node.lower || united.upper != node.upper) return false;
    if (parents_[index(node.left)] != current || parents_[index(node.right)] != current) return false;
    open.push_back(node.left);
    open.push_back(node.right);
  }
  const auto in_tree = std::count_if(leaf_of_.begin(), leaf_of_.end(), [](std::int32_t leaf) { return leaf != kNone; });
  return static_cast<std::size_t>(in_tree) == leaves;
}

}  // namespace achilles
