// Several runs of one scene side by side: one clock, one camera, curves over each other.

import * as THREE from 'three';
import { Bodies } from './bodies';
import { Colors } from './colors';
import type { View } from './hash';
import { element, kTransport, showPlaying } from './layout';
import { Player } from './player';
import { overlay, Plots, shortNumber } from './plots';
import type { Recording } from './recording';
import { Stage, Studio, type Theme } from './stage';

export interface ComparedRun {
  name: string;
  certified?: string;
  recording: Recording;
}

const kColors = ['#e4794a', '#4a8fe4', '#55b37e', '#a878d8', '#e3b341', '#e0637f', '#4fb8c4', '#9aa83f', '#c98a5e', '#6f7fd6', '#8a8f98', '#2f4858'];
const kMostViews = 16; // more would be too small to see anything

interface Pane {
  run: ComparedRun;
  color: string;
  stage: Stage;
  bodies: Bodies;
  box: HTMLElement;
}

const kMarkup = `<main><div id="grid"></div>${kTransport}</main>
<aside id="side"><h1></h1><div id="table"></div><details open><summary>Curves</summary><div id="plots"></div></details></aside>`;

/// Two digits: a table is for comparing sizes.
function few(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  return size > 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(1) : shortNumber(Number(value.toPrecision(2)));
}

function withUnit(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? '–' : `${few(value)} ${unit}`;
}

export class Comparison {
  readonly player: Player;
  readonly panes: Pane[];
  frames = 0;
  private readonly studio: Studio;
  private readonly longest: Recording;
  private readonly plots: Plots;
  private theme: Theme = 'light';
  private dirty = true;
  private last = 0;

  constructor(root: HTMLElement, private readonly runs: ComparedRun[], view: View) {
    root.innerHTML = kMarkup;
    root.classList.add('side', 'compare');
    this.longest = runs.reduce((a, b) => (b.recording.end > a.recording.end ? b : a)).recording;
    this.player = new Player(this.longest);
    this.player.onChange = () => this.touch();
    this.studio = new Studio(element('grid'));
    this.panes = runs.slice(0, kMostViews).map((run, k) => this.makePane(run, kColors[k % kColors.length]));
    const columns = Math.ceil(Math.sqrt(this.panes.length * (this.panes.length === 2 ? 2 : 1)));
    element('grid').style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const colored = runs.map((run, k) => ({ ...run, color: kColors[k % kColors.length] }));
    this.plots = new Plots(element('plots'), () => overlay(colored), (t) => this.player.seek(t));
    this.describe();
    this.listen();
    const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    this.setTheme(view.theme ?? (dark ? 'dark' : 'light'));
    this.player.seek(view.time ?? this.longest.start);
    if (view.play) this.player.toggle();
  }

  private makePane(run: ComparedRun, color: string): Pane {
    const box = document.createElement('section');
    box.className = 'pane';
    const label = document.createElement('h2');
    const swatch = document.createElement('i');
    swatch.style.background = color;
    label.append(swatch, run.name);
    const note = document.createElement('p');
    box.append(label, note);
    element('grid').append(box);
    const bodies = new Bodies(run.recording, new Colors(run.recording));
    const stage = new Stage(box, bodies.bounds, this.studio);
    stage.scene.add(bodies.group);
    stage.controls.addEventListener('change', () => this.follow(stage));
    return { run, color, stage, bodies, box };
  }

  private describe(): void {
    const { header } = this.longest;
    document.title = `${header.scene || 'Achilles'}: methods compared – Achilles`;
    document.querySelector('#side h1')!.textContent = header.scene || 'untitled';
    const scrub = element<HTMLInputElement>('scrub');
    scrub.min = String(this.longest.start);
    scrub.max = String(this.longest.end);
    this.fillTable();
  }

