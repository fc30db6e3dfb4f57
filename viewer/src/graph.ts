// Groups and stack layers of one instant, from its contacts: a group is a connected part of the contact graph, cut at
// fixed and scripted bodies; a layer counts the contacts down to the nearest of those.

import type { Recording } from './recording';

export interface Groups {
  group: Int32Array; // per body, -1 for fixed and scripted ones; a group bears the number of its first body
  layer: Int32Array; // per body, 0 for fixed and scripted ones, -1 for bodies that rest on nothing
}

export class ContactGraph {
  private index = -1;
  private readonly groups: Groups;

  constructor(private readonly recording: Recording) {
    this.groups = { group: new Int32Array(recording.bodyCount), layer: new Int32Array(recording.bodyCount) };
  }

  /// The graph of an instant; the last one is remembered.
  at(index: number): Groups {
    if (index === this.index) return this.groups;
    this.index = index;
    const { bodies } = this.recording.header;
    const isAnchor = (body: number) => bodies[body].kind !== 'dynamic';
    const pairs = this.pairs(index);
    this.findGroups(pairs, isAnchor);
    this.findLayers(pairs, isAnchor);
    return this.groups;
  }

  private pairs(index: number): [number, number][] {
    const body = this.recording.array('contact_body');
    if (!body || this.recording.instants === 0) return [];
    const [first, last] = this.recording.contactRange(index);
    const pairs: [number, number][] = [];
    for (let c = first; c < last; ++c) pairs.push([body[2 * c], body[2 * c + 1]]);
    return pairs;
  }

  private findGroups(pairs: [number, number][], isAnchor: (body: number) => boolean): void {
    const { group } = this.groups;
    for (let body = 0; body < group.length; ++body) group[body] = body;
    const root = (body: number): number => {
      while (group[body] !== body) body = group[body] = group[group[body]];
      return body;
    };
    for (const [a, b] of pairs) {
      if (isAnchor(a) || isAnchor(b)) continue;
      const [low, high] = [root(a), root(b)].sort((x, y) => x - y);
      group[high] = low;
    }
    for (let body = 0; body < group.length; ++body) group[body] = isAnchor(body) ? -1 : root(body);
  }

  private findLayers(pairs: [number, number][], isAnchor: (body: number) => boolean): void {
    const { layer } = this.groups;
    const neighbours = new Map<number, number[]>();
    for (const [a, b] of [...pairs, ...pairs.map(([x, y]) => [y, x] as [number, number])]) {
      const list = neighbours.get(a);
      if (list) list.push(b);
      else neighbours.set(a, [b]);
    }
    let front: number[] = [];
    for (let body = 0; body < layer.length; ++body) {
      layer[body] = isAnchor(body) ? 0 : -1;
      if (layer[body] === 0) front.push(body);
    }
    for (let depth = 1; front.length > 0; ++depth) {
      const next: number[] = [];
      for (const body of front) {
        for (const other of neighbours.get(body) ?? []) {
          if (layer[other] >= 0) continue;
          layer[other] = depth;
          next.push(other);
        }
      }
      front = next;
    }
  }
}
