#include "reproduce/instant.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "math/tangents.hpp"

namespace achilles::reproduce {
namespace {

Row make_row(std::uint32_t a, std::uint32_t b, const Vec3& direction) {
  Row row;
  row.body_a = a;
  row.body_b = b;
  row.linear_a = -direction;
  row.linear_b = direction;
  return row;
}

}  // namespace

std::uint32_t HandmadeImpact::add_ball(double mass, const Vec3& velocity) {
  inverse_mass.push_back({Vec3::Constant(1 / mass), Mat3::Zero()});
  velocities.push_back({velocity, Vec3::Zero()});
  return static_cast<std::uint32_t>(velocities.size() - 1);
}

void HandmadeImpact::add_contact(std::uint32_t a, std::uint32_t b, const Vec3& normal, double e, double mu) {
  const auto normal_row = static_cast<std::int32_t>(rows.size());
  Row row = make_row(a, b, normal);
  row.lower = 0;
  finish_row(row, inverse_mass);
  rows.push_back(row);
  restitution.push_back(e);
  if (!(mu > 0)) return;
  const auto [t1, t2] = make_tangents(normal);
  for (const Vec3& tangent : {t1, t2}) {
    row = make_row(a, b, tangent);
    row.normal_row = normal_row;
    row.friction = mu;
    finish_row(row, inverse_mass);
    rows.push_back(row);
    restitution.push_back(0);
  }
}

ImpactReport HandmadeImpact::resolve(const ImpactLaw& law) {
  impulses.assign(rows.size(), 0.0);
  return resolve_impact({rows, inverse_mass, restitution}, law, scratch, velocities, impulses);
}

double HandmadeImpact::energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    sum += 0.5 / inverse_mass[i].linear.x() * velocities[i].linear.squaredNorm();
  }
  return sum;
}

double HandmadeImpact::violation() const {
  const double size = std::sqrt(2 * energy());
  double most = 0;
  for (const Row& row : rows) {
    if (row.normal_row >= 0) continue;
    most = std::max(most, -row_velocity(row, velocities) / std::sqrt(row.diagonal));
  }
  return size > 0 ? most / size : 0;
}

HandmadeImpact make_line(const std::vector<double>& speeds, double e) {
  HandmadeImpact line;
  for (const double speed : speeds) line.add_ball(1, {speed, 0, 0});
  for (std::uint32_t i = 0; i + 1 < speeds.size(); ++i) line.add_contact(i, i + 1, Vec3::UnitX(), e);
  return line;
}

HandmadeImpact make_wedge(double theta, double from) {
  HandmadeImpact wedge;
  wedge.add_ball(1, {-std::cos(from), -std::sin(from), 0});
  wedge.add_contact(HandmadeImpact::kWall, 0, Vec3(0, 1, 0));
  wedge.add_contact(HandmadeImpact::kWall, 0, Vec3(std::sin(theta), -std::cos(theta), 0));
  return wedge;
}

HandmadeImpact make_random(std::uint64_t seed, int contacts, double mu) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  HandmadeImpact impact;
  const auto balls = static_cast<std::uint32_t>(2 + contacts / 3);
  for (std::uint32_t i = 0; i < balls; ++i) impact.add_ball(std::pow(10.0, 4 * unit(random) - 2), vector());
  std::uniform_int_distribution<std::uint32_t> pick(0, balls - 1);
  Vec3 n = vector().normalized();
  std::uint32_t a = HandmadeImpact::kWall, b = 0;
  for (int k = 0; k < contacts; ++k) {
    const double kind = unit(random);
    if (k == 0 || kind < 0.7) {
      n = vector().normalized();
      b = pick(random);
      a = unit(random) < 0.3 ? HandmadeImpact::kWall : pick(random);
      if (a == b) a = HandmadeImpact::kWall;
    } else if (kind < 0.9) {
      n = (-n + std::pow(10.0, -10 * unit(random)) * (kind < 0.8 ? 0 : 1) * vector()).normalized();
    }
    impact.add_contact(a, b, n, 1, mu);
  }
  return impact;
}

std::vector<std::pair<std::string, ImpactLaw>> make_operators(const PropagationOptions& options) {
  return {{"lexicographic", GaussSeidelLaw{Selection::kLexicographic, 1, options}},
          {"most violated", GaussSeidelLaw{Selection::kMostViolated, 1, options}},
          {"random", GaussSeidelLaw{Selection::kRandom, 7, options}},
          {"generalized reflections", GeneralizedReflectionsLaw{options}}};
}

}  // namespace achilles::reproduce
