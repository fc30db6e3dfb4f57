// Videos hold the pictures they were made of.
#include "record/small_world.hpp"

#include "record/draw/gif.hpp"
#include "record/draw/mp4.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "record/render.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

namespace achilles {
namespace {

using test::make_balls;
using test::record;
using test::TemporaryFolder;

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Undoes the codes of GIF as the format's description tells a reader to: sub-blocks from `at` on, moved past them.
std::vector<std::uint8_t> read_gif_indices(const std::string& bytes, std::size_t& at) {
  EXPECT_EQ(bytes.at(at++), '\x08');
  std::string data;
  for (auto count = static_cast<unsigned char>(bytes.at(at++)); count != 0;
       count = static_cast<unsigned char>(bytes.at(at++))) {
    data += bytes.substr(at, count);
    at += count;
  }
  std::vector<std::vector<std::uint8_t>> table;
  const auto clear = [&table] {
    table.assign(258, {});
    for (std::size_t k = 0; k < 256; ++k) table[k] = {static_cast<std::uint8_t>(k)};
  };
  std::vector<std::uint8_t> out, before;
  std::size_t bit = 0;
  unsigned width = 9;
  clear();
  for (;;) {
    unsigned code = 0;
    for (unsigned k = 0; k < width; ++k, ++bit) {
      code |= ((static_cast<unsigned char>(data.at(bit / 8)) >> (bit % 8)) & 1U) << k;
    }
    if (code == 257) return out;
    if (code == 256) {
      clear();
      width = 9;
      before.clear();
      continue;
    }
    std::vector<std::uint8_t> now = code < table.size() ? table[code] : before;
    if (code >= table.size()) now.push_back(before.at(0));
    if (!before.empty() && table.size() < 4096) {
      before.push_back(now[0]);
      table.push_back(before);
    }
    out.insert(out.end(), now.begin(), now.end());
    before = now;
    if (table.size() == (std::size_t{1} << width) && width < 12) ++width;
  }
}

TEST(Gif, CodesAreUndoneByTheRulesOfTheFormat) {
  std::mt19937_64 random(3);
  std::vector<std::vector<std::uint8_t>> cases{{}, {7}, {7, 7}, std::vector<std::uint8_t>(100'000, 9)};
  for (const unsigned colors : {2U, 17U, 256U}) {
    std::vector<std::uint8_t> noise;
    for (int k = 0; k < 30'000; ++k) noise.push_back(static_cast<std::uint8_t>(random() % colors));
    cases.push_back(noise);
  }
  // Every length around those at which the codes get longer or start anew.
  for (std::size_t length = 250; length < 262; ++length) {
    cases.emplace_back(cases[6].begin(), cases[6].begin() + static_cast<std::ptrdiff_t>(length));
  }
  for (std::size_t length = 3830; length < 3850; ++length) {
    cases.emplace_back(cases[6].begin(), cases[6].begin() + static_cast<std::ptrdiff_t>(length));
  }
  for (const auto& indices : cases) {
    const std::string bytes = compress_gif(indices);
    std::size_t at = 0;
    EXPECT_EQ(read_gif_indices(bytes, at), indices) << indices.size();
    EXPECT_EQ(at, bytes.size());
  }
}

/// The frames of a GIF as they would be shown, and the hundredths of a second each stays.
struct ReadGif {
  std::vector<Image> frames;
  std::vector<int> hundredths;
};

ReadGif read_gif(const std::string& path) {
  const std::string bytes = read_all(path);
  const auto number = [&bytes](std::size_t at) {
    return static_cast<int>(static_cast<unsigned char>(bytes.at(at)) +
                            256U * static_cast<unsigned char>(bytes.at(at + 1)));
  };
  EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
  Image shown(number(6), number(8));
  ReadGif gif;
  std::size_t at = 13 + 768 + 19;
  while (bytes.at(at) == '\x21') {
    EXPECT_EQ(bytes.substr(at, 4), std::string("\x21\xF9\x04\x05"));
    gif.hundredths.push_back(number(at + 4));
    const auto unchanged = static_cast<std::uint8_t>(bytes.at(at + 6));
    at += 8 + 10;
    const std::vector<std::uint8_t> indices = read_gif_indices(bytes, at);
    EXPECT_EQ(3 * indices.size(), shown.rgb.size());
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (indices[k] == unchanged) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        shown.rgb[3 * k + c] = static_cast<std::uint8_t>(bytes[13 + 3 * std::size_t{indices[k]} + c]);
      }
    }
    gif.frames.push_back(shown);
  }
  EXPECT_EQ(bytes.substr(at), "\x3B");
  return gif;
}

// Few colours that differ in the upper six bits of a channel are kept as they are.
TEST(Gif, PicturesOfFewColoursAreKeptExactly) {
  const TemporaryFolder folder;
  std::mt19937_64 random(8);
  std::vector<Image> frames(4, Image(31, 17));
  for (Image& frame : frames) {
    for (std::uint8_t& byte : frame.rgb) byte = static_cast<std::uint8_t>(50 * (random() % 6));
  }
  frames[2] = frames[1];
  AnimatedGif video(folder.file("a.gif"), 31, 17, 30, GifPalette(frames));
  for (const Image& frame : frames) video.add(frame);
  video.close();
  const ReadGif read = read_gif(folder.file("a.gif"));
  ASSERT_EQ(read.frames.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(read.frames[k].rgb, frames[k].rgb) << k;
  // 30 frames a second are 3.33 hundredths each: the sums are right, not each of them.
  EXPECT_EQ(read.hundredths, (std::vector<int>{3, 4, 3, 3}));
}

// A gradient of 65,536 colours on 255: neighbours in a palette that fills the square evenly are 16 apart.
TEST(Gif, ManyColoursAreReplacedByNearOnes) {
  const TemporaryFolder folder;
  Image image(256, 256);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      image.pixel(x, y)[0] = static_cast<std::uint8_t>(x);
      image.pixel(x, y)[2] = static_cast<std::uint8_t>(y);
    }
  }
  AnimatedGif video(folder.file("a.gif"), 256, 256, 25, GifPalette(std::span(&image, 1)));
  video.add(image);
  video.close();
  const Image read = read_gif(folder.file("a.gif")).frames.at(0);
  for (std::size_t k = 0; k < image.rgb.size(); ++k) EXPECT_LE(std::abs(read.rgb[k] - image.rgb[k]), 24) << k;
}

TEST(Video, OfTheThreeKindsIsMadeOfTheSameFrames) {
  const TemporaryFolder folder;
  record(folder.file("run.h5"), make_balls(3), 11);  // 0 to 0.05 s
  const Recording recording(folder.file("run.h5"));
  VideoOptions options;
  options.picture.width = 64;
  options.picture.height = 48;
  options.rate = 50;
  options.speed = 0.5;  // a frame every 0.01 s
  render_video(recording, folder.file("v.gif"), options);
  EXPECT_EQ(read_gif(folder.file("v.gif")).frames.size(), 6U);
  EXPECT_THROW(render_video(recording, folder.file("v.avi"), options), std::runtime_error);
  EXPECT_THROW(render_video(recording, folder.file("no/folder.gif"), options), std::runtime_error);
  if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "MP4 needs ffmpeg";
  render_video(recording, folder.file("v.mp4"), options);
  EXPECT_EQ(read_all(folder.file("v.mp4")).substr(4, 4), "ftyp");
  EXPECT_THROW(render_video(recording, folder.file("no/folder.mp4"), options), std::runtime_error);
}

}  // namespace
}  // namespace achilles
