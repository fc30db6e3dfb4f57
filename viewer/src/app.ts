// The page: a recording, a clock, a view of it and the controls.

import * as THREE from 'three';
import { describeRun, warningOf } from './about';
import { Bodies } from './bodies';
import { Colors, kColorModes, type ColorMode } from './colors';
import { Contacts, kContactLayers, type ContactLayer } from './contacts';
import { Events } from './events';
import type { View } from './hash';
import { Inspector } from './inspector';
import { Dragger, Live } from './live';
import { Joints } from './joints';
import { buildLayout, element, listNames, showLegend, showPlaying } from './layout';
import { Player } from './player';
import { curvesOf, Plots } from './plots';
import type { Recording } from './recording';
import { Stage, type Theme } from './stage';
import { kTrailModes, Trails, type TrailMode } from './trails';

const kDragPixels = 4; // a click that moved further was a turn of the camera

export class App {
  readonly player: Player;
  readonly stage: Stage;
  selected = -1;
  frames = 0;
  scriptMilliseconds = 0; // of the last frame, without drawing
  private readonly colors: Colors;
  private readonly bodies: Bodies;
  private readonly contacts: Contacts;
  private readonly trails: Trails;
  private readonly joints: Joints;
  private readonly plots: Plots;
  private readonly inspector: Inspector;
  private readonly events: Events;
  readonly live?: Live;
  private readonly dragger?: Dragger;
  private theme: Theme = 'light';
  private dirty = true;
  private follow = false;
  private glass = false;
  private collision = false;
  private shownIndex = -1; // -1: whatever is on the stage is out of date
  private shownTime = NaN;
  private last = 0;
  private readonly anchor = new THREE.Vector3();

  constructor(root: HTMLElement, readonly recording: Recording, view: View) {
    buildLayout(root);
    document.documentElement.classList.toggle('bare', !view.ui);
    this.player = new Player(recording);
    this.colors = new Colors(recording);
    this.bodies = new Bodies(recording, this.colors);
    this.stage = new Stage(element('view'), this.bodies.bounds);
    const size = this.bodies.bounds.getBoundingSphere(new THREE.Sphere()).radius;
    this.contacts = new Contacts(recording, size);
    this.trails = new Trails(recording, this.colors);
    this.joints = new Joints(recording, size);
    this.stage.scene.add(this.bodies.group, this.contacts.group, this.trails.lines, this.joints.group);
    element('collision').hidden = !this.bodies.hasVisuals;
    element('joints').hidden = !this.joints.any;
    this.plots = new Plots(element('plots'), () => curvesOf(recording), (t) => this.player.seek(t));
    this.inspector = new Inspector(element('body'), recording, (body) => this.select(body));
    this.events = new Events(element('events'), recording, (t) => this.player.seek(t), (body) => this.select(body));
    this.player.onChange = () => this.touch();
    if (recording.header.live) {
      this.live = new Live(recording, { grown: (reset) => this.grow(reset), changed: () => this.showMethod(), plots: () => this.refreshPlots() });
      this.dragger = new Dragger(this.live, this.stage, (body, out) => this.bodies.bodyMatrix(body, out));
      this.stage.scene.add(this.dragger.line);
    }
    this.describe();
    this.listen();
    this.apply(view);
  }

  private describe(): void {
    const { header } = this.recording;
    document.title = `${header.scene || 'Achilles'} – Achilles`;
    element('title').querySelector('h1')!.textContent = header.scene || 'untitled';
    this.showMethod();
    const warning = warningOf(this.recording);
    element('notice').hidden = !warning;
    element('notice').textContent = warning ?? '';
    describeRun(element('about'), this.recording);
    listNames(this.recording);
    const scrub = element<HTMLInputElement>('scrub');
    scrub.min = String(this.recording.start);
    scrub.max = String(this.recording.end);
  }

  /// A live run goes on with another method when the page asks for it.
  private showMethod(): void {
    const { header } = this.recording;
    element('title').querySelector('p')!.textContent = [header.method, header.source].filter(Boolean).join(' · ');
    this.touch();
  }

