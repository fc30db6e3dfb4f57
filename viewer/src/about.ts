// What was run, and what the run says of itself.

import { shortNumber } from './plots';
import type { Recording } from './recording';

/// A sentence that must not be missed, or undefined.
export function warningOf(recording: Recording): string | undefined {
  const { report, complete, instants } = recording.header;
  if (instants === 0) return 'The recording holds no instant.';
  if (report?.stopped) return `The run stopped itself at ${shortNumber(report.stopped.time)} s (${report.stopped.reason}): ${report.stopped.message}`;
  if (!complete) return 'The recording was cut off before the run ended.';
  return undefined;
}

export function describeRun(container: HTMLElement, recording: Recording): void {
  const { header } = recording;
  const rows: [string, string][] = [
    ['scene', header.scene],
    ['source', header.source],
    ['method', [header.method, header.impact, header.solver].filter(Boolean).join(' · ')],
    ['step', `${shortNumber(header.step)} s`],
    ['bodies', String(header.body_count)],
    ['instants', header.decimated ? `${header.instants} of ${header.recorded_instants} (evenly chosen to keep the page small)` : String(header.instants)],
    ['gravity', `${header.gravity.map(shortNumber).join('  ')} m/s²`],
  ];
  const report = header.report;
  if (report) {
    if (report.penetration) rows.push(['deepest', `${shortNumber(1e3 * report.penetration.max)} mm`]);
    if (report.energy) rows.push(['energy gain', `${shortNumber(report.energy.max_gain)} J`]);
    if (report.real_time_factor) rows.push(['real time', `× ${shortNumber(report.real_time_factor)}`]);
  }
  rows.push(['Achilles', header.achilles]);
  const list = document.createElement('dl');
  for (const [name, value] of rows) {
    if (!value) continue;
    const term = document.createElement('dt');
    const detail = document.createElement('dd');
    term.textContent = name;
    detail.textContent = value;
    list.append(term, detail);
  }
  container.append(list);
  for (const text of report?.warnings ?? []) {
    const warning = document.createElement('p');
    warning.className = 'warning';
    warning.textContent = text;
    container.append(warning);
  }
}
