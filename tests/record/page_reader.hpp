// A page read back the way a browser does, and a fixture that records, exports and reads.
#pragma once

#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/small_world.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace achilles::test {

using nlohmann::json;

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string decode_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = (word << 6U) | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>((word >> static_cast<unsigned>(bits)) & 255U);
    }
  }
  return bytes;
}

/// What zlib compressed.
inline std::string inflate_all(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out, piece(65536, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  inflateEnd(&stream);
  return out;
}

/// A page read back the way a browser does.
struct Page {
  std::string text;
  json header;
  std::string data;
  std::size_t encoded = 0;  // [bytes] before compression

  explicit Page(const std::string& path) : text(read_whole(path)) {
    const std::string start = "<script>window.achilles_recording = ";
    const std::size_t from = text.find(start) + start.size();
    const std::size_t to = text.find("</script>", from);
    EXPECT_EQ(text[to - 1], ';');
    const json value = json::parse(text.substr(from, to - 1 - from));
    header = value["header"];
    EXPECT_EQ(value["data"].get_ref<const std::string&>().size() % 4, 0U);
    EXPECT_EQ(header["compression"], "deflate");
    data = inflate_all(decode_base64(value["data"]));
    encoded = (data.size() + 2) / 3 * 4;
  }

  [[nodiscard]] json entry(const std::string& name) const {
    for (const json& one : header["arrays"]) {
      if (one["name"] == name) return one;
    }
    return nullptr;
  }

  template <class T>
  [[nodiscard]] std::vector<T> array(const std::string& name) const {
    const json one = entry(name);
    if (one.is_null()) throw std::runtime_error("the page has no " + name);
    EXPECT_EQ(one["offset"].get<std::size_t>() % 8, 0U) << name;
    std::vector<T> values(one["bytes"].get<std::size_t>() / sizeof(T));
    std::size_t count = 1;
    for (const json& extent : one["shape"]) count *= extent.get<std::size_t>();
    EXPECT_EQ(values.size(), count) << name;
    if (!values.empty()) {
      std::memcpy(values.data(), data.data() + one["offset"].get<std::size_t>(), values.size() * sizeof(T));
    }
    return values;
  }
};

/// A template that is small enough to read.
inline const std::string kTemplate = "<!doctype html><script>/*ACHILLES_DATA*/</script><p>the end";

/// Records, exports and reads back.
class PageTest : public ::testing::Test {
 protected:
  Page make_page(const Scene& scene, std::uint64_t instants, std::size_t budget = PageOptions{}.budget) {
    record(folder.file("run.h5"), scene, instants);
    return make_page(budget);
  }
  Page make_page(std::size_t budget = PageOptions{}.budget) {
    write_file(folder.file("template.html"), kTemplate);
    export_page(Recording(folder.file("run.h5")), folder.file("run.html"), {budget, folder.file("template.html")});
    return Page(folder.file("run.html"));
  }

  TemporaryFolder folder;
};

}  // namespace achilles::test