  private apply(view: View): void {
    const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    if (kColorModes.includes(view.color as ColorMode)) this.colors.mode = view.color as ColorMode;
    if (kTrailModes.includes(view.trails as TrailMode)) this.trails.mode = view.trails as TrailMode;
    for (const layer of kContactLayers) if (view.show.includes(layer)) this.toggleLayer(layer, true);
    if (view.show.includes('glass')) this.setGlass(true);
    if (view.speed !== undefined && view.speed > 0) this.player.speed = view.speed;
    element<HTMLSelectElement>('color').value = this.colors.mode;
    element<HTMLSelectElement>('trails').value = this.trails.mode;
    element('app').classList.toggle('side', view.ui && window.innerWidth > 900);
    this.setTheme(view.theme ?? (dark ? 'dark' : 'light'));
    this.resize();
    this.player.seek(view.time ?? this.recording.start);
    if (this.recording.instants > 0) this.bodies.update(this.recording.locate(this.player.time));
    const { box, follows } = this.bodies.view();
    this.stage.fit(box);
    this.setFollow(follows && !view.camera);
    if (view.show.includes('joints')) this.setJoints(true);
    if (view.show.includes('collision')) this.setCollision(true);
    if (view.camera) {
      this.stage.camera.position.fromArray(view.camera, 0);
      this.stage.controls.target.fromArray(view.camera, 3);
      this.stage.controls.update();
    }
    if (view.select !== undefined) this.select(this.recording.header.bodies.findIndex((b) => b.name === view.select));
    if (view.play) this.player.toggle();
    showLegend(this.colors);
  }

