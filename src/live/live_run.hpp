// A simulation that runs in a thread of its own and does what pages want.
#pragma once

#include "live/live_source.hpp"

#include <achilles/scene.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace achilles::live {

struct LiveOptions {
  int threads = 1;
  std::string save_path;                                   // what `save` writes (HDF5)
  bool runs = false;                                       // from the start on, without a request
  std::uint64_t history_bytes = std::uint64_t{256} << 20;  // of the latest instants that `save` finds
};

class LiveRun : public LiveSource {
 public:
  /// Throws SceneError when the method cannot run the scene.
  LiveRun(const Scene& scene, const LiveOptions& options);
  ~LiveRun() override;

  void start(LiveListener listener) override;
  void stop() override;
  void post(std::uint64_t client, Message message) override;
  void forget(std::uint64_t client) override;
  void greet(std::uint64_t client) override;
  void request_page(std::function<void(std::shared_ptr<const std::string>)> answer) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace achilles::live
