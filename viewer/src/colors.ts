// What colours mean.

import * as THREE from 'three';
import { ContactGraph } from './graph';
import type { Recording } from './recording';

export type ColorMode = 'body' | 'state' | 'material' | 'speed' | 'group' | 'layer';
export const kColorModes: ColorMode[] = ['body', 'state', 'material', 'speed', 'group', 'layer'];

const kPalette = ['#e4794a', '#4a8fe4', '#55b37e', '#e3b341', '#a878d8', '#e0637f', '#4fb8c4', '#9aa83f', '#c98a5e', '#6f7fd6'];
const kScenery = new THREE.Color('#a9adb5');
const kAloft = new THREE.Color('#e8eaee'); // touches nothing that leads to the ground
export const kMostLayerColors = 12;

export const kStateColors: Record<string, string> = {
  moving: '#e4794a',
  asleep: '#6f8fb3',
  fixed: '#a9adb5',
  scripted: '#55b37e',
};

const palette = kPalette.map((hex) => new THREE.Color(hex));
const states = Object.fromEntries(Object.entries(kStateColors).map(([name, hex]) => [name, new THREE.Color(hex)]));
const cold = new THREE.Color('#3d6fc4');
const warm = new THREE.Color('#e8c547');
const hot = new THREE.Color('#d8392b');

export function stateOf(recording: Recording, index: number, body: number): string {
  const kind = recording.header.bodies[body].kind;
  if (kind !== 'dynamic') return kind;
  return recording.isAsleep(index, body) ? 'asleep' : 'moving';
}

/// Materials in order of first use, for the legend.
export function materialNames(recording: Recording): string[] {
  return [...new Set(recording.header.bodies.map((body) => body.material))];
}

export function materialColor(names: string[], material: string): THREE.Color {
  return palette[Math.max(0, names.indexOf(material)) % palette.length];
}

export class Colors {
  mode: ColorMode = 'body';
  readonly materials: string[];
  readonly topSpeed: number;
  private readonly recording: Recording;
  private readonly graph: ContactGraph;

  constructor(recording: Recording) {
    this.recording = recording;
    this.materials = materialNames(recording);
    this.topSpeed = findTopSpeed(recording);
    this.graph = new ContactGraph(recording);
  }

  /// Whether colours change from instant to instant.
  get varies(): boolean {
    return this.mode !== 'body' && this.mode !== 'material';
  }

  /// The colour of a body's trail where it was at an instant: groups and layers of the past are not worked out for it.
  trail(index: number, body: number, out: THREE.Color): THREE.Color {
    return this.mode === 'group' || this.mode === 'layer' ? out.copy(palette[body % palette.length]) : this.color(index, body, out);
  }

  color(index: number, body: number, out: THREE.Color): THREE.Color {
    const { kind, material, color } = this.recording.header.bodies[body];
    switch (this.mode) {
      case 'state':
        return out.copy(states[stateOf(this.recording, index, body)]);
      case 'material':
        return out.copy(materialColor(this.materials, material));
      case 'speed': {
        if (kind === 'fixed') return out.copy(kScenery);
        const share = Math.min(1, this.recording.speed(index, body) / this.topSpeed);
        return share < 0.5 ? out.lerpColors(cold, warm, 2 * share) : out.lerpColors(warm, hot, 2 * share - 1);
      }
      case 'group': {
        const group = this.graph.at(index).group[body];
        return out.copy(group < 0 ? kScenery : palette[group % palette.length]);
      }
      case 'layer': {
        const layer = this.graph.at(index).layer[body];
        if (layer <= 0) return out.copy(layer === 0 ? kScenery : kAloft);
        const share = (layer - 1) / Math.max(1, kMostLayerColors - 1);
        return share < 0.5 ? out.lerpColors(cold, warm, 2 * share) : out.lerpColors(warm, hot, Math.min(1, 2 * share - 1));
      }
      default:
        if (color) return out.setRGB(color[0], color[1], color[2], THREE.SRGBColorSpace);
        return out.copy(kind === 'fixed' ? kScenery : palette[body % palette.length]);
    }
  }
}

// A high percentile over a sample of instants: one fast fragment must not turn all others blue.
function findTopSpeed(recording: Recording): number {
  const speeds: number[] = [];
  const stride = Math.max(1, Math.floor((recording.instants * recording.bodyCount) / 20000));
  for (let k = 0; k < recording.instants * recording.bodyCount; k += stride) {
    const body = k % recording.bodyCount;
    if (recording.header.bodies[body].kind === 'fixed') continue;
    const speed = recording.speed(Math.floor(k / recording.bodyCount), body);
    if (Number.isFinite(speed)) speeds.push(speed);
  }
  speeds.sort((a, b) => a - b);
  return speeds[Math.floor(0.98 * (speeds.length - 1))] || 1;
}
