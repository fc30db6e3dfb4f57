// What is wrong with a run, from motion and geometry alone.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <vector>

namespace achilles {
class Recording;
}

namespace achilles::program::soak {

/// The kinds of defects, the gravest first. "explosion": energy rises by more than all that was there.
inline constexpr std::array<const char*, 11> kKinds{"crash",       "hang",  "nan",      "explosion", "energy", "speed",
                                                    "penetration", "joint", "friction", "certify",   "stop"};

struct Defect {
  std::string kind;          // one of kKinds
  double time = 0;           // [s] when it first appeared
  double excess = 0;         // the worst, as a multiple of what is allowed
  std::string detail;        // for people: how much, of what, which bodies
  bool is_reported = false;  // by the run itself: it stopped with a reason, or its report warns of this kind
};

/// Judges a recording of every step. At most one defect per kind; certify's properties are listed in one.
///
///   energy       never above the start plus the work of motors, scripts and forces, by more than 1 % of the largest of
///                the initial energy (above where the lowest body is), Σ m g size, and Σ m (rounding · size / step)².
///                Overlaps at the start may lift what lies on them.
///   speed        no body is faster than all the energy there is allows
///   penetration  of a pair: at most as deep as it began plus 1 % of the smaller body (5 % under `penalty`)
///   joint        error and overshoot of limits at most 1 % of the joint's arms
///   friction     a body that touches only one fixed plane: the impulse it receives lies in Coulomb's cone and, where
///                it slides, has the size µ N against the motion
///   certify      what the method promises holds
///   stop         the method stopped with a reason (Zeno points of `impulse-naive` are its promise)
///
/// The size of a body is the geometric mean of the edges of the box around it.
[[nodiscard]] std::vector<Defect> judge(const Recording& recording);

}  // namespace achilles::program::soak
