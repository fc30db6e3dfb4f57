#include "collision/narrow_phase_run.hpp"

#include "collision/contact/reuse.hpp"
#include "parallel/cache_lines.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr std::size_t kChunk = 2048;  // pairs: the contacts of as many stay in the second-level cache of a core
constexpr std::size_t kPairBlock = 32;
constexpr std::size_t kChunkBlocks = kChunk / kPairBlock;
constexpr std::uint32_t kNoManifold = ~std::uint32_t{0};

/// Index of the first of the sorted keys 0 .. count that is not before the pair.
template <class KeyOf>
std::size_t find_key(const ColliderPair& pair, std::size_t count, const KeyOf& key_of) {
  std::size_t at = 0;
  for (std::size_t end = count; at < end;) {
    const std::size_t middle = (at + end) / 2;
    key_of(middle) < pair ? at = middle + 1 : end = middle;
  }
  return at;
}

/// Calls found(k, at) for the pairs [first, last) that are among the sorted keys 0 .. count, and found(k, count) for
/// the others. Where to begin is searched for, so that blocks of pairs do not wait for each other, unless the guess is
/// right.
template <class KeyOf, class Found>
void match_pairs(std::span<const ColliderPair> pairs, std::size_t first, std::size_t last, std::size_t count,
                 std::size_t guess, const KeyOf& key_of, const Found& found) {
  if (first == last) return;
  const bool is_known = guess < count && key_of(guess) == pairs[first];
  std::size_t at = is_known ? guess : find_key(pairs[first], count, key_of);
  for (std::size_t k = first; k < last; ++k) {
    while (at < count && key_of(at) < pairs[k]) ++at;
    found(k, at < count && key_of(at) == pairs[k] ? at : count);
  }
}

// Hands each pair the axis it had in the call before. An axis of other bodies, after colliders changed their numbers,
// proves nothing wrong: it is tried, not trusted.
void recall_axes(std::size_t first, std::size_t last, DetectWorkspace::Impl& scratch) {
  if (scratch.axes.empty()) return;
  const std::size_t count = scratch.former_pairs.size();
  const auto key_of = [&](std::size_t at) { return scratch.former_pairs[at]; };
  match_pairs(scratch.pairs, first, last, count, first, key_of, [&](std::size_t k, std::size_t at) {
    scratch.axes[k] = at < count ? scratch.former_axes[at] : SeparatingAxis{};
  });
}

/// The pairs that the call before kept something of.
struct FormerKeys {
  const std::vector<KeptManifold>& manifolds;

  ColliderPair operator()(std::size_t at) const { return {manifolds[at].collider_a, manifolds[at].collider_b}; }
};

/// One narrow phase: finds the contacts of pairs one by one and puts them where they belong.
class NarrowPhase {
 public:
  NarrowPhase(std::span<const Collider> colliders, const DetectOptions& options, const ManifoldReuse* reuse,
              DetectWorkspace::Impl& scratch)
      : colliders_(colliders), options_(options), reuse_(reuse), scratch_(scratch) {}

  /// What the call before knew of the pairs [first, last): axes, and manifolds that hold still. Returns how many do.
  [[nodiscard]] std::size_t recall(std::size_t first, std::size_t last) const {
    recall_axes(first, last, scratch_);
    if (reuse_ == nullptr) return 0;
    std::size_t reused = 0;
    const std::vector<KeptManifold>& former = reuse_->former.manifolds;
    const std::size_t guess = first < last ? scratch_.former_manifold[first] : 0;  // where it was in the call before
    match_pairs(scratch_.pairs, first, last, former.size(), guess, FormerKeys{former},
                [&](std::size_t k, std::size_t at) {
                  const double limit = at < former.size() && former[at].count > 0 ? slack(k) : 0;
                  const bool holds = limit > 0 && still_holds(former[at], a(k), b(k), limit);
                  scratch_.former_manifold[k] = holds ? static_cast<std::uint32_t>(at) : kNoManifold;
                  reused += holds ? 1 : 0;
                });
    return reused;
  }

  [[nodiscard]] bool reuses(std::size_t k) const {
    return reuse_ != nullptr && scratch_.former_manifold[k] != kNoManifold;
  }
  [[nodiscard]] bool is_kept(std::size_t k) const { return slack(k) > 0; }
  [[nodiscard]] std::size_t count_kept(std::size_t k) const { return manifold(k).count; }

  /// How many manifolds the call before kept of the pairs [0, last).
  [[nodiscard]] std::size_t count_former(std::size_t last) const {
    if (reuse_ == nullptr) return 0;
    const std::vector<KeptManifold>& former = reuse_->former.manifolds;
    if (last >= scratch_.pairs.size()) return former.size();
    return find_key(scratch_.pairs[last], former.size(), FormerKeys{former});
  }

