#include "api/faulty_system.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace achilles::testing {
namespace {

thread_local Fault fault = Fault::kNone;
thread_local bool armed = false;
thread_local std::int64_t at = 0, calls = 0;
thread_local DiskUse disk;
thread_local std::int64_t syncs_at_rename = 0;

#if ACHILLES_OWN_MALLOC
constexpr std::size_t kPage = 4096;  // [bytes]

enum class Verdict { kGo, kFail, kTear };

Verdict judge_write() {
  if (!armed || fault == Fault::kNoMemory || fault == Fault::kCountMemory) return Verdict::kGo;
  const std::int64_t call = calls++;
  switch (fault) {
    case Fault::kFailOnce:
      return call == at ? Verdict::kFail : Verdict::kGo;
    case Fault::kFailOn:
      return call >= at ? Verdict::kFail : Verdict::kGo;
    case Fault::kKill:
      if (call == at) ::raise(SIGKILL);
      return Verdict::kGo;
    case Fault::kTear:
      return call == at ? Verdict::kTear : Verdict::kGo;
    default:
      return Verdict::kGo;
  }
}

bool has_memory() {
  if (!armed || (fault != Fault::kNoMemory && fault != Fault::kCountMemory)) return true;
  const std::int64_t call = calls++;
  if (fault == Fault::kCountMemory || call != at) return true;
  return false;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Does it whole, or not at all, or by half.
template <class Whole, class Half>
auto guard(Whole whole, Half half) -> decltype(whole()) {
  switch (judge_write()) {
    case Verdict::kGo:
      break;
    case Verdict::kFail:
      errno = ENOSPC;
      return -1;
    case Verdict::kTear:
      (void)half();
      ::raise(SIGKILL);
      break;
  }
  return whole();
}
#endif

}  // namespace

void arm(Fault what, std::int64_t call) {
  fault = what;
  at = call;
  calls = 0;
  armed = true;
}

std::int64_t disarm() {
  armed = false;
  return calls;
}

void forget_disk() {
  disk = {};
  syncs_at_rename = 0;
}

DiskUse disk_use() { return disk; }

#if ACHILLES_OWN_MALLOC
namespace {

void note_sync() {
  ++disk.syncs;
  disk.writes = disk.renames = 0;
}
void note_rename() {
  ++disk.renames;
  if (disk.syncs == syncs_at_rename) ++disk.early;
  syncs_at_rename = disk.syncs;
}

}  // namespace
#endif

}  // namespace achilles::testing

#if ACHILLES_OWN_MALLOC

using achilles::testing::guard;
using achilles::testing::next;

extern "C" {

ssize_t write(int file, const void* bytes, std::size_t count) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  return guard([&] { return real(file, bytes, count); }, [] { return 0; });
}
ssize_t pwrite(int file, const void* bytes, std::size_t count, off_t offset) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  ++achilles::testing::disk.writes;
  // A kill leaves whole pages written or not.
  const auto part = [&]() -> std::size_t {
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t end = (begin + count / 2) / achilles::testing::kPage * achilles::testing::kPage;
    return end > begin ? end - begin : 0;
  };
  return guard([&] { return real(file, bytes, count, offset); }, [&] { return real(file, bytes, part(), offset); });
}
ssize_t pwrite64(int file, const void* bytes, std::size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}
int ftruncate(int file, off_t length) {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  ++achilles::testing::disk.writes;
  return guard([&] { return real(file, length); }, [] { return 0; });
}
int ftruncate64(int file, off_t length) { return ftruncate(file, length); }
int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  achilles::testing::note_sync();
  return guard([&] { return real(file); }, [] { return 0; });
}
int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  achilles::testing::note_rename();
  return guard([&] { return real(from, to); }, [] { return 0; });
}
}

// What C++ allocates: the HDF5 library takes its memory from malloc and does not survive each time that it gets none.
void* operator new(std::size_t size) {
  void* const memory = achilles::testing::has_memory() ? std::malloc(size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* const memory =
      achilles::testing::has_memory() ? std::aligned_alloc(unit, (size + unit - 1) / unit * unit) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
