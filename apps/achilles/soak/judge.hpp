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
inline constexpr std::array<const char*, 12> kKinds{"crash",       "hang",  "nan",      "explosion", "energy", "speed",
                                                    "penetration", "joint", "friction", "certify",   "stop",   "exit"};

struct Defect {
  std::string kind;          // one of kKinds
  double time = 0;           // [s] when it first appeared
  double excess = 0;         // the worst, as a multiple of what is allowed
  std::string detail;        // for people: how much, of what, which bodies
  bool is_reported = false;  // by the run itself: it stopped with a reason, or its report warns of this kind
};

/// What a run leaves besides its recording.
struct RunFacts {
  int status = 0;           // with which `achilles run` ends
  double slowest_step = 0;  // [s] processor time
};

/// What a step may cost [s] of processor time: a step of the scenes that are drawn takes some milliseconds.
inline constexpr double kStepLimit = 0.5;

/// Judges a recording of every step. At most one defect per kind; certify's properties are listed in one.
///
///   energy       never above the start plus the work of motors, scripts and forces, by more than 1 % of the larger of
///                the initial energy (above where the lowest body is) and Σ m g size. Overlaps at the start may lift
///                the bodies that they connect, and release what compliant contacts hold then; rounding Σ m (ε size /
///                step)² is not counted.
///   speed        no body is faster than all the energy there is allows
///   penetration  of a pair: at most as deep as it began plus 1 % of the smaller body (5 % under `penalty`)
///   joint        error and overshoot of limits at most 1 % of the joint's arm (joint_pose.hpp)
///   friction     the impulse that a body receives lies in the sum of Coulomb's cones at its contacts and, where they
///                slide, has the size µ N against the motion (friction_judge.hpp)
///   hang         a step costs more than kStepLimit
///   certify      what the method promises holds
///   stop         the method stopped with a reason (Zeno points of `impulse-naive` are its promise)
///   exit         the exit status is that of a run that came to its end, 0, or of one that stopped, 3
///
/// The size of a body is the geometric mean of the edges of the box around it.
[[nodiscard]] std::vector<Defect> judge(const Recording& recording, const RunFacts& facts);

}  // namespace achilles::program::soak
