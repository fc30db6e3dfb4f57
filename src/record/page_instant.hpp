// One instant as the bytes that a live page appends to its recording: the arrays of page.hpp for a single instant, in
// the order of the page's header, each padded to eight bytes.
#pragma once

#include "record/instant.hpp"

#include <cstdint>
#include <string>

namespace achilles {

/// Number of a quaternion as the page keeps it: in 1/32767, 0 where it is not finite.
[[nodiscard]] std::int16_t to_fraction(double value);

/// Replaces `bytes`; the length of the contacts' arrays follows from contact_offset, which is {0, C}.
void encode_page_instant(const Instant& instant, std::string& bytes);

}  // namespace achilles
