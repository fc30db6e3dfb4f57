// Several engines, one scene, one run: they take turns of a few steps each, so that whatever else the machine does
// meets them all alike.
//
// What two threads can gain is a matter of the machine, too: two cores may be halves of one. Two copies that run at
// once and share nothing tell how much it has for two, in the same minutes.
#pragma once

#include "engines/measure.hpp"

#include <functional>
#include <string>
#include <vector>

namespace achilles::bench {

struct Contestant {
  std::string name;
  MakeEngine* make = nullptr;
  std::string method;  // of ours
  int threads = 1;
  int copies = 1;  // that run at once; several take part only where they are named
};

/// Every contestant that was built in.
[[nodiscard]] std::vector<Contestant> contestants();

struct RaceOptions {
  int steps = 600;
  int repeats = 1;
  int untimed = 60;                  // first steps
  std::vector<std::string> options;  // name=value, of those of our methods that have it
};

struct Result {
  std::string engine;
  bool able = true;         // false: the engine cannot do the scene
  double milliseconds = 0;  // per step of one copy after the untimed ones; of every turn the fastest of the repeats
  Measured measured;        // at the end
};

/// Time of Bullet in these results [ms]; 0 where it did not run.
[[nodiscard]] double time_of_bullet(const std::vector<Result>& results);

[[nodiscard]] std::vector<Result> race(const Scene& scene, const std::vector<Contestant>& contestants,
                                       const RaceOptions& options);

}  // namespace achilles::bench
