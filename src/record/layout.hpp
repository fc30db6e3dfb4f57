// What a recording (run.h5) holds. T instants, N bodies, C contact points, E events, K checkpoints; SI units.
//
//   attributes    format "achilles-recording", format_version, version (of Achilles), scene_name, scene_file, source,
//                 method, impact, solver, threads, step [s], duration [s], every [s] between instants, gravity (3)
//   /scene        (1) text: the scene file with every --set applied; reading it again gives the scene of the run
//   /options      (1) text: the method's options as JSON        /overrides  (1) text: [[path, value], ..] as JSON
//   /time         (T) [s]                 /step  (T) index of the step that led here
//   /position     (T, N, 3) [m] and /orientation (T, N, 4; w, x, y, z) of the bodies' frames
//   /velocity     (T, N, 3) [m/s] of the centres of mass        /spin  (T, N, 3) [rad/s] in world axes
//   /asleep       (T, N) 0 or 1           /hash  (T) of the World's whole state
//   /digest       (T) of everything recorded up to and including the instant: see below
//   /bodies/      name (N) text, kind (N) 0 dynamic 1 fixed 2 scripted, shape (N) index into /shapes, mass (N) [kg]
//                 (infinite unless dynamic), center (N, 3) [m] of mass in the body's frame, inertia (N, 3, 3) [kg m²]
//                 about it in body axes, material (N) text, locks (N) bits x y z rx ry rz from the lowest
//   /shapes/      text (bytes) and offset (S + 1): shape k is the JSON text[offset[k] : offset[k + 1]]
//   /files/       name (F) of the files that the scene names, content (F): file k is the array content_<content[k]> of
//                 bytes, and digest (F) of these; files of equal content share one. Absent where there are none; their
//                 number is the attribute file_count
//   /contacts/    offset (T + 1): points of instant t are rows [offset[t], offset[t + 1]) of body_a (C), body_b (C),
//                 position (C, 3), normal (C, 3) from a to b, gap (C), impulse (C, 3) [N s] on b, over the last step
//   /visuals/     body (V), shape (V) index into /shapes, position (V, 3) and orientation (V, 4) in the body's frame,
//   color
//                 (V, 4) red, green, blue, opacity, or not a number: what bodies look like in place of their shapes
//   /colors/      body (L), color (L, 4) of the bodies that have one
//   /joints/      name (J), kind (J) as in JointKind, body_a, body_b (J), position (J, 3) [m], axis_count (J) and axes
//                 (J, 6), as they stood at the start in the frame of body_a
//   /sensors/     value (T, S) after the last step; sensor, column, unit (S) texts that name its columns. Each of these
//                 four groups is there only where there is any of it; their sizes are the attributes visual_count,
//                 color_count, joint_count and sensor_columns
//   /scalars/     the members of Scalars below, each (T) or (T, 3)
//   /events/      time, kind (see RecordedKind), body_a, body_b (E); 4294967295 where there is no body. For triggers
//   and
//                 timers body_b is the trigger or timer, by its place in the scene
//   /checkpoints/ bytes, offset (K + 1), step (K), instant (K): Worlds saved along the way, to continue from
//   /report       (bytes) JSON, empty when the run was cut off
//
// With h5py all of these are plain arrays: h5py.File("run.h5")["position"][:]. A run that was killed leaves a file that
// opens the same way; there, arrays may differ in length by what was being written, and T is the number of leading
// entries of /time that are numbers: T = numpy.isfinite(f["time"][:]).sum(). A file that is still being written is best
// opened with h5py.File(path, "r", swmr=True).
//
// The digest chains: it starts from the head (attributes, scene, bodies, shapes) and runs through every instant, so
// that a change by hand, anywhere, is found, and at which instant. It guards against accidents and casual edits, not
// against forgery: it can be computed anew.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace achilles {

inline constexpr std::string_view kRecordingFormat = "achilles-recording";
inline constexpr std::int64_t kRecordingVersion = 1;
inline constexpr std::uint32_t kNoBody = std::numeric_limits<std::uint32_t>::max();

