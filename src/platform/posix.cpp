#include "platform/choice.hpp"
#include "platform/library_file.hpp"
#include "platform/system.hpp"

#if ACHILLES_POSIX

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

extern char** environ;

namespace achilles::platform {
namespace {

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::kRead:
      return O_RDONLY;
    case OpenMode::kReadWrite:
      return O_RDWR;
    case OpenMode::kCreate:
      return O_RDWR | O_CREAT;
    case OpenMode::kCreateNew:
      break;
  }
  return O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
}

LockResult lock(std::intptr_t handle, int kind) {
  if (::flock(static_cast<int>(handle), kind | LOCK_NB) == 0) return LockResult::kLocked;
  return errno == EWOULDBLOCK ? LockResult::kBusy : LockResult::kUnknown;
}

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

std::vector<char*> make_arguments(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// In bytes. A sanitizer reserves terabytes before the program begins, which do not count as the work's.
rlim_t find_address_space() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;  // 0 elsewhere than on Linux
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

const char* end_message = "";  // of prepare_end: a signal handler takes no argument

extern "C" void end_process(int) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, end_message, std::strlen(end_message));
  ::_exit(1);
}

}  // namespace

File::File(const std::string& path, OpenMode mode) : path_(path) {
  handle_ = ::open(path.c_str(), flags_of(mode) | O_CLOEXEC, mode == OpenMode::kCreateNew ? 0600 : 0666);
}

File::~File() {
  if (is_open()) ::close(static_cast<int>(handle_));
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, kNone)) {}

bool File::is_regular() const {
  struct stat status {};
  return ::fstat(static_cast<int>(handle_), &status) == 0 && S_ISREG(status.st_mode);
}

