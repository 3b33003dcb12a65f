import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tokensFor } from '../client.ts';
import { createPeerDatabase, type PeerDatabase } from '../peers/postgres/database.ts';
import { load, memoryMegabytes, type Server, serve, serveProgram } from '../processes.ts';
import type { Vocabulary } from '../queries/vocabulary.ts';
import type { BenchData } from './data-folder.ts';
import { coldMix, coldReadsMix, hostileMix, hotMix } from './mixes.ts';
import { type Contender, jobOf, type Mix, measureMix, type RoundFigures } from './throughput.ts';

export const STAVE = 'Stave';
export const SAME_SERVER = 'the same server, a constant';
export const BARE_SERVER = 'bare Fastify, a constant';
export const TEXTBOOK = 'Fastify and PostgreSQL';

/** The port of the measured Stave. */
const PORT = 18_093;
const LIMIT_SECONDS = 5;
/** The time for which a signed URL keeps its bytes, so that each round creates the responses again once. */
const HOT_SECONDS = 10;
const COLD_SECONDS = 5;
const PEER_SECONDS = 10;
/** A server that responds to all of these queries sooner ends its round early. */
const COLD_QUERIES = 15_000 * COLD_SECONDS;

export interface ServerFigures {
  /** The figures of each round, by mix and then by contender. */
  mixes: Map<string, Map<string, RoundFigures[]>>;
  /** The memory of the serving process at the end. */
  megabytes: number;
  peakMegabytes: number;
  /** Undefined if the peer was not selected, or PostgreSQL is not available. */
  peer: Pick<PeerDatabase, 'secondsToLoad' | 'sizeMegabytes' | 'version'> | undefined;
}

/** Measures Stave with each mix, in comparison with both limits and the textbook peer. */
export async function measureServers(options: {
  data: BenchData;
  vocabulary: Vocabulary;
  folder: string;
  rounds: number;
  peers: boolean;
}): Promise<ServerFigures> {
  const { data, vocabulary, rounds } = options;
  const database = options.peers ? await createPeerDatabase(data.database) : undefined;
  const peer = database && (await textbookPeer(database));
  const server = await serve(data.settings, PORT);
  try {
    const stave: Contender = {
      name: STAVE,
      port: server.port,
      authorizations: await tokensFor(server.port, data.clients),
      pids: async () => [server.pid],
      seconds: COLD_SECONDS,
    };
    const mixes: ServerFigures['mixes'] = new Map();
    const measure = async (mix: Mix, ours: Contender, others: readonly Contender[]) => {
      const limits = await limitsFor(mix, ours, options.folder);
      const contenders = [ours, ...limits.map(({ contender }) => contender), ...others];
      mixes.set(mix.name, await measureMix(mix, contenders, rounds));
      await Promise.all(limits.map((limit) => limit.server.stop()));
    };
    const peers = peer === undefined ? [] : [peer.contender];
    if (peer !== undefined) {
      await load(jobOf(peer.contender, hotMix(vocabulary).paths(), PEER_SECONDS, false));
    }
    const steady = { ...stave, seconds: HOT_SECONDS, warmUpSeconds: 1 };
    await measure(hotMix(vocabulary), steady, peers);
    await measure(coldMix(vocabulary, COLD_QUERIES, rounds + 1), stave, peers);
    const reads = { folder: data.folder, perRound: COLD_QUERIES, rounds: rounds + 1 };
    await measure(coldReadsMix(vocabulary, reads), stave, []);
    await measure(hostileMix(vocabulary, COLD_QUERIES, rounds + 1), stave, []);
    return {
      mixes,
      megabytes: memoryMegabytes(server.pid, 'VmRSS'),
      peakMegabytes: memoryMegabytes(server.pid, 'VmHWM'),
      peer: database,
    };
  } finally {
    await server.stop();
    await peer?.server.stop();
    await database?.drop();
  }
}

/** Starts both limits. Their bodies are as long as those of Stave are on average in this mix. */
async function limitsFor(
  mix: Mix,
  stave: Contender,
  folder: string,
): Promise<{ contender: Contender; server: Server }[]> {
  const { bodyBytes } = await load(jobOf(stave, mix.paths(), 3, mix.once));
  const job = {
    sizeBytes: Math.round(bodyBytes),
    folder: mkdtempSync(join(folder, 'same-server-')),
  };
  const same = await serveProgram<{ port: number; authorization: string }>(
    new URL('../limits/same-server.ts', import.meta.url),
    job,
  );
  const bare: Server = await serveProgram(
    new URL('../limits/bare-server.ts', import.meta.url),
    job,
  );
  const limit = (name: string, server: Server, authorization?: string) => ({
    server,
    contender: {
      name,
      port: server.port,
      ...(authorization !== undefined && { authorizations: [authorization] }),
      pids: async () => [server.pid],
      seconds: LIMIT_SECONDS,
      isConstant: true,
    },
  });
  return [limit(SAME_SERVER, same, same.authorization), limit(BARE_SERVER, bare)];
}

async function textbookPeer(
  database: PeerDatabase,
): Promise<{ contender: Contender; server: Server }> {
  const server: Server = await serveProgram(
    new URL('../peers/postgres/server.ts', import.meta.url),
    { url: database.url },
  );
  return {
    server,
    contender: {
      name: TEXTBOOK,
      port: server.port,
      pids: async () => [server.pid, ...(await database.backendPids())],
      seconds: PEER_SECONDS,
    },
  };
}
