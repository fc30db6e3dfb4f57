// The live view in a real browser: run, pause, step, drag, change of method, reset, save; two pages at once.
// Usage: node tests/live.mjs PROGRAM [folder for screenshots]

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';

const program = resolve(process.argv[2]);
const pictures = process.argv[3] && resolve(process.argv[3]);
if (pictures) mkdirSync(pictures, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'achilles-live-'));
writeFileSync(join(folder, 'tower.yaml'), `
achilles: 1
name: a tower to play with
time: {step: 0.005, duration: 10}
materials: {default: {friction: 0.5, restitution: 0.1}}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: brick, repeat: {count: [2, 2, 4], spacing: [0.55, 0.55, 0.3]}, shape: {box: {size: [0.5, 0.5, 0.3]}}, position: [0, 0, 0.15]}
  - {name: ball, shape: {sphere: {radius: 0.3}}, position: [-1.5, 0, 0.3]}
`);

const server = spawn(program, ['view', 'tower.yaml'], { cwd: folder });
const url = await new Promise((found, lost) => {
  server.stdout.on('data', (text) => {
    const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(text));
    if (match) found(match[0]);
  });
  server.stderr.on('data', (text) => process.stderr.write(text));
  server.on('exit', () => lost(new Error('the server ended')));
});

const browser = await openBrowser();
const kSize = { width: 900, height: 600 };
const first = await openPage(browser, url, kSize, url);
const second = await openPage(browser, url, kSize, url);
const end = (page) => page.evaluate(() => window.achilles_app.recording.end);
const height = (page, name) => page.evaluate((wanted) => {
  const { recording } = window.achilles_app;
  const body = recording.header.bodies.findIndex((b) => b.name === wanted);
  return recording.array('position')[3 * ((recording.instants - 1) * recording.bodyCount + body) + 2];
}, name);

let failures = 0;
async function fact(name, run) {
  try {
    await run();
    console.log(`passed: ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED: ${name}\n${error.stack ?? error}`);
  }
}
const shot = async (page, name) => pictures && page.screenshot({ path: join(pictures, `${name}.png`) });

await fact('a step takes both pages on by one step', async () => {
  await first.page.click('#step-on');
  for (const { page } of [first, second]) await page.waitForFunction(() => Math.abs(window.achilles_app.recording.end - 0.005) < 1e-9);
});

await fact('run and pause are seen by both pages', async () => {
  await first.page.click('#play');
  for (const { page } of [first, second]) {
    await page.waitForFunction(() => window.achilles_app.live.running && window.achilles_app.recording.end > 0.2);
    assert.equal(await page.isDisabled('#method'), true);
  }
  await second.page.click('#play');
  await first.page.waitForFunction(() => !window.achilles_app.live.running);
});

await fact('the mouse lifts a body, and lets it fall', async () => {
  const { page } = first;
  await page.click('#play');
  await page.waitForFunction(() => window.achilles_app.live.running);
  const at = await page.evaluate(() => {
    const { camera, renderer } = window.achilles_app.stage;
    const p = camera.position.clone().set(-1.5, 0, 0.3).project(camera);
    const box = renderer.domElement.getBoundingClientRect();
    return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
  });
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x, at.y - 120, { steps: 8 });
  await page.waitForFunction(() => {
    const { recording } = window.achilles_app;
    return recording.array('position')[3 * ((recording.instants - 1) * recording.bodyCount + recording.bodyCount - 1) + 2] > 0.8;
  });
  await shot(page, 'live-drag');
  await page.mouse.up();
  await page.waitForFunction(() => {
    const { recording } = window.achilles_app;
    return recording.array('position')[3 * ((recording.instants - 1) * recording.bodyCount + recording.bodyCount - 1) + 2] < 0.4;
  });
  await page.click('#play');
  await page.waitForFunction(() => !window.achilles_app.live.running);
});

await fact('the method changes while paused', async () => {
  await first.page.selectOption('#method', 'impulse-zeno-free');
  await second.page.waitForFunction(() => document.getElementById('method').value === 'impulse-zeno-free');
  const before = await end(first.page);
  await first.page.click('#step-on');
  await first.page.waitForFunction((t) => window.achilles_app.recording.end > t, before);
  await first.page.selectOption('#method', 'lcp-fixed');
});

await fact('one can look back while it runs on, and curves grow', async () => {
  await first.page.$eval('#scrub', (slider) => {
    slider.value = '0.1';
    slider.dispatchEvent(new Event('input'));
  });
  assert.ok(Math.abs((await first.page.evaluate(() => window.achilles_app.player.time)) - 0.1) < 1e-9);
  const plotted = await first.page.evaluate(() => document.querySelectorAll('.plot canvas').length);
  if (await first.page.isVisible('aside')) assert.ok(plotted >= 6);
});

await fact('save writes a recording', async () => {
  await first.page.click('#save');
  await first.page.waitForFunction(() => /saved tower-live\.h5/.test(document.getElementById('live-notice').textContent));
  assert.ok(existsSync(join(folder, 'tower-live.h5')));
});

await fact('a page that closes in the middle of a run leaves the other running', async () => {
  await first.page.click('#play');
  await second.page.waitForFunction(() => window.achilles_app.live.running);
  await first.context.close();
  const now = await end(second.page);
  await second.page.waitForFunction((t) => window.achilles_app.recording.end > t + 0.3, now);
  assert.equal(server.exitCode, null);
});

await fact('reset puts everything back', async () => {
  await second.page.click('#reset');
  await second.page.waitForFunction(() => window.achilles_app.recording.end === 0);
  assert.ok(Math.abs((await height(second.page, 'ball')) - 0.3) < 1e-6);
  await shot(second.page, 'live');
});

await fact('nobody complained', async () => {
  assert.deepEqual(first.complaints, []);
  assert.deepEqual(second.complaints, []);
});

await browser.close();
server.kill('SIGINT');
await new Promise((done) => server.on('exit', done));
rmSync(folder, { recursive: true });
console.log(failures ? `${failures} facts do not hold` : 'all facts hold');
process.exit(failures ? 1 : 0);
