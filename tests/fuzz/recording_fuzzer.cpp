// Feeds the reader of recordings, and certify, what no recorder would have written. They may refuse with an exception
// of their own, and with nothing else.
#include "hdf5_mutator.hpp"

#include "record/certify/certify.hpp"
#include "record/recording.hpp"

#include <achilles/run.hpp>

#include <cstdint>
#include <filesystem>
#include <stdexcept>

namespace {

using namespace achilles;

/// A short run with a joint, a trigger, contacts and saved worlds.
std::string record_run() {
  const std::string path = fuzz::make_scratch_path("whole.h5");
  RunOptions options;
  options.record_path = path;
  (void)run_scene(parse_scene("achilles: 1\n"
                              "time: {step: 0.01, duration: 0.1}\n"
                              "bodies:\n"
                              "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                              "  - {name: a, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
                              "  - {name: b, shape: {sphere: {radius: 0.5}}, position: [0, 0, 1.5]}\n"
                              "joints:\n"
                              "  - {name: j, kind: ball, between: [a, b], at: [0, 0, 1]}\n"
                              "triggers:\n"
                              "  - {name: t, shape: {box: {size: [3, 3, 3]}}}\n"),
                  options);
  return path;
}

const fuzz::Hdf5Mutator& mutator() {
  static const fuzz::Hdf5Mutator kMutator = [] {
    const std::string path = record_run();
    fuzz::Hdf5Mutator made(path);
    std::filesystem::remove(path);
    return made;
  }();
  return kMutator;
}

void read_all(const std::string& path) {
  const Recording recording(path);
  Instant instant;
  for (std::size_t k = 0; k < recording.instants(); ++k) recording.read(k, instant);
  for (std::size_t k = 0; k < recording.head().shapes.size(); ++k) (void)recording.shape(k);
  (void)recording.events();
  (void)recording.find_first_altered();
  (void)recording.last_checkpoint();
  (void)recording.scene();
  (void)certify(recording);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kPath = fuzz::make_scratch_path("changed.h5");
  mutator().write(kPath, {data, size});
  try {
    read_all(kPath);
  } catch (const std::runtime_error&) {  // SceneError is one
  } catch (const std::out_of_range&) {
  }
  return 0;
}
