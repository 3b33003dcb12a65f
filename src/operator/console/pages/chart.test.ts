import { describe, expect, it } from 'vitest';
import { lineChart } from './chart.ts';
import { duration } from './html.ts';

/** The names of the lines of a chart of latencies, with where they end. */
function axisOf(...values: number[]): { names: string[]; ends: number[] } {
  const chart = lineChart({
    title: 'Latency',
    labels: values.map((_, i) => `11:0${i}`),
    series: [{ name: 'half', color: 1, values }],
    format: duration,
  });
  const found = [
    ...chart
      .toString()
      .matchAll(/<text x="([\d.]+)" y="[\d.]+" dy="3" text-anchor="end">([^<]*)</g),
  ];
  return { names: found.map(([, , name]) => name!), ends: found.map(([, end]) => Number(end)) };
}

describe('the axis of a chart', () => {
  it.each([
    [0.035, '0 ms|10 ms|20 ms|30 ms|40 ms'],
    [0.000_1, '0 ms|0.025 ms|0.05 ms|0.075 ms|0.1 ms'],
    [0.9, '0 ms|250 ms|500 ms|750 ms|1 s'],
    [3, '0 ms|1 s|2 s|3 s|4 s'],
    [0, '0 ms|1 s|2 s|3 s|4 s'],
  ])('up to %s has names that differ', (greatest, names) => {
    expect(axisOf(greatest).names.join('|')).toBe(names);
  });

  it('has room for the names on a small screen, where text is 17 units high', () => {
    const { names, ends } = axisOf(0.000_1, 0.000_05);
    const longest = Math.max(...names.map(({ length }) => length));
    expect(Math.min(...ends)).toBeGreaterThan(longest * 17 * 0.55);
  });
});
