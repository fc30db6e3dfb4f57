// The panel on one body: what it is, where it is, what touches it.

import { stateOf } from './colors';
import { shortNumber } from './plots';
import type { Recording } from './recording';

function row(name: string, value: string): HTMLElement[] {
  const term = document.createElement('dt');
  const detail = document.createElement('dd');
  term.textContent = name;
  detail.textContent = value;
  return [term, detail];
}

const triple = (v: ArrayLike<number>) => Array.from(v, shortNumber).join('  ');

export class Inspector {
  private readonly list = document.createElement('dl');
  private readonly touching = document.createElement('ul');
  private readonly hint = document.createElement('p');

  constructor(container: HTMLElement, private readonly recording: Recording, private readonly select: (body: number) => void) {
    this.hint.className = 'hint';
    this.hint.textContent = 'Click a body to see its state.';
    container.append(this.hint, this.list, this.touching);
  }

  show(body: number, index: number): void {
    this.hint.hidden = body >= 0;
    this.list.replaceChildren();
    this.touching.replaceChildren();
    if (body < 0) return;
    const { name, kind, material, mass, shape } = this.recording.header.bodies[body];
    const at = index * this.recording.bodyCount + body;
    const position = this.recording.array('position')!;
    const q = this.recording.array('orientation')!;
    const velocity = this.recording.velocity(index, body);
    const spin = this.recording.array('spin');
    const rows = [
      row('name', name),
      row('shape', Object.keys(this.recording.header.shapes[shape])[0]),
      row('state', stateOf(this.recording, index, body)),
      row('material', material),
      row('mass', mass === null ? (kind === 'dynamic' ? '–' : 'infinite') : `${shortNumber(mass)} kg`),
      row('position', `${triple([0, 1, 2].map((k) => position[3 * at + k]))} m`),
      row('orientation', triple([0, 1, 2, 3].map((k) => q[4 * at + k] / 32767))),
      row('velocity', `${triple(velocity)} m/s`),
      row('speed', `${shortNumber(Math.hypot(...velocity))} m/s`),
    ];
    if (spin) rows.push(row('spin', `${triple([0, 1, 2].map((k) => spin[3 * at + k]))} rad/s`));
    this.list.append(...rows.flat());
    this.listContacts(body, index);
  }

  private listContacts(body: number, index: number): void {
    const pairs = this.recording.array('contact_body');
    const impulse = this.recording.array('contact_impulse');
    if (!pairs || !impulse) return;
    const found = new Map<number, { points: number; impulse: number[] }>();
    const [first, last] = this.recording.contactRange(index);
    for (let c = first; c < last; ++c) {
      const [a, b] = [pairs[2 * c], pairs[2 * c + 1]];
      if (a !== body && b !== body) continue;
      const other = a === body ? b : a;
      const entry = found.get(other) ?? { points: 0, impulse: [0, 0, 0] };
      entry.points += 1;
      for (let k = 0; k < 3; ++k) entry.impulse[k] += impulse[3 * c + k] * (b === body ? 1 : -1);
      found.set(other, entry);
    }
    for (const [other, entry] of found) {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.textContent = this.recording.header.bodies[other]?.name ?? '?';
      button.onclick = () => this.select(other);
      const text = `${entry.points} point${entry.points > 1 ? 's' : ''}, ${shortNumber(Math.hypot(...entry.impulse))} N·s`;
      item.append('touches ', button, ` at ${text}`);
      this.touching.append(item);
    }
  }
}
