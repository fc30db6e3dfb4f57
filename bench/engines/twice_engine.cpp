#include "engines/engine.hpp"

#include <atomic>
#include <thread>

namespace achilles::bench {
namespace {

/// The second copy steps on a thread of its own. That is awake while steps follow each other and sleeps while others
/// take their turns.
class TwiceEngine final : public Engine {
 public:
  TwiceEngine(std::unique_ptr<Engine> one, std::unique_ptr<Engine> other)
      : one_(std::move(one)), other_(std::move(other)), thread_([this](const std::stop_token& stop) { help(stop); }) {}
  ~TwiceEngine() override {
    thread_.request_stop();
    asked_.fetch_add(1);
    asked_.notify_one();
  }
  TwiceEngine(const TwiceEngine&) = delete;
  TwiceEngine& operator=(const TwiceEngine&) = delete;

  void step() override {
    const int asked = asked_.fetch_add(1) + 1;
    asked_.notify_one();
    one_->step();
    while (done_.load(std::memory_order_acquire) != asked) {
    }
  }
  [[nodiscard]] Pose pose(std::size_t body) const override { return one_->pose(body); }

 private:
  static constexpr int kAwake = 100'000;  // looks

  void help(const std::stop_token& stop) {
    for (int seen = 0;;) {
      for (int k = 0; k < kAwake && asked_.load(std::memory_order_acquire) == seen; ++k) {
      }
      asked_.wait(seen);
      if (stop.stop_requested()) return;
      other_->step();
      done_.store(++seen, std::memory_order_release);
    }
  }

  std::unique_ptr<Engine> one_, other_;
  alignas(128) std::atomic<int> asked_{0};
  alignas(128) std::atomic<int> done_{0};
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Engine> make_achilles_twice(const Scene& scene, int threads) {
  std::unique_ptr<Engine> one = make_achilles(scene, threads), other = make_achilles(scene, threads);
  if (!one || !other) return nullptr;
  return std::make_unique<TwiceEngine>(std::move(one), std::move(other));
}

}  // namespace achilles::bench
