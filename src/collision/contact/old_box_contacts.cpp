// Contacts of two boxes by the method that [Erleben04, sec. 6.3] starts from and repairs, for comparison with it: the
// axis of least overlap decides, whatever it is; on a face, where the outlines of the two faces cross.
#include "collision/contact/old_box_contacts.hpp"

#include "collision/contact/manifold.hpp"
#include "collision/narrow_phase/box_axes.hpp"
#include "collision/narrow_phase/gjk.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace achilles {
namespace {

constexpr double kParallel = 1e-12;  // sine below which two sides do not cross

struct PlacedBox {
  const Vec3& half;  // [m]
  Transform X;       // in the common frame
};

/// One face of a box: its outline counter-clockwise, with the numbers of the corners of the box.
struct BoxOutline {
  std::array<Vec3, 4> corners;
  std::array<std::uint32_t, 4> numbers{};
};

BoxOutline find_outline(const PlacedBox& box, int axis, double side) {
  constexpr std::array<std::array<double, 2>, 4> kSigns{{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  BoxOutline face;
  for (std::size_t k = 0; k < 4; ++k) {
    Vec3 corner;
    corner[axis] = side * box.half[axis];
    corner[i] = kSigns[k][0] * box.half[i];
    corner[j] = kSigns[k][1] * box.half[j];
    face.corners[k] = box.X * corner;
    for (int d = 0; d < 3; ++d) face.numbers[k] |= corner[d] > 0 ? 1U << static_cast<unsigned>(d) : 0U;
  }
  return face;
}

/// The face whose outward normal is most nearly `direction`.
BoxOutline find_outline_towards(const PlacedBox& box, const Vec3& direction) {
  const Vec3 local = box.X.R.transpose() * direction;
  int axis = 0;
  local.cwiseAbs().maxCoeff(&axis);
  return find_outline(box, axis, local[axis] < 0 ? -1 : 1);
}

/// The two faces seen along the normal of the reference.
class OutlinePair {
 public:
  OutlinePair(const BoxOutline& reference, const BoxOutline& incident, const Vec3& outward)
      : reference_(reference), incident_(incident), outward_(outward) {
    across_ = (reference.corners[1] - reference.corners[0]).normalized();
    up_ = outward.cross(across_);
    const Vec3 normal = (incident.corners[1] - incident.corners[0]).cross(incident.corners[3] - incident.corners[0]);
    // Height of the incident face over the reference: linear in the two coordinates.
    tilt_ = Vec2(-normal.dot(across_), -normal.dot(up_)) / normal.dot(outward);
    for (std::size_t k = 0; k < 4; ++k) {
      flat_reference_[k] = flatten(reference.corners[k]);
      flat_incident_[k] = flatten(incident.corners[k]);
    }
    height_ = outward.dot(incident.corners[0] - reference.corners[0]) - tilt_.dot(flat_incident_[0]);
  }

  /// Calls add(x on the reference face, gap, number of the corner or side of the reference, and of the incident face).
  template <class Add>
  void visit_points(const Add& add) const {
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (holds(flat_reference_, flat_incident_[k])) visit(flat_incident_[k], kInside, incident_.numbers[k], add);
      if (holds(flat_incident_, flat_reference_[k])) visit(flat_reference_[k], reference_.numbers[k], kInside, add);
      for (std::uint32_t m = 0; m < 4; ++m) {
        const std::optional<Vec2> crossing = cross(k, m);
        if (crossing) visit(*crossing, 8 + k, 8 + m, add);
      }
    }
  }

 private:
  static constexpr std::uint32_t kInside = 31;
  using Outline = std::array<Vec2, 4>;

  [[nodiscard]] Vec2 flatten(const Vec3& x) const {
    const Vec3 d = x - reference_.corners[0];
    return {across_.dot(d), up_.dot(d)};
  }
  template <class Add>
  void visit(const Vec2& at, std::uint32_t of_reference, std::uint32_t of_incident, const Add& add) const {
    add(Vec3(reference_.corners[0] + at.x() * across_ + at.y() * up_), height_ + tilt_.dot(at), of_reference,
        of_incident);
  }
  /// Strictly inside, whichever way round the outline goes.
  static bool holds(const Outline& outline, const Vec2& x) {
    int left = 0, right = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec2 side = outline[(k + 1) % 4] - outline[k], d = x - outline[k];
      const double turn = side.x() * d.y() - side.y() * d.x();
      left += turn > 0 ? 1 : 0;
      right += turn < 0 ? 1 : 0;
    }
    return left == 4 || right == 4;
  }
  /// Where side k of the reference crosses side m of the incident face, ends included.
  [[nodiscard]] std::optional<Vec2> cross(std::size_t k, std::size_t m) const {
    const Vec2 p = flat_reference_[(k + 1) % 4] - flat_reference_[k];
    const Vec2 q = flat_incident_[(m + 1) % 4] - flat_incident_[m];
    const Vec2 d = flat_incident_[m] - flat_reference_[k];
    const double sine = p.x() * q.y() - p.y() * q.x();
    if (std::abs(sine) <= kParallel * p.norm() * q.norm()) return std::nullopt;
    const double s = (d.x() * q.y() - d.y() * q.x()) / sine, t = (d.x() * p.y() - d.y() * p.x()) / sine;
    if (s < 0 || s > 1 || t < 0 || t > 1) return std::nullopt;
    return Vec2(flat_reference_[k] + s * p);
  }

  const BoxOutline& reference_;
  const BoxOutline& incident_;
  Vec3 outward_, across_, up_;
  Outline flat_reference_, flat_incident_;
  Vec2 tilt_;
  double height_ = 0;
};

/// The middle of the nearest points of the two lines that the edges lie on, which may be beyond the ends of both.
void append_edges(const PlacedBox& a, const PlacedBox& b, const BoxAxis& axis, const Vec3& n_AB, const Transform& X_WA,
                  std::vector<ContactPoint>& points) {
  const auto middle_of = [](const PlacedBox& box, int along, const Vec3& direction) {
    const Vec3 local = box.X.R.transpose() * direction;
    Vec3 x;
    for (int k = 0; k < 3; ++k) x[k] = k == along ? 0 : std::copysign(box.half[k], local[k]);
    return Vec3(box.X * x);
  };
  const Vec3 x = middle_of(a, axis.axis_a, n_AB), y = middle_of(b, axis.axis_b, -n_AB);
  const Vec3 p = a.X.R.col(axis.axis_a), q = b.X.R.col(axis.axis_b), d = y - x;
  const double cosine = p.dot(q), sine2 = 1 - cosine * cosine;
  const double s = (d.dot(p) - cosine * d.dot(q)) / sine2, t = (cosine * d.dot(p) - d.dot(q)) / sine2;
  points.push_back({X_WA * Vec3(0.5 * (x + s * p + y + t * q)), X_WA.R * n_AB, axis.separation,
                    make_feature(FeatureKind::kWitness, 0, 0)});
}

}  // namespace

