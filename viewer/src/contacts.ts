// Contact points of one instant: where bodies touch, along which normal, with which impulse.

import * as THREE from 'three';
import type { Recording } from './recording';

export type ContactLayer = 'points' | 'normals' | 'impulses';
export const kContactLayers: ContactLayer[] = ['points', 'normals', 'impulses'];

const kColors: Record<ContactLayer, string> = { points: '#e6194b', normals: '#00a0b0', impulses: '#ff9f1c' };
const kDeep = new THREE.Color('#b5179e'); // a point that penetrates by more than the scene's usual

function arrowGeometry(): THREE.BufferGeometry {
  // A shaft and a head along +z, of length 1: drawn as one lathe.
  const outline = [[0, 0], [0.012, 0], [0.012, 0.8], [0.045, 0.8], [0, 1]].map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(outline, 10).rotateX(Math.PI / 2);
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
      const geometry = old?.geometry ?? (layer === 'points' ? new THREE.SphereGeometry(1, 12, 8) : arrowGeometry());
      // Drawn over the bodies: contacts lie between them, where nothing could be seen.
      const material = old?.material ?? new THREE.MeshBasicMaterial({ color: kColors[layer], depthTest: false, transparent: true, opacity: 0.9 });
      const mesh = new THREE.InstancedMesh(geometry, material, count);
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.visible = false;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
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
    const position = this.recording.array('contact_position');
    const normal = this.recording.array('contact_normal');
    const gap = this.recording.array('contact_gap');
    const impulse = this.recording.array('contact_impulse');
    const usable = position && normal && gap && impulse;
    const at = new THREE.Vector3();
    const along = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const scale = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    const up = new THREE.Vector3(0, 0, 1);
    const color = new THREE.Color();
    for (const [layer, mesh] of this.meshes) {
      mesh.visible = this.shown.has(layer) && count > 0 && Boolean(usable);
      if (!mesh.visible || !usable) continue;
      mesh.count = count;
      for (let k = 0; k < count; ++k) {
        const c = 3 * (first + k);
        at.set(position[c], position[c + 1], position[c + 2]);
        const source = layer === 'impulses' ? impulse : normal;
        along.set(source[c], source[c + 1], source[c + 2]);
        const length = along.length();
        turn.setFromUnitVectors(up, length > 0 ? along.divideScalar(length) : up);
        if (layer === 'points') scale.setScalar(0.008 * this.size);
        else if (layer === 'normals') scale.setScalar(0.1 * this.size);
        else {
          const long = Math.min(length * this.impulseScale, 0.6 * this.size);
          scale.set(Math.max(0.3 * long, 0.08 * this.size), Math.max(0.3 * long, 0.08 * this.size), long);
        }
        mesh.setMatrixAt(k, matrix.compose(at, turn, scale));
        if (layer === 'points') mesh.setColorAt(k, gap[first + k] < -0.002 * this.size ? color.copy(kDeep) : color.set('#ffffff'));
      }
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}
