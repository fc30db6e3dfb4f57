// Pictures and PNG files, still and animated.
#pragma once

#include "record/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

/// Rows from top to bottom, three bytes per pixel: red, green, blue (sRGB).
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;

  Image() = default;
  Image(int w, int h) : width(w), height(h), rgb(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  [[nodiscard]] std::uint8_t* pixel(int x, int y) {
    return &rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
  }
  [[nodiscard]] const std::uint8_t* pixel(int x, int y) const { return const_cast<Image*>(this)->pixel(x, y); }
};

/// Throws std::runtime_error with path and reason, as do all the others.
void write_png(const Image& image, const std::string& path);

/// A PNG that plays (APNG): any browser shows it, and what knows only PNG shows the first frame.
class AnimatedPng {
 public:
  /// All `frames` pictures that are announced here must be added; each is shown for 1 / `rate` seconds.
  AnimatedPng(const std::string& path, int width, int height, std::size_t frames, int rate);
  /// Only the rectangle that changed is stored.
  void add(const Image& image);
  void close();

 private:
  OutputFile file_;
  Image shown_;
  int rate_;
  std::uint32_t sequence_ = 0;
  std::size_t added_ = 0;
};

/// Bytes in the zlib format (RFC 1950).
[[nodiscard]] std::string compress(std::string_view bytes);
/// The checksum that ends a chunk of a PNG.
[[nodiscard]] std::uint32_t compute_crc(std::string_view bytes);

}  // namespace achilles
