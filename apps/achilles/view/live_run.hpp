// A simulation that runs in a thread of its own and does what pages ask.
#pragma once

#include "view/message.hpp"

#include <achilles/scene.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace achilles::program {

struct LiveOptions {
  int threads = 1;
  std::string save_path;  // what `save` writes (HDF5)
  bool runs = false;      // from the start on, without being asked
};

/// Calls come from the thread of the run.
struct LiveListener {
  /// For every page: text (JSON), or an instant in binary.
  std::function<void(std::shared_ptr<const std::string>, bool is_binary)> tell_all;
  /// For one page.
  std::function<void(std::uint64_t client, std::shared_ptr<const std::string>)> tell;
};

class LiveRun {
 public:
  /// Throws SceneError when the method cannot run the scene.
  LiveRun(const Scene& scene, const LiveOptions& options);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  void start(LiveListener listener);
  void stop();

  /// All of these may be called from any thread; what they ask for is done between two steps.
  void post(std::uint64_t client, Message message);
  /// A page has gone: what it held is let go.
  void forget(std::uint64_t client);
  /// A page has come: it hears the state.
  void greet(std::uint64_t client);
  /// The page (HTML) that starts at the present instant; none when it could not be made.
  void ask_page(std::function<void(std::shared_ptr<const std::string>)> answer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace achilles::program
