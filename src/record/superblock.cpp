#include "record/superblock.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace achilles {
namespace {

static_assert(std::endian::native == std::endian::little, "the superblock is read and written in place");

constexpr std::size_t kBytes = 48;
constexpr std::size_t kVersionAt = 8, kOffsetSizeAt = 9, kFlagsAt = 11, kEndAt = 28, kChecksumAt = 44;
constexpr std::array<unsigned char, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

using Superblock = std::array<unsigned char, kBytes>;

[[noreturn]] void fail(const std::string& path, const std::string& action) {
  const int error = errno;
  throw std::runtime_error(path + ": cannot " + action + ": " + std::strerror(error));
}

/// Jenkins' lookup3 over the 11 words before the checksum, the one that HDF5 uses for its metadata.
std::uint32_t compute_checksum(const Superblock& block) {
  std::array<std::uint32_t, 12> word{};
  std::memcpy(word.data(), block.data(), kChecksumAt);
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(kChecksumAt);
  std::uint32_t b = a;
  std::uint32_t c = a;
  const auto mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int bits) {
    x = (x - y) ^ std::rotl(y, bits);
    y += z;
  };
  const auto turn = [](std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
  for (std::size_t k = 0; k < 9; k += 3) {
    a += word[k];
    b += word[k + 1];
    c += word[k + 2];
    mix(a, c, b, 4);
    mix(b, a, c, 6);
    mix(c, b, a, 8);
    mix(a, c, b, 16);
    mix(b, a, c, 19);
    mix(c, b, a, 4);
  }
  a += word[9];
  b += word[10];
  turn(c, b, 14);
  turn(a, c, 11);
  turn(b, a, 25);
  turn(c, b, 16);
  turn(a, c, 4);
  turn(b, a, 14);
  turn(c, b, 24);
  return c;
}

std::uint64_t stored_end(const Superblock& block) {
  std::uint64_t end = 0;
  std::memcpy(&end, block.data() + kEndAt, sizeof end);
  return end;
}

bool has_right_checksum(const Superblock& block) {
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, block.data() + kChecksumAt, sizeof checksum);
  return checksum == compute_checksum(block);
}

bool is_known(const Superblock& block) {
  return std::memcmp(block.data(), kSignature.data(), kSignature.size()) == 0 && block[kVersionAt] == 3 &&
         block[kOffsetSizeAt] == 8;
}

}  // namespace

void check_superblock(const std::string& path) {
  const platform::File file(path, platform::OpenMode::kRead);
  if (!file.is_open()) fail(path, "open the recording");
  if (!file.is_regular()) throw std::runtime_error(path + ": not a recording: not a regular file");
  const std::optional<std::uint64_t> size = file.size();
  Superblock block{};
  const std::optional<std::size_t> count = file.read_at(0, block.data(), kBytes);
  if (!size || !count) fail(path, "read the recording");
  if (*count < kSignature.size() || std::memcmp(block.data(), kSignature.data(), kSignature.size()) != 0) {
    throw std::runtime_error(path + ": not a recording: not a HDF5 file");
  }
  if (*count < kBytes) throw std::runtime_error(path + ": the file is cut short");
  if (!is_known(block)) throw std::runtime_error(path + ": not a recording: a HDF5 file that Achilles did not write");
  if (!has_right_checksum(block)) throw std::runtime_error(path + ": the file is damaged: wrong checksum at its start");
  if (*size < stored_end(block)) {
    throw std::runtime_error(path + ": the file is cut short: " + std::to_string(*size) + " of " +
                             std::to_string(stored_end(block)) + " bytes");
  }
}

bool is_being_recorded(const std::string& path) {
  const platform::File file(path, platform::OpenMode::kRead);
  return file.is_open() && file.lock_alone() == platform::LockResult::kBusy;
}

OpenSuperblock::OpenSuperblock(const std::string& path) : path_(path), file_(path, platform::OpenMode::kReadWrite) {
  if (!file_.is_open()) fail(path, "reopen the recording");
  // A file system without locks is no reason to lose a recording.
  (void)file_.lock_shared();
}

bool OpenSuperblock::read(std::span<unsigned char, 48> block) const {
  return file_.read_at(0, block.data(), kBytes) == kBytes;
}

void OpenSuperblock::cover(std::uint64_t end, std::uint64_t reserve) {
  if (end <= covered_) return;
  std::uint64_t target = end + reserve;
  Superblock block{};
  // Where a later HDF5 writes something else here, the file stays as the library leaves it: readable in SWMR mode.
  if (!read(block) || !is_known(block) || !has_right_checksum(block)) {
    covered_ = ~std::uint64_t{0};
    return;
  }
  // First the hole, then the end that points past it. The superblock lies within one page, so a kill cannot tear it.
  if (!file_.resize(target)) {
    // Where the file may not become that long, what must be written may still fit.
    if (errno != EFBIG || !file_.resize(target = end)) fail(path_, "extend the recording");
  }
  block[kFlagsAt] = 0;
  std::memcpy(block.data() + kEndAt, &target, sizeof target);
  const std::uint32_t checksum = compute_checksum(block);
  std::memcpy(block.data() + kChecksumAt, &checksum, sizeof checksum);
  if (!file_.write_at(0, block.data(), kBytes)) fail(path_, "write the recording");
  covered_ = target;
}

void OpenSuperblock::sync() {
  if (!file_.sync()) fail(path_, "write the recording to the disk");
}

void OpenSuperblock::finish() {
  Superblock block{};
  if (!read(block) || !is_known(block)) return;
  const std::optional<std::uint64_t> size = file_.size();
  if (!size || (*size > stored_end(block) && !file_.resize(stored_end(block)))) fail(path_, "finish the recording");
}

}  // namespace achilles
