#include "impact/propagation/elastic.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "impact/propagation/desiderata.hpp"

namespace achilles {
namespace {

// Energy may drift by this much, relative, before velocities are scaled back: bounded, as (εDRIFT) requires, and wide
// enough that exchanges which are exact in floating point stay exact.
constexpr double kDrift = 1e-14;

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Propagator {
 public:
  Propagator(const ImpactPart& part, const ElasticTask& task, PropagationWorkspace& scratch, std::span<double> x,
             std::span<double> impulses)
      : part_(part), task_(task), scratch_(scratch), x_(x), impulses_(impulses), random_(task.seed) {
    squared_norm_ = part.squared_norm(x.data());
    threshold_ = task.options.tolerance * std::sqrt(squared_norm_);
    mixed_ = std::any_of(task.elastic.begin(), task.elastic.end(), [](char elastic) { return !elastic; });
    conservative_ = !mixed_ && task.options.friction != ImpactFriction::kCoupled &&
                    task.options.restitution == ImpactRestitution::kBlend;
    // Looking at all velocities costs more than one strike in a large part: do it once per round of the bodies.
    stride_ = part.bodies.size() <= 8 ? 1 : static_cast<std::int64_t>(part.bodies.size());
    inelastic_rows_.rows =
        task.elastic.empty() ? std::span<const char>{} : std::span<const char>(scratch.inelastic_mask);
    inelastic_rows_.tolerance = 1e-3 * threshold_;
    scratch.tree.reset(part.contact_count(), threshold_);
    scratch.opposing.clear();
    scratch.opposing_weights.clear();
    mark_reference();
  }

  ElasticReport run() {
    ElasticReport report;
    settle_inelastic();
    refresh_all();
    while (scratch_.tree.violated() > 0) {
      if (report.iterations >= limit()) {
        report.status = ImpactStatus::kIterationLimit;
        if (task_.is_bounded) break;
        report.status = ImpactStatus::kOpposed;
        name_struck();
        break;
      }
      ++report.iterations;
      all_at_once_ = task_.all_at_once || report.iterations > patience();
      report.hastened = all_at_once_ && !task_.all_at_once;
      apply(report.iterations);
      show(report.iterations);
      if (report.iterations % stride_ == 0) {
        renormalize();
        if (is_opposed()) {
          report.status = ImpactStatus::kOpposed;
          break;
        }
      }
    }
    renormalize();
    return report;
  }

 private:
  // A line of n contacts is sorted by at most n²/2 reflections one at a time.
  [[nodiscard]] std::int64_t patience() const {
    const auto contacts = static_cast<std::int64_t>(part_.contacts.size());
    return task_.options.patience + contacts * contacts;
  }

  // Half of what is given up after is one at a time, half all at once.
  [[nodiscard]] std::int64_t limit() const {
    const std::int64_t most = task_.options.max_iterations;
    return task_.is_bounded ? most : std::min(most, 2 * patience());
  }

  void apply(std::int64_t iteration) {
    if (task_.options.check) scratch_.before.assign(x_.begin(), x_.end());
    select();
    if (scratch_.operation) {
      scratch_.violated.swap(scratch_.struck);
      scratch_.struck.clear();
      scratch_.strikes.clear();
      scratch_.operation(part_, scratch_.violated, x_, scratch_.struck, scratch_.strikes);
    } else if (scratch_.struck.size() == 1 || !reflect_all()) {
      reflect_one();
    }
    for (std::size_t k = 0; k < scratch_.struck.size(); ++k) record(scratch_.struck[k], scratch_.strikes[k]);
    if (task_.options.check) check(iteration);
    if (task_.options.friction == ImpactFriction::kCoupled) {
      apply_coupled_friction(part_, scratch_.struck, scratch_.strikes, scratch_.friction, x_, impulses_);
    }
    if (settle_inelastic() || reaches_all()) {
      refresh_all();
    } else {
      for (const int i : scratch_.struck) refresh_around(i);
    }
  }

  void check(std::int64_t iteration) const {
    const bool elastic = task_.options.restitution == ImpactRestitution::kBlend;
    const OperatorApplication done{scratch_.before, x_, scratch_.struck, scratch_.strikes, threshold_, elastic};
    const std::string_view broken = violated_desideratum(part_, done, scratch_.rounding);
    if (broken.empty()) return;
    std::string text = "the impact operator breaks (";
    text += broken;
    text += ") in application ";
    text += std::to_string(iteration);
    throw std::logic_error(text);
  }

  void select() {
    const ViolationTree& tree = scratch_.tree;
    scratch_.struck.clear();
    if (all_at_once_ || scratch_.operation) {
      for (int k = 0; k < tree.violated(); ++k) scratch_.struck.push_back(tree.nth(k));
      return;
    }
    switch (task_.selection) {
      case Selection::kLexicographic:
        scratch_.struck.push_back(tree.nth(0));
        break;
      case Selection::kMostViolated:
        scratch_.struck.push_back(tree.worst());
        break;
      case Selection::kRandom:
        scratch_.struck.push_back(tree.nth(static_cast<int>(next_random(random_) % tree.violated())));
        break;
    }
    add_face(scratch_.struck.front());
  }

  // One reflection is that of one pair of faces: all its points that approach are struck together, so that two boxes
  // that meet flat do not begin to rock.
  void add_face(int i) {
    const std::uint32_t body =
        part_.gradients.body_a(i) != GradientSet::kNone ? part_.gradients.body_a(i) : part_.gradients.body_b(i);
    for (int k = part_.neighbour_begin[body]; k < part_.neighbour_begin[body + 1]; ++k) {
      const int other = part_.neighbours[k];
      if (other == i || !scratch_.tree.is_violated(other) || !part_.gradients.share_face(i, other)) continue;
      scratch_.struck.push_back(other);
    }
  }

  [[nodiscard]] double restitution(int i) const {
    return task_.options.restitution == ImpactRestitution::kBlend ? 1 : part_.contacts[i].restitution;
  }

  void reflect_one() {
    const int i = scratch_.struck.size() == 1 ? scratch_.struck[0] : scratch_.tree.worst();
    scratch_.struck.assign(1, i);
    scratch_.strikes.assign(1, reflect(i));
  }

  // x⁺ = x − (1 + e) ⟨n, x⟩ M⁻¹ n for unit n; returns the impulse.
  double reflect(int i) {
    const double w = part_.gradients.velocity(i, x_.data());
    const double strike = -(1 + restitution(i)) * w / part_.gradients.squared_norm(i);
    part_.gradients.apply(i, strike, x_.data());
    return strike;
  }

  // Contacts that share no body that moves know nothing of each other: each connected set is reflected alone. False if
  // nothing came out of any.
  bool reflect_all() {
    std::vector<int>& struck = scratch_.struck;
    scratch_.strikes.assign(struck.size(), 0.0);
    sort_connected();
    bool any = false;
    std::size_t begin = 0;
    for (std::size_t end = 1; end <= struck.size(); ++end) {
      if (end < struck.size() && scratch_.connected[struck[end]] == scratch_.connected[struck[begin]]) continue;
      const bool alone = end == begin + 1;
      if (alone) scratch_.strikes[begin] = reflect(struck[begin]);
      any |= alone || reflect_connected(begin, end - begin);
      begin = end;
    }
    return any;
  }

  // Sorts the struck contacts by the connected set they belong to, the first contact of each, in their order.
  void sort_connected() {
    std::vector<int>&struck = scratch_.struck, &first_at = scratch_.first_at, &connected = scratch_.connected;
    first_at.resize(part_.bodies.size(), -1);
    connected.resize(part_.contacts.size());
    const auto root = [&connected](int i) {
      while (connected[i] != i) i = connected[i] = connected[connected[i]];
      return i;
    };
    const auto for_each_body = [&](int i, const auto& visit) {
      part_.gradients.for_each_body(i, [&](std::uint32_t body) { visit(first_at[body]); });
    };
    for (const int i : struck) connected[i] = i;
    for (const int i : struck) {
      for_each_body(i, [&](int& first) {
        if (first < 0) first = i;
        const int one = root(i), other = root(first);
        connected[std::max(one, other)] = std::min(one, other);
      });
    }
    for (const int i : struck) {
      connected[i] = root(i);
      for_each_body(i, [](int& first) { first = -1; });
    }
    std::sort(struck.begin(), struck.end(),
              [&](int i, int j) { return std::pair(connected[i], i) < std::pair(connected[j], j); });
  }

  // x⁺ = x + s Σ λ_i M⁻¹ n_i, λ the impulses that would just stop all approaching contacts. Exactly solved, s = 2. Any
  // λ ≥ 0 on approaching contacts is a reflection for s = −2 ⟨x, p⟩ / ⟨p, p⟩, so (KIN) does not hang on how well the
  // problem was solved. False if nothing came out of it.
  bool reflect_connected(std::size_t begin, std::size_t count) {
    const std::span<const int> struck = std::span<const int>(scratch_.struck).subspan(begin, count);
    const std::span<double> strikes = std::span(scratch_.strikes).subspan(begin, count);
    const int n = static_cast<int>(count);
    scratch_.matrix.resize(static_cast<std::size_t>(n) * n);
    scratch_.linear.resize(n);
    scratch_.tolerance.resize(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        scratch_.matrix[static_cast<std::size_t>(i) * n + j] = scratch_.matrix[static_cast<std::size_t>(j) * n + i] =
            part_.gradients.gram(struck[i], struck[j]);
      }
      scratch_.linear[i] = part_.gradients.velocity(struck[i], x_.data());
      scratch_.tolerance[i] = 1e-3 * threshold_ * std::sqrt(part_.gradients.squared_norm(struck[i]));
    }
    const NonnegativeQp problem{n, scratch_.matrix, scratch_.linear, scratch_.tolerance};
    static_cast<void>(solve_nonnegative_qp(problem, scratch_.qp, strikes));
    double along = 0, squared = 0, least = 1;
    for (int i = 0; i < n; ++i) {
      along += strikes[i] * scratch_.linear[i];
      least = std::min(least, restitution(struck[i]));
      for (int j = 0; j < n; ++j) {
        squared += strikes[i] * strikes[j] * scratch_.matrix[static_cast<std::size_t>(i) * n + j];
      }
    }
    if (!(along < 0) || !(squared > 0)) {
      std::fill(strikes.begin(), strikes.end(), 0.0);
      return false;
    }
    const double s = -(1 + least) * along / squared;
    for (int i = 0; i < n; ++i) {
      strikes[i] *= s;
      if (strikes[i] != 0) part_.gradients.apply(struck[i], strikes[i], x_.data());
    }
    return true;
  }

