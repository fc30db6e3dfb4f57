// Recordings made up for testing the page: the format of src/record/page.hpp, motion in closed form.

import { readFileSync } from 'node:fs';

const kTypes = { float64: Float64Array, float32: Float32Array, int16: Int16Array, uint32: Uint32Array, uint8: Uint8Array };

function pack(arrays) {
  const entries = [];
  const chunks = [];
  let offset = 0;
  for (const [name, dtype, shape, values] of arrays) {
    const bytes = Buffer.from(new kTypes[dtype](values).buffer);
    entries.push({ name, dtype, shape, offset, bytes: bytes.length });
    const padding = (8 - (bytes.length % 8)) % 8;
    chunks.push(bytes, Buffer.alloc(padding));
    offset += bytes.length + padding;
  }
  return { entries, data: Buffer.concat(chunks).toString('base64') };
}

const kCube = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [0, 0, 1.2]].map((p) => p.map((x) => 0.4 * x));

export const kAllShapes = [
  { plane: { normal: [0, 0, 1], offset: 0 } },
  { sphere: { radius: 0.5 } },
  { box: { size: [0.9, 0.7, 0.5] } },
  { capsule: { radius: 0.25, length: 0.7 } },
  { cylinder: { radius: 0.4, height: 0.8 } },
  { cone: { radius: 0.5, height: 1.0 } },
  { hull: { points: kCube } },
  { mesh: { vertices: kCube, triangles: [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]] } },
  { distance_map: { cell: 0.1, vertices: kCube, triangles: [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]] } },
  { heightfield: { rows: 9, columns: 9, cell: [0.2, 0.2], heights: Array.from({ length: 81 }, (_, k) => 0.15 + 0.1 * Math.sin(k % 9) * Math.cos(Math.floor(k / 9))) } },
  { compound: [
    { shape: { box: { size: [1.0, 0.2, 0.2] } }, position: [0, 0, 0], orientation: [1, 0, 0, 0] },
    { shape: { sphere: { radius: 0.25 } }, position: [0.5, 0, 0], orientation: [1, 0, 0, 0] },
    { shape: { cylinder: { radius: 0.2, height: 0.4 } }, position: [-0.5, 0, 0], orientation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] },
  ] },
];

/// bodies: [{name, kind, shape, material, at: t => [x, y, z], turn: t => [w, x, y, z]}]
function record(name, shapes, bodies, { instants, step, velocity = true, contacts = () => [], events = [], report = null, complete = true }) {
  const [T, N] = [instants, bodies.length];
  const time = Array.from({ length: T }, (_, i) => i * step);
  const position = new Float32Array(3 * T * N);
  const orientation = new Int16Array(4 * T * N);
  const speed = new Float32Array(3 * T * N);
  const row = Math.ceil(N / 8);
  const asleep = new Uint8Array(T * row);
  const touching = [];
  const offsets = [0];
  const kinetic = [];
  const potential = [];
  for (let i = 0; i < T; ++i) {
    let k = 0;
    let p = 0;
    bodies.forEach((body, b) => {
      const at = body.at(time[i]);
      const later = body.at(time[i] + 1e-4);
      const v = at.map((x, j) => (later[j] - x) / 1e-4);
      position.set(at, 3 * (i * N + b));
      speed.set(v, 3 * (i * N + b));
      orientation.set(body.turn(time[i]).map((x) => Math.round(32767 * x)), 4 * (i * N + b));
      if (body.kind === 'dynamic' && Math.hypot(...v) < 1e-6) asleep[i * row + (b >> 3)] |= 1 << (b & 7);
      if (body.kind === 'dynamic') {
        k += 0.5 * v.reduce((a, x) => a + x * x, 0);
        p += 9.81 * at[2];
      }
    });
    touching.push(...contacts(time[i]));
    offsets.push(touching.length);
    kinetic.push(k);
    potential.push(p);
  }
  const flat = (key) => touching.flatMap((c) => c[key]);
  const C = touching.length;
  const { entries, data } = pack([
    ['time', 'float64', [T], time],
    ['position', 'float32', [T, N, 3], position],
    ['orientation', 'int16', [T, N, 4], orientation],
    ['asleep', 'uint8', [T, row], asleep],
    ...(velocity ? [['velocity', 'float32', [T, N, 3], speed], ['spin', 'float32', [T, N, 3], new Float32Array(3 * T * N)]] : []),
    ['contact_offset', 'uint32', [T + 1], offsets],
    ['contact_body', 'uint32', [C, 2], flat('bodies')],
    ['contact_position', 'float32', [C, 3], flat('position')],
    ['contact_normal', 'float32', [C, 3], flat('normal')],
    ['contact_gap', 'float32', [C], flat('gap')],
    ['contact_impulse', 'float32', [C, 3], flat('impulse')],
    ['energy_kinetic', 'float64', [T], kinetic],
    ['energy_potential', 'float64', [T], potential],
    ['penetration', 'float64', [T], time.map((t) => 1e-4 * Math.abs(Math.sin(7 * t)))],
    ['momentum', 'float64', [T, 3], time.flatMap((t) => [Math.sin(t), Math.cos(t), -t])],
    ['contacts', 'float64', [T], time.map((_, i) => offsets[i + 1] - offsets[i])],
    ['iterations', 'float64', [T], time.map((t) => Math.round(20 + 10 * Math.sin(5 * t)))],
    ['residual', 'float64', [T], time.map((t, i) => (i === 3 ? NaN : 1e-6 * (1.5 + Math.sin(9 * t))))],
    ['step_seconds', 'float64', [T], time.map((t) => 1e-3 * (1 + 0.2 * Math.sin(3 * t)))],
    ['steps', 'float64', [T], time.map((_, i) => (i === 0 ? 0 : 1))],
    ...(events.length === 0 ? [] : [
      ['event_time', 'float64', [events.length], events.map((e) => e.time)],
      ['event_kind', 'uint8', [events.length], events.map((e) => e.kind)],
      ['event_body', 'uint32', [events.length, 2], events.flatMap((e) => e.bodies)],
    ]),
  ]);
  const header = {
    format: 'achilles-page', version: 1, achilles: '0.1.0', scene: name, source: 'made up for the test', method: 'lcp-fixed',
    impact: 'newton', solver: 'gauss-seidel', step, gravity: [0, 0, -9.81], body_count: N, instants: T, recorded_instants: T,
    decimated: false, complete, report, shapes, recorded_events: events.length, triggers: ['goal </script>'],
    bodies: bodies.map(({ name: n, kind, shape, material }) => ({ name: n, kind, shape, material, mass: kind === 'dynamic' ? 1 : null, center: [0, 0, 0] })),
    arrays: entries,
  };
  return { header, data };
}