void append_old_box_contacts(const Vec3& half_a, const Transform& X_WA, const Vec3& half_b, const Transform& X_WB,
                             double margin, std::vector<ContactPoint>& points) {
  const PlacedBox a{half_a, {}}, b{half_b, relative(X_WA, X_WB)};
  const BoxAxes axes = find_box_axes(half_a, half_b, b.X, margin);
  if (axes.beyond) return;
  if (axes.edges.separation > std::max(axes.face_a.separation, axes.face_b.separation)) {
    append_edges(a, b, axes.edges, box_edge_normal(axes.edges, b.X), X_WA, points);
    return;
  }
  const bool of_a = axes.face_a.separation >= axes.face_b.separation;
  const Vec3 n_AB = of_a ? axes.face_a.normal : axes.face_b.normal;
  const Vec3 outward = of_a ? n_AB : Vec3(-n_AB);
  const BoxOutline reference = find_outline_towards(of_a ? a : b, outward);
  const BoxOutline incident = find_outline_towards(of_a ? b : a, -outward);
  OutlinePair(reference, incident, outward)
      .visit_points([&](const Vec3& x, double gap, std::uint32_t of_reference, std::uint32_t of_incident) {
        if (gap > margin) return;
        const std::uint32_t feature = of_a ? make_feature(FeatureKind::kEdges, of_reference, of_incident)
                                           : make_feature(FeatureKind::kEdges, of_incident, of_reference);
        points.push_back({X_WA * Vec3(x + 0.5 * gap * outward), X_WA.R * n_AB, gap, feature});
      });
}

}  // namespace achilles