  void record(int i, double lambda) {
    impulses_[i] += lambda;
    total_since_reference_ += lambda * std::sqrt(part_.gradients.squared_norm(i));
  }

  bool settle_inelastic() {
    if (!mixed_) return false;
    return project_feasible(part_, inelastic_rows_, scratch_.inelastic, x_, impulses_).rounds > 0;
  }

  void refresh(int i) {
    if (task_.elastic.empty() || task_.elastic[i]) scratch_.tree.set(i, part_.approach(i, x_.data()));
  }

  void refresh_all() {
    for (int i = 0; i < part_.contact_count(); ++i) refresh(i);
  }

  void refresh_around(int i) {
    part_.gradients.for_each_body(i, [this](std::uint32_t body) {
      for (int k = part_.neighbour_begin[body]; k < part_.neighbour_begin[body + 1]; ++k) refresh(part_.neighbours[k]);
    });
  }

  // Would refreshing around the struck contacts visit as many as there are?
  [[nodiscard]] bool reaches_all() const {
    int visits = 0;
    for (const int i : scratch_.struck) {
      part_.gradients.for_each_body(
          i, [&](std::uint32_t body) { visits += part_.neighbour_begin[body + 1] - part_.neighbour_begin[body]; });
      if (visits >= part_.contact_count()) return true;
    }
    return false;
  }

