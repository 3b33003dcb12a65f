import { type Html, html, number } from './html.ts';

interface Series {
  name: string;
  color: 1 | 2 | 3 | 4;
  /** In the order of the labels. */
  values: readonly number[];
}

/** The widths of a chart beside another, and of one alone, in units of the drawing. */
const NARROW = 560;
const WIDE = 1_120;
const HEIGHT = 180;
/** The width of a character of a label on a small screen, where a drawing shrinks and its text does not. */
const CHARACTER = 9.5;
const MAX_BAR = 28;
const BOTTOM = 22;
const TOP = 12;
const LINES = 4;

interface Chart {
  title: string;
  /** The name of each place on the axis of time. */
  labels: readonly string[];
  series: readonly Series[];
  /** A value that a line marks, such as a limit. */
  mark?: { name: string; value: number };
  format?: (value: number) => string;
  isWide?: boolean;
}

/** Stacks the bars of the series. Below is a table of the same numbers. */
export function barChart(chart: Chart): Html {
  const { labels, series } = chart;
  const sums = labels.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const scale = scaleOf(chart, [...sums, chart.mark?.value ?? 0]);
  const { left } = scale;
  const step = (widthOf(chart) - left) / Math.max(labels.length, 1);
  // Few bars would look like blocks.
  const bar = Math.min(step * 0.8, MAX_BAR);
  const bars = labels.map((label, i) => {
    let below = 0;
    return series.map(({ name, color, values }) => {
      const value = values[i] ?? 0;
      const [top, bottom] = [scale.y(below + value), scale.y(below)];
      below += value;
      if (value === 0) return null;
      return html`<rect class="c${color}" x="${(left + i * step + (step - bar) / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${bar.toFixed(1)}" height="${Math.max(bottom - top, 1).toFixed(1)}"><title>${label}: ${(chart.format ?? number)(value)} ${name}</title></rect>`;
    });
  });
  return figure(chart, scale, html`${bars}`, step);
}

/** Below is a table of the same numbers. */
export function lineChart(chart: Chart): Html {
  const { labels, series } = chart;
  const values = series.flatMap((one) => one.values);
  const scale = scaleOf(chart, [...values, chart.mark?.value ?? 0]);
  const { left } = scale;
  const step = (widthOf(chart) - left) / Math.max(labels.length - 1, 1);
  const lines = series.map(({ color, values: own }) => {
    const points = own.map(
      (value, i) => `${(left + i * step).toFixed(1)},${scale.y(value).toFixed(1)}`,
    );
    // One value is a line across the chart.
    if (points.length === 1) points.push(`${widthOf(chart)},${scale.y(own[0]!).toFixed(1)}`);
    return html`<polyline class="l${color}" points="${points.join(' ')}"/>`;
  });
  return figure(chart, scale, html`${lines}`, step);
}

/** A wide chart scrolls on a small screen, and begins at its end. */
function pan({ title, isWide = false }: Chart, drawn: Html): Html {
  return isWide
    ? html`<div class="pan" role="region" aria-label="${title}, drawn" tabindex="0">${drawn}</div>`
    : drawn;
}

function widthOf({ isWide = false }: Chart): number {
  return isWide ? WIDE : NARROW;
}

interface Scale {
  /** The names of the lines, from 0 on. */
  names: readonly string[];
  /** Where the lines begin, beside the longest name. */
  left: number;
  most: number;
  y(value: number): number;
}

/** Returns a scale from 0 to a round number that is not below any value. */
function scaleOf({ format = number }: Chart, values: readonly number[]): Scale {
  const greatest = values.reduce((a, b) => Math.max(a, b), 0);
  const power = 10 ** Math.floor(Math.log10(greatest || 1));
  const factor = [1, 2, 4, 5, 8, 10].find((one) => one * power >= greatest) ?? 10;
  const most = greatest === 0 ? LINES : factor * power;
  const names = Array.from({ length: LINES + 1 }, (_, i) => format((most * i) / LINES));
  const left = Math.max(...names.map(({ length }) => length)) * CHARACTER + 10;
  return { names, left, most, y: (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most) };
}

function figure(chart: Chart, scale: Scale, drawn: Html, step: number): Html {
  const { title, labels, series, mark } = chart;
  const width = widthOf(chart);
  const format = chart.format ?? number;
  const { left } = scale;
  const grid = scale.names.map((name, i) => {
    const y = scale.y((scale.most * i) / LINES).toFixed(1);
    return html`<line class="grid" x1="${left}" x2="${width}" y1="${y}" y2="${y}"/><text x="${left - 6}" y="${y}" dy="3" text-anchor="end">${name}</text>`;
  });
  const every = Math.max(1, Math.ceil(labels.length / 6));
  const names = labels.map((label, i) =>
    i % every === 0
      ? html`<text x="${(left + i * step).toFixed(1)}" y="${HEIGHT - 6}">${label}</text>`
      : null,
  );
  const marked =
    mark !== undefined &&
    html`<line class="mark" x1="${left}" x2="${width}" y1="${scale.y(mark.value).toFixed(1)}" y2="${scale.y(mark.value).toFixed(1)}"/>`;
  return html`<figure class="chart"><figcaption>${title}<span class="legend">${series.map(
    ({ name, color }) => html`<span class="key k${color}">${name}</span>`,
  )}${mark !== undefined && html`<span class="key kmark">${mark.name}</span>`}</span></figcaption>
${pan(chart, html`<svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}">${grid}${drawn}${marked}${names}</svg>`)}
<details><summary>Numbers</summary><div class="scroll" role="region" aria-label="${title}, as numbers" tabindex="0"><table>
<thead><tr><th scope="col">Time</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>${labels.map(
    (label, i) =>
      html`<tr><td>${label}</td>${series.map(({ values }) => html`<td class="number">${format(values[i] ?? 0)}</td>`)}</tr>`,
  )}</tbody></table></div></details></figure>`;
}
