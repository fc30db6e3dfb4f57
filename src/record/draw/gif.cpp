#include "record/draw/gif.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::uint8_t kUnchanged = 255;  // the index that leaves a pixel as it was
constexpr unsigned kClear = 256, kEnd = 257, kFirstFree = 258, kMostCodes = 4096;

struct Counted {
  std::array<std::uint8_t, 3> rgb{};
  std::uint32_t count = 0;
};

/// A part of the colours: [first, last) of the list.
struct ColorBox {
  std::size_t first = 0, last = 0;
  std::size_t axis = 0;  // in which it is widest
  double spread = 0;     // its width there, weighted by how many pixels it stands for
};

ColorBox make_color_box(const std::vector<Counted>& list, std::size_t first, std::size_t last) {
  ColorBox box{first, last, 0, 0};
  double pixels = 0;
  for (std::size_t k = first; k < last; ++k) pixels += list[k].count;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax_element(
        list.begin() + static_cast<std::ptrdiff_t>(first), list.begin() + static_cast<std::ptrdiff_t>(last),
        [axis](const Counted& a, const Counted& b) { return a.rgb[axis] < b.rgb[axis]; });
    const double spread = (high->rgb[axis] - low->rgb[axis]) * std::sqrt(pixels);
    if (spread > box.spread) {
      box.spread = spread;
      box.axis = axis;
    }
  }
  return box;
}

/// The colours of the pictures, those that agree in the upper six bits of each channel taken together.
std::vector<Counted> count_colors(std::span<const Image> samples) {
  std::vector<std::array<std::uint32_t, 4>> sums(std::size_t{1} << 18U);
  for (const Image& image : samples) {
    for (std::size_t k = 0; k + 2 < image.rgb.size(); k += 3) {
      const std::uint8_t* p = &image.rgb[k];
      auto& sum = sums[(std::size_t{p[0]} >> 2U << 12U) | (std::size_t{p[1]} >> 2U << 6U) | (std::size_t{p[2]} >> 2U)];
      for (std::size_t c = 0; c < 3; ++c) sum[c] += p[c];
      ++sum[3];
    }
  }
  std::vector<Counted> list;
  for (const auto& sum : sums) {
    if (sum[3] == 0) continue;
    Counted one;
    for (std::size_t c = 0; c < 3; ++c) one.rgb[c] = static_cast<std::uint8_t>(sum[c] / sum[3]);
    one.count = sum[3];
    list.push_back(one);
  }
  return list;
}

std::string little_endian16(unsigned value) {
  return {static_cast<char>(value & 255U), static_cast<char>((value >> 8U) & 255U)};
}

/// Codes of nine to twelve bits, lowest bit first, in blocks of at most 255 bytes.
class CodeWriter {
 public:
  void put(unsigned code, unsigned width) {
    pending_ |= code << filled_;
    filled_ += width;
    for (; filled_ >= 8; filled_ -= 8, pending_ >>= 8U) bytes_ += static_cast<char>(pending_ & 255U);
  }
  std::string finish() {
    if (filled_ > 0) bytes_ += static_cast<char>(pending_ & 255U);
    std::string out(1, '\x08');  // codes start with eight bits and a ninth for the clear code
    for (std::size_t at = 0; at < bytes_.size(); at += 255) {
      const std::size_t count = std::min<std::size_t>(255, bytes_.size() - at);
      out += static_cast<char>(count);
      out += bytes_.substr(at, count);
    }
    out += '\0';
    return out;
  }

 private:
  std::string bytes_;
  std::uint32_t pending_ = 0;
  unsigned filled_ = 0;
};

}  // namespace

GifPalette::GifPalette(std::span<const Image> samples) : known_(std::size_t{1} << 18U, -1) {
  std::vector<Counted> list = count_colors(samples);
  if (list.empty()) throw std::invalid_argument("a palette needs a picture");
  std::vector<ColorBox> boxes{make_color_box(list, 0, list.size())};
  while (boxes.size() < kColors) {
    const auto widest = std::max_element(boxes.begin(), boxes.end(),
                                         [](const ColorBox& a, const ColorBox& b) { return a.spread < b.spread; });
    if (widest->spread <= 0) break;
    const ColorBox box = *widest;
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(box.first);
    const auto end = list.begin() + static_cast<std::ptrdiff_t>(box.last);
    std::sort(begin, end, [&box](const Counted& a, const Counted& b) { return a.rgb[box.axis] < b.rgb[box.axis]; });
    const std::size_t middle = (box.first + box.last) / 2;
    *widest = make_color_box(list, box.first, middle);
    boxes.push_back(make_color_box(list, middle, box.last));
  }
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    std::array<double, 4> sum{};
    for (std::size_t i = boxes[k].first; i < boxes[k].last; ++i) {
      for (std::size_t c = 0; c < 3; ++c) sum[c] += static_cast<double>(list[i].rgb[c]) * list[i].count;
      sum[3] += list[i].count;
    }
    for (std::size_t c = 0; c < 3; ++c) colors_[k][c] = static_cast<std::uint8_t>(std::lround(sum[c] / sum[3]));
  }
  for (std::size_t k = boxes.size(); k < kColors; ++k) colors_[k] = colors_[0];
}

