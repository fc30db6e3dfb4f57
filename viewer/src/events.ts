// What happened: touches that began and ended, triggers, the end of a run that stopped itself; up to the time shown.

import { element } from './layout';
import type { Recording } from './recording';

const kWords = ['touches', 'leaves', 'enters', 'leaves', 'hits', 'the run stops itself', 'comes near', 'goes away from', 'a timer ticks', 'still touches', 'stays near']; // RecordedKind of src/record/layout.hpp
const kTriggerIn = 2;
const kTriggerOut = 3;
const kNobody = 0xffffffff;
const kShown = 12;

export class Events {
  private readonly time?: Float64Array;
  private readonly kind: Uint8Array;
  private readonly body: Uint32Array;
  private chosen?: number[]; // events of the selected body, or all
  private selected = -1;
  private last = -2; // newest event in the list

  constructor(
    private readonly container: HTMLElement, private readonly recording: Recording,
    private readonly seek: (time: number) => void, private readonly select: (body: number) => void,
  ) {
    this.time = recording.array('event_time') as Float64Array | undefined;
    this.kind = (recording.array('event_kind') ?? new Uint8Array(0)) as Uint8Array;
    this.body = (recording.array('event_body') ?? new Uint32Array(0)) as Uint32Array;
    element('events-panel').hidden = !this.time;
    const kept = this.kind.length;
    const all = recording.header.recorded_events ?? kept;
    if (all > kept) element('events-panel').title = `${kept} of ${all} events, evenly chosen to keep the page small`;
  }

  /// The events of one body, or of all (-1).
  choose(body: number): void {
    this.selected = body;
    this.last = -2;
    this.chosen = undefined;
    if (body < 0 || !this.time) return;
    this.chosen = [];
    for (let k = 0; k < this.kind.length; ++k) if (this.concerns(k, body)) this.chosen.push(k);
  }

  private isTrigger(event: number): boolean {
    return this.kind[event] === kTriggerIn || this.kind[event] === kTriggerOut;
  }

  private concerns(event: number, body: number): boolean {
    if (this.body[2 * event] === kNobody) return false;
    return this.body[2 * event] === body || (this.body[2 * event + 1] === body && !this.isTrigger(event));
  }

  /// How many of the chosen events are not after a time.
  private countUntil(t: number): number {
    let low = 0;
    let high = this.chosen ? this.chosen.length : this.kind.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time![this.chosen ? this.chosen[middle] : middle] <= t + 1e-9) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  show(t: number): void {
    if (!this.time) return;
    const count = this.countUntil(t);
    if (count === this.last) return;
    this.last = count;
    const items: HTMLElement[] = [];
    for (let k = count - 1; k >= Math.max(0, count - kShown); --k) items.push(this.item(this.chosen ? this.chosen[k] : k));
    if (items.length === 0) {
      const hint = document.createElement('li');
      hint.textContent = this.selected < 0 ? 'Nothing has happened yet.' : 'Nothing has happened to this body yet.';
      items.push(hint);
    }
    this.container.replaceChildren(...items);
  }

  private item(event: number): HTMLElement {
    const item = document.createElement('li');
    const button = (text: string, act: () => void) => {
      const made = document.createElement('button');
      made.textContent = text;
      made.onclick = act;
      return made;
    };
    const name = (body: number) => button(this.recording.header.bodies[body]?.name ?? '?', () => this.select(body));
    const [a, b] = [this.body[2 * event], this.body[2 * event + 1]];
    const word = kWords[this.kind[event]] ?? '?';
    item.append(button(`${this.time![event].toFixed(3)} s`, () => this.seek(this.time![event])), ' ');
    if (a === kNobody) item.append(word);
    else item.append(name(a), ` ${word} `);
    if (this.isTrigger(event)) item.append(this.recording.header.triggers?.[b] ?? `trigger ${b}`);
    else if (a !== kNobody && b !== kNobody) item.append(name(b));
    return item;
  }
}
