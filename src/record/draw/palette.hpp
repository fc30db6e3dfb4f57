// Colours of bodies, the same in pages, pictures and glTF.
#pragma once

#include <achilles/world.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace achilles {

/// Components from 0 to 1, as a screen takes them (sRGB).
struct PaletteColor {
  float red = 0, green = 0, blue = 0;
};

constexpr PaletteColor make_color(unsigned hex) {
  return {static_cast<float>((hex >> 16U) & 255U) / 255.0F, static_cast<float>((hex >> 8U) & 255U) / 255.0F,
          static_cast<float>(hex & 255U) / 255.0F};
}

/// The last one is for what does not move.
inline constexpr std::array<PaletteColor, 11> kPalette{make_color(0xe4794a), make_color(0x4a8fe4), make_color(0x55b37e),
                                                       make_color(0xe3b341), make_color(0xa878d8), make_color(0xe0637f),
                                                       make_color(0x4fb8c4), make_color(0x9aa83f), make_color(0xc98a5e),
                                                       make_color(0x6f7fd6), make_color(0xa9adb5)};

[[nodiscard]] inline std::size_t palette_index(BodyKind kind, std::size_t body) {
  return kind == BodyKind::kFixed ? kPalette.size() - 1 : body % (kPalette.size() - 1);
}

/// From what a screen takes to amounts of light, and back.
[[nodiscard]] inline float to_linear(float s) {
  return s <= 0.04045F ? s / 12.92F : std::pow((s + 0.055F) / 1.055F, 2.4F);
}
[[nodiscard]] inline float to_screen(float l) {
  return l <= 0.0031308F ? 12.92F * l : 1.055F * std::pow(l, 1 / 2.4F) - 0.055F;
}

}  // namespace achilles
