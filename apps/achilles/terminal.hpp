// What people see while they wait.
#pragma once

#include <achilles/run.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace achilles::program {

/// A line on the terminal that shows how far a run is, how fast, and how long it will take; nothing when stderr is not
/// a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted = true);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Cheap: draws about ten times a second.
  void show(const RunProgress& progress);
  void clear();

 private:
  bool is_terminal_ = false;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

/// Makes the first Ctrl-C (or a polite kill) a request that is_interrupted() reports; a second one ends the program.
/// Where is_interrupted() is not called within a second, because a step takes long, the program ends as if killed, with
/// status 1 and `message`: what a recording has by its last commit stays, and so does every file that was complete.
void catch_interrupts(const char* message = "interrupted; what was not complete is not written");
[[nodiscard]] bool is_interrupted();
/// From now on the program has a second to end in good order, then it ends as above: where a thread may be in a long
/// step. After catch_interrupts().
void end_within_a_second();

/// Text from a file, such as a name: what would steer a terminal, line breaks too, is shown as \xHH.
[[nodiscard]] std::string show_text(std::string_view text);
/// The same, but lines may end.
[[nodiscard]] std::string show_lines(std::string_view text);

/// "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min".
[[nodiscard]] std::string show_duration(double seconds);
/// "312 B", "1.2 MB".
[[nodiscard]] std::string show_size(double bytes);
/// "wrote run.html (1.2 MB)".
void announce_file(const std::string& path);

}  // namespace achilles::program
