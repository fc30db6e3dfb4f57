// Curves over time with a cursor that follows the clock; a click or drag on a curve moves the clock.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Recording } from './recording';

type Column = (number | null)[];

interface Curve {
  label: string;
  color: string;
  values: Column;
  dash?: number[];
}

export interface Panel {
  title: string;
  unit: string;
  curves: Curve[];
  log?: boolean;
}

const kColors = ['#e4794a', '#4a8fe4', '#55b37e', '#a878d8'];

/// Curves over one axis of time.
export interface Curves {
  time: number[];
  panels: Panel[];
}

function column(recording: Recording, name: string, component?: number, factor = 1): Column | undefined {
  const series = recording.series(name);
  if (!series) return undefined;
  const out: Column = new Array(recording.instants);
  for (let i = 0; i < recording.instants; ++i) {
    let value: number;
    if (series.width === 3 && component === undefined && name !== 'sensor') {
      value = Math.hypot(series.values[3 * i], series.values[3 * i + 1], series.values[3 * i + 2]);
    } else {
      value = series.values[series.width * i + (component ?? 0)];
    }
    out[i] = Number.isFinite(value) ? value * factor : null;
  }
  return out;
}

function vectorCurves(recording: Recording, name: string): Curve[] {
  if (!recording.series(name)) return [];
  return ['x', 'y', 'z'].map((label, k) => ({ label, color: kColors[k], values: column(recording, name, k)! }));
}

export function curvesOf(recording: Recording): Curves {
  return { time: Array.from(recording.time), panels: panelsOf(recording) };
}

function panelsOf(recording: Recording): Panel[] {
  const one = (title: string, unit: string, name: string, color: string, factor = 1, log = false): Panel => {
    const values = column(recording, name, undefined, factor);
    return { title, unit, log, curves: values ? [{ label: title, color, values }] : [] };
  };
  const kinetic = column(recording, 'energy_kinetic');
  const potential = column(recording, 'energy_potential');
  const energy: Curve[] = [];
  if (kinetic && potential) {
    const total = kinetic.map((k, i) => (k === null || potential[i] === null ? null : k + potential[i]!));
    energy.push({ label: 'kinetic', color: kColors[0], values: kinetic });
    energy.push({ label: 'potential', color: kColors[1], values: potential });
    energy.push({ label: 'total', color: kColors[2], values: total, dash: [6, 3] });
  }
  // Wall time and steps are summed between instants: their ratio is the time of one step.
  const seconds = column(recording, 'step_seconds');
  const steps = column(recording, 'steps');
  const perStep = seconds?.map((s, i) => (s === null || !(steps?.[i] ?? 1) ? null : (1e3 * s) / (steps?.[i] ?? 1)));
  const all: Panel[] = [
    { title: 'Energy', unit: 'J', curves: energy },
    one('Penetration', 'mm', 'penetration', kColors[0], 1e3),
    { title: 'Momentum', unit: 'N·s', curves: vectorCurves(recording, 'momentum') },
    { title: 'Angular momentum', unit: 'N·m·s', curves: vectorCurves(recording, 'angular_momentum') },
    one('Contact points', '', 'contacts', kColors[1]),
    one('Solver iterations', '', 'iterations', kColors[3]),
    one('Solver residual', 'm/s', 'residual', kColors[3], 1, true),
    { title: 'Time per step', unit: 'ms', curves: perStep ? [{ label: 'time per step', color: kColors[2], values: perStep }] : [] },
    one('Joint error', 'mm', 'joint_error', kColors[0], 1e3),
  ];
  all.push(...sensorPanels(recording));
  const isFlatZero = (panel: Panel) => panel.curves.every((c) => c.values.every((v) => !v));
  return all.filter((p) => p.curves.length > 0 && !(p.title === 'Joint error' && isFlatZero(p)));
}

/// One panel per sensor and unit: the axes of an acceleration share one, angular rates have another.
function sensorPanels(recording: Recording): Panel[] {
  const panels = new Map<string, Panel>();
  (recording.header.sensors ?? []).forEach(({ sensor, column: label, unit }, k) => {
    const key = `${sensor} ${unit}`;
    const panel = panels.get(key) ?? { title: sensor, unit, curves: [] };
    panel.curves.push({ label, color: kColors[panel.curves.length % kColors.length], values: column(recording, 'sensor', k)! });
    panels.set(key, panel);
  });
  return [...panels.values()].filter((panel) => panel.curves.every((curve) => curve.values));
}

export function shortNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/// Labels that differ from tick to tick, however small the range is against the values.
function tickLabels(ticks: (number | null)[], log = false): string[] {
  const numbers = ticks.filter((v): v is number => v !== null);
  const step = numbers.length > 1 ? Math.abs(numbers[1] - numbers[0]) : 0;
  const largest = Math.max(...numbers.map(Math.abs));
  const label = (v: number) => {
    if (log || step === 0 || v === 0) return shortNumber(v);
    const digits = Math.min(15, Math.max(1, Math.ceil(Math.log10(largest / step)) + 1));
    return largest >= 1e5 || largest < 1e-3 ? v.toExponential(Math.min(digits - 1, 4)) : String(Number(v.toPrecision(digits + 1)));
  };
  return ticks.map((v) => (v === null ? '' : label(v)));
}

interface Drawn {
  plot: uPlot;
  panel: Panel;
  cursor: HTMLElement;
  values: HTMLElement[]; // one per curve, at the cursor
}

