// Which contact to strike next, in O(log m): a tournament over how fast each contact approaches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

class ViolationTree {
 public:
  /// Forgets everything; `threshold` is the approach below which a contact counts as resting.
  void reset(int contacts, double threshold) {
    leaves_ = 1;
    while (leaves_ < contacts) leaves_ *= 2;
    threshold_ = threshold;
    worst_.assign(2 * leaves_, 0.0);
    count_.assign(2 * leaves_, 0);
  }

  void set(int contact, double approach) {
    int node = leaves_ + contact;
    const double value = approach > threshold_ ? approach : 0;
    if (value == worst_[node]) return;
    worst_[node] = value;
    count_[node] = value > 0;
    for (node /= 2; node >= 1; node /= 2) {
      worst_[node] = worst_[2 * node] > worst_[2 * node + 1] ? worst_[2 * node] : worst_[2 * node + 1];
      count_[node] = count_[2 * node] + count_[2 * node + 1];
    }
  }

  [[nodiscard]] int violated() const { return count_[1]; }
  [[nodiscard]] bool is_violated(int contact) const { return count_[leaves_ + contact] > 0; }

  /// The k-th violated contact from the left, k < violated().
  [[nodiscard]] int nth(int k) const {
    int node = 1;
    while (node < leaves_) {
      node *= 2;
      if (k >= count_[node]) k -= count_[node++];
    }
    return node - leaves_;
  }

  /// The most violated contact, the leftmost of equals.
  [[nodiscard]] int worst() const {
    int node = 1;
    while (node < leaves_) {
      node *= 2;
      if (worst_[node + 1] > worst_[node]) ++node;
    }
    return node - leaves_;
  }

 private:
  int leaves_ = 1;
  double threshold_ = 0;
  std::vector<double> worst_;
  std::vector<int> count_;
};

}  // namespace achilles
