import { type Quantiles, type Spread, shown, shownSpread, spread } from '../figures.ts';
import { runProgram } from '../processes.ts';
import { HOSTILE_KINDS, QUERY_KINDS, type QueryKind } from '../queries/kinds.ts';
import type { Row, Table } from '../row.ts';
import type { EngineJob, EngineResult, Timed } from './engine-process.ts';

/** The engine's figures at each size of the catalog, the smallest first. */
export type EngineFigures = ReadonlyMap<number, EngineResult>;

/** The goal of each kind. */
const QUICK: QueryKind[] = [
  'browse',
  'one filter',
  'three filters',
  'word',
  'prefix',
  'two words and a filter',
  'inside a word',
  'deep page',
];
const SLOWER: QueryKind[] = [
  'facets',
  'another order',
  'ranges',
  'one of several filters',
  'a filter without others',
  'short word',
  'suggest',
  ...(Object.keys(HOSTILE_KINDS) as QueryKind[]),
];

/** Times the engine alone, each size in a separate process. */
export async function measureEngine(options: {
  sizes: readonly number[];
  dataFolder: string;
  rounds: number;
}): Promise<EngineFigures> {
  const figures = new Map<number, EngineResult>();
  for (const size of options.sizes) {
    const job: EngineJob = {
      size,
      dataFolder: options.dataFolder,
      rounds: options.rounds,
      queries: 4_000,
      seconds: 2,
    };
    const memory = ['--expose-gc', '--max-old-space-size=18000'];
    figures.set(size, await runProgram(new URL('engine-process.ts', import.meta.url), job, memory));
  }
  return figures;
}

/** The goals of the engine, at the size that they are set for. */
export function engineRows(figures: EngineFigures, size: number): Row[] {
  const at = size.toLocaleString('en');
  const { times } = figures.get(size)!;
  return [
    {
      what: 'engine time: browse, filters, words of three letters or more, deep page',
      at,
      figure: slowest(QUICK, times),
      goal: 'p99 under 1 ms',
    },
    {
      what: 'engine time: shorter words, facets, other sorts, ranges, suggestions, hostile queries',
      at,
      figure: slowest(SLOWER, times),
      goal: 'p99 under 10 ms',
    },
    {
      what: 'engine time: typo search',
      at,
      figure: slowest(['typo'], times),
      goal: 'p99 under 5 ms',
    },
    growthRow(figures),
  ];
}

/** The greatest p99 of the kinds, with the name of its kind. */
function slowest(kinds: QueryKind[], times: EngineResult['times']): string {
  const p99 = kinds.map((kind) => ({ kind, ms: overRounds(times[kind], 'p99') }));
  const worst = p99.reduce((a, b) => (a.ms.median >= b.ms.median ? a : b));
  return `p99 ${shownSpread(worst.ms, ' ms')}${kinds.length > 1 ? `, of "${worst.kind}"` : ''}`;
}

function growthRow(figures: EngineFigures): Row {
  const sizes = [...figures.keys()];
  const [least, most] = [sizes[0]!, sizes.at(-1)!];
  const small = figures.get(least)!.times.mix;
  const large = figures.get(most)!.times.mix;
  const growth = spread(large.map(({ p50 }, round) => p50 / small[round]!.p50));
  return {
    what: `growth of the median query time of the mix, for ${shown(most / least)} times the tracks`,
    at: `${least.toLocaleString('en')} to ${most.toLocaleString('en')}`,
    figure: `${shownSpread(growth)} times`,
    goal: 'under 10 times for 100 times the tracks',
  };
}

/** The tables of every kind at every size, and of the build and the memory. */
export function engineTables(figures: EngineFigures): Table[] {
  const sizes = [...figures.keys()];
  const first = figures.get(sizes[0]!)!;
  const last = figures.get(sizes.at(-1)!)!;
  const kinds: Timed[] = [...(Object.keys(QUERY_KINDS) as QueryKind[]), 'mix'];
  return [
    {
      title: 'The engine alone',
      note: 'Milliseconds per query, p50 / p99 / p99.9, in one thread, no query repeated; medians over the rounds.',
      header: ['kind', ...sizes.map((size) => size.toLocaleString('en')), 'growth of p50'],
      rows: kinds.map((kind) => [
        kind,
        ...sizes.map((size) => shownTimes(figures.get(size)!.times[kind])),
        shown(
          overRounds(last.times[kind], 'p50').median / overRounds(first.times[kind], 'p50').median,
        ),
      ]),
    },
    {
      title: 'The engine: build and memory',
      note: 'The index is built from tracks in memory. Memory is that of a process that contains only the index.',
      header: ['tracks', 'build', 'per track', 'memory', 'peak during the build'],
      rows: sizes.map((size) => {
        const { buildSeconds, megabytes, peakMegabytes } = figures.get(size)!;
        return [
          size.toLocaleString('en'),
          `${shown(buildSeconds)} s`,
          `${shown((buildSeconds / size) * 1e6)} µs`,
          `${shown(megabytes)} MB`,
          `${shown(peakMegabytes)} MB`,
        ];
      }),
    },
  ];
}

function shownTimes(rounds: readonly Quantiles[]): string {
  return (['p50', 'p99', 'p999'] as const)
    .map((figure) => shown(overRounds(rounds, figure).median))
    .join(' / ');
}

function overRounds(rounds: readonly Quantiles[], figure: keyof Quantiles): Spread {
  return spread(rounds.map((round) => round[figure]));
}
