#include "impact/propagation/friction.hpp"

#include <algorithm>
#include <cmath>

#include "impact/disc.hpp"

namespace achilles {
namespace {

using Block = FrictionWorkspace::Block;

void add_block(const ImpactPart& part, int contact, double limit, std::vector<Block>& blocks) {
  const ImpactContact& c = part.contacts[contact];
  Block block{contact, Eigen::Matrix2d::Zero(), 0, Vec2::Zero(), 0};
  if (c.tangent >= 0) {
    const GradientSet& g = part.gradients;
    block.radius = c.friction * std::max(0.0, limit);
    block.A << g.gram(c.tangent, c.tangent), g.gram(c.tangent, c.tangent + 1), g.gram(c.tangent + 1, c.tangent),
        g.gram(c.tangent + 1, c.tangent + 1);
  }
  blocks.push_back(block);
}

// Returns the change in the mass metric.
double relax_tangents(const ImpactPart& part, Block& block, double* x) {
  if (!(block.radius > 0)) return 0;
  const int t = part.contacts[block.contact].tangent;
  const Vec2 slip = Vec2(part.gradients.velocity(t, x), part.gradients.velocity(t + 1, x)) -
                    part.contacts[block.contact].tangent_target;
  const Vec2 f = minimize_on_disc(block.A, slip - block.A * block.f, block.radius);
  const Vec2 delta = f - block.f;
  part.gradients.apply(t, delta[0], x);
  part.gradients.apply(t + 1, delta[1], x);
  block.f = f;
  return std::sqrt(std::max(0.0, delta.dot(block.A * delta)));
}

double relax_normal(const ImpactPart& part, Block& block, double* x) {
  if (part.removed[block.contact]) return 0;
  const double squared = part.gradients.squared_norm(block.contact);
  const double alpha = std::max(0.0, block.alpha - part.gradients.velocity(block.contact, x) / squared);
  const double delta = alpha - block.alpha;
  if (delta == 0) return 0;
  part.gradients.apply(block.contact, delta, x);
  block.alpha = alpha;
  return std::abs(delta) * std::sqrt(squared);
}

// Block descent at the present radii.
void descend(const ImpactPart& part, double tolerance, std::vector<Block>& blocks, double* x, FrictionReport& report) {
  constexpr int kSweeps = 1000;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    ++report.sweeps;
    report.change = 0;
    for (Block& block : blocks) {
      report.change = std::max(report.change, relax_tangents(part, block, x));
      report.change = std::max(report.change, relax_normal(part, block, x));
    }
    if (report.change <= tolerance) return;
  }
}

// Radii that the normal impulses allow, with this share of α. False if none changes by more than the tolerance.
bool update_radii(const ImpactPart& part, std::span<const double> limits, double share, double tolerance,
                  std::vector<Block>& blocks, double* x) {
  bool changed = false;
  for (Block& block : blocks) {
    const ImpactContact& contact = part.contacts[block.contact];
    if (contact.tangent < 0) continue;
    const double radius = contact.friction * (std::max(0.0, limits[block.contact]) + share * block.alpha);
    const double change = std::abs(radius - block.radius);
    if (change * std::sqrt(block.A.trace()) <= tolerance) continue;
    changed = true;
    block.radius = radius;
    const double length = block.f.norm();
    if (length <= radius) continue;
    const Vec2 delta = (radius / length - 1) * block.f;
    part.gradients.apply(contact.tangent, delta[0], x);
    part.gradients.apply(contact.tangent + 1, delta[1], x);
    block.f += delta;
  }
  return changed;
}

void collect(const ImpactPart& part, const std::vector<Block>& blocks, std::span<double> impulses) {
  for (const Block& block : blocks) {
    impulses[block.contact] += block.alpha;
    const int t = part.contacts[block.contact].tangent;
    if (t < 0) continue;
    impulses[t] += block.f[0];
    impulses[t + 1] += block.f[1];
  }
}

}  // namespace

FrictionReport apply_friction(const ImpactPart& part, std::span<const double> limits, double tolerance,
                              FrictionWorkspace& scratch, std::span<double> x, std::span<double> impulses) {
  constexpr int kRounds = 100;
  FrictionReport report;
  scratch.blocks.clear();
  bool rough = false;
  for (int i = 0; i < part.contact_count(); ++i) {
    add_block(part, i, limits[i], scratch.blocks);
    rough |= scratch.blocks.back().radius > 0;
  }
  if (!rough) return report;
  bool settled = false;
  for (int round = 0; round < kRounds && !settled; ++round) {
    descend(part, tolerance, scratch.blocks, x.data(), report);
    settled = !update_radii(part, limits, 1, tolerance, scratch.blocks, x.data());
  }
  // Radii that chase each other for ever: those of λ alone hold whatever α becomes.
  if (!settled) {
    update_radii(part, limits, 0, 0, scratch.blocks, x.data());
    descend(part, tolerance, scratch.blocks, x.data(), report);
  }
  collect(part, scratch.blocks, impulses);
  return report;
}

void apply_coupled_friction(const ImpactPart& part, std::span<const int> struck, std::span<const double> strikes,
                            FrictionWorkspace& scratch, std::span<double> x, std::span<double> impulses) {
  scratch.blocks.clear();
  for (std::size_t k = 0; k < struck.size(); ++k) add_block(part, struck[k], strikes[k], scratch.blocks);
  // One contact is solved exactly at once; of several, any number of sweeps keeps the promise (elastic.hpp).
  const int sweeps = struck.size() == 1 ? 1 : 10;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (Block& block : scratch.blocks) relax_tangents(part, block, x.data());
  }
  collect(part, scratch.blocks, impulses);
}

}  // namespace achilles
