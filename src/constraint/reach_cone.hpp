// The two coordinates of a ball joint with a reach cone, [Erleben04, sec. 4.10.3]: swing and twist.
//
//   a, p₀    axis of the cone and the direction in which its first half-angle α₁ counts, carried by body a
//   d        axis of body b that stays in the cone
//   θ, φ     d = cos θ a + sin θ p, with p at the angle φ from p₀ about a
//   swing    x = α θ g(φ), g = √(cos²φ/α₁² + sin²φ/α₂²), α the larger half-angle: inside of the elliptic cone where x ≤
//   α twist    angle about d of body b from where the shortest rotation from a to d takes body a
//
// With ω = ω_b − ω_a and e = a × p:  θ' = e·ω,  φ' = (a − cot θ p)·ω,  twist' = (a + d)·ω / (1 + a·d).
// φ is not defined at θ = 0, where x has a kink, and the twist at θ = π, which half-angles below π keep off.
#pragma once

#include <achilles/math.hpp>

#include <array>

namespace achilles {

struct ReachConeFrame {
  Vec3 axis = Vec3::UnitZ(), side = Vec3::UnitX();       // a, p₀: unit, world, carried by body a
  Vec3 limb = Vec3::UnitZ(), limb_side = Vec3::UnitX();  // d and the image of p₀ at twist 0, carried by body b
  std::array<double, 2> half_angles{};                   // α₁, α₂ [rad]
};

struct ReachConeCoordinates {
  double swing = 0, twist = 0;                                // [rad]
  Vec3 swing_rate = Vec3::Zero(), twist_rate = Vec3::Zero();  // their rates are the products with ω_b − ω_a
};

[[nodiscard]] ReachConeCoordinates measure_reach(const ReachConeFrame& frame);

}  // namespace achilles