  /// Finds the contact of a pair anew and appends it; false where there is none.
  bool find(std::size_t k, ContactSet& set) const {
    const std::size_t first = set.points.size();
    find_points(k, set.points);
    if (set.points.size() == first) return false;
    Contact contact = make_contact(k, first);
    contact.count = static_cast<std::uint32_t>(set.points.size() - first);
    set.contacts.push_back(contact);
    return true;
  }

  /// Writes a reused contact to its place, which must be there, and moves that on.
  void place(std::size_t k, ContactPlaces& at, ContactSet& set) const {
    const KeptManifold& former = manifold(k);
    Contact contact = make_contact(k, at.point);
    contact.count = former.count;
    set.contacts[at.contact++] = contact;
    place_kept(points_of(former), a(k), b(k), set.points.data() + at.point);
    at.point += former.count;
  }

  /// The same for what is kept of it.
  void keep_on(std::size_t k, ContactPlaces& at, ManifoldMemory& kept) const {
    const auto points = points_of(manifold(k));
    kept.manifolds[at.manifold] = manifold(k);
    kept.manifolds[at.manifold++].first = static_cast<std::uint32_t>(at.kept_point);
    std::copy(points.begin(), points.end(), kept.points.begin() + static_cast<std::ptrdiff_t>(at.kept_point));
    at.kept_point += points.size();
  }

  /// The same for a contact that was found.
  void keep_found(std::size_t k, const Contact& contact, const ContactSet& set, ContactPlaces& at,
                  ManifoldMemory& kept) const {
    const auto points = set.points_of(contact);
    kept.manifolds[at.manifold++] =
        keep(contact, points, a(k), b(k), at.kept_point, kept.points.data() + at.kept_point);
    at.kept_point += points.size();
  }

 private:
  [[nodiscard]] const Collider& a(std::size_t k) const { return colliders_[scratch_.pairs[k].a]; }
  [[nodiscard]] const Collider& b(std::size_t k) const { return colliders_[scratch_.pairs[k].b]; }
  [[nodiscard]] const Ball& ball_a(std::size_t k) const { return scratch_.balls[scratch_.pairs[k].a]; }
  [[nodiscard]] const Ball& ball_b(std::size_t k) const { return scratch_.balls[scratch_.pairs[k].b]; }
  /// Nothing is kept of balls.
  [[nodiscard]] double slack(std::size_t k) const {
    if (reuse_ == nullptr || ball_a(k).is_one() || ball_b(k).is_one()) return 0;
    return manifold_reuse_distance(a(k), b(k), reuse_->distance);
  }
  [[nodiscard]] const KeptManifold& manifold(std::size_t k) const {
    return reuse_->former.manifolds[scratch_.former_manifold[k]];
  }
  [[nodiscard]] std::span<const KeptPoint> points_of(const KeptManifold& manifold) const {
    return std::span(reuse_->former.points).subspan(manifold.first, manifold.count);
  }
  [[nodiscard]] Contact make_contact(std::size_t k, std::size_t first_point) const {
    const ColliderPair& pair = scratch_.pairs[k];
    return {pair.a, pair.b, ball_a(k).body, ball_b(k).body, static_cast<std::uint32_t>(first_point), 0};
  }

  void find_points(std::size_t k, std::vector<ContactPoint>& points) const {
    const Ball &ball = ball_a(k), &second = ball_b(k);
    if (!ball.is_one() || !second.is_one()) return find_points_of_any(k, points);
    if (!scratch_.axes.empty()) scratch_.axes[k] = {};
    const double margin = options_.collide.margin + ball.reach + second.reach;
    collide_balls(ball.center, ball.radius, second.center, second.radius, margin, points);
  }

  void find_points_of_any(std::size_t k, std::vector<ContactPoint>& points) const {
    const Collider &one = a(k), &other = b(k);
    SeparatingAxis* axis = scratch_.axes.empty() ? nullptr : &scratch_.axes[k];
    CollideOptions options = options_.collide;
    options.margin += one.reach + other.reach + slack(k);
    if (axis != nullptr &&
        is_separated_along(*axis, *one.geometry, one.X_WG, *other.geometry, other.X_WG, options.margin)) {
      return;
    }
    const std::size_t first = points.size();
    collide(*one.geometry, one.X_WG, *other.geometry, other.X_WG, options, points);
    if (axis == nullptr) return;
    const bool is_apart = points.size() == first && can_remember_axis(*one.geometry, *other.geometry);
    *axis = is_apart ? find_separating_axis(*one.geometry, one.X_WG, *other.geometry, other.X_WG, options.margin)
                     : SeparatingAxis{};
  }

