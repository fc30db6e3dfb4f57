// Compiled once per instruction set and chosen at run time; without fused operations every set gives the same bits.
#include "collision/narrow_phase/box_separations.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/narrow_phase/box_separations.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace achilles {
namespace HWY_NAMESPACE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

#if HWY_TARGET == HWY_AVX2
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::FixedTag<double, 4>;
using Quad = hn::Vec<Tag>;
HWY_INLINE Quad make(double x, double y, double z) { return Quad{_mm256_setr_pd(x, y, z, 0)}; }
HWY_INLINE Quad spread(double value) { return hn::Set(Tag(), value); }
HWY_INLINE Quad add(Quad a, Quad b) { return hn::Add(a, b); }
HWY_INLINE Quad subtract(Quad a, Quad b) { return hn::Sub(a, b); }
HWY_INLINE Quad multiply(Quad a, Quad b) { return hn::Mul(a, b); }
HWY_INLINE Quad absolute(Quad a) { return hn::Abs(a); }
HWY_INLINE Quad larger(Quad a, Quad b) { return hn::Max(a, b); }
HWY_INLINE Quad signed_square_over(Quad a, Quad b) {
  const Quad square = hn::Div(hn::Mul(a, hn::Abs(a)), b);
  return hn::IfThenElse(hn::Lt(b, spread(kParallelSine * kParallelSine)), spread(-kInfinity), square);
}
HWY_INLINE bool any_above(Quad a, double limit) { return !hn::AllFalse(Tag(), hn::Gt(a, spread(limit))); }
HWY_INLINE void store(Quad a, double* to) { hn::Store(a, Tag(), to); }
HWY_INLINE Quad rotate_once(Quad a) { return Quad{_mm256_permute4x64_pd(a.raw, _MM_SHUFFLE(3, 0, 2, 1))}; }
HWY_INLINE Quad rotate_twice(Quad a) { return Quad{_mm256_permute4x64_pd(a.raw, _MM_SHUFFLE(3, 1, 0, 2))}; }
#else
struct Quad {
  double x, y, z;
};
HWY_INLINE Quad make(double x, double y, double z) { return {x, y, z}; }
HWY_INLINE Quad spread(double value) { return {value, value, value}; }
HWY_INLINE Quad add(Quad a, Quad b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HWY_INLINE Quad subtract(Quad a, Quad b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HWY_INLINE Quad multiply(Quad a, Quad b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
HWY_INLINE Quad absolute(Quad a) { return {std::abs(a.x), std::abs(a.y), std::abs(a.z)}; }
HWY_INLINE double larger(double a, double b) { return a > b ? a : b; }
HWY_INLINE Quad larger(Quad a, Quad b) { return {larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z)}; }
HWY_INLINE double signed_square_over(double a, double b) {
  return b < kParallelSine * kParallelSine ? -kInfinity : a * std::abs(a) / b;
}
HWY_INLINE Quad signed_square_over(Quad a, Quad b) {
  return {signed_square_over(a.x, b.x), signed_square_over(a.y, b.y), signed_square_over(a.z, b.z)};
}
HWY_INLINE bool any_above(Quad a, double limit) { return a.x > limit || a.y > limit || a.z > limit; }
HWY_INLINE void store(Quad a, double* to) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
HWY_INLINE Quad rotate_once(Quad a) { return {a.y, a.z, a.x}; }
HWY_INLINE Quad rotate_twice(Quad a) { return {a.z, a.x, a.y}; }
#endif

/// u₀ s₀ + u₁ s₁ + u₂ s₂
HWY_INLINE Quad combine(Quad u0, Quad u1, Quad u2, const double* s) {
  return add(add(multiply(u0, spread(s[0])), multiply(u1, spread(s[1]))), multiply(u2, spread(s[2])));
}

bool Measure(const double* half_a, const double* half_b, const double* R, const double* t, double limit,
             BoxSeparations& out) {
  const Quad a = make(half_a[0], half_a[1], half_a[2]), b = make(half_b[0], half_b[1], half_b[2]);
  const Quad column[3] = {make(R[0], R[1], R[2]), make(R[3], R[4], R[5]), make(R[6], R[7], R[8])};
  const Quad reach_of_b = combine(absolute(column[0]), absolute(column[1]), absolute(column[2]), half_b);
  const Quad faces_a = subtract(subtract(absolute(make(t[0], t[1], t[2])), a), reach_of_b);
  if (any_above(faces_a, limit)) return false;
  const Quad row[3] = {make(R[0], R[3], R[6]), make(R[1], R[4], R[7]), make(R[2], R[5], R[8])};
  const Quad size[3] = {absolute(row[0]), absolute(row[1]), absolute(row[2])};
  const Quad center = combine(row[0], row[1], row[2], t);
  const Quad faces_b = subtract(subtract(absolute(center), b), combine(size[0], size[1], size[2], half_a));
  if (any_above(faces_b, limit)) return false;
  const Quad b1 = rotate_once(b), b2 = rotate_twice(b);
  Quad edges[3];
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Quad reach_b = add(multiply(b1, rotate_twice(size[i])), multiply(b2, rotate_once(size[i])));
    const Quad reach_a = add(multiply(spread(half_a[i1]), size[i2]), multiply(spread(half_a[i2]), size[i1]));
    const Quad between = subtract(multiply(spread(t[i2]), row[i1]), multiply(spread(t[i1]), row[i2]));
    edges[i] = subtract(absolute(between), add(reach_a, reach_b));
  }
  // Sines are at most one: beyond the limit before the division is beyond it after.
  if (any_above(larger(larger(edges[0], edges[1]), edges[2]), limit)) return false;
  store(faces_a, out.faces_a);
  store(faces_b, out.faces_b);
  store(center, out.center_b);
  Quad largest = spread(-kInfinity);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const Quad sine2 = add(multiply(row[i1], row[i1]), multiply(row[i2], row[i2]));
    const Quad square = signed_square_over(edges[i], sine2);
    store(edges[i], out.edges[i]);
    store(sine2, out.sine2[i]);
    store(square, out.square[i]);
    largest = larger(largest, square);
  }
  store(largest, out.largest);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace achilles
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace achilles {

HWY_EXPORT(Measure);

bool measure_box_separations(const double* half_a, const double* half_b, const double* R, const double* t, double limit,
                             BoxSeparations& out) {
  // Chosen once: the query of the instruction set takes longer than the work itself.
  static const auto measure = [] {
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return &HWY_DYNAMIC_DISPATCH(Measure);
  }();
  return measure(half_a, half_b, R, t, limit, out);
}

}  // namespace achilles
#endif
