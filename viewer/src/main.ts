import './style.css';
import { App } from './app';
import { Comparison, type ComparedRun } from './compare';
import { readHash } from './hash';
import { decodeBase64, Recording, type Header } from './recording';

declare global {
  interface Window {
    achilles_recording?: { header: Header; data: string };
    achilles_comparison?: { name: string; header: Header; data: string }[];
    achilles_app?: App | Comparison;
  }
}

function compare(root: HTMLElement, sources: { name: string; header: Header; data: string }[]): void {
  const runs: ComparedRun[] = sources.map(({ name, header, data }) => ({ name, recording: new Recording(header, decodeBase64(data)) }));
  delete window.achilles_comparison;
  const comparison = new Comparison(root, runs, readHash(location.hash));
  window.achilles_app = comparison;
  comparison.start();
}

function run(root: HTMLElement): void {
  if (window.achilles_comparison) return compare(root, window.achilles_comparison);
  const source = window.achilles_recording;
  if (!source) throw new Error('This page is an empty template. Make one that plays with: achilles export run.h5 run.html');
  const recording = new Recording(source.header, decodeBase64(source.data));
  delete window.achilles_recording; // the text is several times the size of what was decoded
  const app = new App(root, recording, readHash(location.hash));
  window.achilles_app = app;
  app.start();
}

const root = document.getElementById('app')!;
try {
  run(root);
  // Whoever takes a picture waits for this: the first frame is on the canvas.
  document.documentElement.dataset.ready = 'true';
} catch (error) {
  const message = document.createElement('p');
  message.id = 'failure';
  message.textContent = error instanceof Error ? error.message : String(error);
  root.replaceChildren(message);
  document.documentElement.dataset.ready = 'failed';
}
