// A page that a running simulation feeds: instants come in over a WebSocket, wishes go out (apps/achilles/view/message.hpp).

import * as THREE from 'three';
import { element } from './layout';
import type { Recording, Vec3 } from './recording';
import type { Stage } from './stage';

/// A drive or motor along an axis of a joint, with the target that it follows now.
interface Drive {
  joint: number;
  axis: number;
  name: string;
  unit: string;
  low: number;
  high: number;
  value: number;
}

interface State {
  drives: Drive[];
  running: boolean;
  speed: number;
  method: string;
  methods: string[];
  notice: string;
}

export type DragMode = 'spring' | 'first-order' | 'off';
const kDragModes: DragMode[] = ['spring', 'first-order', 'off'];
const kPlotMilliseconds = 250; // curves are drawn anew this often at most
const kRetryMilliseconds = 2000;

export interface LiveEvents {
  /// More instants have come in; `reset` when everything before is void.
  grown(reset: boolean): void;
  /// Running or not, at which speed and by which method, has changed.
  changed(): void;
  /// Curves should be drawn anew.
  plots(): void;
}

export class Live {
  running = false;
  speed = 1;
  connected = false;
  drag: DragMode = 'spring';
  private socket?: WebSocket;
  private lastPlots = 0;
  private method = '';
  private readonly sliders = new Map<string, HTMLInputElement>();

  constructor(private readonly recording: Recording, private readonly events: LiveEvents) {
    element('app').classList.add('live');
    const drag = element<HTMLSelectElement>('drag');
    drag.replaceChildren(...kDragModes.map((mode) => new Option(mode, mode)));
    drag.addEventListener('change', () => {
      this.drag = drag.value as DragMode;
    });
    element('reset').addEventListener('click', () => this.send({ do: 'reset' }));
    element('save').addEventListener('click', () => this.send({ do: 'save' }));
    const method = element<HTMLSelectElement>('method');
    method.addEventListener('change', () => this.send({ do: 'method', name: method.value }));
    this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(`ws://${location.host}/live`);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.connected = true;
      this.say('');
    });
    socket.addEventListener('message', (event) => (typeof event.data === 'string' ? this.hear(JSON.parse(event.data)) : this.take(event.data)));
    socket.addEventListener('close', () => {
      this.connected = false;
      this.running = false;
      this.say('the simulation is gone; what has been seen stays');
      this.events.changed();
      setTimeout(() => this.connect(), kRetryMilliseconds);
    });
  }

  send(message: object): void {
    if (this.connected) this.socket!.send(JSON.stringify(message));
  }

  toggle(): void {
    this.send({ do: this.running ? 'pause' : 'run' });
  }

  step(): void {
    this.send({ do: 'step', count: 1 });
  }

  setSpeed(value: number): void {
    this.send({ do: 'speed', value });
  }

  private take(bytes: ArrayBuffer): void {
    const time = new Float64Array(bytes, 0, 1)[0];
    // The instant that the page began with comes again when nothing has happened since.
    if (this.recording.instants > 0 && time <= this.recording.end) {
      if (time === this.recording.end) return;
      this.recording.clear();
    }
    this.recording.append(bytes);
    this.events.grown(false);
    const now = performance.now();
    if (now - this.lastPlots < kPlotMilliseconds) return;
    this.lastPlots = now;
    this.events.plots();
  }

  private hear(message: { kind: string; reason?: string } & Partial<State>): void {
    if (message.kind === 'refused') {
      element<HTMLSelectElement>('method').value = this.method; // that of the run, not the one that was refused
      return this.say(message.reason ?? '');
    }
    if (message.kind === 'reset') {
      this.recording.clear();
      this.events.grown(true);
      return;
    }
    if (message.kind !== 'state') return;
    this.running = Boolean(message.running);
    this.speed = message.speed ?? 1;
    const method = element<HTMLSelectElement>('method');
    method.replaceChildren(...(message.methods ?? []).map((name) => new Option(name, name)));
    this.method = message.method ?? '';
    method.value = this.method;
    this.recording.header.method = this.method;
    this.showDrives(message.drives ?? []);
    method.disabled = this.running;
    method.title = this.running ? 'pause to change the method' : 'the method that goes on from here';
    this.say(message.notice ?? '');
    this.events.changed();
    this.events.plots();
  }

  /// One slider per drive; those that are there keep their place under the mouse.
  private showDrives(drives: Drive[]): void {
    element('drives-panel').hidden = drives.length === 0;
    const known = drives.map(({ joint, axis }) => `${joint}.${axis}`);
    if (known.join() !== [...this.sliders.keys()].join()) {
      this.sliders.clear();
      element('drives').replaceChildren(...drives.map((drive) => this.makeSlider(drive)));
    }
    for (const { joint, axis, value } of drives) {
      const slider = this.sliders.get(`${joint}.${axis}`)!;
      if (document.activeElement === slider) continue;
      slider.value = String(value);
      slider.dispatchEvent(new Event('show'));
    }
  }

  private makeSlider(drive: Drive): HTMLElement {
    const label = document.createElement('label');
    const slider = document.createElement('input');
    const value = document.createElement('output');
    slider.type = 'range';
    slider.min = String(drive.low);
    slider.max = String(drive.high);
    slider.step = 'any';
    const show = () => {
      value.textContent = `${Number(Number(slider.value).toPrecision(3))} ${drive.unit}`;
    };
    slider.addEventListener('show', show);
    slider.addEventListener('input', () => {
      show();
      this.send({ do: 'drive', joint: drive.joint, axis: drive.axis, value: Number(slider.value) });
    });
    this.sliders.set(`${drive.joint}.${drive.axis}`, slider);
    label.append(drive.name, value, slider);
    return label;
  }

  private say(text: string): void {
    element('live-notice').textContent = text;
  }
}

