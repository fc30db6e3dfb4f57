// A real browser without a display, and pages in it that must not complain.

import { chromium } from 'playwright-core';

const kSlow = 180_000; // [ms] a machine without a graphics card draws in software, and may have other things to do

export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
      '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/// Opens a page and waits for its first frame. `complaints` gathers what it says on the console or asks of the network,
/// `own` excepted: the server that a live page comes from.
export async function openPage(browser, url, viewport, own = 'file:') {
  const context = await browser.newContext({ viewport, colorScheme: 'light' });
  context.setDefaultTimeout(kSlow);
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    // Software rendering says so when a picture is taken; that is no fault of the page.
    if (['error', 'warning'].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url()) && !request.url().startsWith(own)) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  return { context, page, complaints };
}
