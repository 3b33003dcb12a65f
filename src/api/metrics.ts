/** The value of a gauge, or one for each set of labels. */
export type GaugeReading =
  | number
  | readonly [labels: Readonly<Record<string, string>>, value: number][];

/** Upper bounds in seconds: a page from memory lies in the first, a slow body in the last. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Between label values in a key; no label value holds it. */
const SEPARATOR = '\0';

/** One count among those of a counter. */
export interface Count {
  value: number;
}

/** Counts up from zero, apart for each set of label values. */
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
   * The count for these label values, for those who count often.
   *
   * @param labelValues in the order of the names; words of ours, never a caller's.
   */
  count(labelValues: readonly string[]): Count {
    const key = labelValues.join(SEPARATOR);
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { value: 0 };
      this.#counts.set(key, count);
    }
    return count;
  }

  increment(labelValues: readonly string[] = [], by = 1): void {
    this.count(labelValues).value += by;
  }

  *lines(name: string): Generator<string> {
    for (const [key, { value }] of this.#counts) {
      yield `${name}${labelled(this.#labelNames, key.split(SEPARATOR))} ${value}`;
    }
  }
}

/** How long things took, by one label. */
export class Histogram {
  readonly #labelName: string;
  readonly #series = new Map<string, { buckets: number[]; sum: number; count: number }>();

  constructor(labelName: string) {
    this.#labelName = labelName;
  }

  observe(labelValue: string, seconds: number): void {
    let series = this.#series.get(labelValue);
    if (series === undefined) {
      series = { buckets: DURATION_BUCKETS.map(() => 0), sum: 0, count: 0 };
      this.#series.set(labelValue, series);
    }
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
        yield `${name}_bucket${labelled([...label, 'le'], [value, String(bound)])} ${below}`;
      }
      yield `${name}_bucket${labelled([...label, 'le'], [value, '+Inf'])} ${count}`;
      yield `${name}_sum${labelled(label, [value])} ${sum}`;
      yield `${name}_count${labelled(label, [value])} ${count}`;
    }
  }
}

interface Family {
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  lines(name: string): Iterable<string>;
}

/** What was measured at one moment, by name: its two lines of description, and a line for each series. */
export type Scrape = readonly { name: string; head: string; lines: readonly string[] }[];

/** All that the program measures of itself, in Prometheus' text format 0.0.4. Names are unique. */
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

  /** @param read called at each scrape; what it throws leaves this gauge out of that scrape. */
  gauge(name: string, help: string, read: () => GaugeReading): void {
    this.#add(name, { help, type: 'gauge', lines: (as) => readLines(as, read) });
  }

  /** A counter that something else keeps, such as the operating system. */
  observedCounter(name: string, help: string, read: () => GaugeReading): void {
    this.#add(name, { help, type: 'counter', lines: (as) => readLines(as, read) });
  }

  /** Everything as text, one scrape. */
  render(): string {
    const lines = this.scrape().flatMap(({ head, lines }) => [head, ...lines]);
    return `${lines.join('\n')}\n`;
  }

  /** The same, to be put together with what others measure. */
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
          `${name}${labelled(Object.keys(labels), Object.values(labels))} ${value}`,
      );
}

function labelled(names: readonly string[], values: readonly string[]): string {
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
