// What a page sends to a live run, and what it receives. Both sides send JSON; instants are binary, see
// record/page_instant.hpp.
//
//   {"do": "run"}  {"do": "pause"}  {"do": "step", "count": 1}  {"do": "reset"}  {"do": "save"}
//   {"do": "speed", "value": 0.5}                     simulated seconds per second
//   {"do": "method", "name": "lcp-fixed"}             while paused
//   {"do": "grab", "body": 3, "point": [x, y, z], "how": "spring" | "first-order"}   point in the body's frame [m]
//   {"do": "drag", "target": [x, y, z]}               where the grabbed point shall go [m]
//   {"do": "release"}
//   {"do": "drive", "joint": 2, "axis": 0, "value": 0.5}   target of a drive or motor, in its own unit
//
// A page hears {"kind": "state", ...} whenever something changed for everybody, and {"kind": "refused", "reason": ".."}
// when its own message made no sense.
#pragma once

#include <achilles/math.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace achilles::live {

struct RunMessage {};
struct PauseMessage {};
struct StepMessage {
  int count = 1;
};
struct ResetMessage {};
struct SaveMessage {};
struct SpeedMessage {
  double value = 1;
};
struct MethodMessage {
  std::string name;
};
struct GrabMessage {
  std::uint32_t body = 0;
  Vec3 point_B = Vec3::Zero();  // [m] in the body's frame
  bool first_order = false;
};
struct DragMessage {
  Vec3 target = Vec3::Zero();  // [m]
};
struct ReleaseMessage {};
struct DriveMessage {
  std::uint32_t joint = 0;
  std::size_t axis = 0;
  double value = 0;  // [N m], [N], [rad/s], [m/s], [rad] or [m]
};

using Message = std::variant<RunMessage, PauseMessage, StepMessage, ResetMessage, SaveMessage, SpeedMessage,
                             MethodMessage, GrabMessage, DragMessage, ReleaseMessage, DriveMessage>;

/// A request of a page that cannot be done. The run goes on.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Refusal with the reason.
[[nodiscard]] Message parse_message(std::string_view text);
[[nodiscard]] std::string refusal_text(const std::string& reason);

}  // namespace achilles::live
