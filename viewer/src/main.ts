import './style.css';
import { App } from './app';
import { Comparison, type ComparedRun } from './compare';
import { readHash } from './hash';
import { decodeArrays, Recording, type Header } from './recording';

interface Source {
  name: string;
  certified?: string; // what `achilles certify` says of the run
  header: Header;
  data: string;
}

declare global {
  interface Window {
    achilles_recording?: { header: Header; data: string };
    achilles_comparison?: Source[];
    achilles_app?: App | Comparison;
  }
}

async function compare(root: HTMLElement, sources: Source[]): Promise<void> {
  const runs: ComparedRun[] = [];
  for (const { name, certified, header, data } of sources) {
    runs.push({ name, certified, recording: new Recording(header, await decodeArrays(header, data)) });
  }
  delete window.achilles_comparison;
  const comparison = new Comparison(root, runs, readHash(location.hash));
  window.achilles_app = comparison;
  comparison.start();
}

async function run(root: HTMLElement): Promise<void> {
  if (window.achilles_comparison) return compare(root, window.achilles_comparison);
  const source = window.achilles_recording;
  if (!source) throw new Error('This page is an empty template. Make one that plays with: achilles export run.h5 run.html');
  const recording = new Recording(source.header, await decodeArrays(source.header, source.data));
  delete window.achilles_recording; // the text is several times the size of what was decoded
  const app = new App(root, recording, readHash(location.hash));
  window.achilles_app = app;
  app.start();
}

const root = document.getElementById('app')!;
try {
  await run(root);
  // Whoever takes a picture waits for this: the first frame is on the canvas.
  document.documentElement.dataset.ready = 'true';
} catch (error) {
  const message = document.createElement('p');
  message.id = 'failure';
  message.textContent = error instanceof Error ? error.message : String(error);
  root.replaceChildren(message);
  document.documentElement.dataset.ready = 'failed';
}
