// A page in the browser that shows the simulation of a program while it runs. In libraries that were built with the
// program (ACHILLES_BUILD_PROGRAM).
#pragma once

#include <achilles/simulation.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace achilles {

struct LiveViewOptions {
  std::uint16_t port = 0;  // on 127.0.0.1; 0: one that is free
  bool paused = false;     // waits for the page at the first step
  bool paced = true;       // holds steps back to the pace that the page requests, real time to begin with
};

/// Attaches to a simulation that a program steps: from now on every step of it, by any caller of step(), is seen by the
/// pages that are open. They can pause the program within its next step, let it take single steps, change the pace,
/// pull bodies and move drives. Reset, save and another method are refused: the program decides on these.
class LiveView {
 public:
  /// The simulation must stay at its address as long as it is to be seen; its copies are not seen. Throws
  /// std::runtime_error when the port is taken or the template of pages is not installed.
  explicit LiveView(Simulation& simulation, const LiveViewOptions& options = {});
  /// Pages hear no more; the simulation goes on without.
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// Where the page is: "http://127.0.0.1:PORT/".
  [[nodiscard]] std::string address() const;
  /// Serves pages that look at the last state, for at most `seconds`, while no step is taken.
  void serve(double seconds);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace achilles
