// Where bodies came from: the path of the centre of mass up to now, fading backwards.
//
// The path lies in one buffer, sample by sample and within a sample body by body: what is drawn at a time is its first
// part, and how it fades is found in the shader, so that a frame costs one short segment per body.

import * as THREE from 'three';
import type { Colors } from './colors';
import type { Place, Recording } from './recording';

export type TrailMode = 'off' | 'selected' | 'all';
export const kTrailModes: TrailMode[] = ['off', 'selected', 'all'];

const kMostBodies = 200;
const kMostSamples = 400;

/// Lines that fade backwards in time from `uNow`; a vertex bears the time it belongs to.
function trailMaterial(now: { value: number }, span: { value: number }): THREE.LineBasicMaterial {
  const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.uNow = now;
    shader.uniforms.uSpan = span;
    shader.vertexShader = 'attribute float moment; varying float vMoment;\n' + shader.vertexShader.replace(
      '#include <begin_vertex>', '#include <begin_vertex>\n vMoment = moment;');
    shader.fragmentShader = 'varying float vMoment; uniform float uNow; uniform float uSpan;\n' + shader.fragmentShader.replace(
      '#include <color_fragment>', '#include <color_fragment>\n diffuseColor.a *= clamp(0.95 - 0.85 * (uNow - vMoment) / uSpan, 0.05, 0.95);');
  };
  return material;
}

function lineGeometry(vertices: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const add = (name: string, width: number) =>
    geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(width * vertices), width).setUsage(THREE.DynamicDrawUsage));
  add('position', 3);
  add('color', 3);
  add('moment', 1);
  return geometry;
}

export class Trails {
  readonly lines = new THREE.Group();
  mode: TrailMode = 'selected';
  private readonly movable: number[];
  private readonly now = { value: 0 };
  private readonly span = { value: 1 };
  private past?: THREE.LineSegments;
  private tip?: THREE.LineSegments; // from the last sample to where the bodies are now
  private bodies: number[] = [];
  private key = ''; // what the buffers were made for
  private stride = 1; // instants from sample to sample
  private filled = 0; // samples that are in the buffer
  private readonly point = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();
  private readonly color = new THREE.Color();

  constructor(private readonly recording: Recording, private readonly colors: Colors) {
    this.movable = recording.header.bodies.flatMap((body, i) => (body.kind === 'fixed' ? [] : [i]));
  }

  private chosen(selected: number): number[] {
    if (this.mode === 'off') return [];
    if (this.mode === 'selected') return selected >= 0 ? [selected] : [];
    const stride = Math.max(1, Math.ceil(this.movable.length / kMostBodies));
    return this.movable.filter((_, i) => i % stride === 0);
  }

  private prepare(selected: number): void {
    const { instants } = this.recording;
    let stride = 1;
    while (instants / stride > kMostSamples) stride *= 2; // doubled as a live run grows: buffers are made anew rarely
    const key = `${this.recording.generation} ${this.mode} ${this.mode === 'selected' ? selected : ''} ${this.colors.mode} ${stride}`;
    if (key === this.key) return;
    this.key = key;
    this.stride = stride;
    this.filled = 0;
    this.bodies = this.chosen(selected);
    for (const old of [this.past, this.tip]) old?.geometry.dispose();
    this.lines.clear();
    if (this.bodies.length === 0) return;
    const material = trailMaterial(this.now, this.span);
    this.past = new THREE.LineSegments(lineGeometry(2 * this.bodies.length * kMostSamples), material);
    this.tip = new THREE.LineSegments(lineGeometry(2 * this.bodies.length), material);
    for (const mesh of [this.past, this.tip]) {
      mesh.frustumCulled = false;
      this.lines.add(mesh);
    }
  }

  private centerAt(index: number, body: number): THREE.Vector3 {
    const at = index * this.recording.bodyCount + body;
    const p = this.recording.array('position') as Float32Array;
    const q = this.recording.array('orientation') as Int16Array;
    const [x, y, z] = this.recording.header.bodies[body].center;
    this.turn.set(q[4 * at + 1], q[4 * at + 2], q[4 * at + 3], q[4 * at]).normalize();
    this.point.set(x, y, z).applyQuaternion(this.turn);
    this.point.x += p[3 * at];
    this.point.y += p[3 * at + 1];
    this.point.z += p[3 * at + 2];
    return this.point;
  }

  private put(geometry: THREE.BufferGeometry, vertex: number, at: THREE.Vector3, moment: number): void {
    (geometry.getAttribute('position') as THREE.BufferAttribute).setXYZ(vertex, at.x, at.y, at.z);
    (geometry.getAttribute('color') as THREE.BufferAttribute).setXYZ(vertex, this.color.r, this.color.g, this.color.b);
    (geometry.getAttribute('moment') as THREE.BufferAttribute).setX(vertex, moment);
  }

  /// Brings samples up to the one at or before an instant into the buffer: segment k leads from sample k to k + 1.
  private fill(index: number): void {
    const samples = Math.floor(index / this.stride) + 1;
    if (samples <= this.filled) return;
    const { geometry } = this.past!;
    const { time } = this.recording;
    const width = 2 * this.bodies.length;
    const first = Math.max(1, this.filled);
    for (let k = first; k < samples; ++k) {
      const to = k * this.stride;
      const from = to - this.stride;
      this.bodies.forEach((body, b) => {
        this.colors.trail(to, body, this.color);
        this.put(geometry, (k - 1) * width + 2 * b, this.centerAt(from, body), time[from]);
        this.put(geometry, (k - 1) * width + 2 * b + 1, this.centerAt(to, body), time[to]);
      });
    }
    for (const attribute of Object.values(geometry.attributes) as THREE.BufferAttribute[]) {
      attribute.addUpdateRange((first - 1) * width * attribute.itemSize, (samples - first) * width * attribute.itemSize);
      attribute.needsUpdate = true;
    }
    this.filled = samples;
  }

  update(place: Place, moment: number, selected: number, now: (body: number, out: THREE.Vector3) => THREE.Vector3): void {
    this.prepare(selected);
    if (this.bodies.length === 0) return;
    this.fill(place.index);
    const sample = Math.floor(place.index / this.stride);
    this.past!.geometry.setDrawRange(0, 2 * this.bodies.length * sample);
    this.now.value = moment;
    this.span.value = Math.max(moment - this.recording.start, 1e-9);
    const { geometry } = this.tip!;
    const from = this.recording.time[sample * this.stride];
    this.bodies.forEach((body, b) => {
      this.colors.trail(place.index, body, this.color);
      this.put(geometry, 2 * b, this.centerAt(sample * this.stride, body), from);
      this.put(geometry, 2 * b + 1, now(body, this.point), moment);
    });
    for (const attribute of Object.values(geometry.attributes)) (attribute as THREE.BufferAttribute).needsUpdate = true;
  }
}