  private fillTable(): void {
    const table = document.createElement('table');
    const row = (cells: string[], kind: 'th' | 'td', color?: string) => {
      const line = document.createElement('tr');
      cells.forEach((text, k) => {
        const cell = document.createElement(kind);
        if (k === 0 && color) {
          const swatch = document.createElement('i');
          swatch.style.background = color;
          cell.append(swatch);
        }
        cell.append(text);
        line.append(cell);
      });
      table.append(line);
    };
    row(['method', 'certified', 'ended', 'wall', '× real', 'deepest', 'gain', 'lin.', 'ang.', 'residual', 'iter.'], 'th');
    this.runs.forEach(({ name, certified, recording }, k) => {
      const report = recording.header.report;
      row([
        name,
        certified ?? '–',
        report?.stopped ? `${report.stopped.reason} at ${shortNumber(report.stopped.time)} s` : recording.header.complete ? '' : 'cut off',
        withUnit(report?.wall_seconds, 's'),
        few(report?.real_time_factor),
        withUnit(report?.penetration && 1e3 * report.penetration.max, 'mm'),
        withUnit(report?.energy?.max_gain, 'J'),
        few(report?.momentum?.linear_error),
        few(report?.momentum?.angular_error),
        withUnit(report?.solver_stats?.residual_max, 'm/s'),
        few(report?.solver_stats?.iterations_mean),
      ], 'td', kColors[k % kColors.length]);
    });
    element('table').replaceChildren(table);
  }

  private follow(leader: Stage): void {
    this.touch();
    for (const { stage } of this.panes) {
      if (stage === leader) continue;
      // Copied to the bit; an update of these controls would lead the leader in turn.
      stage.camera.position.copy(leader.camera.position);
      stage.camera.quaternion.copy(leader.camera.quaternion);
      stage.controls.target.copy(leader.controls.target);
      stage.camera.near = leader.camera.near;
      stage.camera.far = leader.camera.far;
      stage.camera.updateProjectionMatrix();
    }
  }

  /// All of them look at what the runs fill together.
  private fit(): void {
    const bounds = new THREE.Box3();
    for (const { bodies } of this.panes) bounds.union(bodies.bounds);
    this.panes[0].stage.fit(bounds);
    this.follow(this.panes[0].stage);
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    for (const { stage, bodies } of this.panes) {
      const { plane, line } = stage.setTheme(theme);
      bodies.setScenery(plane, line);
      bodies.recolor(0);
    }
    this.resize();
    this.fit();
    this.plots.build();
  }

  private resize(): void {
    this.studio.resize(element('grid'));
    for (const { stage } of this.panes) stage.resize();
    this.touch();
  }

  private touch(): void {
    this.dirty = true;
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

  private draw(): void {
    this.dirty = false;
    const { time } = this.player;
    for (const { run, stage, bodies, box } of this.panes) {
      if (run.recording.instants > 0) bodies.update(run.recording.locate(time));
      const over = time > run.recording.end + 1e-9;
      const stopped = run.recording.header.report?.stopped;
      box.classList.toggle('over', over);
      box.querySelector('p')!.textContent = over ? (stopped ? `${stopped.reason} at ${shortNumber(stopped.time)} s` : 'ended') : '';
      stage.render();
    }
    this.frames += 1;
    element<HTMLInputElement>('scrub').value = String(time);
    element('clock').textContent = `${time.toFixed(3)} / ${this.longest.end.toFixed(2)} s`;
    element<HTMLSelectElement>('speed').value = String(this.player.speed);
    showPlaying(this.player.playing);
    this.plots.follow(time, this.longest.locate(time).index, false);
  }

  private listen(): void {
    const on = (id: string, event: string, act: (target: HTMLInputElement) => void) =>
      element(id).addEventListener(event, (e) => act(e.target as HTMLInputElement));
    on('play', 'click', () => this.player.toggle());
    on('step-back', 'click', () => this.player.step(-1));
    on('step-on', 'click', () => this.player.step(1));
    on('scrub', 'input', (target) => this.player.seek(Number(target.value)));
    on('speed', 'change', (target) => {
      this.player.speed = Number(target.value);
    });
    new ResizeObserver(() => this.resize()).observe(element('grid'));
    window.addEventListener('keydown', (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).matches('select')) return;
    const actions: Record<string, () => void> = {
      ' ': () => this.player.toggle(),
      arrowleft: () => this.player.step(event.shiftKey ? -10 : -1),
      arrowright: () => this.player.step(event.shiftKey ? 10 : 1),
      home: () => this.player.seek(this.longest.start),
      end: () => this.player.seek(this.longest.end),
      '[': () => this.player.faster(-1),
      ']': () => this.player.faster(1),
      f: () => this.fit(),
      t: () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'),
    };
    const act = actions[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
