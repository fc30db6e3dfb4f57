// Contact points of one instant: where bodies touch, along which normal, with which impulse.

import * as THREE from 'three';
import type { Recording } from './recording';

export type ContactLayer = 'points' | 'normals' | 'impulses';
export const kContactLayers: ContactLayer[] = ['points', 'normals', 'impulses'];

const kColors: Record<ContactLayer, string> = { points: '#e6194b', normals: '#00a0b0', impulses: '#ff9f1c' };
const kPlain = new THREE.Color('#ffffff');
const kDeep = new THREE.Color('#b5179e'); // a point that penetrates by more than the scene's usual

const kMany = 2000; // contact points, beyond which each is drawn with less detail

function pointGeometry(count: number): THREE.BufferGeometry {
  return count > kMany ? new THREE.SphereGeometry(1, 6, 4) : new THREE.SphereGeometry(1, 12, 8);
}

function arrowGeometry(count: number): THREE.BufferGeometry {
  // A shaft and a head along +z, of length 1: drawn as one lathe.
  const outline = [[0, 0], [0.012, 0], [0.012, 0.8], [0.045, 0.8], [0, 1]].map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(outline, count > kMany ? 5 : 10).rotateX(Math.PI / 2);
}

export class Contacts {
  readonly group = new THREE.Group();
  readonly shown = new Set<ContactLayer>();
  private readonly meshes = new Map<ContactLayer, THREE.InstancedMesh>();
  private impulseScale = 0; // [m per N s]
  private scaledPoints = -1; // contact points that the scale was found from
  private capacity = 0;

  constructor(private readonly recording: Recording, private readonly size: number) {
    let most = 1;
    for (let i = 0; i < recording.instants; ++i) {
      const [first, last] = recording.contactRange(i);
      most = Math.max(most, last - first);
    }
    this.reserve(most);
  }

  /// Makes room for as many contact points.
  private reserve(count: number): void {
    this.capacity = count;
    for (const layer of kContactLayers) {
      const old = this.meshes.get(layer);
      const geometry = old?.geometry ?? (layer === 'points' ? pointGeometry(count) : arrowGeometry(count));
      // Drawn over the bodies: contacts lie between them, where nothing could be seen.
      const material = old?.material ?? new THREE.MeshBasicMaterial({ color: kColors[layer], depthTest: false, transparent: true, opacity: 0.9 });
      const mesh = new THREE.InstancedMesh(geometry, material, count);
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.visible = false;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      if (layer === 'points') mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
      if (old) {
        this.group.remove(old);
        old.dispose();
      }
      this.meshes.set(layer, mesh);
      this.group.add(mesh);
    }
  }

  // The 90th percentile of all impulses is drawn as long as a good part of the scene's size.
  private findImpulseScale(): number {
    const impulse = this.recording.array('contact_impulse');
    const points = this.recording.points;
    if (!impulse || points === 0) return 1;
    const sizes: number[] = [];
    const stride = Math.max(1, Math.floor(points / 20000));
    for (let c = 0; c < points; c += stride) {
      const length = Math.hypot(impulse[3 * c], impulse[3 * c + 1], impulse[3 * c + 2]);
      if (length > 0 && Number.isFinite(length)) sizes.push(length);
    }
    sizes.sort((a, b) => a - b);
    return (0.12 * this.size) / (sizes[Math.floor(0.9 * (sizes.length - 1))] || 1);
  }

  toggle(layer: ContactLayer, on = !this.shown.has(layer)): void {
    if (on) this.shown.add(layer);
    else this.shown.delete(layer);
  }

  update(index: number): void {
    const [first, last] = this.recording.contactRange(index);
    const count = last - first;
    if (count > this.capacity) this.reserve(2 * count);
    if (this.shown.has('impulses') && this.recording.points > 2 * this.scaledPoints) {
      this.scaledPoints = this.recording.points;
      this.impulseScale = this.findImpulseScale();
    }
    for (const [layer, mesh] of this.meshes) {
      mesh.visible = this.shown.has(layer) && count > 0;
      if (!mesh.visible) continue;
      mesh.count = count;
      if (layer === 'points') this.placePoints(mesh, first, count);
      else this.placeArrows(mesh, layer, first, count);
      mesh.instanceMatrix.clearUpdateRanges();
      mesh.instanceMatrix.addUpdateRange(0, 16 * count); // not the room for the fullest instant
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private placePoints(mesh: THREE.InstancedMesh, first: number, count: number): void {
    const position = this.recording.array('contact_position')!;
    const gap = this.recording.array('contact_gap')!;
    const out = mesh.instanceMatrix.array as Float32Array;
    const tint = mesh.instanceColor!.array as Float32Array;
    const radius = 0.008 * this.size;
    for (let k = 0; k < count; ++k) {
      const c = 3 * (first + k);
      writeFrame(out, 16 * k, 0, 0, 1, radius, radius, position[c], position[c + 1], position[c + 2]);
      const color = gap[first + k] < -0.002 * this.size ? kDeep : kPlain;
      color.toArray(tint, 3 * k);
    }
    mesh.instanceColor!.clearUpdateRanges();
    mesh.instanceColor!.addUpdateRange(0, 3 * count);
    mesh.instanceColor!.needsUpdate = true;
  }

  private placeArrows(mesh: THREE.InstancedMesh, layer: ContactLayer, first: number, count: number): void {
    const position = this.recording.array('contact_position')!;
    const along = this.recording.array(layer === 'impulses' ? 'contact_impulse' : 'contact_normal')!;
    const out = mesh.instanceMatrix.array as Float32Array;
    for (let k = 0; k < count; ++k) {
      const c = 3 * (first + k);
      const x = along[c], y = along[c + 1], z = along[c + 2];
      const length = Math.sqrt(x * x + y * y + z * z);
      let long = 0.1 * this.size;
      let wide = long;
      if (layer === 'impulses') {
        long = Math.min(length * this.impulseScale, 0.6 * this.size);
        wide = Math.max(0.3 * long, 0.08 * this.size);
      }
      // No direction, no arrow; likewise for what is not a number.
      if (!(length > 0)) long = wide = 0;
      const s = length > 0 ? 1 / length : 0;
      writeFrame(out, 16 * k, s * x, s * y, length > 0 ? s * z : 1, wide, long, position[c], position[c + 1], position[c + 2]);
    }
  }
}

/// The matrix that takes +z to the unit vector (x, y, z) and scales by `wide` across and `long` along it. Across, any two
/// directions do, since arrows are round: those of Duff et al., Building an Orthonormal Basis, Revisited, 2017.
function writeFrame(
  out: Float32Array, m: number, x: number, y: number, z: number, wide: number, long: number, px: number, py: number, pz: number,
): void {
  const sign = z >= 0 ? 1 : -1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  out[m] = wide * (1 + sign * x * x * a);
  out[m + 1] = wide * sign * b;
  out[m + 2] = -wide * sign * x;
  out[m + 3] = 0;
  out[m + 4] = wide * b;
  out[m + 5] = wide * (sign + y * y * a);
  out[m + 6] = -wide * y;
  out[m + 7] = 0;
  out[m + 8] = long * x;
  out[m + 9] = long * y;
  out[m + 10] = long * z;
  out[m + 11] = 0;
  out[m + 12] = px;
  out[m + 13] = py;
  out[m + 14] = pz;
  out[m + 15] = 1;
}
