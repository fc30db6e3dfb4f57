// The bodies of a recording as instanced meshes: one mesh per geometry, one matrix per piece of a body.

import * as THREE from 'three';
import type { Colors } from './colors';
import { piecesOf, type Piece } from './geometry';
import { bodyMaterial, gridMaterial, type GridUniforms } from './materials';
import type { Body, Place, Recording } from './recording';

interface Slot {
  body: number;
  local: THREE.Matrix4;
  color?: THREE.Color; // of its own, in place of the body's
}

/// What a body looks like stands in place of its shape, or the other way round.
type Layer = 'both' | 'visual' | 'shape';

interface PlacedPiece extends Piece {
  layer: Layer;
  color?: THREE.Color;
}

interface Batch {
  mesh: THREE.InstancedMesh;
  slots: Slot[];
  owner: Uint32Array; // body of each slot
  local: Float32Array; // 16 per slot, column by column
  infinite: boolean;
  layer: Layer;
}

const kLeastShare = 8; // what the camera shows is at least this part of the whole path
const kGridCellsPerBold = 5;

export class Bodies {
  readonly group = new THREE.Group();
  readonly pose: Float32Array; // x y z, then quaternion x y z w, per body
  readonly bounds = new THREE.Box3(); // of what moves, over the whole recording
  readonly grid: GridUniforms = {
    uCell: { value: 1 },
    uCenter: { value: new THREE.Vector3() },
    uRadius: { value: 10 },
    uLine: { value: new THREE.Color('#888') },
  };
  private readonly batches: Batch[] = [];
  private readonly pieces: PlacedPiece[][];
  private readonly spheres: (THREE.Sphere | null)[]; // around each body, in its frame
  private readonly outline = new THREE.Group();
  private readonly outlineMaterial = new THREE.MeshBasicMaterial({ color: '#ffb300', side: THREE.BackSide });
  private selected = -1;
  private readonly body = new THREE.Matrix4();
  private readonly world = new THREE.Matrix4();
  private readonly color = new THREE.Color();

  constructor(private readonly recording: Recording, private readonly colors: Colors) {
    const { bodies, shapes } = recording.header;
    this.pose = new Float32Array(7 * bodies.length);
    const byShape = shapes.map((shape, id) => piecesOf(shape, String(id), bodies.length));
    this.pieces = bodies.map((body) => this.placePieces(body, byShape));
    const slots = new Map<string, { piece: PlacedPiece; slots: Slot[] }>();
    this.pieces.forEach((pieces, body) => {
      for (const piece of pieces) {
        const key = `${piece.layer} ${piece.key}`;
        const entry = slots.get(key) ?? { piece, slots: [] };
        entry.slots.push({ body, local: piece.local, color: piece.color });
        slots.set(key, entry);
      }
    });
    for (const { piece, slots: list } of slots.values()) this.addBatch(piece, list);
    this.group.add(this.outline);
    this.spheres = this.findSpheres();
    this.findBounds();
    this.placeGrid();
  }