std::uint8_t GifPalette::nearest(const std::uint8_t* rgb) {
  std::int16_t& known =
      known_[(std::size_t{rgb[0]} >> 2U << 12U) | (std::size_t{rgb[1]} >> 2U << 6U) | (std::size_t{rgb[2]} >> 2U)];
  if (known < 0) {
    int best = std::numeric_limits<int>::max();
    for (std::size_t k = 0; k < kColors; ++k) {
      int distance = 0;
      for (std::size_t c = 0; c < 3; ++c) distance += (rgb[c] - colors_[k][c]) * (rgb[c] - colors_[k][c]);
      if (distance >= best) continue;
      best = distance;
      known = static_cast<std::int16_t>(k);
    }
  }
  return static_cast<std::uint8_t>(known);
}

std::string compress_gif(std::span<const std::uint8_t> indices) {
  CodeWriter out;
  std::vector<std::uint16_t> next(std::size_t{kMostCodes} * 256, 0);  // code of a known sequence and one more index
  unsigned width = 9, free = kFirstFree;
  out.put(kClear, width);
  if (indices.empty()) {
    out.put(kEnd, width);
    return out.finish();
  }
  unsigned code = indices[0];
  for (const std::uint8_t index : indices.subspan(1)) {
    std::uint16_t& longer = next[std::size_t{code} * 256 + index];
    if (longer != 0) {
      code = longer;
      continue;
    }
    out.put(code, width);
    code = index;
    if (free == kMostCodes) {
      out.put(kClear, width);
      std::fill(next.begin(), next.end(), std::uint16_t{0});
      width = 9;
      free = kFirstFree;
      continue;
    }
    longer = static_cast<std::uint16_t>(free++);
    if (free - 1 == (1U << width)) ++width;  // the reader is one entry behind
  }
  out.put(code, width);
  if (free == (1U << width) && width < 12) ++width;
  out.put(kEnd, width);
  return out.finish();
}

AnimatedGif::AnimatedGif(const std::string& path, int width, int height, int rate, GifPalette palette)
    : file_(path), width_(width), height_(height), rate_(rate), palette_(std::move(palette)) {
  std::string head = "GIF89a" + little_endian16(static_cast<unsigned>(width));
  head += little_endian16(static_cast<unsigned>(height));
  head += std::string_view("\xF7\x00\x00", 3);  // one table of 256 colours for all frames
  for (const auto& color : palette_.colors()) {
    for (const std::uint8_t c : color) head += static_cast<char>(c);
  }
  head += std::string_view("\x00\x00\x00", 3);  // of kUnchanged; never seen
  head += std::string_view("\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00", 19);
  file_.write(head);
}

void AnimatedGif::add(const Image& image) {
  if (image.width != width_ || image.height != height_) {
    throw std::logic_error("all frames of an animation have one size");
  }
  const std::size_t count = image.rgb.size() / 3;
  frame_.resize(count);
  for (std::size_t k = 0; k < count; ++k) frame_[k] = palette_.nearest(&image.rgb[3 * k]);
  if (added_ == 0) {
    shown_ = frame_;
  } else {
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint8_t index = frame_[k];
      if (index == shown_[k]) frame_[k] = kUnchanged;
      shown_[k] = index;
    }
  }
  const auto hundredths = [this](std::size_t frames) {
    return std::llround(100.0 * static_cast<double>(frames) / rate_);
  };
  const auto delay = static_cast<unsigned>(hundredths(added_ + 1) - hundredths(added_));
  std::string block("\x21\xF9\x04\x05", 4);  // stays where it is drawn, has a transparent index
  block += little_endian16(delay);
  block += static_cast<char>(kUnchanged);
  block += std::string_view("\x00\x2C\x00\x00\x00\x00", 6);
  block += little_endian16(static_cast<unsigned>(width_)) + little_endian16(static_cast<unsigned>(height_));
  block += '\0';
  file_.write(block);
  file_.write(compress_gif(frame_));
  ++added_;
}

void AnimatedGif::close() {
  file_.write("\x3B");
  file_.close();
}

}  // namespace achilles
