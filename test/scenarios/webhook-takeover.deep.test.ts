import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { newId, newSortableId } from '../../src/common/ids.ts';
import { newSigningSecret, shownSigningSecret } from '../../src/engines/net/signature.ts';
import { createClient } from '../../src/features/access/clients.ts';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { createDatabase, ON_POSTGRES } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { openAt } from './feed/open-at.ts';

const BY = 'test:takeover';
/** After the death of a node, another one goes on in this time, and sends again what that one had taken. */
const GOES_ON_MS = 35_000;
const SENDS_TAKEN_MS = 65_000;
const SECRET = newSigningSecret();

/** A message as it arrived, verified by the reference library. */
interface Arrived {
  type: string;
  id: string;
  at: number;
}

/** Starts a receiver that accepts all messages but one, to which it does not respond. */
async function startReceiver() {
  const library = new Webhook(shownSigningSecret(SECRET));
  const arrived: Arrived[] = [];
  const faults: unknown[] = [];
  let held: string | undefined;
  let isHolding = false;
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const headers = request.headers as Record<string, string>;
    try {
      const { type } = library.verify(body, headers) as { type: string };
      arrived.push({ type, id: headers['webhook-id']!, at: performance.now() });
    } catch (error) {
      faults.push(error);
    }
    if (isHolding && held === undefined) held = headers['webhook-id'];
    else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    faults,
    holdNext: () => {
      isHolding = true;
    },
    held: () => held,
  };
}

it.runIf(ON_POSTGRES)(
  'a second node sends the messages of one that was killed, also those that it had taken',
  { timeout: 300_000 },
  async () => {
    using folder = temporaryFolder();
    await using database = await createDatabase();
    const place = { data: folder.at('data'), databaseUrl: database.url };
    const store = await openAt(place, systemClock);
    onTestFinished(() => store.close());
    const receiver = await startReceiver();
    const terms = { scopes: ['webhooks'], features: ['webhooks'] };
    const deps = { store, clock: systemClock, by: BY } as const;
    const { clientId } = await createClient(deps, { name: 'Partner', ...terms });
    const playlist = { id: newId(), name: 'P', description: '', createdAt: 1, updatedAt: 1 };
    await store.playlists.create(playlist, [], BY);
    await store.playlists.grant(playlist.id, clientId, BY);
    await store.webhooks.create(
      {
        ...{ id: newSortableId(systemClock.now()), url: receiver.url, secret: SECRET },
        ...{ description: '', referencedOnly: false },
        eventTypes: ['playlist.updated', 'track.created'],
      },
      { actor: BY, clientId, mode: 'test' },
    );
    const env = { STAVE_WEBHOOK_TARGETS: 'any', STAVE_DATABASE_URL: database.url };
    const first = await serve(place.data, env);
    onTestFinished(async () => {
      await first.stop('SIGKILL');
    });
    let changes = 0;
    const change = async () => {
      await store.playlists.update(playlist.id, { name: `P ${changes}` }, BY);
      await importAll(store, deliveries(changes, ++changes), `b${changes}`);
    };
    const arrivedOf = (type: string) => receiver.arrived.filter((one) => one.type === type);
    const bothArrived = (after: number) => () =>
      ['playlist.updated', 'track.created'].every((type) =>
        arrivedOf(type).some(({ at }) => at > after),
      );
    await change();
    await until(bothArrived(0), 'the first messages', 60_000);
    const second = await serve(folder.at('other'), env);
    onTestFinished(async () => {
      await second.stop();
    });

    receiver.holdNext();
    await change();
    await until(() => receiver.held() !== undefined, 'a message without a response', 60_000);
    await first.stop('SIGKILL');
    const killedAt = performance.now();
    await change();
    await until(bothArrived(killedAt), 'messages of the second node', GOES_ON_MS);
    const again = () =>
      receiver.arrived.some(({ id, at }) => id === receiver.held() && at > killedAt);
    await until(
      again,
      'the message that was taken',
      SENDS_TAKEN_MS - (performance.now() - killedAt),
    );
    await until(async () => (await store.webhookSending.pending()) === 0);
    expect(receiver.faults).toEqual([]);
    expect(new Set(arrivedOf('playlist.updated').map(({ id }) => id)).size).toBe(changes);
  },
);
