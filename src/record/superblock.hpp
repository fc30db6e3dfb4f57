// The first 48 bytes of a HDF5 file, kept such that a file whose writer was killed opens like any other.
//
// HDF5 orders the writes of a single-writer/multiple-reader (SWMR) file so that what is on disk is consistent at any
// moment. Two fields of the superblock stand in the way of ordinary readers once the writer is gone: a flag that marks
// that the file is being written, and the end of the file, which is written at the close only and beyond which a reader
// refuses to look. Here the flag is cleared and the end is set ahead of what will be written next, with the file
// extended to it as a hole. Format: HDF5 File Format Specification 3.0, section II.A, superblock version 3.
#pragma once

#include "platform/system.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace achilles {

/// Throws std::runtime_error with the reason unless the file begins like one that a recorder wrote and is as long as
/// its header states: a folder, something else than HDF5, an older format, or a file cut short.
void check_superblock(const std::string& path);

/// Whether a recorder has the file open, in this process or another; false where the file system knows no locks.
[[nodiscard]] bool is_being_recorded(const std::string& path);

/// The superblock of a file that HDF5 is writing in SWMR mode.
class OpenSuperblock {
 public:
  /// After H5Fstart_swmr_write. Holds a shared lock, so that no other recording begins over this one.
  explicit OpenSuperblock(const std::string& path);

  /// To be called before anything is written at or beyond the present end: readers may look up to `end` bytes. Costs
  /// nothing while an earlier call reached that far; `reserve` is how much further to go when it did not.
  void cover(std::uint64_t end, std::uint64_t reserve);

  /// Waits until the disk has all that was written.
  void sync();

  /// After H5Fclose: cuts off what was extended but not written.
  void finish();

 private:
  [[nodiscard]] bool read(std::span<unsigned char, 48> block) const;

  std::string path_;
  platform::File file_;
  std::uint64_t covered_ = 0;  // [bytes]
};

}  // namespace achilles
