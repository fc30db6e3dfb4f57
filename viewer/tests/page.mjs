// The built page in a real browser: it loads from a file without network, plays, steps, scrubs, picks and plots.
// Usage: node tests/page.mjs [folder for screenshots [words of the facts to check]]. Needs Chromium (CHROMIUM, or /usr/bin/chromium).

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser, openPage } from './browser.mjs';
import { makeComparison, makeMany, makePage, makeShapes } from './made_up.mjs';

const template = fileURLToPath(new URL('../dist/template.html', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'achilles-page-'));
const pictures = process.argv[2];
if (pictures) mkdirSync(pictures, { recursive: true });

const browser = await openBrowser();

function write(name, recording) {
  const path = join(folder, name);
  writeFileSync(path, makePage(template, recording));
  return pathToFileURL(path).href;
}

/// Opens a page and hands it over; afterwards nothing may have been said on the console or asked of the network.
async function withPage(url, size, act) {
  const { context, page, complaints } = await openPage(browser, url, size);
  await act(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function shot(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const time = (page) => page.evaluate(() => window.achilles_app.player.time);
const facts = [];
const fact = (name, run) => name.includes(process.argv[3] ?? '') && facts.push([name, run]);
const kDesk = { width: 1280, height: 800 };

const shapes = write('shapes.html', makeShapes());
const many = write('many.html', makeMany(5000));

fact('a recording of every shape loads from a file and shows its names as text', () =>
  withPage(shapes, kDesk, async (page) => {
    assert.equal(await page.textContent('#title h1'), 'every shape');
    assert.equal(await page.$$eval('#names option', (list) => list[1].value), '</script><b>sphere & "co"');
    assert.ok((await page.$$('.plot canvas')).length >= 6);
    await shot(page, 'shapes-light');
    await page.keyboard.press('t');
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await shot(page, 'shapes-dark');
  }));

fact('space plays, and arrows go from instant to instant', () =>
  withPage(shapes, kDesk, async (page) => {
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.achilles_app.player.time > 0.2);
    await page.keyboard.press('Space');
    await page.keyboard.press('Home');
    assert.equal(await time(page), 0);
    await page.keyboard.press('ArrowRight');
    assert.ok(Math.abs((await time(page)) - 0.01) < 1e-9);
    await page.keyboard.press('Shift+ArrowRight');
    assert.ok(Math.abs((await time(page)) - 0.11) < 1e-9);
    await page.keyboard.press('ArrowLeft');
    assert.ok(Math.abs((await time(page)) - 0.1) < 1e-9);
    await page.keyboard.press('End');
    assert.ok(Math.abs((await time(page)) - 2) < 1e-9);
  }));

fact('the slider and the curves move the clock', () =>
  withPage(shapes, kDesk, async (page) => {
    await page.$eval('#scrub', (slider) => {
      slider.value = '1.25';
      slider.dispatchEvent(new Event('input'));
    });
    assert.equal(await time(page), 1.25);
    const box = await (await page.$('.plot .u-over')).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - 1) < 0.02); // half of two seconds, to a pixel or two
    const values = await page.textContent('.plot .values');
    assert.match(values, /kinetic .*potential .*total/);
  }));

fact('a click on a body selects it and tells its state', () =>
  withPage(`${shapes}#t=0.5`, kDesk, async (page) => {
    // Where the box (second body, at rest at x = -1.5, y = -0.8, z = 0.25) is on the screen.
    const at = await page.evaluate(() => {
      const { camera, renderer } = window.achilles_app.stage;
      const p = camera.position.clone().set(-1.5, -0.8, 0.25).project(camera);
      const box = renderer.domElement.getBoundingClientRect();
      return { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
    });
    await page.mouse.click(at.x, at.y);
    assert.match(await page.textContent('#body dl'), /box\[1\].*asleep.*ice/s);
    assert.match(await page.textContent('#body ul'), /touches ground at 1 point, 0\.1/);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => window.achilles_app.selected), -1);
  }));

fact('events up to the time shown are listed, of all bodies or of the picked one, and lead to their time', () =>
  withPage(`${shapes}#t=1.0`, kDesk, async (page) => {
    const listed = () => page.$$eval('#events li', (items) => items.map((item) => item.textContent));
    assert.deepEqual(await listed(), ['0.900 s </script><b>sphere & "co" leaves goal </script>',
      '0.400 s </script><b>sphere & "co" enters goal </script>', '0.200 s ground touches box[1]']);
    await page.keyboard.press('End');
    await page.waitForFunction(() => /1\.800 s the run stops itself/.test(document.getElementById('events').textContent));
    await page.click('#events li:nth-child(2) button:nth-of-type(3)');
    assert.equal(await page.evaluate(() => window.achilles_app.selected), 2);
    await page.waitForFunction(() => document.querySelectorAll('#events li').length === 2);
    await page.click('#events li:nth-child(2) button');
    assert.equal(await time(page), 0.2);
    await shot(page, 'events');
  }));

