import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cardText } from '../test/harness/rate-cards.ts';
import { loadUntil } from './beside.ts';
import { onBothDatabases, type PartOptions } from './both-databases.ts';
import { quantiles, shown, shownSpread, spread } from './figures.ts';
import type { LoadJob } from './load.ts';
import { pageMixes } from './page.ts';
import { type BenchPartner, type Call, milliseconds, newPartner } from './partner.ts';
import { load, serve, stave } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_106;
/** The tracks of the largest quote. */
const TRACKS = 100;
/** The quotes of a round. */
const QUOTES = 200;
/** The licenses of a round, and the connections that request them: five seconds at the goal. */
const LICENSES = 500;
const BUYERS = 16;
/** As beside an import: about a tenth of a core, so that latencies show delays and not a full queue. */
const READS = { connections: 8, perSecond: 200 };
const READ_SECONDS = 5;
/** The connections and the seconds of a load without a limit. */
const FULL = { connections: 32, seconds: 3 };
/** The PDFs of each size in tracks. */
const PDFS = 20;
const PDF_SIZES = [1, 10, TRACKS];

const LICENSEE = { name: 'Lighthouse Film', country: 'DE' };
const TERMS_VERSION = '2026-1';

/** Measures quotes, licenses, their verification and their PDFs, on both databases. */
export function measureLicensing(options: PartOptions): Promise<Row[]> {
  return onBothDatabases(options, 'licensing', (database, settings, rounds) =>
    measureOn(database, settings, { folder: options.folder, rounds }),
  );
}

async function measureOn(
  database: string,
  settings: Record<string, string>,
  { folder, rounds }: { folder: string; rounds: number },
): Promise<Row[]> {
  const card = join(folder, 'rate-card.json');
  writeFileSync(card, cardText({ termsVersion: TERMS_VERSION }));
  await stave(['rate-cards', 'publish', card], settings);
  const server = await serve(settings, PORT);
  try {
    const partner = await newPartner(PORT, settings, 'licensing');
    const tracks = await someTracks(partner.call, QUOTES);
    const rows = [
      await measureQuotes(database, partner, tracks, rounds),
      await measureLicenses(database, partner, tracks, rounds),
    ];
    const { items } = await partner.call<{ items: { number: string }[] }>(
      'GET',
      '/v1/licenses?pageSize=100',
    );
    const numbers = items.map(({ number }) => `/v1/licenses/${number}/verify`);
    return [
      ...rows,
      await measureReads(`verification of ${numbers.length} licenses in turn, ${database}`, {
        paths: numbers,
        rounds,
        goal: 'p99 below 10 ms',
      }),
      await measureReads(`JWKS, ${database}`, { paths: ['/.well-known/jwks.json'], rounds }),
      ...(await measurePdfs(database, partner, tracks)),
    ];
  } finally {
    await server.stop();
  }
}

/** Each quote names other tracks. */
async function measureQuotes(
  database: string,
  { authorization }: BenchPartner,
  tracks: readonly string[],
  rounds: number,
): Promise<Row> {
  const bodies = Array.from({ length: QUOTES }, (_, i) => quoteOf(some(tracks, i, TRACKS)));
  const job = postsOf('/v1/quotes', bodies, authorization, 1);
  await load({ ...job, paths: job.paths.slice(0, 20), bodies: bodies.slice(0, 20) });
  const p99: number[] = [];
  const p50: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const times = await load(job);
    p50.push(times.p50);
    p99.push(times.p99);
  }
  return {
    what: `quote of ${TRACKS} tracks, ${database}, one after another`,
    figure: `p99 ${shownSpread(spread(p99), ' ms')}, p50 ${shownSpread(spread(p50), ' ms')} of ${QUOTES} a round`,
    goal: 'p99 below 20 ms',
  };
}

async function measureLicenses(
  database: string,
  { authorization, call }: BenchPartner,
  tracks: readonly string[],
  rounds: number,
): Promise<Row> {
  const perSecond: number[] = [];
  const p99: number[] = [];
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const quotes = await quotesOf(call, LICENSES, (i) => some(tracks, i, 1));
    const bodies = quotes.map((id) => licenseOf(id));
    const job = postsOf('/v1/licenses', bodies, authorization, BUYERS);
    // A node whose thread is late refuses requests, which are no sales.
    const { requests, failures, ...sold } = await load(job, { mayFail: true });
    perSecond.push(sold.requestsPerSecond * (1 - failures / requests));
    p99.push(sold.p99);
    refused += failures;
  }
  return {
    what: `licenses of one track, ${database}, on ${BUYERS} connections`,
    figure: `${shownSpread(spread(perSecond))} a second; p99 ${shownSpread(spread(p99), ' ms')}; ${refused} of ${rounds * LICENSES} refused`,
    goal: database === 'SQLite' ? '100 a second' : '',
  };
}

