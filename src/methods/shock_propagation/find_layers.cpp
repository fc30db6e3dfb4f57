#include "methods/shock_propagation/find_layers.hpp"

#include "methods/shock_propagation/shock_workspace.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr std::size_t kSupportBlock = 64;

bool touched_before(const World& world, std::int32_t match) {
  if (match < 0) return false;
  const CachedContact& cached = world.memory().contact_cache.contacts[static_cast<std::size_t>(match)];
  const auto* first = world.memory().contact_cache.points.data() + cached.first;
  return std::any_of(first, first + cached.count, [](const CachedPoint& point) { return !point.impulse.isZero(0); });
}

/// What the analysis of stacks sees of the present contacts: each once, by the thread that found its points.
class SupportSearch {
 public:
  SupportSearch(const World& world, const ShockPropagationOptions& options, ShockWorkspace& work)
      : world_(world), options_(options), work_(work), stack_(work.stack) {
    const double g = world.gravity.norm();
    if (g > 0) up_ = -world.gravity / g;
    stack_.contact_support.resize(work.contacts.contacts.size());
  }

  void look_at(std::size_t index) {
    const Contact& contact = work_.contacts.contacts[index];
    double gap = options_.slop, lift = 0;
    bool touches = false;
    for (const ContactPoint& point : work_.contacts.points_of(contact)) {
      touches = touches || point.gap <= options_.slop;
      if (lift == 0 || point.gap < gap) lift = up_.dot(point.normal);
      gap = std::min(gap, point.gap);
    }
    touches = touches || touched_before(world_, work_.matches[index]);
    stack_.contact_support[index] = {{contact.body_a, contact.body_b, lift}, touches};
  }

  void find_heights() {
    stack_.support.clear();
    for (const ContactSupport& support : stack_.contact_support) {
      if (support.touches) stack_.support.push_back(support.edge);
    }
    if (options_.gravity_layers && !up_.isZero(0)) {
      find_stack_layers(stack_.support, work_.movable, stack_.layers);
    } else {
      find_distance_layers(stack_.support, work_.movable, stack_.layers);
    }
  }

 private:
  const World& world_;
  const ShockPropagationOptions& options_;
  ShockWorkspace& work_;
  LayerWorkspace& stack_;
  Vec3 up_ = Vec3::Zero();
};

}  // namespace

void find_layers(const World& world, const ShockPropagationOptions& options, ShockWorkspace& work) {
  SupportSearch search(world, options, work);
  const StageSize stages[] = {{work.contacts.contacts.size(), kSupportBlock}, {2, 1}};
  work.runner.run_stages(stages, [&](std::size_t stage, std::size_t first, std::size_t last) {
    if (stage == 0) {
      for (std::size_t index = first; index < last; ++index) search.look_at(index);
    } else {  // neither needs the other
      first == 0 ? search.find_heights() : partition_bodies(world, work, work.partition);
    }
  });
}

}  // namespace achilles
