import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DOCUMENTS_FILE } from '../src/app/open/data-folder.ts';
import { COPY_FROM } from '../src/features/catalog/document-copy.ts';
import { tokensFor } from './client.ts';
import { shown, shownSpread, spread } from './figures.ts';
import { cpuSeconds, memoryMegabytes, type Server, serve, serveProgram } from './processes.ts';
import { cubicDraws, oneCoreQueries } from './queries/mix.ts';
import { pathOf } from './queries/query.ts';
import { Vocabulary } from './queries/vocabulary.ts';
import { readRealParts } from './real-parts.ts';
import type { Row } from './row.ts';
import { benchData } from './search/data-folder.ts';
import { hasWrk } from './wrk.ts';

/** The processor of the measured server with all of its threads, and that of wrk. */
const SERVER_PROCESSOR = '0';
const LOAD_PROCESSOR = '1';

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const SECONDS = 5;
const HOT_POOL = 2_000;
const HOT_DRAWS = 30_000;
/** More than a round sends, so that none is sent twice. */
const COLD_QUERIES = 30_000;
const LIMIT_BYTES = 20 * 1024;

/** The figures of one load. */
interface Figures {
  perSecond: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  /** Processor time per request of the thread that serves, and of all threads, in microseconds. */
  threadMicroseconds: number;
  processMicroseconds: number;
}

/**
 * Compares the service on one processor with bare Fastify on the same one, while wrk sends the requests on another
 * (bench/README.md, One core). Each round loads the service with the hot mix and with a part of the cold one, then bare
 * Fastify. Needs wrk and taskset.
 */
export async function measureOneCore(options: {
  keep: string;
  folder: string;
  dataFolder: string;
  tracks: number;
  rounds: number;
}): Promise<Row[]> {
  if (!hasWrk()) throw new Error('The part one-core needs wrk.');
  const { folder, dataFolder, tracks, rounds } = options;
  const data = await benchData({ folder: options.keep, dataFolder, tracks });
  const vocabulary = new Vocabulary(await readRealParts(dataFolder), tracks);
  const pool = oneCoreQueries(vocabulary, HOT_POOL, 'hot').map(pathOf);
  const cold = oneCoreQueries(vocabulary, COLD_QUERIES * rounds, 'cold').map(pathOf);
  const server = await serve(data.settings, 18_094);
  const limit: Server = await serveProgram(new URL('limits/bare-server.ts', import.meta.url), {
    sizeBytes: LIMIT_BYTES,
  });
  try {
    const authorizations = await tokensFor(server.port, data.clients);
    const hotFile = join(folder, 'hot.http');
    const coldFile = join(folder, 'cold.http');
    writeFileSync(hotFile, requestsOf(cubicDraws(pool, HOT_DRAWS, 'hot'), authorizations));
    writeFileSync(coldFile, requestsOf(cold, authorizations));
    await idle(server.pid, tracks < COPY_FROM ? undefined : join(data.folder, DOCUMENTS_FILE));
    for (const { pid } of [server, limit]) pinned(pid);

    const hot: Figures[] = [];
    const never: Figures[] = [];
    const bare: Figures[] = [];
    await load(server, hotFile, 1, WARM_UP_SECONDS);
    await load(limit, hotFile, 1, WARM_UP_SECONDS);
    for (let round = 0; round < rounds; round++) {
      hot.push(await load(server, hotFile, 1));
      never.push(await load(server, coldFile, round * COLD_QUERIES + 1));
      bare.push(await load(limit, hotFile, 1));
    }
    return [
      row(`hot: ${HOT_POOL.toLocaleString('en')} queries, fifty clients`, hot, bare, 0.5),
      row(`cold: ${cold.length.toLocaleString('en')} queries, fifty clients`, never, bare, 0.2),
      row('bare Fastify, one buffer of 20 KB', bare, bare, 1),
      {
        what: 'memory of the service, now and at its peak',
        figure: `${shown(memoryMegabytes(server.pid, 'VmRSS'))} and ${shown(memoryMegabytes(server.pid, 'VmHWM'))} MB`,
        goal: '',
      },
    ].map((figures) => ({ ...figures, at: tracks.toLocaleString('en') }));
  } finally {
    await server.stop();
    await limit.stop();
  }
}

function requestsOf(paths: readonly string[], authorizations: readonly string[]): string {
  return paths
    .map(
      (path, i) =>
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorizations[i % authorizations.length]}\r\n\r\n`,
    )
    .join('');
}

/**
 * Waits until a process has stored its documents and uses less than a twentieth of a processor. Beside other work, the
 * thread that writes them may get so little of a processor that its time alone does not tell.
 */
async function idle(pid: number, documents: string | undefined): Promise<void> {
  for (;;) {
    const before = processorTimes(pid).process;
    await setTimeout(1_000);
    const isStored = documents === undefined || existsSync(documents);
    if (isStored && processorTimes(pid).process - before < 50_000) return;
  }
}

/** Restricts all threads of a process, and those that it starts later, to the processor of the server. */
function pinned(pid: number): void {
  execFileSync('taskset', ['-acp', SERVER_PROCESSOR, String(pid)]);
}

/** Loads a server with the requests of a file, from the given one on. Throws if a response is not 2xx. */
async function load(
  { port, pid }: Server,
  file: string,
  first: number,
  seconds = SECONDS,
): Promise<Figures> {
  const script = fileURLToPath(new URL('one-core.lua', import.meta.url));
  const how = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script];
  const child = spawn(
    'taskset',
    ['-c', LOAD_PROCESSOR, 'wrk', ...how, `http://127.0.0.1:${port}`, '--', file, String(first)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const before = processorTimes(pid);
  const [report] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const after = processorTimes(pid);
  const figures = JSON.parse(report.trim().split('\n').at(-1)!) as Record<
    'requests' | 'seconds' | 'failures' | 'p50' | 'p99',
    number
  >;
  if (figures.failures > 0) throw new Error(`requests failed: ${report}`);
  const { requests, p50, p99 } = figures;
  return {
    perSecond: requests / figures.seconds,
    p50,
    p99,
    threadMicroseconds: (after.thread - before.thread) / requests,
    processMicroseconds: (after.process - before.process) / requests,
  };
}

/** The processor time that the first thread and all threads of a process have used, in microseconds. */
function processorTimes(pid: number): { thread: number; process: number } {
  const [used] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return { thread: Number(used) / 1000, process: cpuSeconds(pid) * 1e6 };
}

function row(what: string, ours: readonly Figures[], bare: readonly Figures[], goal: number): Row {
  const of = (figure: keyof Figures) => spread(ours.map((round) => round[figure]));
  const ratio = spread(ours.map(({ perSecond }, round) => perSecond / bare[round]!.perSecond));
  const byTime = spread(
    ours.map(
      ({ processMicroseconds }, round) => bare[round]!.processMicroseconds / processMicroseconds,
    ),
  );
  return {
    what: `${what}, on one processor, ${CONNECTIONS} connections`,
    figure:
      `${shownSpread(ratio)} of the limit: ${shown(of('perSecond').median)} requests/s, ` +
      `p50 ${shown(of('p50').median)} ms, p99 ${shownSpread(of('p99'), ' ms')}, processor time per request ` +
      `${shownSpread(of('threadMicroseconds'), ' µs')} in the serving thread, ` +
      `${shown(of('processMicroseconds').median)} µs in all: ${shownSpread(byTime)} of the limit`,
    goal: `at least ${goal}`,
  };
}
