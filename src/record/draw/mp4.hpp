// MP4 files (H.264) by the program ffmpeg, which is fed the pictures through a pipe.
#pragma once

#include "platform/system.hpp"
#include "record/draw/image.hpp"

#include <string>

namespace achilles {

class Mp4Encoder {
 public:
  /// Throws std::runtime_error when there is no ffmpeg on the PATH, as do the others with path and reason.
  Mp4Encoder(const std::string& path, int width, int height, int rate);

  void add(const Image& image);
  /// Waits for ffmpeg to finish the file.
  void close();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  int width_, height_;
  platform::FedProgram program_;
};

}  // namespace achilles
