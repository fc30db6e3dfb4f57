// What is needed of the operating system beyond the standard library: locks, pipes, processes, signals, terminals.
//
// posix.cpp has it for Linux, macOS and other Unix systems; portable.cpp for any other system, with the standard
// library alone. There files are not locked, programs are not fed and nothing is limited; every function states what it
// then does. A port to another system is one more file beside these. No other file includes a header of the system.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace achilles::platform {

enum class OpenMode {
  kRead,
  kReadWrite,
  kCreate,    // what exists keeps its content
  kCreateNew  // fails where the file exists; only its owner may read it
};

enum class LockResult { kLocked, kBusy, kUnknown };  // kUnknown: the file system or the system knows no locks

/// A file that is read and written in place. Where a function fails, errno holds the reason.
class File {
 public:
  /// Not open where that fails.
  File(const std::string& path, OpenMode mode);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] bool is_open() const { return handle_ != kNone; }
  [[nodiscard]] bool is_regular() const;
  [[nodiscard]] std::optional<std::uint64_t> size() const;
  /// Number of bytes read, less than `count` at the end of the file; nothing where reading fails.
  std::optional<std::size_t> read_at(std::uint64_t offset, void* out, std::size_t count) const;
  [[nodiscard]] bool write_at(std::uint64_t offset, const void* bytes, std::size_t count) const;
  [[nodiscard]] bool resize(std::uint64_t size) const;
  /// Waits until the disk has all that was written. A device without a disk behind it has nothing to wait for.
  [[nodiscard]] bool sync() const;
  /// Locks hold until the file is closed, however the process ends. They do not wait.
  LockResult lock_alone() const;
  LockResult lock_shared() const;

 private:
  static constexpr std::intptr_t kNone = -1;

  std::string path_;
  std::intptr_t handle_ = kNone;
};

/// Lets a file that is written and closed take the place of another, which need not exist. At any moment `target` is
/// the old file or the whole new one; when this returns the disk has the new one, also after a loss of power. Where it
/// fails, errno holds the reason. Elsewhere than on Unix systems it does not wait for the disk.
[[nodiscard]] bool put_in_place(const std::filesystem::path& whole, const std::filesystem::path& target);

/// A new folder that only its owner may read, named `prefix` and some letters. Throws
/// std::filesystem::filesystem_error.
[[nodiscard]] std::filesystem::path make_unique_folder(const std::filesystem::path& prefix);

/// Where the running program lies, or nothing where the system does not report it.
[[nodiscard]] std::optional<std::filesystem::path> find_running_program();

/// A number that no other process has at this moment.
[[nodiscard]] std::int64_t process_number();

/// Requests large pages, so that the processor need not look up addresses every few kilobytes. A wish: where it is not
/// granted the memory is as good.
void advise_large_pages(void* memory, std::size_t bytes);

/// The clock of the processor time of the calling thread, which any thread may read; nothing where there is none.
[[nodiscard]] std::optional<std::int64_t> find_thread_clock();
[[nodiscard]] std::optional<std::chrono::nanoseconds> read_thread_clock(std::int64_t clock);

/// Inside a loop that waits: leaves the core to its other thread for a moment.
inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// ---- Other programs

/// A program that is fed through its standard input. Elsewhere than on Unix systems none starts.
class FedProgram {
 public:
  FedProgram() = default;
  ~FedProgram();
  FedProgram(const FedProgram&) = delete;
  FedProgram& operator=(const FedProgram&) = delete;

  /// Starts the program words[0], found on the PATH; 0, or the number of the error (ENOENT: there is no such program).
  [[nodiscard]] int start(std::vector<std::string> words);
  /// Whether the program took all of it.
  [[nodiscard]] bool write(const void* bytes, std::size_t count) const;
  /// Ends its input and waits; whether it ended well.
  [[nodiscard]] bool finish();

 private:
  std::int64_t process_ = -1;
  std::intptr_t pipe_ = -1;
};

/// Continues as another program, words[0], found on the PATH. Returns only where that fails, with the number of the
/// error.
[[nodiscard]] int continue_as(std::vector<std::string> words);

/// Sets a variable of the environment of this process; does nothing where the system is not a Unix.
void set_environment(const std::string& name, const std::string& value);

/// Work in processes of their own, so that a crash or a hang is theirs. Elsewhere than on Unix systems it runs in this
/// process, without limits.
class ChildProcesses {
 public:
  struct Limits {
    double seconds = 0;       // processor time
    std::uint64_t bytes = 0;  // of memory, beyond what the process has already
  };
  enum class Ending { kExited, kOutOfTime, kSignal };
  struct Ended {
    std::int64_t process = 0;
    Ending ending = Ending::kExited;
    int status = 0;      // that `work` returned
    std::string signal;  // its name
    double seconds = 0;  // of processor time
  };

  ChildProcesses() = default;
  /// Kills those that still run.
  ~ChildProcesses();
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  /// Starts a process that ends with the status that `work` returns, or when it is interrupted; its number. Throws
  /// std::runtime_error.
  std::int64_t start(const Limits& limits, const std::function<int()>& work);
  /// Waits until one ends, a hundredth of a second at most; nothing where none has ended then.
  [[nodiscard]] std::optional<Ended> wait();

 private:
  std::vector<Ended> ended_;           // where work runs in this process
  std::vector<std::int64_t> running_;  // else
};

// ---- Terminal and signals

enum class Stream { kOutput, kError };

[[nodiscard]] bool is_terminal(Stream stream);
/// Columns of the terminal behind the error stream; 80 where that is not known.
[[nodiscard]] std::size_t terminal_width();

/// A file that reaches its limit of size makes writes fail from now on; it does not end the program.
void report_file_limits();

/// The end of the process, with status 1 and `message` on the error stream, a second after end_in_a_second(), which a
/// signal handler may call, unless that is cancelled before. Elsewhere than on Unix systems nothing happens.
void prepare_end(const char* message);
void end_in_a_second();
void cancel_end();

}  // namespace achilles::platform