/// The curves of several runs over each other: one panel per quantity, one colour per run. Quantities with several curves
/// are told apart by their sum or size alone.
export function overlay(runs: { name: string; color: string; recording: Recording }[]): Curves {
  const longest = runs.reduce((a, b) => (b.recording.end > a.recording.end ? b : a)).recording;
  const time = Array.from(longest.time);
  const all = runs.map(({ recording }) => panelsOf(recording));
  const titles = [...new Set(all.flatMap((panels) => panels.map((panel) => panel.title)))];
  const panels = titles.map((title): Panel => {
    const curves: Curve[] = [];
    let model: Panel | undefined;
    runs.forEach(({ name, color, recording }, k) => {
      const panel = all[k].find((p) => p.title === title);
      if (!panel) return;
      model ??= panel;
      const own = panel.curves.find((c) => c.label === 'total')?.values ?? (panel.curves.length === 1 ? panel.curves[0].values : sizes(panel));
      const values = time.map((t) => (t > recording.end + 1e-9 ? null : own[recording.locate(t + 1e-9).index]));
      curves.push({ label: name, color, values });
    });
    const several = model!.curves.length > 1;
    return { ...model!, title: several ? (title === 'Energy' ? 'Total energy' : `Size of the ${title.toLowerCase()}`) : title, curves };
  });
  return { time, panels };
}

function sizes(panel: Panel): Column {
  return panel.curves[0].values.map((_, i) => {
    const parts = panel.curves.map((curve) => curve.values[i]);
    return parts.some((v) => v === null) ? null : Math.hypot(...(parts as number[]));
  });
}

function dataOf(time: number[], panel: Panel): uPlot.AlignedData {
  const shown = panel.log ? panel.curves.map((c) => c.values.map((v) => (v !== null && v > 0 ? v : null))) : panel.curves.map((c) => c.values);
  return [time, ...shown];
}

export class Plots {
  private readonly drawn: Drawn[] = [];
  private curves: Curves;

  constructor(private readonly container: HTMLElement, private readonly make: () => Curves, private readonly seek: (t: number) => void) {
    this.curves = make();
    if (this.curves.panels.length === 0) container.textContent = 'The recording holds no curves.';
  }

  /// Takes in what a live run has added.
  refresh(): void {
    this.curves = this.make();
    const { time, panels } = this.curves;
    if (panels.length !== this.drawn.length) {
      if (this.drawn.length > 0) this.build();
      return;
    }
    this.drawn.forEach((drawn, k) => {
      drawn.panel = panels[k];
      drawn.plot.setData(dataOf(time, panels[k]));
    });
  }

  /// Draws everything anew: colours and sizes are fixed when a plot is made.
  build(): void {
    for (const { plot } of this.drawn) plot.destroy();
    this.drawn.length = 0;
    this.container.replaceChildren();
    const width = this.container.clientWidth || 320;
    for (const panel of this.curves.panels) this.draw(panel, width);
  }

  private draw(panel: Panel, width: number): void {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--muted').trim();
    const grid = style.getPropertyValue('--line').trim();
    const box = document.createElement('section');
    box.className = 'plot';
    const head = document.createElement('header');
    const title = document.createElement('h3');
    title.textContent = panel.unit ? `${panel.title} [${panel.unit}]` : panel.title;
    const legend = document.createElement('span');
    legend.className = 'values';
    const values = panel.curves.map((curve) => {
      const value = document.createElement('span');
      value.style.color = curve.color;
      return value;
    });
    legend.append(...values);
    head.append(title, legend);
    box.append(head);
    this.container.append(box);
    const axis: uPlot.Axis = {
      stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '10px system-ui, sans-serif', size: 22, gap: 2,
    };
    const options: uPlot.Options = {
      width, height: 104, padding: [6, 8, 0, 0], legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: panel.log ? { distr: 3 } : { range: padded } },
      axes: [axis, { ...axis, size: 48, values: (_u, ticks) => tickLabels(ticks, panel.log) }],
      series: [{}, ...panel.curves.map((c) => ({ stroke: c.color, width: 1.5, dash: c.dash, points: { show: false } }))],
    };
    const plot = new uPlot(options, dataOf(this.curves.time, panel), box);
    const cursor = document.createElement('div');
    cursor.className = 'now';
    plot.over.append(cursor);
    this.listen(plot);
    this.drawn.push({ plot, panel, cursor, values });
  }

  private listen(plot: uPlot): void {
    const move = (event: PointerEvent) => {
      if (event.buttons & 1) this.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x'));
    };
    plot.over.addEventListener('pointerdown', (event) => {
      plot.over.setPointerCapture(event.pointerId);
      move(event);
    });
    plot.over.addEventListener('pointermove', move);
  }

  /// Moves the cursor to a time; `index` is that of the value to show for it, `named` whether curves say whose they are.
  follow(time: number, index: number, named = true): void {
    for (const { plot, panel, cursor, values } of this.drawn) {
      cursor.style.transform = `translateX(${plot.valToPos(time, 'x')}px)`;
      panel.curves.forEach((curve, k) => {
        // A live run has more instants than its curves, which are drawn anew a few times a second.
        const shown = Math.min(index, curve.values.length - 1);
        const text = (named && panel.curves.length > 1 ? `${curve.label} ` : '') + shortNumber(curve.values[shown]);
        if (values[k].textContent !== text) values[k].textContent = text;
      });
    }
  }
}

function padded(_plot: uPlot, low: number, high: number): [number, number] {
  if (low === null || high === null || !Number.isFinite(low)) return [0, 1];
  const span = high - low || Math.abs(high) || 1;
  return [low === 0 ? 0 : low - 0.05 * span, high + 0.05 * span];
}
