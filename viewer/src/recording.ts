// A recording as src/record/page.hpp writes it: a header and one block of little-endian arrays.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface CompoundPart {
  shape: Shape;
  position: Vec3;
  orientation: Quat;
}

export interface Shape {
  sphere?: { radius: number };
  box?: { size: Vec3 };
  capsule?: { radius: number; length: number };
  cylinder?: { radius: number; height: number };
  cone?: { radius: number; height: number };
  plane?: { normal: Vec3; offset: number };
  hull?: { points: Vec3[] };
  mesh?: { vertices: Vec3[]; triangles: Vec3[] };
  distance_map?: { vertices: Vec3[]; triangles: Vec3[]; cell: number };
  heightfield?: { rows: number; columns: number; cell: [number, number]; heights: number[] };
  compound?: CompoundPart[];
}

export type Kind = 'dynamic' | 'fixed' | 'scripted';

export type Color = [number, number, number, number]; // red, green, blue, opacity

/// What a body looks like besides its shape.
export interface Visual {
  shape: number;
  position: Vec3;
  orientation: Quat;
  color?: Color;
}

export interface Body {
  name: string;
  kind: Kind;
  shape: number;
  material: string;
  mass: number | null;
  center: Vec3;
  color?: Color;
  visuals?: Visual[];
}

/// A joint as it stood at the start: where it is and along what it moves, in the frame of its first body.
export interface Joint {
  name: string;
  kind: string;
  bodies: [number, number];
  at: Vec3;
  axes: Vec3[];
}

/// One column of the array `sensor`.
export interface SensorColumn {
  sensor: string;
  column: string;
  unit: string;
}

export interface ArrayEntry {
  name: string;
  dtype: 'float64' | 'float32' | 'int16' | 'uint32' | 'uint8';
  shape: number[];
  offset: number;
  bytes: number;
}

export interface RunReport {
  warnings?: string[];
  stopped?: { reason: string; time: number; message: string } | null;
  real_time_factor?: number;
  wall_seconds?: number;
  steps?: number;
  penetration?: { max: number };
  energy?: { initial: number; final: number; max_gain: number };
  momentum?: { linear_error?: number | null; angular_error?: number | null };
  solver_stats?: { iterations_mean: number; residual_max: number };
}

export interface Header {
  format: string;
  version: number;
  achilles: string;
  scene: string;
  source: string;
  method: string;
  impact: string;
  solver: string;
  step: number;
  gravity: Vec3;
  body_count: number;
  instants: number;
  recorded_instants: number;
  decimated: boolean;
  recorded_events?: number;
  triggers?: string[];
  joints?: Joint[];
  sensors?: SensorColumn[];
  compression?: 'deflate'; // of the block of arrays; absent: none
  live?: boolean; // more instants follow over a WebSocket
  complete: boolean;
  report: RunReport | null;
  shapes: Shape[];
  bodies: Body[];
  arrays: ArrayEntry[];
}

type Numbers = Float64Array | Float32Array | Int16Array | Uint32Array | Uint8Array;

const kArrayTypes = {
  float64: Float64Array,
  float32: Float32Array,
  int16: Int16Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
} as const;

export interface Series {
  values: Numbers;
  width: number; // numbers per instant
}

/// Where a time falls: between instants `index` and `index + 1`, `fraction` of the way.
export interface Place {
  index: number;
  fraction: number;
}

const kMostLiveBytes = 256e6; // of a live run; the older half is forgotten beyond that

export class Recording {
  readonly header: Header;
  readonly bodyCount: number;
  instants: number;
  generation = 0; // grows when instants are dropped: what was found from them is void
  private readonly arrays = new Map<string, Series>();