fact('colours, contacts, trails and glass change the picture', () =>
  withPage(`${shapes}#t=0.7`, kDesk, async (page) => {
    const canvas = await page.$('#view canvas');
    const seen = new Set([(await canvas.screenshot()).toString('base64')]);
    for (const key of ['c', 'c', 'c', 'p', 'n', 'i', 'r', 'x']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
      seen.add((await canvas.screenshot()).toString('base64'));
    }
    assert.equal(seen.size, 9);
    await shot(page, 'shapes-everything');
  }));

fact('a still frame has no controls and the time asked for', () =>
  withPage(`${shapes}#t=1.5&ui=0&theme=dark&color=state&show=impulses`, { width: 960, height: 540 }, async (page) => {
    assert.equal(await time(page), 1.5);
    assert.equal(await page.isVisible('#transport'), false);
    assert.equal(await page.isVisible('aside'), false);
    await shot(page, 'still');
  }));

fact('a small window keeps its controls in reach', () =>
  withPage(shapes, { width: 420, height: 760 }, async (page) => {
    assert.ok(await page.isVisible('#play'));
    const box = await (await page.$('#transport')).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 420);
    await shot(page, 'small');
  }));

fact('a run that stopped itself says so', () =>
  withPage(write('stopped.html', makeShapes({ report: { stopped: { reason: 'zeno-point', time: 1.25, message: 'no progress' }, warnings: ['bodies overlap'] } })), kDesk, async (page) => {
    assert.match(await page.textContent('#notice'), /stopped itself at 1\.25 s \(zeno-point\): no progress/);
  }));

fact('a recording without a single instant opens and says so', () =>
  withPage(write('empty.html', makeShapes({ instants: 0 })), kDesk, async (page) => {
    assert.match(await page.textContent('#notice'), /no instant/);
  }));

fact('visuals stand in place of shapes, joints have axes, and the camera goes along with what moves', () => {
  const recording = makeShapes();
  const { header } = recording;
  header.bodies[1].visuals = [{ shape: 2, position: [0, 0, 0], orientation: [1, 0, 0, 0], color: [1, 0, 0, 1] }];
  header.bodies[2].color = [0, 1, 0, 1];
  header.joints = [{ name: 'hinge', kind: 'hinge', bodies: [1, 2], at: [0, 0, 0], axes: [[0, 0, 1]] }];
  return withPage(write('robot.html', recording), kDesk, async (page) => {
    const visible = () => page.evaluate(() => window.achilles_app.bodies.batches.map((batch) => `${batch.layer} ${batch.mesh.visible}`));
    assert.ok((await visible()).includes('visual true') && (await visible()).includes('shape false'));
    await page.keyboard.press('v');
    assert.ok((await visible()).includes('visual false') && (await visible()).includes('shape true'));
    await page.keyboard.press('j');
    assert.equal(await page.evaluate(() => window.achilles_app.joints.group.visible), true);
    assert.equal(await page.getAttribute('#joints', 'aria-pressed'), 'true');
    await page.keyboard.press('g');
    assert.equal(await page.evaluate(() => window.achilles_app.follow), true);
  });
});

const kReport = {
  wall_seconds: 1.25, real_time_factor: 1.6, penetration: { max: 1e-4 }, energy: { initial: 1, final: 1, max_gain: 0.5 },
  momentum: { linear_error: 3e-16, angular_error: null }, solver_stats: { iterations_mean: 12, residual_max: 1e-8 }, warnings: [], stopped: null,
};

