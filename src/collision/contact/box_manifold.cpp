#include "collision/contact/box_manifold.hpp"

#include "collision/contact/region.hpp"
#include "collision/narrow_phase/polytope.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace achilles {

bool make_box_edge_manifold(const BoxPair& pair, const BoxAxis& axis, double margin, Manifold& manifold) {
  manifold.points.clear();
  if (axis.separation > margin) return true;
  const Mat3& R = pair.X_AB.R;
  const int i = axis.axis_a, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  const int j = axis.axis_b, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  const double y = -R(i2, j), z = R(i1, j);
  const double sine2 = y * y + z * z;
  const double away = (y * pair.X_AB.p[i1] + z * pair.X_AB.p[i2] < 0 ? -1 : 1) / std::sqrt(sine2);
  // The normal in A's axes is (0, y, z) and in B's axes (0, u, v), both from i and j on.
  const double ny = away * y, nz = away * z, nu = away * R(i, j2), nv = -away * R(i, j1);
  const double squarest = std::max({std::abs(ny), std::abs(nz), std::abs(nu), std::abs(nv)});
  if (squarest >= kFaceCosine || sine2 <= kFaceAngle * kFaceAngle) return false;

  Vec3 middle_a, middle_b;
  middle_a[i] = middle_b[j] = 0;
  middle_a[i1] = std::copysign(pair.half_a[i1], ny);
  middle_a[i2] = std::copysign(pair.half_a[i2], nz);
  middle_b[j1] = -std::copysign(pair.half_b[j1], nu);
  middle_b[j2] = -std::copysign(pair.half_b[j2], nv);
  const Vec3 b = R.col(j);
  const Vec3 start_b = pair.X_AB * middle_b;
  const Vec3 between = start_b - middle_a;
  // Nearest points middle_a + s a_i and start_b + t b_j: what is between them is square to both.
  const double along_b = between.dot(b);
  const double s = (between[i] - b[i] * along_b) / sine2;
  const double t = (b[i] * between[i] - along_b) / sine2;
  if (std::abs(s) > pair.half_a[i] || std::abs(t) > pair.half_b[j]) return false;
  manifold.normal[i] = 0;
  manifold.normal[i1] = ny;
  manifold.normal[i2] = nz;
  Vec3 midway = 0.5 * (middle_a + start_b + t * b);
  midway[i] += 0.5 * s;
  manifold.points.push_back({midway, axis.separation, make_feature(FeatureKind::kWitness, 0, 0)});
  return true;
}

namespace {

constexpr std::uint8_t kReference = 4;  // sides from here on are the reference's, those below the incident face's
constexpr std::uint8_t kTop = 8;        // the side made where the polygon was cut off at the margin
constexpr std::size_t kRoom = 28;       // a cut makes n corners 3n/2 at most: 4, 6, 9, 13, 19, 28 with five cuts

// A corner of the clipped polygon, where side `in` ends and side `out` begins.
struct Corner {
  std::array<double, 3> x;  // [m] along the two axes of the reference face, and the gap
  std::uint8_t in;
  std::uint8_t out;
};

struct Polygon {
  std::array<Corner, kRoom> corners;
  std::size_t count = 0;
};

// Keeps what has sign · x[axis] ≤ bound, as `clip` of general regions does it.
struct Cut {
  std::size_t axis;
  double sign;
  double bound;  // [m]
  double slack;  // [m]
  std::uint8_t label;

  [[nodiscard]] double height(const Corner& corner) const { return sign * corner.x[axis] - bound; }
};

bool reaches_beyond(const Polygon& in, const Cut& cut) {
  bool beyond = false;
  for (std::size_t k = 0; k < in.count; ++k) beyond |= cut.height(in.corners[k]) > cut.slack;
  return beyond;
}

void clip(const Polygon& in, const Cut& cut, Polygon& out) {
  out.count = 0;
  for (std::size_t k = 0; k < in.count; ++k) {
    const Corner& p = in.corners[k];
    const Corner& q = in.corners[k + 1 == in.count ? 0 : k + 1];
    const double dp = cut.height(p), dq = cut.height(q);
    const bool p_in = dp <= cut.slack, q_in = dq <= cut.slack;
    if (p_in) out.corners[out.count++] = p;
    if (p_in == q_in) continue;
    const double level = compute_cut_level(dp - dq, cut.slack);
    const double s = std::clamp((dp - level) / (dp - dq), 0.0, 1.0);
    Corner& crossing = out.corners[out.count++];
    for (std::size_t m = 0; m < 3; ++m) crossing.x[m] = p.x[m] + s * (q.x[m] - p.x[m]);
    crossing.in = p_in ? p.out : cut.label;
    crossing.out = p_in ? cut.label : p.out;
  }
}

// A face of a box: the axis it is square to, the axes along it, and its corners in order.
struct Face {
  int axis, u, v;
  bool negative;
  std::uint32_t number;
  std::span<const std::uint32_t, 4> loop;