  /// The pieces of a body's shape and, where it has any, of its visuals.
  private placePieces(body: Body, byShape: Piece[][]): PlacedPiece[] {
    const visuals = body.visuals ?? [];
    const shape: PlacedPiece[] = byShape[body.shape].map((piece) => ({ ...piece, layer: visuals.length > 0 ? 'shape' : 'both' }));
    return shape.concat(visuals.flatMap((visual) => {
      const [w, x, y, z] = visual.orientation;
      const frame = new THREE.Matrix4().compose(new THREE.Vector3(...visual.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
      const color = visual.color && new THREE.Color().setRGB(visual.color[0], visual.color[1], visual.color[2], THREE.SRGBColorSpace);
      return byShape[visual.shape].map((piece): PlacedPiece => ({ ...piece, local: frame.clone().multiply(piece.local), layer: 'visual', color }));
    }));
  }

  private addBatch(piece: PlacedPiece, slots: Slot[]): void {
    const material = piece.infinite ? gridMaterial(this.grid, piece.pattern === 'ground' ? 1 : 0.25) : bodyMaterial(piece.pattern);
    const mesh = new THREE.InstancedMesh(piece.make(), material, slots.length);
    mesh.frustumCulled = false;
    mesh.castShadow = !piece.infinite;
    mesh.receiveShadow = true;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    for (let i = 0; i < slots.length; ++i) mesh.setColorAt(i, this.color.set('#ffffff'));
    const local = new Float32Array(16 * slots.length);
    slots.forEach((slot, i) => slot.local.toArray(local, 16 * i));
    this.batches.push({ mesh, slots, owner: Uint32Array.from(slots, (slot) => slot.body), local, infinite: piece.infinite, layer: piece.layer });
    mesh.visible = piece.layer !== 'shape';
    this.group.add(mesh);
  }

  /// Box around a piece of a body in its own frame.
  private pieceBox(piece: Piece, geometries: Map<string, THREE.Box3>): THREE.Box3 {
    let box = geometries.get(piece.key);
    if (!box) {
      const batch = this.batches.find((b) => b.slots.some((slot) => slot.local === piece.local))!;
      batch.mesh.geometry.computeBoundingBox();
      box = batch.mesh.geometry.boundingBox!;
      geometries.set(piece.key, box);
    }
    return box.clone().applyMatrix4(piece.local);
  }

  private findSpheres(): (THREE.Sphere | null)[] {
    const geometries = new Map<string, THREE.Box3>();
    return this.pieces.map((pieces) => {
      const box = new THREE.Box3();
      for (const piece of pieces) if (!piece.infinite) box.union(this.pieceBox(piece, geometries));
      return box.isEmpty() ? null : box.getBoundingSphere(new THREE.Sphere());
    });
  }

  get hasVisuals(): boolean {
    return this.batches.some((batch) => batch.layer === 'visual');
  }

  /// Shows the shapes that collide, or what bodies look like.
  setCollision(on: boolean): void {
    for (const batch of this.batches) batch.mesh.visible = batch.layer === 'both' || batch.layer === (on ? 'shape' : 'visual');
  }

  /// What moves, as placed now: its middle, and a box around it. All that there is where nothing moves.
  subject(box = new THREE.Box3()): THREE.Box3 {
    const { bodies } = this.recording.header;
    box.makeEmpty();
    const sphere = new THREE.Sphere();
    this.spheres.forEach((own, i) => {
      if (!own || bodies[i].kind === 'fixed') return;
      sphere.copy(own).applyMatrix4(this.bodyMatrix(i, this.body));
      if (!Number.isFinite(sphere.center.x) || !(sphere.radius > 0)) return;
      box.expandByPoint(sphere.center.clone().addScalar(sphere.radius)).expandByPoint(sphere.center.clone().addScalar(-sphere.radius));
    });
    return box.isEmpty() ? box.copy(this.bounds) : box;
  }

  /// What a camera should show now: the whole path, or, where that would make what moves a dot, a part of it around that.
  view(): { box: THREE.Box3; follows: boolean } {
    const box = this.subject();
    const path = this.bounds.getSize(new THREE.Vector3()).length();
    const wanted = Math.max(2.5 * box.getSize(new THREE.Vector3()).length(), path / kLeastShare);
    if (wanted >= path) return { box: this.bounds.clone(), follows: false };
    const edge = wanted / Math.sqrt(3);
    return { box: box.setFromCenterAndSize(box.getCenter(new THREE.Vector3()), new THREE.Vector3(edge, edge, edge)), follows: true };
  }

  // Over a sample of instants; scenery counts only where nothing moves.
  private findBounds(): void {
    const { bodies } = this.recording.header;
    const spheres = this.spheres;
    const movable = bodies.some((body, i) => body.kind !== 'fixed' && spheres[i]);
    const stride = Math.max(1, Math.floor(this.recording.instants / 60));
    const low: number[][] = [[], [], []];
    const high: number[][] = [[], [], []];
    const center = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    for (let index = 0; index < this.recording.instants; index += stride) {
      this.recording.pose({ index, fraction: 0 }, this.pose);
      spheres.forEach((sphere, i) => {
        if (!sphere || (movable && bodies[i].kind === 'fixed')) return;
        const p = this.pose.subarray(7 * i, 7 * i + 7);
        turn.set(p[3], p[4], p[5], p[6]);
        center.copy(sphere.center).applyQuaternion(turn).add(new THREE.Vector3(p[0], p[1], p[2]));
        center.toArray().forEach((x, k) => {
          if (!Number.isFinite(x)) return;
          low[k].push(x - sphere.radius);
          high[k].push(x + sphere.radius);
        });
      });
    }
    // The outermost hundredth does not decide: a fragment that flies off would make all else a dot.
    const pick = (list: number[], share: number) => list.sort((a, b) => a - b)[Math.floor(share * (list.length - 1))] ?? 0;
    const many = low[0].length > 300;
    this.bounds.min.set(...(low.map((list) => pick(list, many ? 0.01 : 0)) as [number, number, number]));
    this.bounds.max.set(...(high.map((list) => pick(list, many ? 0.99 : 1)) as [number, number, number]));
    if (this.bounds.isEmpty() || this.bounds.getSize(center).length() < 1e-9) {
      this.bounds.min.set(-1, -1, -1);
      this.bounds.max.set(1, 1, 1);
    }
  }

  private placeGrid(): void {
    const sphere = this.bounds.getBoundingSphere(new THREE.Sphere());
    this.grid.uCenter.value.copy(sphere.center);
    this.grid.uRadius.value = 14 * sphere.radius;
    this.grid.uCell.value = 10 ** Math.round(Math.log10(sphere.radius / 3));
  }

  /// Places all bodies.
  update(place: Place): void {
    this.recording.pose(place, this.pose);
    for (const batch of this.batches) {
      if (batch.infinite) this.placePlanes(batch);
      else placeInstances(this.pose, batch.owner, batch.local, batch.mesh.instanceMatrix.array as Float32Array);
      batch.mesh.instanceMatrix.needsUpdate = true;
      batch.mesh.boundingSphere = null; // computed anew when the mouse asks
    }
    if (this.selected >= 0) this.placeOutline();
  }

  private placePlanes(batch: Batch): void {
    batch.slots.forEach((slot, i) => {
      this.bodyMatrix(slot.body, this.body);
      this.world.multiplyMatrices(this.body, slot.local);
      this.stretchPlane(this.world);
      batch.mesh.setMatrixAt(i, this.world);
    });
  }

  bodyMatrix(body: number, out: THREE.Matrix4): THREE.Matrix4 {
    const o = 7 * body;
    const p = this.pose;
    // A state that is not finite is out of sight, not in the way of the others.
    if (!Number.isFinite(p[o] + p[o + 1] + p[o + 2] + p[o + 3])) return out.makeScale(0, 0, 0);
    const x = p[o + 3], y = p[o + 4], z = p[o + 5], w = p[o + 6];
    return out.set(
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), p[o],
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), p[o + 1],
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), p[o + 2],
      0, 0, 0, 1);
  }

  // The plane's quad: under the middle of the scene, moved by whole bold cells so that lines stay where they are.
  private stretchPlane(world: THREE.Matrix4): void {
    const size = 2 * this.grid.uRadius.value;
    const step = kGridCellsPerBold * this.grid.uCell.value;
    const inverse = world.clone().invert();
    const middle = this.grid.uCenter.value.clone().applyMatrix4(inverse);
    const shift = new THREE.Matrix4().makeTranslation(step * Math.round(middle.x / step), step * Math.round(middle.y / step), 0);
    const snapped = 2 * step * Math.ceil(size / (2 * step));
    world.multiply(shift).multiply(new THREE.Matrix4().makeScale(snapped, snapped, 1));
  }

  recolor(index: number): void {
    for (const batch of this.batches) {
      if (batch.infinite) continue;
      const out = batch.mesh.instanceColor!.array as Float32Array;
      for (let i = 0; i < batch.owner.length; ++i) {
        const own = this.colors.mode === 'body' ? batch.slots[i].color : undefined;
        this.color.copy(own ?? this.colors.color(index, batch.owner[i], this.color)).toArray(out, 3 * i);
      }
      batch.mesh.instanceColor!.needsUpdate = true;
    }
  }

  setScenery(plane: THREE.Color, line: THREE.Color): void {
    for (const batch of this.batches) {
      if (batch.infinite) (batch.mesh.material as THREE.MeshStandardMaterial).color.copy(plane);
    }
    this.grid.uLine.value.copy(line);
  }

  /// Lets light through, to see contacts inside a pile.
  setGlass(on: boolean): void {
    for (const batch of this.batches) {
      if (batch.infinite) continue;
      const material = batch.mesh.material as THREE.MeshStandardMaterial;
      material.transparent = on;
      material.opacity = on ? 0.38 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  /// The body under a ray, or -1; `point` becomes the place where the ray meets it.
  pick(raycaster: THREE.Raycaster, point = new THREE.Vector3()): number {
    let nearest = Infinity;
    let body = -1;
    for (const batch of this.batches) {
      if (batch.infinite || !batch.mesh.visible) continue;
      for (const hit of raycaster.intersectObject(batch.mesh, false)) {
        if (hit.distance < nearest && hit.instanceId !== undefined) {
          nearest = hit.distance;
          body = batch.slots[hit.instanceId].body;
          point.copy(hit.point);
        }
      }
    }
    return body;
  }

  select(body: number): void {
    this.selected = body;
    this.outline.clear();
    if (body < 0) return;
    for (const batch of this.batches) {
      if (batch.infinite || !batch.mesh.visible) continue;
      for (const slot of batch.slots) {
        if (slot.body !== body) continue;
        const mesh = new THREE.Mesh(batch.mesh.geometry, this.outlineMaterial);
        mesh.matrixAutoUpdate = false;
        mesh.userData.local = slot.local;
        this.outline.add(mesh);
      }
    }
    this.placeOutline();
  }

  private placeOutline(): void {
    this.bodyMatrix(this.selected, this.body);
    const grow = new THREE.Matrix4().makeScale(1.05, 1.05, 1.05);
    for (const mesh of this.outline.children) {
      mesh.matrix.multiplyMatrices(this.body, mesh.userData.local).multiply(grow);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /// Centre of mass of a body as placed now.
  center(body: number, out: THREE.Vector3): THREE.Vector3 {
    const [x, y, z] = this.recording.header.bodies[body].center;
    return out.set(x, y, z).applyMatrix4(this.bodyMatrix(body, this.body));
  }
}

/// Matrices of all instances of a mesh: the pose of the body times the local matrix of its piece. Thousands of them per
/// frame, hence plain numbers. A pose that is not finite is out of sight.
function placeInstances(pose: Float32Array, owner: Uint32Array, local: Float32Array, out: Float32Array): void {
  for (let i = 0; i < owner.length; ++i) {
    const o = 7 * owner[i];
    const m = 16 * i;
    const px = pose[o], py = pose[o + 1], pz = pose[o + 2];
    const x = pose[o + 3], y = pose[o + 4], z = pose[o + 5], w = pose[o + 6];
    if (!Number.isFinite(px + py + pz + x)) {
      out.fill(0, m, m + 16);
      continue;
    }
    const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
    const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
    const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
    for (let c = m; c < m + 16; c += 4) {
      const a = local[c], b = local[c + 1], d = local[c + 2];
      out[c] = xx * a + xy * b + xz * d;
      out[c + 1] = yx * a + yy * b + yz * d;
      out[c + 2] = zx * a + zy * b + zz * d;
      out[c + 3] = 0;
    }
    out[m + 12] += px;
    out[m + 13] += py;
    out[m + 14] += pz;
    out[m + 15] = 1;
  }
}
