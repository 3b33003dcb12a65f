import { afterAll, beforeAll, expect, it } from 'vitest';
import { newSortableId } from '../../src/common/ids.ts';
import type { Store } from '../../src/features/store.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

let folder: TemporaryFolder;
let data: string;
let clientId: string;
beforeAll(async () => {
  folder = temporaryFolder();
  data = folder.at('data');
  const create = ['clients', 'create', '--name', 'Acme', '--scopes', 'tracks'];
  ({ clientId } = await staveJson(data, [...create, '--features', 'webhooks']));
  const store = await openStoreOf(data);
  await store.webhooks.create(
    {
      id: ID,
      url: 'https://partner.example/hook?v=2&token=sesame',
      eventTypes: ['track.created'],
      description: 'a\u0007',
      authorization: 'Bearer sesame',
      referencedOnly: false,
      secret: Buffer.from('0123456789abcdef0123456789abcdef'),
    },
    { actor: `client:${clientId}`, clientId, mode: 'test' },
  );
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

it('lists and shows webhooks without their secrets', async () => {
  const webhook = {
    id: ID,
    url: 'https://partner.example/hook?v=…&token=…',
    eventTypes: ['track.created'],
    description: 'a\u0007',
    referencedOnly: false,
    hasAuthorization: true,
    enabled: true,
    disabledReason: null,
    isFailing: false,
    version: 1,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    clientId,
    clientName: 'Acme',
    mode: 'test',
  };
  expect(await staveJson(data, ['webhooks', 'show', ID.toUpperCase()])).toEqual(webhook);
  expect(await staveJson(data, ['webhooks', 'list'])).toEqual([webhook]);
  expect(await staveJson(data, ['webhooks', 'list', '--client', clientId])).toEqual([webhook]);
  const { stdout } = await stave(data, ['webhooks', 'show', ID]);
  expect(stdout).toContain('https://partner.example/hook?v=…&token=…');
  expect(stdout).not.toContain('sesame');
  expect(stdout).not.toContain('\u0007');
  expect((await stave(data, ['webhooks', 'list'])).stdout).toContain('enabled');
  const unknown = await stave(data, ['webhooks', 'show', clientId]);
  expect(unknown.code).toBe(1);
});

it('pings, disables, enables and replays', async () => {
  const { deliveryId } = await staveJson(data, ['webhooks', 'ping', ID]);
  const delivery = {
    id: deliveryId,
    type: 'webhook.ping',
    seq: null,
    status: 'pending',
    attemptCount: 0,
    nextAttemptAt: expect.any(String),
    createdAt: expect.any(String),
    finishedAt: null,
  };
  const deliveries = (...options: string[]) =>
    staveJson(data, ['webhooks', 'deliveries', ID, ...options]);
  expect(await deliveries()).toEqual([delivery]);
  expect(await deliveries('--status', 'failed')).toEqual([]);
  expect((await stave(data, ['webhooks', 'deliveries', ID])).stdout).toContain(deliveryId);
  const turn = (name: string) => staveJson(data, ['webhooks', name, ID]);
  expect(await turn('disable')).toEqual({ id: ID, enabled: false, changed: true });
  expect(await turn('disable')).toEqual({ id: ID, enabled: false, changed: false });
  expect((await stave(data, ['webhooks', 'list'])).stdout).toContain('disabled (operator)');
  expect(await deliveries('--status', 'discarded')).toHaveLength(1);
  expect((await stave(data, ['webhooks', 'ping', ID])).code).toBe(1);
  expect(await turn('enable')).toEqual({ id: ID, enabled: true, changed: true });
  expect(await staveJson(data, ['webhooks', 'replay', ID, '--from', '2026-01-01'])).toEqual({
    count: 0,
  });
  await staveJson(data, ['clients', 'update', clientId, '--features', 'none']);
  for (const options of [['ping'], ['replay', '--from', '2026-01-01']]) {
    const [name, ...rest] = options as [string, ...string[]];
    const refused = await stave(data, ['webhooks', name, ID, ...rest]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('feature webhooks') });
  }
  const bad = await stave(data, ['webhooks', 'deliveries', ID, '--status', 'lost']);
  expect(bad.stderr).toContain('pending, delivered, failed, discarded');
});

it('shows a webhook that fails, also in the doctor, until it accepts a message', async () => {
  await staveJson(data, ['clients', 'update', clientId, '--features', 'webhooks']);
  const finding = async () => {
    const { json } = await stave(data, ['doctor', '--json']);
    return json.findings.find(({ check }: { check: string }) => check === 'webhooks');
  };
  const state = async () => {
    const [webhook] = await staveJson(data, ['webhooks', 'list']);
    return [
      webhook.isFailing,
      (await stave(data, ['webhooks', 'list'])).stdout.includes('failing'),
    ];
  };
  expect(await finding()).toMatchObject({ status: 'ok', detail: '1 webhook, none failing' });
  await attempt('pending');
  expect(await state()).toEqual([true, true]);
  expect(await finding()).toMatchObject({
    status: 'warning',
    detail: `1 of 1 webhook failing: ${ID} of client ${clientId}`,
    advice: expect.stringContaining('stave webhooks deliveries'),
  });
  await attempt('delivered');
  expect(await state()).toEqual([false, false]);
  expect(await finding()).toMatchObject({ status: 'ok' });
});

/** Records an attempt to deliver a message, as the sender does. */
async function attempt(outcome: 'pending' | 'delivered'): Promise<void> {
  await staveJson(data, ['webhooks', 'ping', ID]);
  const store = await openStoreOf(data);
  const at = Date.now();
  const [endpoint] = await store.webhookSending.dueEndpoints(at);
  const [message] = await store.webhookSending.claim(endpoint!.rowId, at, { limit: 1, ms: 1 });
  const [httpStatus, nextAt] = outcome === 'delivered' ? [204, null] : [500, at];
  const ends = { at, endedAt: at, durationMs: 1, nextAt, httpStatus, error: null };
  const of = { deliveryRowId: message!.rowId, webhookRowId: endpoint!.rowId };
  await store.webhookSending.record([{ ...ends, ...of, response: '', outcome }]);
  await store.close();
}

it('lists thousands of deliveries in pages, each once', async () => {
  await staveJson(data, ['clients', 'update', clientId, '--features', 'webhooks']);
  const store = await openStoreOf(data);
  const before = await staveJson(data, ['webhooks', 'deliveries', ID]);
  const { position, subscribers } = await readFanOut(store);
  const [subscriber] = subscribers;
  const now = Date.now();
  const steps = Array.from({ length: 2_500 }, (_, n) => ({
    ...{ subscriber: subscriber!, type: 'track.created' as const, subject: '', count: 1 },
    ...{ id: newSortableId(now), fromSeq: n + 1, seq: n + 1, body: '{}' },
    previousSeq: n === 0 ? subscriber!.chains.get('track.created')!.seq : n,
  }));
  const some = [{ subscriber: subscriber!, steps }];
  expect(await store.webhookFanOut.append(position, position.seq, some)).toBe(true);
  await store.close();
  const listed = await staveJson(data, ['webhooks', 'deliveries', ID]);
  expect(listed).toHaveLength(before.length + 2_500);
  expect(new Set(listed.map(({ id }: { id: string }) => id)).size).toBe(listed.length);
  const times = listed.map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual([...times].sort().reverse());
  const { stdout } = await stave(data, ['webhooks', 'deliveries', ID]);
  expect(stdout.trim().split('\n')).toHaveLength(listed.length + 1);
}, 60_000);

async function readFanOut({ webhookFanOut }: Store) {
  await webhookFanOut.begin({ epoch: 'e', seq: 0 });
  return {
    position: (await webhookFanOut.position())!,
    subscribers: await webhookFanOut.subscribers(),
  };
}