  Face(int k, bool is_negative)
      : axis(k),
        u((k + 1) % 3),
        v((k + 2) % 3),
        negative(is_negative),
        number(static_cast<std::uint32_t>(2 * k + is_negative)),
        loop(box_face_loop(number)) {}
  [[nodiscard]] double sign() const { return negative ? -1 : 1; }
};

Face find_facing(const Vec3& direction) {
  Eigen::Index axis;
  direction.cwiseAbs().maxCoeff(&axis);
  return {static_cast<int>(axis), direction[axis] < 0};
}

// The incident face seen from the reference's; R and p place its box in the reference's frame.
void load_incident(const Face& reference, double offset, const Face& incident, const Vec3& half, const Mat3& R,
                   const Vec3& p, Polygon& polygon) {
  const Vec3 center = p + (incident.sign() * half[incident.axis]) * R.col(incident.axis);
  const Vec3 u = half[incident.u] * R.col(incident.u), v = half[incident.v] * R.col(incident.v);
  for (std::uint8_t i = 0; i < 4; ++i) {
    const std::uint32_t vertex = incident.loop[i];
    const Vec3 x = center + (vertex >> incident.u & 1 ? u : -u) + (vertex >> incident.v & 1 ? v : -v);
    polygon.corners[i] = {{x[reference.u], x[reference.v], reference.sign() * x[reference.axis] - offset},
                          static_cast<std::uint8_t>((i + 3) % 4),
                          i};
  }
  polygon.count = 4;
}

const Polygon& clip_to_face(const Face& reference, const Vec3& half, double margin, double slack, Polygon& polygon,
                            Polygon& scratch) {
  Polygon* current = &polygon;
  Polygon* next = &scratch;
  const auto cut_by = [&](const Cut& cut) {
    if (!reaches_beyond(*current, cut)) return;
    clip(*current, cut, *next);
    std::swap(current, next);
  };
  cut_by({2, 1, margin, 0, kTop});
  for (std::uint8_t i = 0; i < 4; ++i) {
    // The side from corner i to the next runs along the axis in which their numbers differ.
    const std::uint32_t tail = reference.loop[i], head = reference.loop[(i + 1U) % 4];
    const bool runs_along_u = static_cast<int>(std::countr_zero(tail ^ head)) == reference.u;
    const int across = runs_along_u ? reference.v : reference.u;
    cut_by({runs_along_u ? 1U : 0U, tail >> across & 1 ? 1.0 : -1.0, half[across], slack,
            static_cast<std::uint8_t>(kReference + i)});
  }
  return *current;
}

std::uint32_t corner_feature(const Corner& corner, const Face& reference, const Face& incident, bool reference_is_a) {
  const auto feature = [&](FeatureKind kind, std::uint32_t of_reference, std::uint32_t of_incident) {
    return reference_is_a ? make_feature(kind, of_reference, of_incident)
                          : make_feature(kind, of_incident, of_reference);
  };
  const bool in_is_reference = corner.in >= kReference, out_is_reference = corner.out >= kReference;
  const std::uint32_t in = corner.in % 4, out = corner.out % 4;
  if (in_is_reference && out_is_reference) {
    return feature(reference_is_a ? FeatureKind::kVertexOfA : FeatureKind::kVertexOfB,
                   reference.loop[(in + 1) % 4 == out ? out : in], incident.number);
  }
  if (!in_is_reference && !out_is_reference) {
    return feature(reference_is_a ? FeatureKind::kVertexOfB : FeatureKind::kVertexOfA, reference.number,
                   incident.loop[out]);
  }
  return feature(FeatureKind::kEdges, 4 * reference.number + (in_is_reference ? in : out),
                 4 * incident.number + (in_is_reference ? out : in));
}

}  // namespace

double make_box_face_manifold(const BoxPair& pair, const BoxAxis& axis, bool of_a, double margin, double size,
                              Manifold& manifold) {
  const Transform& X_AB = pair.X_AB;
  const Vec3 normal_B = X_AB.R.transpose() * axis.normal;
  const Face reference = of_a ? Face(axis.axis_a, axis.normal[axis.axis_a] < 0) : find_facing(-normal_B);
  const Face incident = of_a ? find_facing(-normal_B) : find_facing(axis.normal);
  const Vec3& half = of_a ? pair.half_a : pair.half_b;
  const double offset = half[reference.axis];
  Polygon polygon, scratch;
  if (of_a) {
    load_incident(reference, offset, incident, pair.half_b, X_AB.R, X_AB.p, polygon);
  } else {
    const Transform X_BA = X_AB.inverse();
    load_incident(reference, offset, incident, pair.half_a, X_BA.R, X_BA.p, polygon);
  }
  const Polygon& clipped = clip_to_face(reference, half, margin, kEdgeSlack * size, polygon, scratch);
  manifold.points.clear();
  manifold.normal = axis.normal;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < clipped.count; ++k) {
    const Corner& corner = clipped.corners[k];
    if (corner.in == kTop || corner.out == kTop) continue;
    Vec3 midway;
    midway[reference.u] = corner.x[0];
    midway[reference.v] = corner.x[1];
    midway[reference.axis] = reference.sign() * (offset + 0.5 * corner.x[2]);
    push_distinct(manifold,
                  {of_a ? midway : Vec3(X_AB * midway), corner.x[2], corner_feature(corner, reference, incident, of_a)},
                  kSamePoint * size);
    smallest = std::min(smallest, corner.x[2]);
  }
  return smallest;
}

}  // namespace achilles
