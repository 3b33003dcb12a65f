import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/common/clock.ts';
import { newId, newSortableId } from '../../../src/common/ids.ts';
import { createClient } from '../../../src/features/access/clients.ts';
import type { Store } from '../../../src/features/store.ts';
import { serve, temporaryFolder } from '../../harness/cli.ts';
import { startPostgres } from '../../harness/postgres-server.ts';
import { testRandom } from '../../harness/test-random.ts';
import { openAt, type Place } from '../feed/open-at.ts';
import { type FaultyReceiver, startFaultyReceiver } from './faulty-receiver.ts';

const BY = 'test:webhooks';
/** The endpoints of a client, the most in one mode. */
const OF_CLIENT = 10;
/** The part of the requests that the receiver refuses. */
const FAULTS = 0.2;
/** The messages to an endpoint that are on their way: fewer than those that make them truncated. */
const ON_THE_WAY = 300;
/** The node is killed when these parts of the messages have arrived. */
const KILLS = [1 / 3, 2 / 3];
/** The time in which messages must arrive, from the last one that did. */
const PATIENCE_MS = 120_000;

interface WebhookOptions {
  /** The least number of messages. */
  messages: number;
  endpoints: number;
  database: 'SQLite' | 'PostgreSQL';
  /** Called with the progress. */
  log?: (line: string) => void;
}

/** What was received. */
interface WebhookReport {
  messages: number;
  requests: number;
  refused: number;
  /** Those that ran out of attempts, and arrived after a replay. */
  replayed: number;
  /** Changes that did not arrive at an endpoint, and messages that name another one before than there was. */
  lost: number;
  brokenLinks: number;
  seconds: number;
}

/** An endpoint with its client. */
interface Endpoint {
  id: string;
  clientId: string;
}

/**
 * Runs a node that sends messages to a receiver with faults, and kills it twice. Compares what arrived with the change
 * log.
 */
export async function runWebhooks(options: WebhookOptions): Promise<WebhookReport> {
  using folder = temporaryFolder();
  const data = folder.at('data');
  if (options.database === 'SQLite') return runOn({ data, databaseUrl: undefined }, options);
  await using postgres = await startPostgres([]);
  return await runOn({ data, databaseUrl: postgres.url }, options);
}

async function runOn(place: Place, options: WebhookOptions): Promise<WebhookReport> {
  const { endpoints: count, messages, log } = options;
  const random = testRandom('a receiver with faults');
  await using receiver = await startFaultyReceiver(count, FAULTS, () => random.next());
  const store = await openAt(place, systemClock);
  const env = {
    STAVE_WEBHOOK_TARGETS: 'any',
    ...(place.databaseUrl !== undefined && { STAVE_DATABASE_URL: place.databaseUrl }),
  };
  let serving = await serve(place.data, env);
  try {
    const startedAt = performance.now();
    const { endpoints, playlistId } = await register(store, receiver, count);
    const changes = Math.ceil(messages / count);
    const kills = KILLS.map((part) => Math.round(part * changes * count));
    const killIfDue = async () => {
      if (kills.length === 0 || receiver.messages < kills[0]!) return;
      kills.shift();
      log?.(`killed after ${receiver.messages} messages`);
      await serving.stop('SIGKILL');
      serving = await serve(place.data, env);
    };
    for (let n = 0; n < changes; n++) {
      await store.playlists.update(playlistId, { name: `P ${n}` }, BY);
      while ((n + 1) * count - receiver.messages > ON_THE_WAY * Math.min(count, 10)) {
        await killIfDue();
        await sleep(5);
      }
      await killIfDue();
      if (n % 100 === 99) log?.(`${n + 1} of ${changes} changes, ${receiver.messages} messages`);
    }
    const replayed = await untilAll(store, endpoints, receiver, changes * count, killIfDue);
    const { requests, refused } = receiver;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const compared = await compare(store, receiver, playlistId);
    return { messages: receiver.messages, requests, refused, replayed, ...compared, seconds };
  } finally {
    await serving.stop('SIGKILL');
    await store.close();
  }
}

/** Registers endpoints of clients that are all granted a playlist. */
async function register(store: Store, receiver: FaultyReceiver, count: number) {
  const deps = { store, clock: systemClock, by: BY } as const;
  const now = systemClock.now();
  const playlistId = newId();
  const playlist = { id: playlistId, name: 'P', description: '', createdAt: now, updatedAt: now };
  await store.playlists.create(playlist, [], BY);
  const endpoints: Endpoint[] = [];
  let clientId = '';
  for (let n = 0; n < count; n++) {
    if (n % OF_CLIENT === 0) {
      const terms = { scopes: ['webhooks'], features: ['webhooks'] };
      ({ clientId } = await createClient(deps, { name: `Client ${n}`, ...terms }));
      await store.playlists.grant(playlistId, clientId, BY);
    }
    const context = { actor: BY, clientId, mode: 'test' } as const;
    const { id } = await store.webhooks.create(
      {
        id: newSortableId(now),
        url: receiver.urlOf(n),
        eventTypes: ['playlist.updated'],
        description: '',
        referencedOnly: false,
        secret: Buffer.alloc(32, 1),
      },
      context,
    );
    endpoints.push({ id, clientId });
  }
  return { endpoints, playlistId };
}

/** Waits until all messages have arrived, and replays those that ran out of attempts. Returns their number. */
async function untilAll(
  store: Store,
  endpoints: readonly Endpoint[],
  receiver: FaultyReceiver,
  messages: number,
  killIfDue: () => Promise<void>,
): Promise<number> {
  let replayed = 0;
  let arrived = receiver.messages;
  let since = performance.now();
  while (receiver.messages < messages && performance.now() - since < PATIENCE_MS) {
    await killIfDue();
    await sleep(250);
    if (receiver.messages > arrived) [arrived, since] = [receiver.messages, performance.now()];
    if ((await store.webhookSending.pending()) > 0) continue;
    for (const { id, clientId } of endpoints) {
      const context = { actor: BY, clientId, mode: 'test' } as const;
      const request = { from: 0, status: 'failed' } as const;
      replayed += (await store.webhookDeliveries.replayBetween(id, request, context)).count;
    }
  }
  return replayed;
}

/** Compares the messages of each endpoint with the changes that it had to be told of. */
async function compare(store: Store, { accepted }: FaultyReceiver, playlistId: string) {
  const seqs: number[] = [];
  for (let page = await store.changes.since(0, ['playlist'], 1_000); page.length > 0; ) {
    const own = page.filter(({ kind, entityId }) => kind === 'updated' && entityId === playlistId);
    seqs.push(...own.map(({ seq }) => seq));
    page = await store.changes.since(page.at(-1)!.seq, ['playlist'], 1_000);
  }
  let lost = 0;
  let brokenLinks = 0;
  for (const messages of accepted) {
    const bySeq = new Map([...messages.values()].map((message) => [message.seq, message]));
    lost += seqs.filter((seq) => !bySeq.has(seq)).length;
    const isWhole = (seq: number, i: number) =>
      bySeq.get(seq)?.previousSeq === (i === 0 ? 0 : seqs[i - 1]) && !bySeq.get(seq)!.truncated;
    brokenLinks += seqs.filter((seq, i) => !isWhole(seq, i)).length;
    // A message that was made twice.
    brokenLinks += messages.size - bySeq.size;
  }
  return { lost, brokenLinks };
}
