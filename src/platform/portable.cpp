#include "platform/choice.hpp"
#include "platform/library_file.hpp"
#include "platform/system.hpp"

#if !ACHILLES_POSIX

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <utility>

namespace achilles::platform {
namespace {

std::FILE* stream_of(std::intptr_t handle) { return reinterpret_cast<std::FILE*>(handle); }

bool seek(std::FILE* file, std::uint64_t offset) { return std::fseek(file, static_cast<long>(offset), SEEK_SET) == 0; }

}  // namespace

File::File(const std::string& path, OpenMode mode) : path_(path) {
  std::FILE* file = std::fopen(path.c_str(), mode == OpenMode::kRead        ? "rb"
                                             : mode == OpenMode::kCreateNew ? "w+bx"
                                                                            : "r+b");
  if (file == nullptr && mode == OpenMode::kCreate) file = std::fopen(path.c_str(), "w+b");
  if (file == nullptr) return;
  std::setvbuf(file, nullptr, _IONBF, 0);  // others write to the file as well
  handle_ = reinterpret_cast<std::intptr_t>(file);
}

File::~File() {
  if (is_open()) std::fclose(stream_of(handle_));
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, kNone)) {}

bool File::is_regular() const {
  std::error_code error;
  return std::filesystem::is_regular_file(path_, error);
}

std::optional<std::uint64_t> File::size() const {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  if (error) return std::nullopt;
  return size;
}

std::optional<std::size_t> File::read_at(std::uint64_t offset, void* out, std::size_t count) const {
  std::FILE* const file = stream_of(handle_);
  if (!seek(file, offset)) return std::nullopt;
  const std::size_t done = std::fread(out, 1, count, file);
  if (std::ferror(file) != 0) return std::nullopt;
  return done;
}

bool File::write_at(std::uint64_t offset, const void* bytes, std::size_t count) const {
  std::FILE* const file = stream_of(handle_);
  return seek(file, offset) && std::fwrite(bytes, 1, count, file) == count;
}

bool File::resize(std::uint64_t size) const {
  std::error_code error;
  std::filesystem::resize_file(path_, size, error);
  errno = error.value();
  return !error;
}

bool File::sync() const { return std::fflush(stream_of(handle_)) == 0; }

LockResult File::lock_alone() const { return LockResult::kUnknown; }

LockResult File::lock_shared() const { return LockResult::kUnknown; }

bool put_in_place(const std::filesystem::path& whole, const std::filesystem::path& target) {
  std::error_code error;
  std::filesystem::rename(whole, target, error);
  errno = error.value();
  return !error;
}

std::filesystem::path make_unique_folder(const std::filesystem::path& prefix) {
  std::random_device random;
  std::filesystem::path name;
  do {
    name = prefix;
    name += std::to_string(random());
  } while (!std::filesystem::create_directory(name));
  std::filesystem::permissions(name, std::filesystem::perms::owner_all);
  return name;
}

std::optional<std::filesystem::path> find_running_program() { return std::nullopt; }

std::optional<std::filesystem::path> find_shared_library() { return std::nullopt; }

std::int64_t process_number() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

void advise_large_pages(void*, std::size_t) {}

std::optional<std::int64_t> find_thread_clock() { return std::nullopt; }

std::optional<std::chrono::nanoseconds> read_thread_clock(std::int64_t) { return std::nullopt; }

FedProgram::~FedProgram() = default;

int FedProgram::start(std::vector<std::string>) { return ENOSYS; }

bool FedProgram::write(const void*, std::size_t) const { return false; }

bool FedProgram::finish() { return false; }

int continue_as(std::vector<std::string> words) {
  std::string command;
  for (const std::string& word : words) command += '"' + word + "\" ";
  const int status = std::system(command.c_str());
  if (status < 0) return ENOENT;
  std::exit(status);
}

void set_environment(const std::string&, const std::string&) {}

std::int64_t ChildProcesses::start(const Limits&, const std::function<int()>& work) {
  const auto number = static_cast<std::int64_t>(ended_.size());
  ended_.push_back({number, Ending::kExited, work(), {}, 0});
  return number;
}

ChildProcesses::~ChildProcesses() = default;

std::optional<ChildProcesses::Ended> ChildProcesses::wait() {
  if (ended_.empty()) return std::nullopt;
  Ended ended = std::move(ended_.back());
  ended_.pop_back();
  return ended;
}

bool is_terminal(Stream) { return false; }

std::size_t terminal_width() { return 80; }

void report_file_limits() {}

void prepare_end(const char*) {}

void end_in_a_second() {}

void cancel_end() {}

}  // namespace achilles::platform

#endif
