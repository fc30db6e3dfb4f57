#include "record/draw/mp4.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace achilles {
namespace {

/// A relative path as ffmpeg reads it: without a folder it could be taken for an option or a protocol.
std::string as_argument(const std::string& path) { return path.front() == '/' ? path : "./" + path; }

}  // namespace

Mp4Encoder::Mp4Encoder(const std::string& path, int width, int height, int rate)
    : path_(path), width_(width), height_(height) {
  if (path.empty()) throw std::runtime_error("a video needs a name");
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  // Players want even sizes and colours at half the resolution (yuv420p).
  std::vector<std::string> words{"ffmpeg",
                                 "-loglevel",
                                 "error",
                                 "-y",
                                 "-f",
                                 "rawvideo",
                                 "-pix_fmt",
                                 "rgb24",
                                 "-s",
                                 size,
                                 "-r",
                                 std::to_string(rate),
                                 "-i",
                                 "-",
                                 "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                 "-c:v",
                                 "libx264",
                                 "-crf",
                                 "20",
                                 "-pix_fmt",
                                 "yuv420p",
                                 "-movflags",
                                 "+faststart",
                                 as_argument(path)};
  const int error = program_.start(std::move(words));
  if (error == ENOENT) {
    throw std::runtime_error(path +
                             ": MP4 is written by the program ffmpeg, which is not installed (Debian: apt-get install "
                             "ffmpeg); a .gif or an animated .png needs nothing");
  }
  if (error != 0) fail(std::strerror(error));
}

void Mp4Encoder::fail(const std::string& what) const {
  throw std::runtime_error(path_ + ": cannot be written: " + what);
}

void Mp4Encoder::add(const Image& image) {
  if (image.width != width_ || image.height != height_) {
    throw std::logic_error("all frames of an animation have one size");
  }
  if (!program_.write(image.rgb.data(), image.rgb.size())) fail("ffmpeg ended early");
}

void Mp4Encoder::close() {
  if (!program_.finish()) fail("ffmpeg failed");
}

}  // namespace achilles
