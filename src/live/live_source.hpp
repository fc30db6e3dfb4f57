// What the server of a live page needs of the simulation behind it.
#pragma once

#include "live/message.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace achilles::live {

/// Calls come from the thread of the run.
struct LiveListener {
  /// For every page: text (JSON), or an instant in binary.
  std::function<void(std::shared_ptr<const std::string>, bool is_binary)> send_all;
  /// For one page.
  std::function<void(std::uint64_t client, std::shared_ptr<const std::string>)> send;
};

/// All functions may be called from any thread; what they request is done between two steps.
class LiveSource {
 public:
  LiveSource() = default;
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;
  virtual ~LiveSource() = default;

  virtual void start(LiveListener listener) = 0;
  virtual void stop() = 0;
  virtual void post(std::uint64_t client, Message message) = 0;
  /// A page has gone: what it held is let go.
  virtual void forget(std::uint64_t client) = 0;
  /// A page has come: it hears the state.
  virtual void greet(std::uint64_t client) = 0;
  /// The page (HTML) that starts at the present instant; none when it could not be made.
  virtual void request_page(std::function<void(std::shared_ptr<const std::string>)> answer) = 0;
};

}  // namespace achilles::live