fact('runs of a comparison play side by side in sync, with one camera and curves over each other', () => {
  const runs = [
    { name: 'first', certified: 'yes', ...makeShapes({ report: kReport }) },
    { name: 'second', ...makeShapes({ instants: 101, report: { stopped: { reason: 'zeno-point', time: 1, message: 'no progress' }, warnings: [] } }) },
    { name: '</script><b>third', ...makeShapes() },
  ];
  const path = join(folder, 'compare.html');
  writeFileSync(path, makeComparison(template, runs));
  return withPage(pathToFileURL(path).href, kDesk, async (page) => {
    assert.deepEqual(await page.$$eval('.pane h2', (list) => list.map((h) => h.textContent)), ['first', 'second', '</script><b>third']);
    assert.deepEqual(await page.$$eval('#table tr:nth-child(2) td', (cells) => cells.map((cell) => cell.textContent)),
      ['first', 'yes', '', '1.3 s', '1.6', '0.1 mm', '0.5 J', '3.0e-16', '–', '1.0e-8 m/s', '12']);
    const cut = await page.$eval('#table', (table) => table.scrollWidth - table.clientWidth);
    assert.equal(cut, 0); // no column is out of sight
    assert.equal((await page.$$('#grid canvas')).length, 1); // one for all: browsers keep few
    await page.keyboard.press('Space');
    await page.waitForFunction(() => window.achilles_app.player.time > 0.2);
    await page.keyboard.press('Space');
    await page.$eval('#scrub', (slider) => {
      slider.value = '1.5';
      slider.dispatchEvent(new Event('input'));
    });
    await page.waitForFunction(() => document.querySelectorAll('.pane')[1].classList.contains('over'));
    assert.match(await page.$$eval('.pane p', (list) => list[1].textContent), /zeno-point at 1 s/);
    assert.match(await page.textContent('#clock'), /1\.500 \/ 2\.00/);
    assert.equal(await page.$$eval('.plot:first-child .values span', (list) => list.length), 3);
    const cameras = () => page.evaluate(() => window.achilles_app.panes.map(({ stage }) => stage.camera.position.toArray()));
    const before = await cameras();
    const box = await (await page.$('.pane')).boundingBox();
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 120, { steps: 4 });
    await page.mouse.up();
    const after = await cameras();
    assert.notDeepEqual(after[0], before[0]);
    assert.deepEqual(after[1], after[0]);
    assert.deepEqual(after[2], after[0]);
    await shot(page, 'compare');
  });
});

fact('the bare template says how to make a page', () =>
  withPage(pathToFileURL(template).href, kDesk, async (page) => {
    assert.match(await page.textContent('#failure'), /achilles export/);
  }));

// What a laptop has 16.7 ms for is script plus drawing. There may be no graphics card here, so the rate itself says
// nothing: judged is what the card and the processor are asked for. All script of a frame within 4 ms, a quarter of it,
// with everything on that can be; few draw calls; uploads of a few megabytes.
const kAllOn = 'color=layer&show=points,normals,impulses&trails=all&select=body[17]';
for (const [what, view] of [['plain', ''], ['with arrows, trails, layers and a picked body', kAllOn]]) {
  fact(`5,000 bodies ${what}: script per frame under 4 ms, under 50 draw calls`, () =>
    withPage(`${many}#${view}`, kDesk, async (page) => {
      const cost = await page.evaluate(measureFrames);
      console.log(`  5,000 bodies ${what}: ${cost.script.toFixed(2)} ms of script per frame (median of ${cost.frames}; slowest ${cost.slowest.toFixed(2)}), ` +
        `${cost.calls} draw calls, ${cost.triangles} triangles, ${(cost.bytes / 1e6).toFixed(2)} MB uploaded per frame`);
      assert.ok(cost.script < 4);
      assert.ok(cost.calls < 50);
      assert.ok(cost.bytes < 8e6); // 60 times per second: less than a thirtieth of what a card of ten years ago takes
      await shot(page, view ? 'many-everything' : 'many');
    }));
}

/// Runs in the page: 40 frames as playing makes them, each at another instant; two of them are drawn, to count what
/// drawing asks for.
function measureFrames() {
  const app = window.achilles_app;
  const { renderer } = app.stage;
  const gl = renderer.getContext();
  const samples = [];
  const frame = (k) => {
    const { time } = app.recording;
    const index = k % (time.length - 1);
    app.player.seek(0.4 * time[index] + 0.6 * time[index + 1]);
    app.draw();
    samples.push(app.scriptMilliseconds);
  };
  const { render } = app.stage;
  app.stage.render = () => {};
  for (let k = 0; k < 10; ++k) frame(k); // until the compiler has seen the loops
  samples.length = 0;
  for (let k = 0; k < 40; ++k) frame(k);
  app.stage.render = render;
  frame(7);
  let bytes = 0;
  for (const name of ['bufferData', 'bufferSubData']) {
    const original = gl[name].bind(gl);
    gl[name] = (...given) => {
      const data = given.find((one) => ArrayBuffer.isView(one));
      // bufferSubData(target, offset, data, first, count) uploads a part.
      if (data) bytes += given.length > 4 ? given[4] * data.BYTES_PER_ELEMENT : data.byteLength;
      return original(...given);
    };
  }
  frame(8);
  const { calls, triangles } = renderer.info.render;
  const sorted = samples.slice(0, 40).sort((x, y) => x - y);
  return { script: sorted[20], slowest: sorted[39], frames: 40, calls, triangles, bytes };
}

let failures = 0;
for (const [name, run] of facts) {
  try {
    await run();
    console.log(`passed: ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAILED: ${name}\n${error.stack ?? error}`);
  }
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(`${facts.length - failures} of ${facts.length} facts hold`);
process.exit(failures ? 1 : 0);