  void renormalize() {
    if (!conservative_ || !task_.options.renormalize) return;
    const double now = part_.squared_norm(x_.data());
    if (std::abs(now - squared_norm_) <= kDrift * squared_norm_) return;
    const double scale = std::sqrt(squared_norm_ / now);
    for (double& v : x_) v *= scale;
  }

  void mark_reference() {
    scratch_.reference.assign(x_.begin(), x_.end());
    scratch_.reference_impulses.assign(impulses_.begin(), impulses_.begin() + part_.contact_count());
    total_since_reference_ = 0;
    looks_ = 0;
  }

  // The distance from a reference iterate against the impulses since; the reference moves on after 1, 2, 4, … looks, so
  // that a cycle of any length is met.   [Brent80]
  bool is_opposed() {
    const double proven = 0.5 * task_.options.margin * total_since_reference_;
    if (part_.squared_distance(x_.data(), scratch_.reference.data()) <= proven * proven) {
      name_opposing();
      return true;
    }
    if (++looks_ >= until_next_reference_) {
      until_next_reference_ *= 2;
      mark_reference();
    }
    return false;
  }

  // Those that were struck in the whole impact.
  void name_struck() {
    std::fill(scratch_.reference_impulses.begin(), scratch_.reference_impulses.end(), 0.0);
    total_since_reference_ = 0;
    for (int i = 0; i < part_.contact_count(); ++i) {
      total_since_reference_ += impulses_[i] * std::sqrt(part_.gradients.squared_norm(i));
    }
    name_opposing();
  }