  constructor(header: Header, bytes: Uint8Array<ArrayBuffer>) {
    if (header.format !== 'achilles-page') throw new Error('this page holds no recording of Achilles');
    if (header.version !== 1) throw new Error(`format version ${header.version} is not known to this page`);
    this.header = header;
    this.bodyCount = header.body_count;
    this.instants = header.instants;
    for (const entry of header.arrays) {
      const type = kArrayTypes[entry.dtype];
      if (!type) throw new Error(`array ${entry.name}: unknown type ${entry.dtype}`);
      const count = entry.bytes / type.BYTES_PER_ELEMENT;
      if (entry.offset + entry.bytes > bytes.byteLength) throw new Error(`array ${entry.name} is cut off`);
      const values = new type(bytes.buffer, bytes.byteOffset + entry.offset, count);
      this.arrays.set(entry.name, { values, width: entry.shape.slice(1).reduce((a, b) => a * b, 1) });
    }
    this.require('time');
    this.require('position');
    this.require('orientation');
  }

  private require(name: string): Numbers {
    const series = this.arrays.get(name);
    if (!series) throw new Error(`array ${name} is missing`);
    return series.values;
  }

  get time(): Float64Array {
    return (this.require('time') as Float64Array).subarray(0, this.instants);
  }

  /// Contact points of all instants.
  get points(): number {
    return this.instants ? this.contactRange(this.instants - 1)[1] : 0;
  }

  /// How many numbers of an array are in use: arrays of a live run have room for more.
  private used(name: string): number {
    const { width } = this.arrays.get(name)!;
    if (name === 'contact_offset') return this.instants + 1;
    return width * (name.startsWith('contact_') ? this.points : this.instants);
  }

  /// One more instant, as src/record/page_instant.hpp writes it.
  append(bytes: ArrayBuffer): void {
    if (this.bytes() > kMostLiveBytes) this.forget(Math.floor(this.instants / 2));
    let at = 0;
    let points = 0;
    const before = this.points;
    const added: [string, Numbers][] = [];
    for (const { name, dtype } of this.header.arrays) {
      const type = kArrayTypes[dtype];
      const { width } = this.arrays.get(name)!;
      const count = name === 'contact_offset' ? 2 : width * (name.startsWith('contact_') ? points : 1);
      const values = new type(bytes, at, count);
      if (name === 'contact_offset') {
        points = values[1];
        added.push([name, Uint32Array.of(before + points)]);
      } else {
        added.push([name, values]);
      }
      at += 8 * Math.ceil((count * type.BYTES_PER_ELEMENT) / 8);
    }
    if (at !== bytes.byteLength) throw new Error('an instant of another length than expected');
    for (const [name, values] of added) this.extend(name, values);
    this.instants += 1;
  }

  private extend(name: string, added: Numbers): void {
    const series = this.arrays.get(name)!;
    const used = this.used(name);
    if (used + added.length > series.values.length) {
      const type = series.values.constructor as new (length: number) => Numbers;
      const larger = new type(2 * (used + added.length));
      larger.set(series.values.subarray(0, used) as never);
      series.values = larger;
    }
    series.values.set(added as never, used);
  }

  private bytes(): number {
    let sum = 0;
    for (const [name, { values }] of this.arrays) sum += this.used(name) * values.BYTES_PER_ELEMENT;
    return sum;
  }

  /// Drops the first `count` instants.
  private forget(count: number): void {
    this.generation += 1;
    const dropped = count > 0 ? this.contactRange(count - 1)[1] : 0;
    const rests: [Numbers, number, number][] = [];
    for (const [name, { values, width }] of this.arrays) {
      const first = name === 'contact_offset' ? count : width * (name.startsWith('contact_') ? dropped : count);
      rests.push([values, first, this.used(name)]);
    }
    for (const [values, first, last] of rests) values.copyWithin(0, first, last);
    this.instants -= count;
    const offset = this.array('contact_offset');
    if (offset) for (let i = 0; i <= this.instants; ++i) offset[i] -= dropped;
  }

  /// Starts anew.
  clear(): void {
    this.generation += 1;
    this.instants = 0;
    const offset = this.array('contact_offset');
    if (offset) offset[0] = 0;
  }

  /// The numbers of an array, or undefined when the recording has none of that name.
  array(name: string): Numbers | undefined {
    return this.arrays.get(name)?.values;
  }

  series(name: string): Series | undefined {
    return this.arrays.get(name);
  }

