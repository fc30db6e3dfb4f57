// Serves one page on 127.0.0.1, and the WebSocket of a live run.
//
// Only this machine can connect: the socket is bound to the loopback address. Pages of other sites that a browser on
// this machine has open cannot reach the run either: a request must name this server as its host, which a rebound name
// does not, and a WebSocket must come from a page of this server.
#pragma once

#include "live/live_source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace achilles::live {

class ViewServer {
 public:
  /// Port 0 takes a free one. Serves the pages of `live`, or, without one, `page` (HTML). Throws std::runtime_error
  /// when the port is taken.
  ViewServer(std::uint16_t port, LiveSource* live, std::shared_ptr<const std::string> page);
  ~ViewServer();
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// Serves until `goes_on`, which is called a few times a second, returns false.
  void run(const std::function<bool()>& goes_on);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace achilles::live
