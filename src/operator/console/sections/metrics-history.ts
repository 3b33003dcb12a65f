import type { Clock } from '../../../common/clock.ts';
import { PeriodicTasks } from '../../../common/work/periodic-tasks.ts';
import type { RenderedMetrics } from '../../../engines/http/metrics/metrics-listener.ts';

const INTERVAL_MS = 15_000;
/** The readings of an hour. */
const MAX_READINGS = 240;

export interface MetricValue {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** The metrics of one moment, by name. */
export type Reading = ReadonlyMap<string, readonly MetricValue[]>;

/** What the service did between two readings. */
export interface Interval {
  /** The end, in milliseconds since the epoch. */
  at: number;
  seconds: number;
  requests: number;
  /** Responses of 4xx without 429, of 429, and of 5xx. */
  refused: number;
  limited: number;
  failed: number;
  /** In seconds; 0 without requests. */
  median: number;
  slowest5Percent: number;
}

const REQUESTS = 'stave_http_requests_total';
const BUCKETS = 'stave_http_request_duration_seconds_bucket';

/** Keeps the metrics of the last hour in memory. */
export class MetricsHistory {
  readonly #metrics: RenderedMetrics;
  readonly #clock: Clock;
  readonly #readings: { at: number; reading: Reading }[] = [];
  readonly #tasks: PeriodicTasks;

  constructor(deps: {
    metrics: RenderedMetrics;
    clock: Clock;
    onError: (error: unknown) => void;
  }) {
    this.#metrics = deps.metrics;
    this.#clock = deps.clock;
    this.#tasks = new PeriodicTasks({
      tasks: [{ name: 'reading the metrics', run: () => this.#read() }],
      intervalMs: INTERVAL_MS,
      onError: deps.onError,
    });
  }

  start(): void {
    this.#tasks.start();
  }

  stop(): Promise<void> {
    return this.#tasks.stop();
  }

  async now(): Promise<Reading> {
    return parseMetrics(await this.#metrics.render());
  }

  /** The oldest first. */
  intervals(): Interval[] {
    return this.#readings.slice(1).map((later, i) => intervalOf(this.#readings[i]!, later));
  }

  async #read(): Promise<void> {
    const reading = await this.now();
    const kept = new Map([REQUESTS, BUCKETS].map((name) => [name, reading.get(name) ?? []]));
    this.#readings.push({ at: this.#clock.now(), reading: kept });
    if (this.#readings.length > MAX_READINGS) this.#readings.shift();
  }
}

/** Parses the text format of Prometheus. */
function parseMetrics(text: string): Reading {
  const reading = new Map<string, MetricValue[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const values = reading.get(name) ?? [];
    values.push({ labels: labelsOf(labels), value: Number(value) });
    reading.set(name, values);
  }
  return reading;
}

/** Returns the sum of the series of a metric whose labels match; 0 if there is none. */
export function sumOf(
  reading: Reading,
  name: string,
  isWanted: (labels: MetricValue['labels']) => boolean = () => true,
): number {
  return (reading.get(name) ?? [])
    .filter(({ labels }) => isWanted(labels))
    .reduce((sum, { value }) => sum + value, 0);
}

export function greatestOf(reading: Reading, name: string): number | undefined {
  const values = (reading.get(name) ?? []).map(({ value }) => value);
  return values.length === 0 ? undefined : Math.max(...values);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, name, value]) => [name!, value!]),
  );
}

function intervalOf(
  before: { at: number; reading: Reading },
  after: { at: number; reading: Reading },
): Interval {
  const grown = (isWanted: (status: string) => boolean) => {
    const sum = ({ reading }: { reading: Reading }) =>
      sumOf(reading, REQUESTS, ({ status = '' }) => isWanted(status));
    // The counts begin again with the process of a worker.
    return Math.max(0, sum(after) - sum(before));
  };
  const times = (part: number) => quantile(before.reading, after.reading, part);
  return {
    at: after.at,
    seconds: (after.at - before.at) / 1_000,
    requests: grown(() => true),
    refused: grown((status) => status.startsWith('4') && status !== '429'),
    limited: grown((status) => status === '429'),
    failed: grown((status) => status.startsWith('5')),
    median: times(0.5),
    slowest5Percent: times(0.95),
  };
}

/** Returns the upper end of the bucket in which a part of the requests between two readings had ended. */
function quantile(before: Reading, after: Reading, part: number): number {
  const bounds = [...new Set((after.get(BUCKETS) ?? []).map(({ labels }) => labels.le!))];
  const counts = bounds.map((bound) => {
    const sum = (reading: Reading) => sumOf(reading, BUCKETS, ({ le }) => le === bound);
    return { bound: Number(bound.replace('+Inf', 'Infinity')), count: sum(after) - sum(before) };
  });
  counts.sort((a, b) => a.bound - b.bound);
  const all = counts.at(-1)?.count ?? 0;
  if (all <= 0) return 0;
  const found = counts.find(({ count }) => count >= part * all)!.bound;
  // The last bucket has no end: its beginning is the least that is known.
  return Number.isFinite(found) ? found : (counts.at(-2)?.bound ?? 0);
}
