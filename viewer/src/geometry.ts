// From shapes to triangles. Simple shapes become instances of unit geometries, so that thousands of bodies of any size
// take a handful of draw calls.

import * as THREE from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Shape } from './recording';

export type Pattern = 'plain' | 'box' | 'sphere' | 'round' | 'plane' | 'ground';

/// One drawable piece of a body: a shared geometry, placed and scaled in the body's frame.
export interface Piece {
  key: string; // pieces with the same key share one instanced mesh
  pattern: Pattern;
  make: () => THREE.BufferGeometry;
  local: THREE.Matrix4;
  infinite: boolean; // planes: not part of what the camera must show
}

function piece(key: string, pattern: Pattern, make: () => THREE.BufferGeometry, scale: [number, number, number], z = 0): Piece {
  const local = new THREE.Matrix4().makeScale(...scale).setPosition(0, 0, z);
  return { key, pattern, make, local, infinite: false };
}

function alongZ(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

function fromTriangles(vertices: number[][], triangles: number[][]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(vertices.flat(), 3));
  geometry.setIndex(triangles.flat());
  return toCreasedNormals(geometry, 0.6);
}

function fromPoints(points: number[][]): THREE.BufferGeometry {
  return new ConvexGeometry(points.map((p) => new THREE.Vector3(p[0], p[1], p[2])));
}

function fromHeights(field: NonNullable<Shape['heightfield']>): THREE.BufferGeometry {
  const { rows, columns, cell, heights } = field;
  const vertices: number[][] = [];
  const triangles: number[][] = [];
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) {
      vertices.push([(c - (columns - 1) / 2) * cell[0], (r - (rows - 1) / 2) * cell[1], heights[r * columns + c]]);
      if (r + 1 < rows && c + 1 < columns) {
        const i = r * columns + c;
        triangles.push([i, i + 1, i + columns + 1], [i, i + columns + 1, i + columns]);
      }
    }
  }
  return fromTriangles(vertices, triangles);
}

/// Detail of round shapes: fine for few bodies, coarse for thousands.
function segments(bodies: number): number {
  if (bodies <= 200) return 48;
  return bodies <= 1500 ? 28 : 14;
}

function planePiece(plane: NonNullable<Shape['plane']>): Piece {
  const normal = new THREE.Vector3(...plane.normal).normalize();
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  const local = new THREE.Matrix4().compose(normal.clone().multiplyScalar(plane.offset), turn, new THREE.Vector3(1, 1, 1));
  const pattern = normal.z > 0.7 ? 'ground' : 'plane';
  return { key: pattern, pattern, make: () => new THREE.PlaneGeometry(1, 1), local, infinite: true };
}

/// The pieces of a shape; `id` names shapes that have no unit geometry.
export function piecesOf(shape: Shape, id: string, bodies: number): Piece[] {
  const fine = segments(bodies);
  const ball = () => new THREE.SphereGeometry(1, fine, Math.ceil(fine / 1.6)).rotateX(Math.PI / 2);
  const tube = (closed: boolean) => () => alongZ(new THREE.CylinderGeometry(1, 1, 1, fine, 1, !closed));
  if (shape.sphere) {
    const r = shape.sphere.radius;
    return [piece('sphere', 'sphere', ball, [r, r, r])];
  }
  if (shape.box) return [piece('box', 'box', () => new THREE.BoxGeometry(1, 1, 1), shape.box.size)];
  if (shape.capsule) {
    const { radius: r, length } = shape.capsule;
    const half = () => alongZ(new THREE.SphereGeometry(1, fine, Math.ceil(fine / 3.2), 0, 2 * Math.PI, 0, Math.PI / 2));
    const top = piece('cap', 'round', half, [r, r, r], length / 2);
    const bottom = piece('cap', 'round', half, [r, r, r], length / 2);
    bottom.local.premultiply(new THREE.Matrix4().makeRotationX(Math.PI));
    return [piece('tube', 'round', tube(false), [r, r, length]), top, bottom];
  }
  if (shape.cylinder) {
    const { radius: r, height } = shape.cylinder;
    return [piece('cylinder', 'round', tube(true), [r, r, height])];
  }
  if (shape.cone) {
    const { radius: r, height } = shape.cone;
    return [piece('cone', 'round', () => alongZ(new THREE.ConeGeometry(1, 1, fine)), [r, r, height])];
  }
  if (shape.plane) return [planePiece(shape.plane)];
  if (shape.compound) {
    return shape.compound.flatMap((part, index) => {
      const [w, x, y, z] = part.orientation;
      const frame = new THREE.Matrix4().compose(
        new THREE.Vector3(...part.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
      return piecesOf(part.shape, `${id}.${index}`, bodies).map((p) => ({ ...p, local: frame.clone().multiply(p.local) }));
    });
  }
  const own = (make: () => THREE.BufferGeometry) => [piece(`shape ${id}`, 'plain', make, [1, 1, 1])];
  if (shape.hull) return own(() => fromPoints(shape.hull!.points));
  if (shape.heightfield) return own(() => fromHeights(shape.heightfield!));
  const mesh = shape.mesh ?? shape.distance_map;
  if (mesh) return own(() => fromTriangles(mesh.vertices, mesh.triangles));
  throw new Error(`unknown shape: ${Object.keys(shape).join(', ')}`);
}
