// Animated GIF files: 255 colours chosen from the pictures, and a 256th that leaves a pixel as it was.
#pragma once

#include "record/draw/image.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// 255 colours that stand for all of a few pictures: boxes of colour space, each split at its median, the one with the
/// largest spread first.
class GifPalette {
 public:
  static constexpr std::size_t kColors = 255;

  explicit GifPalette(std::span<const Image> samples);
  /// Index of the nearest colour. The answer is remembered for colours that agree in the upper six bits.
  [[nodiscard]] std::uint8_t nearest(const std::uint8_t* rgb);
  [[nodiscard]] const std::array<std::array<std::uint8_t, 3>, kColors>& colors() const { return colors_; }

 private:
  std::array<std::array<std::uint8_t, 3>, kColors> colors_{};
  std::vector<std::int16_t> known_;  // per colour of six bits a channel; -1: not needed yet
};

class AnimatedGif {
 public:
  /// Throws std::runtime_error with path and reason, as do the others. Frames are shown for 1 / `rate` seconds, to the
  /// hundredth that the format knows; roundings do not add up. The animation repeats for ever.
  AnimatedGif(const std::string& path, int width, int height, int rate, GifPalette palette);
  void add(const Image& image);
  void close();

 private:
  OutputFile file_;
  int width_, height_, rate_;
  GifPalette palette_;
  std::vector<std::uint8_t> shown_;  // indices, per pixel
  std::size_t added_ = 0;
  std::vector<std::uint8_t> frame_;  // scratch
};

/// Indices of eight bits by the variable-length codes of GIF, in its sub-blocks, with the end of the data.
[[nodiscard]] std::string compress_gif(std::span<const std::uint8_t> indices);

}  // namespace achilles
