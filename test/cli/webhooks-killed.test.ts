import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startReceiver } from '../contract/webhook-receiver-support.ts';
import { openStoreOf, serve, someTracks, staveJson, temporaryFolder } from '../harness/cli.ts';
import { testRandom } from '../harness/test-random.ts';
import { until } from '../harness/until.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const TRACKS = 5;
const ENV = { STAVE_DEMO: 'off', STAVE_WEBHOOK_TARGETS: 'any' };

interface Payload {
  type: string;
  data: { seq: number; previousSeq: number; items: { seq: number }[] };
}

it('loses no message when the sending process is killed, beside a receiver with faults', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  writeFileSync(folder.at('tracks.ndjson'), someTracks(TRACKS));
  const scopes = ['--scopes', 'tracks', '--features', 'webhooks'];
  const created = await staveJson(data, ['clients', 'create', '--name', 'Acme', ...scopes]);
  const { clientId } = created;
  const random = testRandom('a receiver with faults');
  const accepted = new Map<string, Payload>();
  const receiver = await startReceiver(({ headers, body }) => {
    if (random.next() < 0.2) return { status: 500 };
    accepted.set(String(headers['webhook-id']), JSON.parse(body));
    return { status: 204 };
  });
  const store = await openStoreOf(data);
  const eventTypes = ['track.created', 'track.taken_down', 'track.restored'] as const;
  await store.webhooks.create(
    {
      id: ID,
      url: receiver.url,
      eventTypes: [...eventTypes],
      description: '',
      referencedOnly: false,
      secret: Buffer.alloc(32, 1),
    },
    { actor: 'test:harness', clientId, mode: 'test' },
  );
  let ids: string[] = [];
  for (let round = 0; round < 3; round++) {
    await using serving = await serve(data, ENV);
    await until(async () => (await store.webhookFanOut.position()) !== undefined);
    if (round === 0) {
      await staveJson(data, ['import', folder.at('tracks.ndjson')]);
      const changes = await store.changes.since(0, ['track'], 100);
      ids = changes.map(({ entityId }) => entityId);
    } else {
      for (const id of ids) {
        await store.catalog.setState(id, round === 1 ? 'taken_down' : 'live', 'test:harness');
      }
    }
    const before = accepted.size;
    if (round < 2) {
      // Some messages are sent, some are being sent, and some are not made yet.
      await until(() => accepted.size > before);
      await serving.stop('SIGKILL');
      continue;
    }
    const reported = () => [...accepted.values()].flatMap((one) => one.data.items);
    await until(
      () => new Set(reported().map(({ seq }) => seq)).size === 3 * TRACKS,
      'all',
      120_000,
    );
  }
  const log = await store.changes.since(0, ['track'], 100);
  const seqs = [...accepted.values()].flatMap(({ data: { items } }) => items.map(({ seq }) => seq));
  expect(seqs.toSorted((a, b) => a - b)).toEqual(log.map(({ seq }) => seq));
  for (const type of eventTypes) {
    const chain = [...accepted.values()]
      .filter((payload) => payload.type === type)
      .sort((a, b) => a.data.seq - b.data.seq);
    const previous = chain.map((payload) => payload.data.previousSeq);
    expect(previous).toEqual([0, ...chain.slice(0, -1).map((payload) => payload.data.seq)]);
  }
  await store.close();
});
