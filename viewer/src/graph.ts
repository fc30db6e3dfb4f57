// Groups and stack layers of one instant, from its contacts: a group is a connected part of the contact graph, cut at
// fixed and scripted bodies; a layer counts the contacts down to the nearest of those.

import type { Recording } from './recording';

export interface Groups {
  group: Int32Array; // per body, -1 for fixed and scripted ones; a group bears the number of its first body
  layer: Int32Array; // per body, 0 for fixed and scripted ones, -1 for bodies that rest on nothing
}

export class ContactGraph {
  private key = '';
  private readonly groups: Groups;
  private readonly anchor: Uint8Array; // per body, 1: fixed or scripted
  private readonly start: Uint32Array; // per body, where its neighbours begin
  private neighbours = new Uint32Array(0);
  private readonly queue: Uint32Array;

  constructor(private readonly recording: Recording) {
    const { bodies } = recording.header;
    this.groups = { group: new Int32Array(bodies.length), layer: new Int32Array(bodies.length) };
    this.anchor = Uint8Array.from(bodies, (body) => (body.kind === 'dynamic' ? 0 : 1));
    this.start = new Uint32Array(bodies.length + 1);
    this.queue = new Uint32Array(bodies.length);
  }

  /// The graph of an instant; the last one is remembered.
  at(index: number): Groups {
    const key = `${this.recording.generation} ${index}`;
    if (key === this.key) return this.groups;
    this.key = key;
    const pairs = this.pairs(index);
    this.findGroups(pairs);
    this.findNeighbours(pairs);
    this.findLayers();
    return this.groups;
  }

  /// Bodies a and b of all contact points, one after the other.
  private pairs(index: number): Uint32Array {
    const body = this.recording.array('contact_body') as Uint32Array | undefined;
    if (!body || this.recording.instants === 0) return new Uint32Array(0);
    const [first, last] = this.recording.contactRange(index);
    return body.subarray(2 * first, 2 * last);
  }

  private findGroups(pairs: Uint32Array): void {
    const { group } = this.groups;
    const { anchor } = this;
    for (let body = 0; body < group.length; ++body) group[body] = body;
    const root = (body: number): number => {
      while (group[body] !== body) body = group[body] = group[group[body]];
      return body;
    };
    for (let k = 0; k < pairs.length; k += 2) {
      if (anchor[pairs[k]] || anchor[pairs[k + 1]]) continue;
      const a = root(pairs[k]);
      const b = root(pairs[k + 1]);
      group[Math.max(a, b)] = Math.min(a, b);
    }
    for (let body = 0; body < group.length; ++body) group[body] = anchor[body] ? -1 : root(body);
  }

  /// Lists of neighbours one after the other, by counting.
  private findNeighbours(pairs: Uint32Array): void {
    const { start } = this;
    if (this.neighbours.length < pairs.length) this.neighbours = new Uint32Array(2 * pairs.length);
    start.fill(0);
    for (let k = 0; k < pairs.length; ++k) start[pairs[k]] += 1;
    for (let body = 1; body < start.length; ++body) start[body] += start[body - 1];
    for (let k = 0; k < pairs.length; ++k) this.neighbours[--start[pairs[k]]] = pairs[k ^ 1];
  }

  private findLayers(): void {
    const { layer } = this.groups;
    const { start, neighbours, queue } = this;
    let end = 0;
    for (let body = 0; body < layer.length; ++body) {
      layer[body] = this.anchor[body] ? 0 : -1;
      if (this.anchor[body]) queue[end++] = body;
    }
    for (let at = 0; at < end; ++at) {
      const body = queue[at];
      for (let k = start[body]; k < start[body + 1]; ++k) {
        const other = neighbours[k];
        if (layer[other] >= 0) continue;
        layer[other] = layer[body] + 1;
        queue[end++] = other;
      }
    }
  }
}
