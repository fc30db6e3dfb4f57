#include "collision/contact/separating_axis.hpp"
#include "collision/detect.hpp"
#include "collision/engine.hpp"

namespace achilles::bench {
namespace {

class Pairs final : public Engine {
 public:
  explicit Pairs(const PairWorkload& work)
      : a_(make_geometry(work.a).front().geometry),
        b_(make_geometry(work.b).front().geometry),
        is_coherent_(work.is_coherent) {
    for (const PosePair& pose : work.poses) placed_.push_back({to_transform(pose.a), to_transform(pose.b)});
  }
  std::size_t run() override {
    std::size_t count = 0;
    // One pair as a step sees it: what separated it last is tried first.
    const bool remembers = is_coherent_ && can_remember_axis(*a_, *b_);
    for (const auto& [a, b] : placed_) {
      if (remembers && is_separated_along(axis_, *a_, a, *b_, b, 0)) continue;
      points_.clear();
      collide(*a_, a, *b_, b, {}, points_);
      count += points_.size();
      if (remembers) axis_ = points_.empty() ? find_separating_axis(*a_, a, *b_, b, 0) : SeparatingAxis{};
    }
    return count;
  }

 private:
  std::shared_ptr<const Geometry> a_, b_;
  const bool is_coherent_;
  SeparatingAxis axis_;
  std::vector<std::pair<Transform, Transform>> placed_;
  std::vector<ContactPoint> points_;
};

class Pile final : public Engine {
 public:
  explicit Pile(const PileWorkload& work)
      : shape_(make_geometry(work.shape).front().geometry),
        floor_(make_geometry({Box{work.floor_size}}).front().geometry),
        frames_(work.frames) {
    for (std::uint32_t i = 0; i < frames_.front().size(); ++i) colliders_.push_back({shape_.get(), {}, i, 0, true});
    const Transform below{Mat3::Identity(), {0, 0, -0.5 * work.floor_size.z()}};
    colliders_.push_back({floor_.get(), below, static_cast<std::uint32_t>(colliders_.size()), 0, false});
  }
  std::size_t run() override {
    std::size_t count = 0;
    for (const std::vector<Pose>& poses : frames_) {
      for (std::size_t i = 0; i < poses.size(); ++i) colliders_[i].X_WG = to_transform(poses[i]);
      detect_contacts(colliders_, {}, {}, scratch_, contacts_);
      count += contacts_.points.size();
    }
    return count;
  }

 private:
  std::shared_ptr<const Geometry> shape_, floor_;
  const std::vector<std::vector<Pose>>& frames_;
  std::vector<Collider> colliders_;
  DetectWorkspace scratch_;
  ContactSet contacts_;
};

}  // namespace

std::unique_ptr<Engine> make_achilles_pairs(const PairWorkload& work) { return std::make_unique<Pairs>(work); }
std::unique_ptr<Engine> make_achilles_pile(const PileWorkload& work) { return std::make_unique<Pile>(work); }

}  // namespace achilles::bench