  std::span<const Collider> colliders_;
  const DetectOptions& options_;
  const ManifoldReuse* reuse_;
  DetectWorkspace::Impl& scratch_;
};

/// On one thread, contacts are written to their final place at once. What was kept stands as it is while all of it is
/// reused and nothing comes to be kept.
class InOrder {
 public:
  InOrder(const NarrowPhase& narrow, ContactSet& contacts, ManifoldMemory& kept)
      : narrow_(narrow), contacts_(contacts), kept_(kept) {
    contacts.clear();
    kept.clear();
  }

  /// Returns whether `kept` is to be the next memory.
  bool run(std::size_t pairs, std::size_t& reused) {
    reused = narrow_.recall(0, pairs);
    keeps_on_ = reused == 0 || reused != narrow_.count_former(pairs);
    for (std::size_t k = 0; k < pairs; ++k) narrow_.reuses(k) ? reuse(k) : find(k);
    return keeps_on_;
  }

 private:
  void reuse(std::size_t k) {
    ContactPlaces at{contacts_.contacts.size(), contacts_.points.size()};
    contacts_.contacts.resize(at.contact + 1);
    contacts_.points.resize(at.point + narrow_.count_kept(k));
    narrow_.place(k, at, contacts_);
    if (keeps_on_) keep_on(k);
  }
  void keep_on(std::size_t k) {
    ContactPlaces at = make_room(narrow_.count_kept(k));
    narrow_.keep_on(k, at, kept_);
  }
  void find(std::size_t k) {
    if (!narrow_.find(k, contacts_) || !narrow_.is_kept(k)) return;
    for (std::size_t before = 0; !keeps_on_ && before < k; ++before) {
      if (narrow_.reuses(before)) keep_on(before);
    }
    keeps_on_ = true;
    const Contact& contact = contacts_.contacts.back();
    ContactPlaces at = make_room(contact.count);
    narrow_.keep_found(k, contact, contacts_, at, kept_);
  }
  ContactPlaces make_room(std::size_t points) {
    const ContactPlaces at{0, 0, kept_.manifolds.size(), kept_.points.size()};
    kept_.manifolds.resize(at.manifold + 1);
    kept_.points.resize(at.kept_point + points);
    return at;
  }

  const NarrowPhase& narrow_;
  ContactSet& contacts_;
  ManifoldMemory& kept_;
  bool keeps_on_ = true;
};

/// With helpers: chunk after chunk, blocks of pairs find their contacts, receive their place in the output, and write
/// them there while they are in the cache.
class InChunks {
 public:
  InChunks(const NarrowPhase& narrow, DetectWorkspace::Impl& impl, ContactSet& contacts, ManifoldMemory& kept)
      : narrow_(narrow),
        impl_(impl),
        contacts_(contacts),
        kept_(kept),
        pairs_(impl.pairs.size()),
        blocks_(BlockRunner::count_blocks(pairs_, kPairBlock)),
        keeps_on_(pairs_ == 0 || narrow.count_former(pairs_) == 0) {}

  /// Returns whether `kept` is to be the next memory.
  bool run(std::size_t& reused) {
    list_stages();
    impl_.runner.run_stages(impl_.stages, [this](std::size_t stage, std::size_t k, std::size_t) {
      const std::size_t first = stage / 3 * kChunkBlocks;
      if (stage % 3 == 0) {
        find(first + k);
      } else if (stage % 3 == 1) {
        place(first, std::min(first + kChunkBlocks, blocks_));
      } else {
        write(first + k);
      }
    });
    contacts_.contacts.resize(at_.contact);
    contacts_.points.resize(at_.point);
    kept_.manifolds.resize(keeps_on_ ? at_.manifold : 0);
    kept_.points.resize(keeps_on_ ? at_.kept_point : 0);
    impl_.runner.run(unkept_, 1, [this](std::size_t block, std::size_t, std::size_t) { keep_on(block); });
    reused = reused_;
    return keeps_on_;
  }

 private:
  void list_stages() {
    impl_.places.resize(blocks_);
    if (impl_.blocks.size() < kChunkBlocks) impl_.blocks.resize(kChunkBlocks);
    impl_.stages.clear();
    for (std::size_t first = 0; first < blocks_; first += kChunkBlocks) {
      const std::size_t last = std::min(first + kChunkBlocks, blocks_);
      for (const std::size_t count : {last - first, std::size_t{1}, last - first}) impl_.stages.push_back({count, 1});
    }
  }

  [[nodiscard]] std::size_t first_of(std::size_t block) const { return block * kPairBlock; }
  [[nodiscard]] std::size_t end_of(std::size_t block) const { return std::min((block + 1) * kPairBlock, pairs_); }
  [[nodiscard]] BlockContacts& contents_of(std::size_t block) const { return impl_.blocks[block % kChunkBlocks]; }

