import './style.css';
import { App } from './app';
import { readHash } from './hash';
import { decodeBase64, Recording, type Header } from './recording';

declare global {
  interface Window {
    achilles_recording?: { header: Header; data: string };
    achilles_app?: App;
  }
}

function run(root: HTMLElement): void {
  const source = window.achilles_recording;
  if (!source) throw new Error('This page is an empty template. Make one that plays with: achilles export run.h5 run.html');
  const recording = new Recording(source.header, decodeBase64(source.data));
  delete window.achilles_recording; // the text is several times the size of what was decoded
  const app = new App(root, recording, readHash(location.hash));
  window.achilles_app = app;
  app.start();
  // Whoever takes a picture waits for this: the first frame is on the canvas.
  document.documentElement.dataset.ready = 'true';
}

const root = document.getElementById('app')!;
try {
  run(root);
} catch (error) {
  const message = document.createElement('p');
  message.id = 'failure';
  message.textContent = error instanceof Error ? error.message : String(error);
  root.replaceChildren(message);
  document.documentElement.dataset.ready = 'failed';
}
