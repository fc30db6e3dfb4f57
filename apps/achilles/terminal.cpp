#include "terminal.hpp"

#include "platform/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace achilles::program {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int signal) {
  if (interrupted != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupted = 1;
  platform::end_in_a_second();
}

std::string escape(std::string_view text, bool lines) {
  std::string shown;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    const auto next = static_cast<unsigned char>(k + 1 < text.size() ? text[k + 1] : 0);
    const bool is_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // control characters above 127, as UTF-8
    if (is_c1) {
      shown += fmt::format("\\x{:02x}", next);
      ++k;
    } else if ((byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[k];
    }
  }
  return shown;
}

}  // namespace

ProgressBar::ProgressBar(bool wanted)
    : is_terminal_(wanted && platform::is_terminal(platform::Stream::kError)),
      last_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::show(const RunProgress& progress) {
  using namespace std::chrono_literals;
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < 100ms) return;
  last_ = now;
  const double share = progress.duration > 0 ? std::clamp(progress.time / progress.duration, 0.0, 1.0) : 1;
  const double speed = progress.wall_seconds > 0 ? progress.time / progress.wall_seconds : 0;
  const double left = speed > 0 ? (progress.duration - progress.time) / speed : 0;
  const std::string numbers = fmt::format(" {:3.0f} %  {:.2f} of {:g} s  {:.3g} x real time  {} left", 100 * share,
                                          progress.time, progress.duration, speed, show_duration(left));
  const std::size_t width = platform::terminal_width();
  const std::size_t bar = width > numbers.size() + 12 ? std::min<std::size_t>(40, width - numbers.size() - 3) : 0;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(bar));
  std::string line;
  for (std::size_t i = 0; i < bar; ++i) line += i < full ? "█" : "░";
  fmt::print(stderr, "\r\033[K{}{}", line, numbers.substr(0, std::max<std::size_t>(width, 2) - 1));
  std::fflush(stderr);
  is_drawn_ = true;
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  is_drawn_ = false;
}

void catch_interrupts(const char* message) {
  static std::string line;  // for as long as the program runs
  line = fmt::format("\nachilles: {}\n", message);
  platform::prepare_end(line.c_str());
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool is_interrupted() {
  if (interrupted == 0) return false;
  platform::cancel_end();
  return true;
}

void end_within_a_second() { platform::end_in_a_second(); }

std::string show_text(std::string_view text) { return escape(text, false); }

std::string show_lines(std::string_view text) { return escape(text, true); }

std::string show_duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", 1000 * seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string show_size(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

void announce_file(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  fmt::print("wrote {}{}\n", path, error ? "" : fmt::format(" ({})", show_size(static_cast<double>(size))));
}

}  // namespace achilles::program
