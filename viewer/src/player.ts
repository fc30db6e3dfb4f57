// The clock of the page: which time is shown, and how it runs.

import type { Recording } from './recording';

export const kSpeeds = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];

export class Player {
  time: number;
  playing = false;
  loop = true;
  speed = 1;
  onChange: () => void = () => {};

  constructor(private readonly recording: Recording) {
    this.time = recording.start;
  }

  seek(time: number): void {
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, time));
    this.onChange();
  }

  toggle(): void {
    if (!this.playing && this.time >= this.recording.end) this.time = this.recording.start;
    this.playing = !this.playing && this.recording.instants > 1;
    this.onChange();
  }

  /// To the instant `count` further; from between two instants the nearer neighbour on that side counts as the first.
  step(count: number): void {
    this.playing = false;
    const { index, fraction } = this.recording.locate(this.time);
    const from = fraction > 0 && count < 0 ? index + 1 : index;
    const to = Math.min(this.recording.instants - 1, Math.max(0, from + count));
    this.seek(this.recording.time[to]);
  }

  faster(count: number): void {
    const at = kSpeeds.indexOf(this.speed);
    this.speed = kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, at + count))];
    this.onChange();
  }

  /// Lets `seconds` of real time pass.
  advance(seconds: number): void {
    if (!this.playing) return;
    let time = this.time + seconds * this.speed;
    if (time > this.recording.end) {
      if (this.loop) time = this.recording.start;
      else {
        time = this.recording.end;
        this.playing = false;
      }
    }
    this.seek(time);
  }
}
