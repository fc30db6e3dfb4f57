#include "math/helper_trust.hpp"

#include <algorithm>

#ifdef __linux__
#include <pthread.h>
#include <ctime>
#endif

namespace achilles {
namespace {

using namespace std::chrono_literals;

constexpr HelperTrust::Clock::duration kLong = 200us;                      // to wait for somebody who does not run
constexpr HelperTrust::Clock::duration kShortest = 2ms, kLongest = 256ms;  // to go on alone
constexpr HelperTrust::Clock::duration kSoon = 50ms;                       // many turns that a system gives to others

}  // namespace

void ThreadClock::follow() {
#ifdef __linux__
  clockid_t clock{};
  known_ = pthread_getcpuclockid(pthread_self(), &clock) == 0;
  clock_ = clock;
#endif
}

std::chrono::nanoseconds ThreadClock::read() const {
#ifdef __linux__
  timespec time{};
  if (known_ && clock_gettime(static_cast<clockid_t>(clock_), &time) == 0)
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
#endif
  return HelperTrust::Clock::now().time_since_epoch();
}

HelperTrust::Helper& HelperTrust::add_helper() { return *helpers_.emplace_back(std::make_unique<Helper>()); }

void HelperTrust::begin_waiting() {
  began_ = Clock::now();
  for (const auto& helper : helpers_) {
    helper->is_awaited = helper->is_busy.load(std::memory_order_acquire);
    if (helper->is_awaited) helper->ran = helper->clock.read();
  }
}

bool HelperTrust::is_somebody_missing(Clock::duration waited) const {
  return std::any_of(helpers_.begin(), helpers_.end(), [&](const auto& helper) {
    return helper->is_awaited && 2 * (helper->clock.read() - helper->ran) < waited;
  });
}

void HelperTrust::end_waiting() {
  const Clock::time_point now = Clock::now();
  if (now - began_ < kLong || !is_somebody_missing(now - began_)) return;
  const bool is_soon = now < alone_until_ + kSoon + alone_;
  alone_ = is_soon ? std::min(2 * alone_, kLongest) : kShortest;
  alone_until_ = now + alone_;
  is_lost_ = true;
}

}  // namespace achilles