/// A body pulled by the mouse: in the plane through the point that was grabbed, parallel to the picture.
export class Dragger {
  readonly line: THREE.Line;
  private readonly plane = new THREE.Plane();
  private readonly target = new THREE.Vector3();
  private readonly pointInBody = new THREE.Vector3();
  private body = -1;

  constructor(private readonly live: Live, private readonly stage: Stage, private readonly bodyMatrix: (body: number, out: THREE.Matrix4) => THREE.Matrix4) {
    const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: '#ff9f1c', depthTest: false, transparent: true }));
    this.line.renderOrder = 11;
    this.line.frustumCulled = false;
    this.line.visible = false;
  }

  get active(): boolean {
    return this.body >= 0;
  }

  grab(body: number, point: THREE.Vector3): void {
    this.body = body;
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), point);
    this.target.copy(point);
    this.pointInBody.copy(point).applyMatrix4(this.bodyMatrix(body, new THREE.Matrix4()).invert());
    this.live.send({ do: 'grab', body, point: this.pointInBody.toArray(), how: this.live.drag });
    this.stage.controls.enabled = false;
  }

  move(raycaster: THREE.Raycaster): void {
    if (!raycaster.ray.intersectPlane(this.plane, this.target)) return;
    this.live.send({ do: 'drag', target: this.target.toArray() as Vec3 });
  }

  release(): void {
    if (!this.active) return;
    this.body = -1;
    this.line.visible = false;
    this.stage.controls.enabled = true;
    this.live.send({ do: 'release' });
  }

  /// The rubber band from the body to the mouse.
  update(): void {
    this.line.visible = this.active;
    if (!this.active) return;
    const from = this.pointInBody.clone().applyMatrix4(this.bodyMatrix(this.body, new THREE.Matrix4()));
    const position = this.line.geometry.getAttribute('position') as THREE.BufferAttribute;
    position.setXYZ(0, from.x, from.y, from.z);
    position.setXYZ(1, this.target.x, this.target.y, this.target.z);
    position.needsUpdate = true;
  }
}