  void name_opposing() {
    const auto since_reference = [this](int i) {
      return (impulses_[i] - scratch_.reference_impulses[i]) * std::sqrt(part_.gradients.squared_norm(i));
    };
    double most = 0;
    for (int i = 0; i < part_.contact_count(); ++i) most = std::max(most, since_reference(i));
    for (int i = 0; i < part_.contact_count(); ++i) {
      if (since_reference(i) <= 1e-6 * most) continue;
      scratch_.opposing.push_back(i);
      scratch_.opposing_weights.push_back(since_reference(i) / total_since_reference_);
    }
  }

  void show(std::int64_t iteration) {
    if (!scratch_.observer) return;
    scratch_.struck_rows.clear();
    scratch_.row_impulses.clear();
    for (std::size_t k = 0; k < scratch_.struck.size(); ++k) {
      const ImpactContact& contact = part_.contacts[scratch_.struck[k]];
      scratch_.struck_rows.push_back(contact.row);
      scratch_.row_impulses.push_back(contact.sign * scratch_.strikes[k]);
    }
    scratch_.observer({iteration, part_.bodies, x_, scratch_.struck_rows, scratch_.row_impulses});
  }

  const ImpactPart& part_;
  const ElasticTask& task_;
  PropagationWorkspace& scratch_;
  std::span<double> x_, impulses_;
  std::uint64_t random_;
  double squared_norm_ = 0, threshold_ = 0, total_since_reference_ = 0;
  bool mixed_ = false, conservative_ = true, all_at_once_ = false;
  std::int64_t stride_ = 1, looks_ = 0, until_next_reference_ = 1;
  InelasticTask inelastic_rows_;
};

}  // namespace

ElasticReport propagate_elastic(const ImpactPart& part, const ElasticTask& task, PropagationWorkspace& scratch,
                                std::span<double> x, std::span<double> impulses) {
  scratch.inelastic_mask.resize(task.elastic.size());
  std::transform(task.elastic.begin(), task.elastic.end(), scratch.inelastic_mask.begin(),
                 [](char elastic) -> char { return !elastic; });
  return Propagator(part, task, scratch, x, impulses).run();
}

}  // namespace achilles
