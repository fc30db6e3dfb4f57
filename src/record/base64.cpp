#include "record/base64.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace achilles {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kPiece = 49'152;  // [bytes] encoded at once; a multiple of three

void encode(std::string_view bytes, std::string& text) {
  const auto digit = [](std::uint32_t word, int place) { return kDigits[(word >> (6 * place)) & 63U]; };
  for (std::size_t k = 0; k + 2 < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t offset) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[k + offset]));
    };
    const std::uint32_t word = (byte(0) << 16U) | (byte(1) << 8U) | byte(2);
    for (int place = 3; place >= 0; --place) text += digit(word, place);
  }
}

/// The last one or two bytes, with padding.
void encode_rest(std::string_view rest, std::string& text) {
  if (rest.empty()) return;
  std::string padded(rest);
  padded.resize(3, '\0');
  encode(padded, text);
  std::fill(text.end() - static_cast<std::ptrdiff_t>(3 - rest.size()), text.end(), '=');
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  const std::size_t whole = bytes.size() / 3 * 3;
  encode(bytes.substr(0, whole), text);
  encode_rest(bytes.substr(whole), text);
  return text;
}

struct Base64Writer::Compressor {
  z_stream stream{};
  std::vector<char> out;  // scratch
};

Base64Writer::Base64Writer(OutputFile& file, bool compresses) : file_(file) {
  if (!compresses) return;
  compressor_ = std::make_unique<Compressor>();
  compressor_->out.resize(kPiece);
  if (deflateInit(&compressor_->stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::runtime_error("zlib cannot begin");
}

Base64Writer::~Base64Writer() {
  if (compressor_) deflateEnd(&compressor_->stream);
}

void Base64Writer::compress(std::string_view bytes, bool is_last) {
  z_stream& stream = compressor_->stream;
  constexpr std::size_t kAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits
  do {
    const std::string_view piece = bytes.substr(0, kAtOnce);
    bytes.remove_prefix(piece.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));  // zlib does not write there
    stream.avail_in = static_cast<uInt>(piece.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(compressor_->out.data());
      stream.avail_out = static_cast<uInt>(compressor_->out.size());
      deflate(&stream, is_last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      encode_bytes({compressor_->out.data(), compressor_->out.size() - stream.avail_out});
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
}

void Base64Writer::write(std::string_view bytes) {
  bytes_ += bytes.size();
  if (compressor_) {
    compress(bytes, false);
  } else {
    encode_bytes(bytes);
  }
}

void Base64Writer::encode_bytes(std::string_view bytes) {
  if (!rest_.empty()) {
    const std::size_t taken = std::min(bytes.size(), 3 - rest_.size());
    rest_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (rest_.size() < 3) return;
    text_.clear();
    encode(rest_, text_);
    file_.write(text_);
    rest_.clear();
  }
  const std::size_t whole = bytes.size() / 3 * 3;
  for (std::size_t at = 0; at < whole; at += kPiece) {
    text_.clear();
    encode(bytes.substr(at, std::min(kPiece, whole - at)), text_);
    file_.write(text_);
  }
  rest_ = bytes.substr(whole);
}

void Base64Writer::pad(std::size_t alignment) {
  const std::string zeros((alignment - bytes_ % alignment) % alignment, '\0');
  write(zeros);
}

void Base64Writer::finish() {
  if (compressor_) compress({}, true);
  text_.clear();
  encode_rest(rest_, text_);
  file_.write(text_);
  rest_.clear();
}

}  // namespace achilles
