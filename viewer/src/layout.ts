// The controls around the view, and the keys that reach them.

import { kColorModes, kMostLayerColors, kStateColors, materialColor, type Colors } from './colors';
import { kContactLayers } from './contacts';
import { kSpeeds } from './player';
import type { Recording } from './recording';
import { kTrailModes } from './trails';

const kIcons = {
  play: 'M5 3l9 5-9 5z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  back: 'M3 3h2v10H3zM13 3v10L6 8z',
  forward: 'M11 3h2v10h-2zM3 3v10l7-5z',
};

export const kShortcuts: [string, string][] = [
  ['Space', 'play or pause'],
  ['← →', 'one instant back or on (with Shift: ten)'],
  ['Home End', 'first and last instant'],
  ['[ ]', 'slower, faster'],
  ['C', 'next colouring'],
  ['P N I', 'contact points, normals, impulses'],
  ['R', 'trails: off, selected body, all'],
  ['X', 'see through bodies'],
  ['V', 'shapes that collide, or what bodies look like'],
  ['J', 'joints and their axes'],
  ['F', 'show what moves, or the selected body; with Shift: all of its way'],
  ['G', 'follow what moves, or the selected body'],
  ['L', 'play in a loop'],
  ['T', 'light or dark'],
  ['B', 'side panel'],
  ['Esc', 'select nothing'],
  ['?', 'this list'],
];

function icon(path: string): string {
  return `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}" fill="currentColor"/></svg>`;
}

function options(names: readonly string[], label = (name: string) => name): string {
  return names.map((name) => `<option value="${name}">${label(name)}</option>`).join('');
}

function speedName(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

export const kTransport = `<div id="transport">
    <button id="step-back" title="one instant back (←)" aria-label="one instant back">${icon(kIcons.back)}</button>
    <button id="play" title="play or pause (Space)" aria-label="play">${icon(kIcons.play)}</button>
    <button id="step-on" title="one instant on (→)" aria-label="one instant on">${icon(kIcons.forward)}</button>
    <input id="scrub" type="range" min="0" max="1" step="any" value="0" aria-label="time">
    <output id="clock"></output>
    <select id="speed" aria-label="speed" title="speed ([ and ])">${kSpeeds
      .map((speed) => `<option value="${speed}">${speedName(speed)}</option>`)
      .join('')}</select>
  </div>`;

// Only fixed words are in here; what comes from a recording is set as text, never as markup.
const kMarkup = `
<main>
  <div id="view" tabindex="0" aria-label="simulation"></div>
  <div id="title"><h1></h1><p></p></div>
  <div id="notice" role="alert" hidden></div>
  <div id="tools">
    <label>colour <select id="color">${options(kColorModes)}</select></label>
    <span class="group" role="group" aria-label="contacts">${kContactLayers
      .map((layer) => `<button class="toggle" data-layer="${layer}" aria-pressed="false">${layer}</button>`)
      .join('')}</span>
    <label>trails <select id="trails">${options(kTrailModes)}</select></label>
    <button id="glass" class="toggle" aria-pressed="false" title="see through bodies (X)">glass</button>
    <button id="collision" class="toggle" aria-pressed="false" title="shapes that collide (V)" hidden>collision</button>
    <button id="joints" class="toggle" aria-pressed="false" title="joints and their axes (J)" hidden>joints</button>
    <button id="fit" title="show what moves (F)">fit</button>
    <button id="theme" title="light or dark (T)" aria-label="light or dark">◐</button>
    <button id="side-toggle" class="toggle" title="side panel (B)" aria-label="side panel">▤</button>
    <button id="help-toggle" title="keys (?)" aria-label="keys">?</button>
  </div>
  <div id="legend"></div>
  <div id="live"><button id="reset" title="back to the start">reset</button>
    <label>method <select id="method"></select></label>
    <label>drag <select id="drag" title="what pulling a body with the mouse does"></select></label>
    <button id="save" title="write what was done to a recording">save</button><output id="live-notice"></output></div>
  ${kTransport}
  <dialog id="help"><h2>Keys</h2><dl>${kShortcuts.map(([keys, what]) => `<dt>${keys}</dt><dd>${what}</dd>`).join('')}</dl>
    <form method="dialog"><button>close</button></form></dialog>
</main>
<aside id="side">
  <details id="body-panel" open><summary>Body</summary><div>
    <input id="search" list="names" placeholder="find a body by name" aria-label="find a body by name" autocomplete="off">
    <datalist id="names"></datalist><div id="body"></div></div></details>
  <details id="drives-panel" open hidden><summary>Drives</summary><div id="drives"></div></details>
  <details id="events-panel" open><summary>Events</summary><ul id="events"></ul></details>
  <details open><summary>Curves</summary><div id="plots"></div></details>
  <details><summary>Run</summary><div id="about"></div></details>
</aside>`;

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function buildLayout(app: HTMLElement): void {
  app.innerHTML = kMarkup;
}

export function showPlaying(playing: boolean): void {
  const button = element('play');
  if (button.getAttribute('aria-label') === (playing ? 'pause' : 'play')) return;
  button.innerHTML = icon(playing ? kIcons.pause : kIcons.play);
  button.setAttribute('aria-label', playing ? 'pause' : 'play');
}

export function showLegend(colors: Colors): void {
  let entries: [string, string][] = [];
  if (colors.mode === 'state') entries = Object.entries(kStateColors);
  else if (colors.mode === 'material') entries = colors.materials.map((name) => [name, `#${materialColor(colors.materials, name).getHexString()}`]);
  else if (colors.mode === 'speed') entries = [['0', '#3d6fc4'], [`${Number(colors.topSpeed.toPrecision(2))} m/s`, '#d8392b']];
  else if (colors.mode === 'layer') entries = [['layer 1', '#3d6fc4'], [`layer ${kMostLayerColors} and above`, '#d8392b'], ['aloft', '#e8eaee']];
  element('legend').replaceChildren(...entries.slice(0, 12).map(([name, color]) => {
    const item = document.createElement('span');
    const swatch = document.createElement('i');
    swatch.style.background = color;
    item.append(swatch, name);
    return item;
  }));
}

/// Names for the search box; a list of thousands is left to typing.
export function listNames(recording: Recording): void {
  element('names').replaceChildren(...recording.header.bodies.slice(0, 2000).map((body) => {
    const option = document.createElement('option');
    option.value = body.name;
    return option;
  }));
}
