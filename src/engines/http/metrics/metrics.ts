import { keptIn } from '../../../common/memory/caches.ts';
/** The value of a gauge, or a value per set of labels. */
export type GaugeReading =
  | number
  | readonly [labels: Readonly<Record<string, string>>, value: number][];

/** Upper bounds in seconds: a page from memory falls into the first, a slow body into the last. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Separates the label values in a key; no label value contains it. */
const SEPARATOR = '\0';

export interface Count {
  value: number;
}

/** Counts up from zero, separately for each set of label values. */
export class Counter {
  readonly #labelNames: readonly string[];
  readonly #counts = new Map<string, Count>();

  constructor(labelNames: readonly string[]) {
    this.#labelNames = labelNames;
    if (labelNames.length === 0) {
      this.count([]);
    }
  }

  /**
   * Returns the count of these label values. A caller that counts often keeps it and increments it directly.
   *
   * @param labelValues in the order of the names. Never input of a caller: each new value is kept forever.
   */
  count(labelValues: readonly string[]): Count {
    const key = labelValues.join(SEPARATOR);
    return keptIn(this.#counts, key, () => ({ value: 0 }));
  }

  increment(labelValues: readonly string[] = [], by = 1): void {
    this.count(labelValues).value += by;
  }

  *lines(name: string): Generator<string> {
    for (const [key, { value }] of this.#counts) {
      yield `${name}${labeled(this.#labelNames, key.split(SEPARATOR))} ${value}`;
    }
  }
}

/** Durations by one label. */
export class Histogram {
  readonly #labelName: string;
  readonly #series = new Map<string, { buckets: number[]; sum: number; count: number }>();

  constructor(labelName: string) {
    this.#labelName = labelName;
  }

  observe(labelValue: string, seconds: number): void {
    const series = keptIn(this.#series, labelValue, () => ({
      buckets: DURATION_BUCKETS.map(() => 0),
      sum: 0,
      count: 0,
    }));
    const bucket = DURATION_BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) {
      series.buckets[bucket]!++;
    }
    series.sum += seconds;
    series.count++;
  }

  *lines(name: string): Generator<string> {
    for (const [value, { buckets, sum, count }] of this.#series) {
      const label = [this.#labelName];
      let below = 0;
      for (const [i, bound] of DURATION_BUCKETS.entries()) {
        below += buckets[i]!;
        yield `${name}_bucket${labeled([...label, 'le'], [value, String(bound)])} ${below}`;
      }
      yield `${name}_bucket${labeled([...label, 'le'], [value, '+Inf'])} ${count}`;
      yield `${name}_sum${labeled(label, [value])} ${sum}`;
      yield `${name}_count${labeled(label, [value])} ${count}`;
    }
  }
}

interface Family {
  help: string;
  type: 'counter' | 'gauge' | 'histogram' | 'summary';
  lines(name: string): Iterable<string>;
}

/** All metrics at one moment, each with its HELP and TYPE lines and a line per series. */
export type Scrape = readonly { name: string; head: string; lines: readonly string[] }[];

/** A registry of metrics with unique names, written in Prometheus' text format 0.0.4 (docs/adr/0022). */
export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    const counter = new Counter(labelNames);
    this.#add(name, { help, type: 'counter', lines: (as) => counter.lines(as) });
    return counter;
  }

  histogram(name: string, help: string, labelName: string): Histogram {
    const histogram = new Histogram(labelName);
    this.#add(name, { help, type: 'histogram', lines: (as) => histogram.lines(as) });
    return histogram;
  }

  /** @param read called at each scrape; if it throws, the gauge is missing in that scrape. */
  gauge(name: string, help: string, read: () => GaugeReading): void {
    this.#add(name, { help, type: 'gauge', lines: (as) => readLines(as, read) });
  }

  /** Registers a counter that the operating system or another module keeps. `read` is as for a gauge. */
  observedCounter(name: string, help: string, read: () => GaugeReading): void {
    this.#add(name, { help, type: 'counter', lines: (as) => readLines(as, read) });
  }

  /** Registers quantiles, in the label `quantile`. `read` is as for a gauge. */
  summary(name: string, help: string, read: () => GaugeReading): void {
    this.#add(name, { help, type: 'summary', lines: (as) => readLines(as, read) });
  }

  render(): string {
    const lines = this.scrape().flatMap(({ head, lines }) => [head, ...lines]);
    return `${lines.join('\n')}\n`;
  }

  /** Returns one scrape as data, which can be merged with that of other workers. */
  scrape(): Scrape {
    return Array.from(this.#families, ([name, { help, type, lines }]) => ({
      name,
      head: `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}`,
      lines: [...lines(name)],
    }));
  }

  #add(name: string, family: Family): void {
    if (this.#families.has(name)) {
      throw new TypeError(`There are two metrics of the name ${name}.`);
    }
    this.#families.set(name, family);
  }
}

function readLines(name: string, read: () => GaugeReading): string[] {
  let reading: GaugeReading;
  try {
    reading = read();
  } catch {
    return [];
  }
  return typeof reading === 'number'
    ? [`${name} ${reading}`]
    : reading.map(
        ([labels, value]) =>
          `${name}${labeled(Object.keys(labels), Object.values(labels))} ${value}`,
      );
}

function labeled(names: readonly string[], values: readonly string[]): string {
  return names.length === 0
    ? ''
    : `{${names.map((name, i) => `${name}="${escapeLabel(values[i] ?? '')}"`).join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