  start(): void {
    this.last = performance.now();
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      this.player.advance(Math.min(0.1, (now - this.last) / 1000));
      this.last = now;
      if (this.dirty) this.draw();
    };
    this.draw();
    requestAnimationFrame(tick);
  }

  /// A live run has added instants: whoever looks at the last one goes along.
  private grow(reset: boolean): void {
    const scrub = element<HTMLInputElement>('scrub');
    const followed = reset || this.live!.running || this.player.time >= Number(scrub.max);
    scrub.min = String(this.recording.start);
    scrub.max = String(this.recording.end);
    this.shownIndex = -1;
    if (followed) this.player.seek(this.recording.end);
    this.touch();
  }

  private refreshPlots(): void {
    if (element('app').classList.contains('side')) this.plots.refresh();
    this.touch();
  }

  private toggle(): void {
    if (this.live) this.live.toggle();
    else this.player.toggle();
  }

  /// In a live run, past the last instant is a step of the simulation.
  private step(count: number): void {
    if (this.live && count > 0 && this.player.time >= this.recording.end) this.live.step();
    else this.player.step(count);
  }

  private faster(count: number): void {
    this.player.faster(count);
    this.live?.setSpeed(this.player.speed);
  }

  private touch(): void {
    this.dirty = true;
  }

  private draw(): void {
    const began = performance.now();
    this.dirty = false;
    const place = this.recording.locate(this.player.time);
    const changed = place.index !== this.shownIndex;
    this.shownIndex = place.index;
    if (this.recording.instants > 0) {
      if (changed || this.player.time !== this.shownTime) this.bodies.update(place);
      if (changed && this.colors.varies) this.bodies.recolor(place.index);
      if (changed) this.contacts.update(place.index);
      this.joints.update((body, out) => this.bodies.bodyMatrix(body, out));
      this.trails.update(place, this.player.time, this.selected, (body, out) => this.bodies.center(body, out));
      this.followSelected();
      this.dragger?.update();
    }
    this.showTime(place.index, changed);
    this.shownTime = this.player.time;
    this.scriptMilliseconds = performance.now() - began;
    this.stage.render();
    this.frames += 1;
  }

  private showTime(index: number, changed: boolean): void {
    if (document.documentElement.classList.contains('bare')) return;
    element<HTMLInputElement>('scrub').value = String(this.player.time);
    element('clock').textContent = `${this.player.time.toFixed(3)} / ${this.recording.end.toFixed(2)} s`;
    showPlaying(this.live ? this.live.running : this.player.playing);
    element<HTMLSelectElement>('speed').value = String(this.player.speed);
    if (!element('app').classList.contains('side')) return;
    this.plots.follow(this.player.time, index);
    this.events.show(this.player.time);
    if (changed) this.inspector.show(this.selected, index);
  }

  /// The selected body, or the middle of what moves.
  private middle(): THREE.Vector3 {
    const middle = new THREE.Vector3();
    return this.selected >= 0 ? this.bodies.center(this.selected, middle) : this.bodies.subject().getCenter(middle);
  }

  private setFollow(on: boolean): void {
    this.follow = on;
    this.anchor.copy(this.middle());
  }

  private followSelected(): void {
    if (!this.follow) return;
    const now = this.middle();
    const moved = now.clone().sub(this.anchor);
    if (!Number.isFinite(moved.x + moved.y + moved.z)) return;
    this.anchor.copy(now);
    this.stage.camera.position.add(moved);
    this.stage.controls.target.add(moved);
    this.stage.camera.lookAt(this.stage.controls.target);
  }

  select(body: number): void {
    this.selected = body;
    this.bodies.select(body);
    this.events.choose(body);
    this.anchor.copy(this.middle());
    element<HTMLInputElement>('search').value = body >= 0 ? this.recording.header.bodies[body].name : '';
    this.inspector.show(body, Math.max(0, this.shownIndex));
    this.touch();
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    const { plane, line } = this.stage.setTheme(theme);
    this.bodies.setScenery(plane, line);
    this.rebuildPlots();
    this.recolor();
  }

  private recolor(): void {
    this.bodies.recolor(Math.max(0, this.recording.locate(this.player.time).index));
    showLegend(this.colors);
    this.touch();
  }

  private rebuildPlots(): void {
    if (element('app').classList.contains('side')) this.plots.build();
    this.touch();
  }

  private toggleLayer(layer: ContactLayer, on?: boolean): void {
    this.contacts.toggle(layer, on);
    const button = document.querySelector(`[data-layer=${layer}]`)!;
    button.setAttribute('aria-pressed', String(this.contacts.shown.has(layer)));
    this.contacts.update(this.recording.locate(this.player.time).index);
    this.touch();
  }

  private setGlass(on: boolean): void {
    this.glass = on;
    this.bodies.setGlass(on);
    element('glass').setAttribute('aria-pressed', String(on));
    this.touch();
  }

  private setCollision(on: boolean): void {
    this.collision = on;
    this.bodies.setCollision(on);
    this.bodies.select(this.selected);
    element('collision').setAttribute('aria-pressed', String(on));
    this.touch();
  }

  private setJoints(on: boolean): void {
    this.joints.group.visible = on;
    element('joints').setAttribute('aria-pressed', String(on));
    this.touch();
  }

  private toggleSide(): void {
    element('app').classList.toggle('side');
    this.resize();
    this.rebuildPlots();
    this.inspector.show(this.selected, Math.max(0, this.shownIndex));
  }

  private cycle<T extends string>(id: string, list: readonly T[], now: T): T {
    const next = list[(list.indexOf(now) + 1) % list.length];
    element<HTMLSelectElement>(id).value = next;
    return next;
  }

  private setColor(mode: ColorMode): void {
    this.colors.mode = mode;
    this.recolor();
  }

  private setTrails(mode: TrailMode): void {
    this.trails.mode = mode;
    this.touch();
  }

  /// What moves, the selected body, or all of the way.
  private fit(whole = false): void {
    if (whole) {
      this.setFollow(false);
      this.stage.fit(this.bodies.bounds);
    } else if (this.selected >= 0) {
      const middle = this.bodies.center(this.selected, new THREE.Vector3());
      const reach = 0.25 * this.bodies.bounds.getSize(new THREE.Vector3()).length();
      this.stage.fit(new THREE.Box3().setFromCenterAndSize(middle, new THREE.Vector3(reach, reach, reach)));
    } else {
      const { box, follows } = this.bodies.view();
      this.stage.fit(box);
      this.setFollow(follows);
    }
    this.touch();
  }

  private resize(): void {
    this.stage.resize();
    this.touch();
  }

  private listen(): void {
    this.stage.controls.addEventListener('change', () => this.touch());
    new ResizeObserver(() => this.resize()).observe(element('view'));
    const on = (id: string, event: string, act: (target: HTMLInputElement) => void) =>
      element(id).addEventListener(event, (e) => act(e.target as HTMLInputElement));
    on('play', 'click', () => this.toggle());
    on('step-back', 'click', () => this.step(-1));
    on('step-on', 'click', () => this.step(1));
    on('scrub', 'input', (target) => this.player.seek(Number(target.value)));
    on('speed', 'change', (target) => {
      this.player.speed = Number(target.value);
      this.live?.setSpeed(this.player.speed);
    });
    on('color', 'change', (target) => this.setColor(target.value as ColorMode));
    on('trails', 'change', (target) => this.setTrails(target.value as TrailMode));
    on('glass', 'click', () => this.setGlass(!this.glass));
    on('collision', 'click', () => this.setCollision(!this.collision));
    on('joints', 'click', () => this.setJoints(!this.joints.group.visible));
    on('fit', 'click', () => this.fit());
    on('theme', 'click', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'));
    on('side-toggle', 'click', () => this.toggleSide());
    on('help-toggle', 'click', () => element<HTMLDialogElement>('help').showModal());
    on('search', 'change', (target) => this.select(this.recording.header.bodies.findIndex((b) => b.name === target.value)));
    for (const button of document.querySelectorAll<HTMLElement>('[data-layer]')) {
      button.addEventListener('click', () => this.toggleLayer(button.dataset.layer as ContactLayer));
    }
    this.listenPointer();
    window.addEventListener('keydown', (event) => this.key(event));
  }

  private rayAt(event: PointerEvent): THREE.Raycaster {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2(x, y), this.stage.camera);
    return raycaster;
  }

  private listenPointer(): void {
    const canvas = this.stage.renderer.domElement;
    let downX = 0;
    let downY = 0;
    // Before the camera's own listeners: a press on a body that can be dragged must not turn the camera.
    canvas.addEventListener('pointerdown', (event) => {
      downX = event.clientX;
      downY = event.clientY;
      if (event.button === 0) this.tryGrab(event);
    }, { capture: true });
    canvas.addEventListener('pointermove', (event) => {
      if (this.dragger?.active) this.dragger.move(this.rayAt(event));
      this.touchIfDragging();
    });
    const release = () => {
      this.dragger?.release();
      this.touch();
    };
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerup', (event) => {
      release();
      if (event.button !== 0 || Math.hypot(event.clientX - downX, event.clientY - downY) > kDragPixels) return;
      this.select(this.bodies.pick(this.rayAt(event)));
    });
  }

  private touchIfDragging(): void {
    if (this.dragger?.active) this.touch();
  }

  private tryGrab(event: PointerEvent): void {
    if (!this.live || !this.dragger || this.live.drag === 'off' || this.player.time < this.recording.end) return;
    const point = new THREE.Vector3();
    const body = this.bodies.pick(this.rayAt(event), point);
    if (body < 0 || this.recording.header.bodies[body].kind !== 'dynamic') return;
    this.dragger.grab(body, point);
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || element<HTMLDialogElement>('help').open) return;
    if (target.matches('input[list], select')) return;
    const actions: Record<string, () => void> = {
      ' ': () => this.toggle(),
      arrowleft: () => this.step(event.shiftKey ? -10 : -1),
      arrowright: () => this.step(event.shiftKey ? 10 : 1),
      home: () => this.player.seek(this.recording.start),
      end: () => this.player.seek(this.recording.end),
      '[': () => this.faster(-1),
      ']': () => this.faster(1),
      c: () => this.setColor(this.cycle('color', kColorModes, this.colors.mode)),
      p: () => this.toggleLayer('points'),
      n: () => this.toggleLayer('normals'),
      i: () => this.toggleLayer('impulses'),
      r: () => this.setTrails(this.cycle('trails', kTrailModes, this.trails.mode)),
      x: () => this.setGlass(!this.glass),
      v: () => this.setCollision(!this.collision),
      j: () => this.setJoints(!this.joints.group.visible),
      f: () => this.fit(event.shiftKey),
      g: () => this.setFollow(!this.follow),
      l: () => {
        this.player.loop = !this.player.loop;
      },
      t: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'),
      b: () => this.toggleSide(),
      escape: () => this.select(-1),
      '?': () => element<HTMLDialogElement>('help').showModal(),
    };
    const act = actions[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
