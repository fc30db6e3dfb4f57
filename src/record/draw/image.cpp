#include "record/draw/image.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>((value >> shift) & 255U);
  return bytes;
}

std::string big_endian16(unsigned value) {
  return {static_cast<char>((value >> 8U) & 255U), static_cast<char>(value & 255U)};
}

void write_chunk(OutputFile& file, std::string_view name, std::string_view content) {
  std::string body(name);
  body += content;
  file.write(big_endian(static_cast<std::uint32_t>(content.size())));
  file.write(body);
  file.write(big_endian(compute_crc(body)));
}

void write_start(OutputFile& file, int width, int height) {
  file.write(kSignature);
  std::string header = big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height));
  header += std::string_view("\x08\x02\x00\x00\x00", 5);  // eight bits, colour, and no interlacing
  write_chunk(file, "IHDR", header);
}

struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Each row as differences to the pixel before or to the row above, whichever gives the smaller numbers.
std::string filter(const Image& image, const Rectangle& part) {
  const auto count = 3 * static_cast<std::size_t>(part.width);
  const std::vector<std::uint8_t> zeros(count, 0);
  std::string out;
  std::array<std::string, 2> tried;
  for (int row = 0; row < part.height; ++row) {
    const std::uint8_t* here = image.pixel(part.x, part.y + row);
    const std::uint8_t* above = row > 0 ? image.pixel(part.x, part.y + row - 1) : zeros.data();
    std::array<long, 2> cost{};
    for (std::size_t kind = 0; kind < 2; ++kind) {
      tried[kind].assign(1, static_cast<char>(kind + 1));
      for (std::size_t k = 0; k < count; ++k) {
        const int reference = kind == 1 ? above[k] : k >= 3 ? here[k - 3] : 0;
        const auto difference = static_cast<signed char>(here[k] - reference);
        cost[kind] += std::abs(difference);
        tried[kind] += static_cast<char>(difference);
      }
    }
    out += tried[cost[1] < cost[0] ? 1 : 0];
  }
  return out;
}

/// The smallest rectangle outside which two pictures are equal; one pixel where they are equal everywhere.
Rectangle find_change(const Image& before, const Image& after) {
  int left = after.width, right = -1, top = after.height, bottom = -1;
  for (int y = 0; y < after.height; ++y) {
    for (int x = 0; x < after.width; ++x) {
      if (std::equal(before.pixel(x, y), before.pixel(x, y) + 3, after.pixel(x, y))) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

}  // namespace

void write_png(const Image& image, const std::string& path) {
  OutputFile file(path);
  write_start(file, image.width, image.height);
  write_chunk(file, "IDAT", compress(filter(image, {0, 0, image.width, image.height})));
  write_chunk(file, "IEND", "");
  file.close();
}

AnimatedPng::AnimatedPng(const std::string& path, int width, int height, std::size_t frames, int rate)
    : file_(path), shown_(width, height), rate_(rate) {
  write_start(file_, width, height);
  const std::uint32_t for_ever = 0;
  write_chunk(file_, "acTL", big_endian(static_cast<std::uint32_t>(frames)) + big_endian(for_ever));
}

void AnimatedPng::add(const Image& image) {
  if (image.width != shown_.width || image.height != shown_.height) {
    throw std::logic_error("all frames of an animation have one size");
  }
  const Rectangle part = added_ == 0 ? Rectangle{0, 0, image.width, image.height} : find_change(shown_, image);
  std::string control = big_endian(sequence_++);
  for (const int number : {part.width, part.height, part.x, part.y}) {
    control += big_endian(static_cast<std::uint32_t>(number));
  }
  control += big_endian16(1) + big_endian16(static_cast<unsigned>(rate_));
  control += std::string_view("\x00\x00", 2);  // stays, and replaces what was there
  write_chunk(file_, "fcTL", control);
  const std::string data = compress(filter(image, part));
  if (added_ == 0) {
    write_chunk(file_, "IDAT", data);
  } else {
    write_chunk(file_, "fdAT", big_endian(sequence_++) + data);
  }
  shown_ = image;
  ++added_;
}

void AnimatedPng::close() {
  write_chunk(file_, "IEND", "");
  file_.close();
}

}  // namespace achilles