  get start(): number {
    return this.instants ? this.time[0] : 0;
  }

  get end(): number {
    return this.instants ? this.time[this.instants - 1] : 0;
  }

  locate(t: number): Place {
    if (this.instants < 2 || t <= this.time[0]) return { index: 0, fraction: 0 };
    if (t >= this.end) return { index: this.instants - 1, fraction: 0 };
    let low = 0;
    let high = this.instants - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle;
    }
    return { index: low, fraction: (t - this.time[low]) / (this.time[high] - this.time[low]) };
  }

  isAsleep(index: number, body: number): boolean {
    const bits = this.arrays.get('asleep');
    if (!bits) return false;
    return ((bits.values[index * bits.width + (body >> 3)] >> (body & 7)) & 1) === 1;
  }

  /// Position (3) and quaternion x, y, z, w (4) of all bodies at a place between instants, into `out` (7 per body).
  pose(place: Place, out: Float32Array): void {
    const position = this.array('position') as Float32Array;
    const orientation = this.array('orientation') as Int16Array;
    const stride = this.bodyCount;
    const next = place.fraction > 0 ? place.index + 1 : place.index;
    const s = place.fraction;
    for (let body = 0; body < stride; ++body) {
      const a = (place.index * stride + body) * 3;
      const b = (next * stride + body) * 3;
      const o = body * 7;
      for (let k = 0; k < 3; ++k) out[o + k] = position[a + k] + s * (position[b + k] - position[a + k]);
      const qa = (place.index * stride + body) * 4;
      const qb = (next * stride + body) * 4;
      let dot = 0;
      for (let k = 0; k < 4; ++k) dot += orientation[qa + k] * orientation[qb + k];
      const toward = dot < 0 ? -s : s; // q and -q are one rotation: take the near one
      let w = orientation[qa] * (1 - s) + orientation[qb] * toward;
      let x = orientation[qa + 1] * (1 - s) + orientation[qb + 1] * toward;
      let y = orientation[qa + 2] * (1 - s) + orientation[qb + 2] * toward;
      let z = orientation[qa + 3] * (1 - s) + orientation[qb + 3] * toward;
      const length = Math.sqrt(w * w + x * x + y * y + z * z) || 1; // several times as fast as hypot
      out[o + 3] = x / length;
      out[o + 4] = y / length;
      out[o + 5] = z / length;
      out[o + 6] = w / length;
    }
  }

  /// Velocity of a body [m/s]: recorded, or from the positions of neighbouring instants.
  velocity(index: number, body: number): Vec3 {
    const recorded = this.array('velocity');
    if (recorded) {
      const o = (index * this.bodyCount + body) * 3;
      return [recorded[o], recorded[o + 1], recorded[o + 2]];
    }
    if (this.instants < 2) return [0, 0, 0];
    const i = Math.min(index, this.instants - 2);
    const position = this.array('position') as Float32Array;
    const a = (i * this.bodyCount + body) * 3;
    const b = a + this.bodyCount * 3;
    const dt = this.time[i + 1] - this.time[i] || 1;
    return [(position[b] - position[a]) / dt, (position[b + 1] - position[a + 1]) / dt, (position[b + 2] - position[a + 2]) / dt];
  }

  /// Its size [m/s].
  speed(index: number, body: number): number {
    const [x, y, z] = this.velocity(index, body);
    return Math.sqrt(x * x + y * y + z * z);
  }

  /// First and one past the last contact point of an instant.
  contactRange(index: number): [number, number] {
    const offset = this.array('contact_offset');
    return offset ? [offset[index], offset[index + 1]] : [0, 0];
  }
}

/// The block of arrays of a page.
export async function decodeArrays(header: Header, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = decodeBase64(text);
  if (header.compression === undefined) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const chunk = 1 << 20; // a multiple of 4: every piece decodes by itself
  let at = 0;
  for (let i = 0; i < text.length; i += chunk) {
    const piece = atob(text.slice(i, i + chunk));
    for (let k = 0; k < piece.length; ++k) bytes[at++] = piece.charCodeAt(k);
  }
  return bytes;
}
