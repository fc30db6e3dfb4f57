#include "record/draw/mp4.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace achilles {
namespace {

/// Writing to a program that has gone is an error to report, not a signal to die of.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before_);
  }
  ~NoBrokenPipe() { ::sigaction(SIGPIPE, &before_, nullptr); }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  struct sigaction before_ {};
};

/// A relative path as ffmpeg reads it: without a folder it could be taken for an option or a protocol.
std::string as_argument(const std::string& path) { return path.front() == '/' ? path : "./" + path; }

}  // namespace

Mp4Encoder::Mp4Encoder(const std::string& path, int width, int height, int rate)
    : path_(path), width_(width), height_(height) {
  if (path.empty()) throw std::runtime_error("a video needs a name");
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(std::strerror(errno));
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
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const int error = ::posix_spawnp(&process_, "ffmpeg", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  pipe_ = ends[1];
  if (error != 0) {
    process_ = -1;
    ::close(pipe_);
    if (error == ENOENT) {
      throw std::runtime_error(
          path +
          ": MP4 is written by the program ffmpeg, which is not installed (Debian: apt-get install "
          "ffmpeg); a .gif or an animated .png needs nothing");
    }
    fail(std::strerror(error));
  }
}

Mp4Encoder::~Mp4Encoder() {
  if (pipe_ >= 0) ::close(pipe_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

void Mp4Encoder::fail(const std::string& what) const {
  throw std::runtime_error(path_ + ": cannot be written: " + what);
}

void Mp4Encoder::add(const Image& image) {
  if (image.width != width_ || image.height != height_) {
    throw std::logic_error("all frames of an animation have one size");
  }
  const NoBrokenPipe guard;
  for (std::size_t at = 0; at < image.rgb.size();) {
    const ssize_t written = ::write(pipe_, &image.rgb[at], image.rgb.size() - at);
    if (written > 0) {
      at += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      fail("ffmpeg ended early");
    }
  }
}

void Mp4Encoder::close() {
  ::close(pipe_);
  pipe_ = -1;
  int status = 0;
  const pid_t process = process_;
  process_ = -1;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("ffmpeg failed");
}

}  // namespace achilles
