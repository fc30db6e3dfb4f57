// Collision detection of Achilles, Bullet and ODE on the same work in one run: prints how often each does it per second
// of processor time on one thread, how many contact points it finds, and how many times faster Achilles is.
#include "collision/engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string_view>
#include <vector>

namespace achilles::bench {
namespace {

// Processor time, not wall time: on a shared machine the other users are no part of the answer.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Contestant {
  std::string_view name;
  std::unique_ptr<Engine> engine;
  std::vector<double> seconds;  // of each round
  std::size_t points = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Rounds take turns among the engines, so that a slow moment of the machine falls on all of them.
void run_rounds(std::vector<Contestant>& contestants, int rounds) {
  for (int round = 0; round <= rounds; ++round) {
    for (Contestant& contestant : contestants) {
      const double start = now();
      contestant.points = contestant.engine->run();
      if (round > 0) contestant.seconds.push_back(now() - start);  // the first round warms caches
    }
  }
}

/// The median over rounds of the engine's time over that of the first in the same round.
double compute_ratio(const Contestant& contestant, const Contestant& first) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < first.seconds.size(); ++k) ratios.push_back(contestant.seconds[k] / first.seconds[k]);
  return median(ratios);
}

void print(std::string_view work, double units, std::string_view unit, const std::vector<Contestant>& contestants) {
  for (const Contestant& contestant : contestants) {
    fmt::print("{:<22} {:<9} {:>12.0f} {:<8} {:>7.2f} points per {:<6} ratio {:>6.2f}\n", work, contestant.name,
               units / median(contestant.seconds), std::string(unit) + "s/s",
               static_cast<double>(contestant.points) / units, unit, compute_ratio(contestant, contestants.front()));
  }
}

template <class Maker>
struct Entry {
  std::string_view name;
  Maker* make;
};

const std::vector<Entry<MakePairEngine>> kPairEngines = {
    {"achilles", make_achilles_pairs},
#ifdef ACHILLES_BENCH_BULLET
    {"bullet", make_bullet_pairs},
#endif
#ifdef ACHILLES_BENCH_ODE
    {"ode", make_ode_pairs},
#endif
};

const std::vector<Entry<MakePileEngine>> kPileEngines = {
    {"achilles", make_achilles_pile},
#ifdef ACHILLES_BENCH_BULLET
    {"bullet", make_bullet_pile},
#endif
#ifdef ACHILLES_BENCH_ODE
    {"ode", make_ode_pile},
#endif
};

template <class Work, class Maker>
std::vector<Contestant> compare(const Work& work, const std::vector<Entry<Maker>>& entries, int rounds) {
  std::vector<Contestant> contestants;
  for (const Entry<Maker>& entry : entries) contestants.push_back({entry.name, entry.make(work), {}, 0});
  run_rounds(contestants, rounds);
  return contestants;
}

void compare_pairs(const PairWorkload& work, int rounds) {
  print(work.name, static_cast<double>(work.poses.size()), "pair", compare(work, kPairEngines, rounds));
}

void compare_piles(const PileWorkload& work, int rounds) {
  print(work.name, static_cast<double>(work.frames.size()), "frame", compare(work, kPileEngines, rounds));
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) {
  using namespace achilles::bench;
  const std::string_view wanted = argc > 1 ? argv[1] : "";  // run only workloads whose name contains this
  fmt::print(
      "asked of every engine: the contact points of each pair, touching or overlapping\n"
      "coherent pairs and piles: each engine may use what it remembers of the pose before; else the poses alone\n"
      "arithmetic: achilles and ode double precision, bullet as installed (single in most packages)\n"
      "ratio: time of the engine over that of achilles, median over rounds that take turns; above 1 achilles is "
      "ahead\n");
  const auto pairs = [&](std::string_view name, auto make) {
    if (name.find(wanted) != std::string_view::npos) compare_pairs(make(), 21);
  };
  const auto piles = [&](std::string_view name, auto make) {
    if (name.find(wanted) != std::string_view::npos) compare_piles(make(), 11);
  };
  pairs("box-box", [] { return make_box_box(5000); });
  pairs("hull-hull 12", [] { return make_hull_hull(2000, 12); });
  pairs("hull-hull 40", [] { return make_hull_hull(2000, 40); });
  pairs("box-box coherent", [] { return make_coherent(make_box_box(1), 5000); });
  pairs("hull-hull 12 coherent", [] { return make_coherent(make_hull_hull(1, 12), 2000); });
  pairs("hull-hull 40 coherent", [] { return make_coherent(make_hull_hull(1, 40), 2000); });
  pairs("mesh-sphere", [] { return make_mesh_sphere(5000); });
  piles("box pile", [] { return make_box_pile(10, 20); });
  piles("sphere pile", [] { return make_sphere_pile(10, 20); });
  piles("hull pile", [] { return make_hull_pile(10, 20); });
  return 0;
}