/** Measures a public operation, without a token. */
async function measureReads(
  what: string,
  { paths, rounds, goal = '' }: { paths: string[]; rounds: number; goal?: string },
): Promise<Row> {
  const job = { port: PORT, paths };
  const perSecond: number[] = [];
  const p99: number[] = [];
  for (let round = 0; round < rounds; round++) {
    perSecond.push((await load({ ...job, ...FULL })).requestsPerSecond);
    p99.push((await load({ ...job, ...READS, seconds: READ_SECONDS })).p99);
  }
  return {
    what,
    figure: `p99 ${shownSpread(spread(p99), ' ms')} at ${READS.perSecond} requests/s; ${shownSpread(spread(perSecond))} requests/s on ${FULL.connections} connections`,
    goal,
  };
}

/** Requests PDFs that were not made before, and pages beside those of one track. */
async function measurePdfs(
  database: string,
  { authorization, call }: BenchPartner,
  tracks: readonly string[],
): Promise<Row[]> {
  const pdf = (number: string) => async () => {
    const response = await fetch(`http://127.0.0.1:${PORT}/v1/licenses/${number}/certificate.pdf`, {
      headers: { authorization },
    });
    if (!response.ok) throw new Error(`the PDF of ${number}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const soldOf = async (count: number, size: number) => {
    const numbers: string[] = [];
    for (const id of await quotesOf(call, count, (i) => some(tracks, i, size))) {
      const body = { quoteId: id, termsVersion: TERMS_VERSION, licensee: LICENSEE };
      numbers.push((await call<{ number: string }>('POST', '/v1/licenses', body)).number);
    }
    return numbers;
  };
  // The first one starts the thread, and loads the typefaces.
  for (const number of await soldOf(3, 1)) await pdf(number)();
  const rows: Row[] = [];
  for (const size of PDF_SIZES) {
    const times: number[] = [];
    for (const number of await soldOf(PDFS, size)) times.push(await milliseconds(pdf(number)));
    const { p50, max } = quantiles(times);
    rows.push({
      what: `PDF of a license of ${size === 1 ? 'one track' : `${size} tracks`}, ${database}, made for the request`,
      figure: `median ${shown(p50)} ms, longest ${shown(max)} ms of ${PDFS}`,
      goal: size === 1 ? 'below 150 ms' : '',
    });
  }

  const pages = {
    port: PORT,
    paths: pageMixes()['every page in turn']!,
    headers: { authorization },
    ...READS,
  };
  await load({ ...pages, seconds: 2 });
  const alone = await load({ ...pages, seconds: READ_SECONDS });
  const numbers = await soldOf(5 * PDFS, 1);
  const making = (async () => {
    for (const number of numbers) await pdf(number)();
  })();
  const beside = await loadUntil(making, { ...pages, seconds: 2 });
  await making;
  rows.push({
    what: `latency of pages (${READS.perSecond} requests/s) beside PDFs, one after another, ${database}`,
    figure: `p99 ${shown(beside.p99)} ms, longest ${shown(beside.max)} ms; alone ${shown(alone.p99)} and ${shown(alone.max)} ms: ${shown(beside.p99 / alone.p99)} times`,
    goal: '',
  });
  return rows;
}

/** Returns a load that sends each body once. */
function postsOf(
  path: string,
  bodies: readonly string[],
  authorization: string,
  connections: number,
): LoadJob & { bodies: readonly string[] } {
  return {
    port: PORT,
    paths: Array(bodies.length).fill(path),
    bodies,
    headers: { Authorization: authorization },
    connections,
    // It ends with the last body.
    seconds: 120,
    once: true,
  };
}

/** Makes quotes, each of the tracks that `tracksOf` returns for it, and returns their ids. */
async function quotesOf(
  call: Call,
  count: number,
  tracksOf: (i: number) => readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  const connection = async () => {
    while (next < count) {
      const i = next++;
      const body = JSON.parse(quoteOf(tracksOf(i)));
      ids[i] = (await call<{ id: string }>('POST', '/v1/quotes', body)).id;
    }
  };
  await Promise.all(Array.from({ length: 4 }, connection));
  return ids;
}

function quoteOf(tracks: readonly string[]): string {
  const terms = { media: ['online', 'social'], territories: ['DE', 'AT'], term: 'P1Y' };
  return JSON.stringify({ tracks, ...terms, audience: 50_000, project: { name: 'Spring ad' } });
}

function licenseOf(quoteId: string): string {
  return JSON.stringify({ quoteId, termsVersion: TERMS_VERSION, licensee: LICENSEE });
}

/** Returns `count` tracks, from another place in the list for each number. */
function some(tracks: readonly string[], number: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => tracks[(number * 37 + i) % tracks.length]!);
}

/** Returns the ids of the tracks of some pages. */
async function someTracks(call: Call, pages: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; page <= pages; page++) {
    const path = `/v1/tracks?pageSize=100&page=${page}`;
    const { items } = await call<{ items: { id: string }[] }>('GET', path);
    if (items.length === 0) break;
    ids.push(...items.map(({ id }) => id));
  }
  return ids;
}
