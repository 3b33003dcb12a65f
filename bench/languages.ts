import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_SOURCE, type Translated, writeCatalog } from './catalog.ts';
import { createBenchClients, tokensFor } from './client.ts';
import type { AliasesJob, AliasesResult } from './engine/aliases-process.ts';
import { shown, shownSpread, spread } from './figures.ts';
import { runProgram, type Server, serve, stave } from './processes.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';
import { compareViews, type Side } from './two-views.ts';

/** The ports of the services, from this one on. */
const PORT = 18_107;
/** The largest catalog whose pages are measured. */
const MAX_PAGED = 100_000;
const LANGUAGES = ['de', 'fr'];
const QUERIES = 4_000;

interface LanguagesOptions {
  folder: string;
  dataFolder: string;
  rounds: number;
  /** The tracks of the index. */
  tracks: number;
  /** The folder of another checkout, whose pages are compared; undefined for none. */
  before: string | undefined;
}

/** Measures what translations cost: the pages of clients that see them, those of other clients, and the index. */
export async function* measureLanguages(options: LanguagesOptions): AsyncIterable<Row> {
  yield* await measureIndex(options);
  yield* measurePages(options);
}

async function measureIndex({ tracks, dataFolder, rounds }: LanguagesOptions): Promise<Row[]> {
  const measure = (translated: Translated, timed: number) => {
    const job: AliasesJob = {
      size: tracks,
      dataFolder,
      translated,
      rounds: timed,
      queries: QUERIES,
    };
    const memory = ['--expose-gc', '--max-old-space-size=18000'];
    return runProgram<AliasesResult>(
      new URL('engine/aliases-process.ts', import.meta.url),
      job,
      memory,
    );
  };
  const none = await measure({ every: 1, languages: [] }, 0);
  const one = await measure({ every: 10, languages: LANGUAGES.slice(0, 1) }, 0);
  const two = await measure({ every: 10, languages: LANGUAGES }, rounds);
  const at = tracks.toLocaleString('en');
  const more = ({ megabytes }: AliasesResult) =>
    `+${shown((megabytes / none.megabytes - 1) * 100)} %: ${shown(megabytes)} of ${shown(none.megabytes)} MB`;
  const ratio = spread(two.p99.with.map((ms, i) => ms / two.p99.without[i]!));
  return [
    {
      what: 'memory of the index where a tenth of the tracks have a translation into one language',
      at,
      figure: more(one),
      goal: 'at most +25 % with a million',
    },
    {
      what: 'memory of the index where a tenth of the tracks have translations into two languages',
      at,
      figure: more(two),
      goal: 'at most +25 % with a million',
    },
    {
      what: 'p99 of the cold mix on the index with two languages, with translations compared with originals alone',
      at,
      figure: `${shownSpread(ratio)} times: ${shown(spread(two.p99.with).median)} and ${shown(spread(two.p99.without).median)} ms`,
      goal: 'at most 1.3 times',
    },
  ];
}

async function* measurePages(options: LanguagesOptions): AsyncIterable<Row> {
  const { rounds, before } = options;
  const tracks = Math.min(options.tracks, MAX_PAGED);
  const servers: Server[] = [];
  const start = async (name: string, languages: readonly string[], checkout?: string) => {
    const settings = { STAVE_DATA: join(options.folder, `languages-${name}`) };
    await importInto(settings, { ...options, tracks }, languages, checkout);
    const clients = {
      plain: await createBenchClients(settings, checkout === undefined ? {} : { checkout }),
      featured:
        languages.length === 0
          ? []
          : await createBenchClients(settings, {
              features: 'localization',
              scopes: 'tracks,search,localization',
            }),
    };
    const server = await serve(settings, PORT + servers.length, [], checkout);
    servers.push(server);
    const sideOf = async (kind: keyof typeof clients): Promise<Side> => ({
      server,
      authorizations: await tokensFor(server.port, clients[kind]),
    });
    return { plain: await sideOf('plain'), featured: await sideOf('featured') };
  };
  const each = { tracks, rounds };
  try {
    const translated = await start('translated', LANGUAGES);
    yield* compareViews({
      ...each,
      what: 'page of 20 in German, all tracks translated into two languages',
      by: 'of one by a client without the feature',
      goal: 'at least 0.7',
      sides: {
        one: { ...translated.featured, headers: { 'Accept-Language': 'de' } },
        other: translated.plain,
      },
    });
    const original = await start('original', []);
    yield* compareViews({
      ...each,
      what: 'page of 20 by a client without the feature, all tracks translated into two languages',
      by: 'of one of the same catalog without translations',
      goal: 'at least 0.97',
      sides: { one: translated.plain, other: original.plain },
    });
    if (before === undefined) return;
    const former = await start('before', [], before);
    yield* compareViews({
      ...each,
      what: 'page of 20 by a client without the feature, no translations',
      by: 'of one by the program in --before',
      goal: 'at least 0.97',
      sides: { one: original.plain, other: former.plain },
    });
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function importInto(
  settings: Record<string, string>,
  { folder, dataFolder, tracks }: LanguagesOptions,
  languages: readonly string[],
  checkout: string | undefined,
): Promise<void> {
  const path = join(folder, 'languages.ndjson');
  await writeCatalog(path, tracks, await readRealParts(dataFolder), { every: 1, languages });
  await stave(['import', path, '--source', BENCH_SOURCE], settings, checkout);
  rmSync(path);
}
