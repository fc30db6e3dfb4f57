// Where bodies came from: the path of the centre of mass up to now, fading backwards.

import * as THREE from 'three';
import type { Colors } from './colors';
import type { Place, Recording } from './recording';

export type TrailMode = 'off' | 'selected' | 'all';
export const kTrailModes: TrailMode[] = ['off', 'selected', 'all'];

const kMaxBodies = 200;
const kSamples = 160;

export class Trails {
  readonly lines: THREE.LineSegments;
  mode: TrailMode = 'selected';
  seconds = Infinity; // how far back

  private readonly positions: THREE.BufferAttribute;
  private readonly tints: THREE.BufferAttribute;
  private readonly movable: number[];
  private readonly point = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly color = new THREE.Color();

  constructor(private readonly recording: Recording, private readonly colors: Colors) {
    this.movable = recording.header.bodies.flatMap((body, i) => (body.kind === 'fixed' ? [] : [i]));
    const vertices = 2 * kSamples * Math.min(kMaxBodies, Math.max(1, this.movable.length));
    const geometry = new THREE.BufferGeometry();
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage);
    this.tints = new THREE.BufferAttribute(new Float32Array(4 * vertices), 4).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('position', this.positions);
    geometry.setAttribute('color', this.tints);
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.lines = new THREE.LineSegments(geometry, material);
    this.lines.frustumCulled = false;
  }

  private bodies(selected: number): number[] {
    if (this.mode === 'off') return [];
    if (this.mode === 'selected') return selected >= 0 ? [selected] : [];
    const stride = Math.ceil(this.movable.length / kMaxBodies);
    return this.movable.filter((_, i) => i % Math.max(1, stride) === 0);
  }

  private centerAt(index: number, body: number): THREE.Vector3 {
    const at = index * this.recording.bodyCount + body;
    const p = this.recording.array('position') as Float32Array;
    const q = this.recording.array('orientation') as Int16Array;
    this.turn.set(q[4 * at + 1], q[4 * at + 2], q[4 * at + 3], q[4 * at]).normalize();
    this.point.set(...this.recording.header.bodies[body].center).applyQuaternion(this.turn);
    return this.point.add(new THREE.Vector3(p[3 * at], p[3 * at + 1], p[3 * at + 2]));
  }

  update(place: Place, selected: number, now: (body: number, out: THREE.Vector3) => THREE.Vector3): void {
    const time = this.recording.time;
    const first = this.recording.locate(time[place.index] - this.seconds).index;
    const stride = Math.max(1, Math.ceil((place.index - first) / (kSamples - 1)));
    let vertex = 0;
    const push = (p: THREE.Vector3, alpha: number) => {
      this.positions.setXYZ(vertex, p.x, p.y, p.z);
      this.tints.setXYZW(vertex, this.color.r, this.color.g, this.color.b, alpha);
      ++vertex;
    };
    const previous = new THREE.Vector3();
    const end = new THREE.Vector3();
    for (const body of this.bodies(selected)) {
      this.colors.color(place.index, body, this.color);
      // Sampled at fixed instants, so that the path does not shimmer while time runs.
      const indices: number[] = [];
      for (let i = Math.ceil(first / stride) * stride; i <= place.index; i += stride) indices.push(i);
      const alpha = (i: number) => 0.1 + (0.85 * (i - first)) / Math.max(1, place.index - first);
      indices.forEach((i, k) => {
        const p = this.centerAt(i, body);
        if (k > 0) {
          push(previous, alpha(indices[k - 1]));
          push(p, alpha(i));
        }
        previous.copy(p);
      });
      if (indices.length > 0) {
        push(previous, alpha(indices[indices.length - 1]));
        push(now(body, end), 0.95);
      }
    }
    this.lines.geometry.setDrawRange(0, vertex);
    this.lines.visible = vertex > 0;
    this.positions.needsUpdate = true;
    this.tints.needsUpdate = true;
  }
}