  /// What is not reused is found, the rest only counted.
  void find(std::size_t index) const {
    BlockContacts& block = contents_of(index);
    block.set.clear();
    block.reused = narrow_.recall(first_of(index), end_of(index));
    ContactPlaces& count = block.count = {};
    for (std::size_t k = first_of(index); k < end_of(index); ++k) {
      const bool reuses = narrow_.reuses(k);
      if (!reuses && !narrow_.find(k, block.set)) continue;
      const std::size_t points = reuses ? narrow_.count_kept(k) : block.set.contacts.back().count;
      ++count.contact;
      count.point += points;
      if (!reuses && !narrow_.is_kept(k)) continue;
      ++count.manifold;
      count.kept_point += points;
    }
  }

  /// Where each block of a chunk begins in the whole. What was kept stands as it is while all of it is reused and
  /// nothing comes to be kept; when that ends, what was left out so far is made up for in the end.
  void place(std::size_t first, std::size_t last) {
    for (std::size_t index = first; index < last; ++index) {
      const BlockContacts& block = contents_of(index);
      impl_.places[index] = at_;
      at_.contact += block.count.contact;
      at_.point += block.count.point;
      at_.manifold += block.count.manifold;
      at_.kept_point += block.count.kept_point;
      reused_ += block.reused;
    }
    const std::size_t former = narrow_.count_former(end_of(last - 1));
    if (!keeps_on_ && (at_.manifold > reused_ || reused_ < former)) {
      keeps_on_ = true;
      unkept_ = first;
    }
    make_room(at_.contact, contacts_.contacts);
    make_room(at_.point, contacts_.points);
    make_room(keeps_on_ ? at_.manifold : 0, kept_.manifolds);
    make_room(keeps_on_ ? at_.kept_point : 0, kept_.points);
  }

  template <class T>
  static void make_room(std::size_t size, std::vector<T>& v) {
    if (v.size() < size) v.resize(size);
  }

  void write(std::size_t index) const {
    const ContactSet& found = contents_of(index).set;
    ContactPlaces at = impl_.places[index];
    std::size_t next = 0;
    acquire_lines(contacts_.points.data() + at.point, contents_of(index).count.point);
    for (std::size_t k = first_of(index); k < end_of(index); ++k) {
      if (narrow_.reuses(k)) {
        narrow_.place(k, at, contacts_);
        if (keeps_on_) narrow_.keep_on(k, at, kept_);
      } else if (next < found.contacts.size() && is_of(found.contacts[next], impl_.pairs[k])) {
        const Contact& contact = copy(found.contacts[next++], found.points, at);
        if (narrow_.is_kept(k)) narrow_.keep_found(k, contact, contacts_, at, kept_);
      }
    }
  }

  /// Of the points that follow each other from here on.
  static void acquire_lines(ContactPoint* points, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) acquire_line_for_writing(points[k].gap);
  }

  [[nodiscard]] static bool is_of(const Contact& contact, const ColliderPair& pair) {
    return contact.collider_a == pair.a && contact.collider_b == pair.b;
  }

  const Contact& copy(const Contact& contact, const std::vector<ContactPoint>& points, ContactPlaces& at) const {
    Contact& to = contacts_.contacts[at.contact++] = contact;
    to.first = static_cast<std::uint32_t>(at.point);
    std::copy_n(points.begin() + contact.first, contact.count, contacts_.points.begin() + to.first);
    at.point += contact.count;
    return to;
  }

  /// All that a block keeps is reused.
  void keep_on(std::size_t index) const {
    ContactPlaces at = impl_.places[index];
    for (std::size_t k = first_of(index); k < end_of(index); ++k) {
      if (narrow_.reuses(k)) narrow_.keep_on(k, at, kept_);
    }
  }

  const NarrowPhase& narrow_;
  DetectWorkspace::Impl& impl_;
  ContactSet& contacts_;
  ManifoldMemory& kept_;
  std::size_t pairs_, blocks_;
  ContactPlaces at_;  // where the next block begins
  std::size_t reused_ = 0;
  bool keeps_on_;
  std::size_t unkept_ = 0;  // blocks [0, unkept_) were written before
};

}  // namespace

bool find_contacts_of_pairs(std::span<const Collider> colliders, const DetectOptions& options,
                            const ManifoldReuse* reuse, DetectWorkspace::Impl& impl, ContactSet& contacts,
                            ManifoldMemory& kept, std::size_t& reused) {
  const NarrowPhase narrow(colliders, options, reuse, impl);
  if (impl.runner.works_alone()) return InOrder(narrow, contacts, kept).run(impl.pairs.size(), reused);
  return InChunks(narrow, impl, contacts, kept).run(reused);
}

}  // namespace achilles