std::optional<std::uint64_t> File::size() const {
  struct stat status {};
  if (::fstat(static_cast<int>(handle_), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

std::optional<std::size_t> File::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  const ssize_t done = ::pread(static_cast<int>(handle_), out, count, static_cast<off_t>(offset));
  if (done < 0) return std::nullopt;
  return static_cast<std::size_t>(done);
}

bool File::write_at(std::uint64_t offset, const void* bytes, std::size_t count) const {
  errno = ENOSPC;  // where less is written than requested, without an error
  return ::pwrite(static_cast<int>(handle_), bytes, count, static_cast<off_t>(offset)) == static_cast<ssize_t>(count);
}

bool File::resize(std::uint64_t size) const {
  return ::ftruncate(static_cast<int>(handle_), static_cast<off_t>(size)) == 0;
}

bool File::sync() const { return ::fsync(static_cast<int>(handle_)) == 0 || errno == EINVAL || errno == EROFS; }

LockResult File::lock_alone() const { return lock(handle_, LOCK_EX); }

LockResult File::lock_shared() const { return lock(handle_, LOCK_SH); }

bool put_in_place(const std::filesystem::path& whole, const std::filesystem::path& target) {
  const File file(whole.string(), OpenMode::kRead);
  if (!file.is_open() || !file.sync() || ::rename(whole.c_str(), target.c_str()) != 0) return false;
  // The name is in the folder. One that may not be read can be waited for no better.
  const File folder(target.has_parent_path() ? target.parent_path().string() : ".", OpenMode::kRead);
  return !folder.is_open() || folder.sync();
}

std::filesystem::path make_unique_folder(const std::filesystem::path& prefix) {
  std::string name = prefix.string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::filesystem::filesystem_error("cannot make a folder", name,
                                            std::error_code(errno, std::generic_category()));
  }
  return name;
}

std::optional<std::filesystem::path> find_running_program() {
  std::error_code error;
#if defined(__APPLE__)
  std::array<char, 4096> name{};
  auto length = static_cast<std::uint32_t>(name.size());
  if (::_NSGetExecutablePath(name.data(), &length) != 0) return std::nullopt;
  std::filesystem::path program = std::filesystem::canonical(name.data(), error);
#else
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
#endif
  if (error) return std::nullopt;
  return program;
}

std::optional<std::filesystem::path> find_shared_library() {
  static const char kAnchor = 0;  // an address in this code that no other module's symbol replaces
  Dl_info info{};
  if (::dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) return std::nullopt;
  // The loader names each library with its folder. A program found on the PATH has a name without one.
  const std::string_view name = info.dli_fname;
  if (name.find('/') == std::string_view::npos) return std::nullopt;
  std::error_code error;
  std::filesystem::path library = std::filesystem::canonical(name, error);
  if (error || library == find_running_program()) return std::nullopt;
  return library;
}

std::int64_t process_number() { return ::getpid(); }

void advise_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  (void)::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

std::optional<std::int64_t> find_thread_clock() {
#if defined(__linux__)
  clockid_t clock{};
  if (::pthread_getcpuclockid(::pthread_self(), &clock) == 0) return clock;
#endif
  return std::nullopt;
}

std::optional<std::chrono::nanoseconds> read_thread_clock(std::int64_t clock) {
  timespec time{};
  if (::clock_gettime(static_cast<clockid_t>(clock), &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int FedProgram::start(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return errno;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  pid_t process = -1;
  const int error =
      ::posix_spawnp(&process, words.front().c_str(), &actions, nullptr, make_arguments(words).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  if (error != 0) {
    ::close(ends[1]);
    return error;
  }
  process_ = process;
  pipe_ = ends[1];
  return 0;
}

FedProgram::~FedProgram() {
  if (process_ > 0) (void)finish();
}

bool FedProgram::write(const void* bytes, std::size_t count) const {
  const NoBrokenPipe guard;
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::write(static_cast<int>(pipe_), at, count);
    if (written > 0) {
      at += written;
      count -= static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool FedProgram::finish() {
  ::close(static_cast<int>(std::exchange(pipe_, -1)));
  const int status = wait_for(static_cast<pid_t>(std::exchange(process_, -1)));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int continue_as(std::vector<std::string> words) {
  ::execvp(words.front().c_str(), make_arguments(words).data());
  return errno;
}

void set_environment(const std::string& name, const std::string& value) { ::setenv(name.c_str(), value.c_str(), 1); }

std::int64_t ChildProcesses::start(const Limits& limits, const std::function<int()>& work) {
  const pid_t process = ::fork();
  if (process < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (process > 0) {
    running_.push_back(process);
    return process;
  }
  const auto seconds = static_cast<rlim_t>(std::max(1.0, limits.seconds));
  const rlim_t most = find_address_space() + static_cast<rlim_t>(limits.bytes);
  const rlimit processor{seconds, seconds + 1}, memory{most, most}, none{0, 0};
  ::setrlimit(RLIMIT_CPU, &processor);
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &none);
  for (const int number : {SIGINT, SIGTERM, SIGALRM}) std::signal(number, SIG_DFL);
  ::_exit(work());
}

ChildProcesses::~ChildProcesses() {
  for (const std::int64_t process : running_) {
    ::kill(static_cast<pid_t>(process), SIGKILL);
    (void)wait_for(static_cast<pid_t>(process));
  }
}

std::optional<ChildProcesses::Ended> ChildProcesses::wait() {
  constexpr int kLooks = 10;
  int status = 0;
  rusage usage{};
  pid_t process = 0;
  for (int k = 0; k < kLooks && process <= 0; ++k) {
    process = ::wait4(-1, &status, WNOHANG, &usage);
    if (process <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (process <= 0) return std::nullopt;
  std::erase(running_, process);
  Ended ended;
  ended.process = process;
  if (WIFSIGNALED(status)) {
    const bool is_late = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    ended.ending = is_late ? Ending::kOutOfTime : Ending::kSignal;
    ended.signal = ::strsignal(WTERMSIG(status));
  } else {
    ended.status = WEXITSTATUS(status);
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  ended.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return ended;
}

bool is_terminal(Stream stream) { return ::isatty(stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO) != 0; }

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void report_file_limits() { std::signal(SIGXFSZ, SIG_IGN); }

void prepare_end(const char* message) {
  end_message = message;
  std::signal(SIGALRM, end_process);
}

void end_in_a_second() { ::alarm(1); }

void cancel_end() { ::alarm(0); }

}  // namespace achilles::platform

#endif