const upright = () => [1, 0, 0, 0];
const spinning = (rate) => (t) => [Math.cos(rate * t / 2), 0, Math.sin(rate * t / 2), 0];
const ground = { name: 'ground', kind: 'fixed', shape: 0, material: 'concrete', at: () => [0, 0, 0], turn: upright };

/// A ball that hops for ever with a period of one second, over z0.
const hop = (x, y, z0, phase) => (t) => {
  const s = (t + phase) % 1;
  return [x, y, z0 + 0.5 * 9.81 * s * (1 - s)];
};

/// Every shape there is, once; a name that tries to break out of the page.
export function makeShapes(options = {}) {
  const bodies = kAllShapes.slice(1).map((shape, k) => {
    const word = Object.keys(shape)[0];
    const still = word === 'heightfield';
    const [x, y] = [1.5 * (k % 5) - 3, 1.6 * Math.floor(k / 5) - 0.8];
    return {
      name: k === 0 ? '</script><b>sphere & "co"' : `${word}[${k}]`, kind: still ? 'fixed' : k === 7 ? 'scripted' : 'dynamic', shape: k + 1,
      material: ['rubber', 'ice', 'wood'][k % 3],
      at: still ? () => [x, y, 0] : k === 1 ? () => [x, y, 0.25] : hop(x, y, 0.55, 0.13 * k), turn: k === 1 || still ? upright : spinning(1 + 0.3 * k),
    };
  });
  const contacts = (t) => [{ bodies: [0, 2], position: [-1.5, -0.8, 0], normal: [0, 0, 1], gap: -1e-4, impulse: [0.02 * Math.sin(t), 0, 0.1] }];
  const kNobody = 0xffffffff;
  const events = [
    { time: 0.2, kind: 0, bodies: [0, 2] }, // touches
    { time: 0.4, kind: 2, bodies: [1, 0] }, // enters the trigger
    { time: 0.9, kind: 3, bodies: [1, 0] },
    { time: 1.2, kind: 1, bodies: [0, 2] },
    { time: 1.8, kind: 5, bodies: [kNobody, kNobody] },
  ];
  return record('every shape', kAllShapes, [ground, ...bodies], { instants: 201, step: 0.01, contacts, events, ...options });
}

/// Many bodies: a heap of hopping boxes, balls and capsules, each with two contact points.
export function makeMany(count, options = {}) {
  const shapes = [{ plane: { normal: [0, 0, 1], offset: 0 } }, { sphere: { radius: 0.45 } }, { box: { size: [0.8, 0.8, 0.8] } }, { capsule: { radius: 0.3, length: 0.4 } }];
  const side = Math.ceil(Math.cbrt(count));
  const bodies = Array.from({ length: count }, (_, k) => {
    const [x, y, z] = [k % side, Math.floor(k / side) % side, Math.floor(k / side / side)];
    return { name: `body[${k}]`, kind: 'dynamic', shape: 1 + (k % 3), material: 'default', at: hop(x - side / 2, y - side / 2, z + 0.6, (k * 0.618) % 1), turn: spinning(1 + (k % 7)) };
  });
  const contacts = (t) => bodies.flatMap((body, k) => [0, 1].map((which) => {
    const [x, y, z] = body.at(t);
    return { bodies: [k % 5 === 0 ? 0 : k, k + 1], position: [x + 0.2 * which, y, z - 0.4], normal: [0, 0, 1], gap: -1e-4 * (k % 3),
      impulse: [0.01 * which, 0.005 * (k % 4), 0.1 + 0.01 * (k % 7)] };
  }));
  return record(`${count} bodies`, shapes, [ground, ...bodies], { instants: 30, step: 1 / 30, velocity: false, contacts, ...options });
}

function fill(template, name, value) {
  const text = JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return readFileSync(template, 'utf8').replace('/*ACHILLES_DATA*/', () => `window.${name} = ${text};`);
}

/// The page as the exporter writes it.
export function makePage(template, { header, data }) {
  return fill(template, 'achilles_recording', { header, data });
}

/// The page of several runs, [{name, header, data}].
export function makeComparison(template, runs) {
  return fill(template, 'achilles_comparison', runs);
}