/// What one instant holds besides the bodies and contacts. Quantities of steps are over all steps since the instant
/// before.
struct Scalars {
  double energy_kinetic = 0;             // [J]
  double energy_potential = 0;           // [J]
  double penetration = 0;                // [m] measured from geometry
  double residual = 0;                   // [m/s] largest
  double joint_error = 0;                // [m] largest
  double external_work = 0;              // [J] sum
  double step_seconds = 0;               // [s] wall time of all the steps
  Vec3 momentum = Vec3::Zero();          // [N s]
  Vec3 angular_momentum = Vec3::Zero();  // [N m s] about the origin
  std::int64_t steps = 0;                // taken since the instant before
  std::int64_t contacts = 0;             // contact points of the last step
  std::int64_t islands = 0;              // of the last step
  std::int64_t iterations = 0;           // largest
  std::int64_t impacts = 0;              // sum
  std::int64_t impact_iterations = 0;    // largest
  std::int64_t lineality = 0;            // sum
  std::int64_t new_contacts = 0;         // sum, of the log's touches
  std::int64_t lost_contacts = 0;        // sum, of the log's partings
  std::int64_t triggers_in = 0;          // sum
  std::int64_t triggers_out = 0;         // sum
};

/// The larger of the two, and NaN for good once there was one: a maximum must not hide it.
inline void keep_maximum(double& largest, double value) {
  if (!(value <= largest) && largest == largest) largest = value;
}

template <class T>
struct ScalarColumn {
  const char* name;
  T Scalars::*member;
};

inline constexpr std::array<ScalarColumn<double>, 7> kRealColumns{{{"energy_kinetic", &Scalars::energy_kinetic},
                                                                   {"energy_potential", &Scalars::energy_potential},
                                                                   {"penetration", &Scalars::penetration},
                                                                   {"residual", &Scalars::residual},
                                                                   {"joint_error", &Scalars::joint_error},
                                                                   {"external_work", &Scalars::external_work},
                                                                   {"step_seconds", &Scalars::step_seconds}}};
inline constexpr std::array<ScalarColumn<Vec3>, 2> kVectorColumns{
    {{"momentum", &Scalars::momentum}, {"angular_momentum", &Scalars::angular_momentum}}};
inline constexpr std::array<ScalarColumn<std::int64_t>, 11> kCountColumns{
    {{"steps", &Scalars::steps},
     {"contacts", &Scalars::contacts},
     {"groups", &Scalars::islands},
     {"iterations", &Scalars::iterations},
     {"impacts", &Scalars::impacts},
     {"impact_iterations", &Scalars::impact_iterations},
     {"lineality", &Scalars::lineality},
     {"new_contacts", &Scalars::new_contacts},
     {"lost_contacts", &Scalars::lost_contacts},
     {"triggers_in", &Scalars::triggers_in},
     {"triggers_out", &Scalars::triggers_out}}};

enum class RecordedKind : std::uint8_t {
  kNewContact,
  kLostContact,
  kTriggerIn,
  kTriggerOut,
  kImpact,
  kStop,
  kNewProximity,  // this and what follows where the scene has the key `events`, or triggers
  kVanishedProximity,
  kTimer,
  kPersistentContact,  // these two where the key requests them
  kPersistentProximity
};

struct RecordedEvent {
  double time = 0;  // [s]
  RecordedKind kind = RecordedKind::kNewContact;
  std::uint32_t body_a = kNoBody;
  std::uint32_t body_b = kNoBody;
};

/// 64 bits that depend on every byte taken and on their order.
class Digest {
 public:
  explicit Digest(std::uint64_t start = 0x243f6a8885a308d3ULL) : value_(start) {}

  void take(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (; count >= 8; at += 8, count -= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, 8);
      mix(word);
    }
    std::uint64_t tail = 0;
    if (count > 0) std::memcpy(&tail, at, count);
    mix(tail + (static_cast<std::uint64_t>(count) << 56));
  }
  void take(std::string_view text) {
    const std::uint64_t length = text.size();
    take(&length, sizeof length);
    take(text.data(), text.size());
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15ULL;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value_;
};

}  // namespace achilles
