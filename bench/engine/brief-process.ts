/**
 * Builds the engine over a synthetic catalog and times the ranking by concepts, and the reading and ranking of the briefs of
 * briefs.txt, in a process of its own:
 *
 *   echo '{"size": 1000000, "rounds": 3, "requests": 300}' |
 *     scripts/with-node node --expose-gc --max-old-space-size=18000 bench/engine/brief-process.ts
 *
 * Prints the times of each kind of brief in milliseconds: of the thread's processor, which other programs hardly change, and
 * of the clock. The real catalogs are read from `dataFolder`, by default ../shared/data.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../src/common/log.ts';
import { type SeededRandom, seededRandom } from '../../src/common/seeded-random.ts';
import { slugify } from '../../src/common/text/slug.ts';
import type {
  CatalogIndex,
  Concept,
  IndexEntry,
  IndexQuery,
  Ranking,
} from '../../src/engines/search/catalog-index.ts';
import { Briefs } from '../../src/features/briefs/briefs.ts';
import { Meanings } from '../../src/features/briefs/embeddings/meanings.ts';
import { Synonyms, shippedSynonyms } from '../../src/features/briefs/synonyms.ts';
import type { VocabularySource } from '../../src/features/catalog/live/live-catalog.ts';
import type { FilterType } from '../../src/features/catalog/track.ts';
import { readBriefs } from '../briefs/parse-briefs.ts';
import { indexEntries } from '../catalog.ts';
import { quantiles } from '../figures.ts';
import { type RealParts, readRealParts } from '../real-parts.ts';
import { buildIndexOver } from './build-index-over.ts';

interface BriefJob {
  size: number;
  rounds: number;
  requests: number;
  dataFolder?: string;
}

/** The number of tracks from which parts of briefs are drawn. */
const SAMPLE = 5_000;

interface Brief {
  query: IndexQuery;
  ranking: Ranking;
}

/** Briefs by their kind: as people write them, with hard parts, and with as many concepts as are allowed. */
const KINDS: Record<string, (draw: (count: number) => Concept[], random: SeededRandom) => Brief> = {
  usual: (draw, random) => ({ query: {}, ranking: { concepts: draw(random.integer(1, 6)) } }),
  restricted: (draw, random) => {
    const bpmMin = random.integer(60, 140);
    const required = [{ bpmMin, bpmMax: bpmMin + 18, durationMax: 120, hasVocals: false }];
    const ranking = { concepts: draw(random.integer(1, 6)), required, excluded: draw(1) };
    return { query: { type: 'music' }, ranking: { ...ranking, instrumentalFirst: true } };
  },
  'fifty concepts': (draw) => ({ query: {}, ranking: { concepts: draw(50) } }),
};

async function run({ size, rounds, requests, dataFolder }: BriefJob): Promise<void> {
  const folder = dataFolder ?? fileURLToPath(new URL('../../../shared/data', import.meta.url));
  const parts = await readRealParts(folder);
  const index = buildIndexOver(indexEntries(size, parts));
  const sample = Array.from(indexEntries(SAMPLE, parts));
  const random = seededRandom('briefs');
  const draw = (count: number) =>
    Array.from({ length: count }, () => conceptOf(random.pick(sample), random));
  const before = arrayMegabytes();
  for (const [kind, briefOf] of Object.entries(KINDS)) {
    const times = { processor: [] as number[], clock: [] as number[] };
    // The first round is not measured, so that the code is compiled.
    for (let round = 0; round <= rounds; round++) {
      for (let i = 0; i < requests; i++) {
        const brief = briefOf(draw, random);
        const [processor, clock] = timed(() => rank(index, brief, i % 4 === 0));
        if (round === 0) continue;
        times.processor.push(processor);
        times.clock.push(clock);
      }
    }
    const [processor, clock] = [summary(times.processor), summary(times.clock)];
    process.stdout.write(`${JSON.stringify({ kind, size, processor, clock })}\n`);
  }
  const reader = readerOf(index, parts);
  const written = readBriefs().map(({ text }) => text);
  const long = written.map((_, i) => [...written.slice(i), ...written].join(', ').slice(0, 1_000));
  for (const [kind, texts] of Object.entries({ written, 'of 1,000 characters': long })) {
    const times = { reading: [] as number[], both: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      for (const text of texts) {
        const begun = processorMs();
        const { ranking } = await reader.read(text, { now: NOW });
        const read = processorMs();
        index.rank({}, ranking?.ranking ?? NOTHING, { offset: 0, limit: 20 });
        if (round === 0) continue;
        times.reading.push(read - begun);
        times.both.push(processorMs() - begun);
      }
    }
    const [reading, both] = [summary(times.reading), summary(times.both)];
    process.stdout.write(`${JSON.stringify({ kind, size, reading, both })}\n`);
  }
  process.stdout.write(`${JSON.stringify({ scratchMegabytes: arrayMegabytes() - before })}\n`);
}

/** Also their mean: the kernel counts the time of the processor in steps of some milliseconds. */
function summary(times: number[]) {
  return { mean: times.reduce((sum, time) => sum + time, 0) / times.length, ...quantiles(times) };
}

const NOW = Date.UTC(2026, 10, 30);
const NOTHING: Ranking = { concepts: [] };

/** Reads briefs with the vocabulary of the catalog and the shipped synonyms, without embeddings. */
function readerOf(index: CatalogIndex, { filterLists }: RealParts): Briefs {
  const filters = new Map(filterLists.flat().map((filter) => [filter.id, filter]));
  const vocabulary: VocabularySource = {
    filters: Array.from(filters.values(), ({ id, name, type }) => ({
      ...{ id, name, slug: slugify(name), type: type as FilterType },
    })),
    filterNames: new Map(),
    valuesInText: (field, text) => index.valuesInText(field, text),
    commonTags: (limit) => index.commonTags(limit),
  };
  return new Briefs({
    catalog: { vocabulary, version: 1 },
    synonyms: { current: new Synonyms(shippedSynonyms()), version: 1 },
    meanings: new Meanings(null, undefined, silentLog),
  });
}

/** The time of the processor that this thread has used. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Something that a track has: a filter with the name of it, a tag, or a word. */
function conceptOf({ filterIds, tags, name, artists }: IndexEntry, random: SeededRandom): Concept {
  const weight = random.integer(30, 100) / 100;
  const words = [random.pick(name.split(/\s+/))];
  const kind = random.integer(0, 9);
  if (kind === 0) return { weight, artists: artists.slice(0, 1) };
  if (kind < 3) return { weight, words, tags };
  return {
    weight,
    filterIds: filterIds.slice(0, random.integer(1, 3)),
    tags: tags.slice(0, 1),
    words,
  };
}

function rank(index: CatalogIndex, { query, ranking }: Brief, facets: boolean): void {
  index.rank(query, ranking, { offset: 0, limit: 20, facets });
}

function timed(work: () => void): [processor: number, clock: number] {
  const [before, begun] = [processorMs(), performance.now()];
  work();
  return [processorMs() - before, performance.now() - begun];
}

function arrayMegabytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().arrayBuffers / 1e6;
}

await run(JSON.parse(readFileSync(0, 'utf8')));
