/**
 * `npm run bench` measures the parts that bench/README.md describes. It prints each table as soon as it is ready.
 * With `--write`, it also writes them to bench/results/.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAvailability } from './availability.ts';
import { measureBriefs } from './briefs/briefs.ts';
import { measureBulk } from './bulk.ts';
import { measureCollections } from './collections.ts';
import { measureFeed } from './feed.ts';
import { measureIdempotency } from './idempotency.ts';
import { measureExpiry } from './idempotency-expiry.ts';
import { measureImport, measureImportIntoPostgres } from './import.ts';
import { measureLanguages } from './languages.ts';
import { measureLicensing } from './licensing.ts';
import { measureNames } from './names/names.ts';
import { measureOneCore } from './one-core.ts';
import { measurePage } from './page.ts';
import { measurePostgres } from './postgres.ts';
import { measurePreviews } from './previews.ts';
import { machine } from './processes.ts';
import { measureRenditions } from './renditions.ts';
import { markdown, type Row, type Table, tableOf } from './row.ts';
import { measureSavedSearches } from './saved-searches.ts';
import { measureSearch, SEARCH_PARTS, type SearchPart } from './search/search.ts';
import { measureSnapshot } from './snapshot.ts';
import { measureAnalysis } from './sound/analysis.ts';
import { measureStart } from './start.ts';
import { measureStems } from './stems.ts';
import { measureStrangers } from './strangers.ts';
import { measureTakedowns } from './takedowns.ts';
import { measureUsage } from './usage.ts';
import { measureWaiting } from './waiting.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWorkers } from './workers.ts';

const { values: options } = givenOptions();
if (options.help) {
  process.stdout.write(
    'Usage: npm run bench -- [--only PART] [--rounds 5] [--write] …\n' +
      'Measures parts of Stave for about an hour, and prints a table for each. bench/README.md describes the parts and all options.\n',
  );
  process.exit();
}

const dataFolder = fileURLToPath(new URL('../../shared/data', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stave-bench-'));
const rounds = Number(options.rounds);
const importOptions = { folder, dataFolder, tracks: Number(options.import) };
/** The parts. Each prints its tables when they are ready, and returns all of them. */
const parts: Record<string, () => Promise<Table[]>> = {
  import: () => one('Import', collected(measureImport(importOptions))),
  'import-postgres': () =>
    one('Import into PostgreSQL', collected(measureImportIntoPostgres(importOptions))),
  start: () => one('Start', measureStart({ folder, dataFolder, rounds })),
  page: () => one('Page', measurePage({ folder, dataFolder, rounds })),
  'one-core': () => one('One core', measureOneCore({ ...importOptions, keep: keep(), rounds })),
  previews: () => one('Previews', collected(measurePreviews({ folder, dataFolder, rounds }))),
  availability: () =>
    one(
      'Availability',
      collected(
        measureAvailability({
          folder,
          dataFolder,
          tracks: Math.min(Number(options.import), 100_000),
          databases: options.databases.split(',') as ('sqlite' | 'postgres')[],
        }),
      ),
    ),
  briefs: () => one('Briefs', collected(measureBriefs({ folder, dataFolder }))),
  names: () =>
    one(
      'Names',
      measureNames({
        dataFolder,
        before: options.before === undefined ? undefined : resolve(options.before),
      }),
    ),
  bulk: () => one('Bulk', measureBulk({ folder, dataFolder, rounds })),
  'saved-searches': () =>
    one('Saved searches', measureSavedSearches({ folder, dataFolder, rounds })),
  collections: () => one('Collections', measureCollections({ folder, dataFolder, rounds })),
  licensing: () => one('Licensing', measureLicensing({ folder, dataFolder, rounds })),
  languages: () =>
    one(
      'Languages',
      collected(
        measureLanguages({
          ...importOptions,
          rounds,
          before: options.before === undefined ? undefined : resolve(options.before),
        }),
      ),
    ),
  idempotency: () => one('Idempotency keys', measureIdempotency({ folder, rounds })),
  'idempotency-expiry': () => one('Expired idempotency keys', measureExpiry({ folder })),
  usage: () =>
    one(
      'Usage',
      measureUsage({
        folder,
        dataFolder,
        rounds,
        events: Number(options.events),
        databases: options.databases.split(',') as ('sqlite' | 'postgres')[],
      }),
    ),
  feed: () => one('Feed of changes', measureFeed({ folder, dataFolder, rounds })),
  waiting: () => one('Requests that wait for changes', measureWaiting({ folder, rounds })),
  webhooks: () =>
    one(
      'Webhooks',
      measureWebhooks({
        folder,
        messages: Number(options.messages),
        databases: options.databases.split(',') as ('sqlite' | 'postgres')[],
      }),
    ),
  postgres: () =>
    one('PostgreSQL', measurePostgres({ folder, dataFolder, tracks: 100_000, rounds })),
  workers: () => one('Workers', measureWorkers({ folder, dataFolder, rounds })),
  takedowns: () => one('Takedowns', measureTakedowns({ folder, dataFolder, tracks: 100_000 })),
  snapshot: () =>
    one('Snapshot', measureSnapshot({ keep: keep(), dataFolder, tracks: Number(options.import) })),
  async analysis() {
    const tables = await measureAnalysis({ dataFolder });
    for (const table of tables) print(table);
    return tables;
  },
  renditions: () => one('Renditions', measureRenditions({ folder, dataFolder, rounds })),
  stems: () => one('Stems', measureStems({ folder, rounds })),
  strangers: () => one('Strangers', measureStrangers({ folder, dataFolder })),
  search: () =>
    measureSearch({
      sizes: options.sizes.split(',').map(Number),
      parts: new Set(options.parts.split(',') as SearchPart[]),
      rounds,
      dataFolder,
      folder,
      keep: keep(),
      onProgress: progress,
      onTable: print,
    }),
};

