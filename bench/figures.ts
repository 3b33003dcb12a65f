/** The quantiles of a list of times or other figures. */
export interface Quantiles {
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/** Sorts the list, which must not be empty. */
export function quantiles(figures: number[]): Quantiles {
  const sorted = figures.sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}

/** The summary of a figure over several rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The list must not be empty. */
export function spread(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1]!, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Returns a figure with three significant digits or as a whole number: `0.0123`, `1.23`, `12.3`, `12,300`. */
export function shown(figure: number): string {
  if (!Number.isFinite(figure)) return '–';
  if (Math.abs(figure) >= 100) return Math.round(figure).toLocaleString('en');
  return String(Number(figure.toPrecision(3)));
}

/** Returns the median, and the minimum and the maximum in brackets. */
export function shownSpread({ median, min, max }: Spread, unit = ''): string {
  return `${shown(median)}${unit} (${shown(min)}–${shown(max)})`;
}
