// Vectors of three across lanes, and bodies' rows of eight floats as columns: for kernels that Highway compiles once
// per instruction set, so this is read once per set and has no ordinary guard.
#if defined(ACHILLES_SOFT_WIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ACHILLES_SOFT_WIDE_INL
#undef ACHILLES_SOFT_WIDE_INL
#else
#define ACHILLES_SOFT_WIDE_INL
#endif

#include "time_control/soft_step/contact_lanes.hpp"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Wide = hn::CappedTag<float, kLanes>;
using WideInt = hn::RebindToSigned<Wide>;
using V = hn::Vec<Wide>;
constexpr Wide kWide;

struct V3 {
  V x, y, z;
};

HWY_INLINE V3 operator+(const V3& a, const V3& b) { return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)}; }
HWY_INLINE V3 operator-(const V3& a, const V3& b) { return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)}; }
HWY_INLINE V3 scale(V s, const V3& a) { return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)}; }
HWY_INLINE V3 multiply(const V3& a, const V3& b) { return {hn::Mul(a.x, b.x), hn::Mul(a.y, b.y), hn::Mul(a.z, b.z)}; }
HWY_INLINE V dot(const V3& a, const V3& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE V3 cross(const V3& a, const V3& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE V load(const Lane& lane, std::size_t at) { return hn::Load(kWide, lane + at); }
HWY_INLINE V3 load(const Lane (&lanes)[3], std::size_t at) {
  return {load(lanes[0], at), load(lanes[1], at), load(lanes[2], at)};
}
HWY_INLINE void store(V value, Lane& lane, std::size_t at) { hn::Store(value, kWide, lane + at); }

/// Symmetric matrix, xx, yy, zz, xy, xz, yz, times a vector.
HWY_INLINE V3 multiply(const Lane (&m)[6], std::size_t at, const V3& a) {
  const V xx = load(m[0], at), yy = load(m[1], at), zz = load(m[2], at);
  const V xy = load(m[3], at), xz = load(m[4], at), yz = load(m[5], at);
  return {dot({xx, xy, xz}, a), dot({xy, yy, yz}, a), dot({xz, yz, zz}, a)};
}

HWY_INLINE void store(const V3& value, Lane (&lanes)[3], std::size_t at) {
  store(value.x, lanes[0], at);
  store(value.y, lanes[1], at);
  store(value.z, lanes[2], at);
}

HWY_INLINE V3 choose(hn::Mask<Wide> which, const V3& a, const V3& b) {
  return {hn::IfThenElse(which, a.x, b.x), hn::IfThenElse(which, a.y, b.y), hn::IfThenElse(which, a.z, b.z)};
}

HWY_INLINE V invert(V value) {
  const V zero = hn::Zero(kWide);
  return hn::IfThenElse(hn::Gt(value, zero), hn::Div(hn::Set(kWide, 1.0f), value), zero);
}

/// Floats from one row of a table to the next: of bodies and of drafts of manifolds.
constexpr std::ptrdiff_t kRow = 16;

/// The first eight columns of a table, for the rows of as many bodies as there are lanes.
struct Columns {
  V c[8];
};

constexpr std::size_t kWidth = hn::MaxLanes(kWide);

#if HWY_TARGET != HWY_SCALAR
using Pairs = hn::RepartitionToWide<WideInt>;

/// Within blocks of four lanes: rows become columns. Works on bits, so it moves numbers without touching them.
HWY_INLINE void transpose_blocks(V& r0, V& r1, V& r2, V& r3) {
  const Pairs pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(kWide, r0, r1));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(kWide, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(kWide, r2, r3));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(kWide, r2, r3));
  r0 = hn::BitCast(kWide, hn::InterleaveLower(pairs, low01, low23));
  r1 = hn::BitCast(kWide, hn::InterleaveUpper(pairs, low01, low23));
  r2 = hn::BitCast(kWide, hn::InterleaveLower(pairs, high01, high23));
  r3 = hn::BitCast(kWide, hn::InterleaveUpper(pairs, high01, high23));
}

/// A table of eight rows and eight columns turned over, in registers of eight lanes.
HWY_INLINE void transpose(V (&m)[8]) {
  transpose_blocks(m[0], m[1], m[2], m[3]);
  transpose_blocks(m[4], m[5], m[6], m[7]);
  for (std::size_t k = 0; k < 4; ++k) {
    const V low = m[k], high = m[4 + k];
    m[k] = hn::ConcatLowerLower(kWide, high, low);
    m[4 + k] = hn::ConcatUpperUpper(kWide, high, low);
  }
}
#endif

/// Loading rows and turning them over is three times as fast as gathering columns.
template <std::ptrdiff_t kStride = kRow>
HWY_INLINE Columns load_rows(const float* table, const std::int32_t* rows) {
  Columns to;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < 8; ++k) to.c[k] = hn::Load(kWide, table + kStride * rows[0] + k);
#else
  if constexpr (kWidth == 8) {
    for (std::size_t k = 0; k < 8; ++k) to.c[k] = hn::Load(kWide, table + kStride * rows[k]);
    transpose(to.c);
  } else {
    for (std::size_t k = 0; k < 4; ++k) {
      to.c[k] = hn::Load(kWide, table + kStride * rows[k]);
      to.c[4 + k] = hn::Load(kWide, table + kStride * rows[k] + 4);
    }
    transpose_blocks(to.c[0], to.c[1], to.c[2], to.c[3]);
    transpose_blocks(to.c[4], to.c[5], to.c[6], to.c[7]);
  }
#endif
  return to;
}

/// The way back, but for rows before the first. Of bodies those up to 0 are read-only: many lanes may share them, also
/// on other threads.
template <std::ptrdiff_t kStride = kRow, std::int32_t kFirst = 1>
HWY_INLINE void store_rows(Columns from, const std::int32_t* rows, float* table) {
#if HWY_TARGET == HWY_SCALAR
  if (rows[0] < kFirst) return;
  for (std::size_t k = 0; k < 8; ++k) hn::Store(from.c[k], kWide, table + kStride * rows[0] + k);
#else
  if constexpr (kWidth == 8) {
    transpose(from.c);
    for (std::size_t k = 0; k < 8; ++k) {
      if (rows[k] >= kFirst) hn::Store(from.c[k], kWide, table + kStride * rows[k]);
    }
  } else {
    transpose_blocks(from.c[0], from.c[1], from.c[2], from.c[3]);
    transpose_blocks(from.c[4], from.c[5], from.c[6], from.c[7]);
    for (std::size_t k = 0; k < 4; ++k) {
      if (rows[k] < kFirst) continue;
      hn::Store(from.c[k], kWide, table + kStride * rows[k]);
      hn::Store(from.c[4 + k], kWide, table + kStride * rows[k] + 4);
    }
  }
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#endif