/** Ends the program with the reason if an option is unknown. */
function givenOptions() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        write: { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string', default: '5' },
        import: { type: 'string', default: '1000000' },
        events: { type: 'string', default: '10000000' },
        messages: { type: 'string', default: '100000' },
        databases: { type: 'string', default: 'sqlite,postgres' },
        sizes: { type: 'string', default: '100000,1000000' },
        parts: { type: 'string', default: SEARCH_PARTS.join(',') },
        keep: { type: 'string' },
        before: { type: 'string' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Prints why nothing is measured, and ends the program. */
function refuse(reason: string): never {
  process.stderr.write(`${reason}\nSee \`npm run bench -- --help\`.\n`);
  process.exit(2);
}

/** The folder of the imported catalogs. */
function keep(): string {
  return options.keep === undefined ? folder : resolve(options.keep);
}

async function one(title: string, rows: Promise<Row[]>): Promise<Table[]> {
  const table = tableOf(title, await rows);
  print(table);
  return [table];
}

/** Collects the rows of a part that takes minutes, and prints each as it arrives. */
async function collected(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) {
    progress(`${row.what}: ${row.figure}`);
    all.push(row);
  }
  return all;
}

function progress(what: string): void {
  process.stderr.write(`${new Date().toISOString()} ${what}\n`);
}

function print(table: Table): void {
  process.stdout.write(`${markdown(table)}\n`);
}

// Every end of this program removes the folder, and ends the measured programs (bench/processes.ts).
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const day = new Date().toISOString().slice(0, 10);
const wanted = options.only === undefined ? Object.keys(parts) : [options.only];
const unknown = [
  ...wanted.filter((name) => !(name in parts)),
  ...options.parts.split(',').filter((part) => !SEARCH_PARTS.includes(part as SearchPart)),
];
if (unknown.length > 0) refuse(`There is no part ${unknown.join(', ')}.`);

for (const name of wanted) {
  const heading = `# ${day}: ${name}\n\n${machine()}. Method: ../README.md.\n\n`;
  process.stdout.write(heading);
  const tables = await parts[name]!();
  if (options.write) {
    const results = fileURLToPath(new URL('results', import.meta.url));
    mkdirSync(results, { recursive: true });
    const report = heading + tables.map(markdown).join('\n');
    writeFileSync(join(results, `${day}-${name}.md`), report);
  }
}
