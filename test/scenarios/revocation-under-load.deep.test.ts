import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rotateSecret, setClientEnabled } from '../../src/features/access/clients.ts';
import { rotateKeys } from '../../src/features/access/key-ring.ts';
import { type AccessServer, listen } from '../harness/access-server.ts';

let server: AccessServer;
beforeEach(async () => {
  server = await listen();
});
afterEach(() => server.close());

/** Calls GET /v1/me repeatedly with one token, on several connections, until it is stopped. */
function load(token: string) {
  let running = true;
  let sent = 0;
  const statuses: { status: number; begunAt: number }[] = [];
  const workers = Array.from({ length: 4 }, async () => {
    while (running) {
      const begunAt = sent++;
      statuses.push({ status: (await server.me(token)).status, begunAt });
    }
  });
  return {
    /** Returns how many requests have begun. */
    begun: () => sent,
    /** Waits for this number of further responses. */
    async responses(more: number) {
      const goal = statuses.length + more;
      while (statuses.length < goal) {
        await sleep(1);
      }
    },
    async stop() {
      running = false;
      await Promise.all(workers);
      return statuses;
    },
  };
}

async function tokenFor(clientId: string, secret: string): Promise<string> {
  const response = await server.token({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
  });
  const body = (await response.json()) as { data: { access_token: string } };
  return body.data.access_token;
}

const GENEROUS = { rateLimit: 1_000_000 };

describe('under load', () => {
  it('a revoked secret ends its tokens at once, and no request with the other secret fails', async () => {
    const { clientId, testSecret } = await server.newClient(GENEROUS);
    const old = server.registry.find(clientId)!.liveSecrets;
    const oldId = [...old.values()].find(({ mode }) => mode === 'test')!.id;
    const { secret } = await rotateSecret(server.deps, clientId, 'test');
    const leaving = load(await tokenFor(clientId, testSecret));
    const staying = load(await tokenFor(clientId, secret));
    await Promise.all([leaving.responses(50), staying.responses(50)]);

    await server.deps.store.clients.revokeSecret(clientId, oldId, server.deps.by);
    await server.catchUp();
    const known = leaving.begun();
    await Promise.all([leaving.responses(50), staying.responses(50)]);

    const left = await leaving.stop();
    expect(new Set(left.map(({ status }) => status))).toEqual(new Set([200, 401]));
    expect(left.filter(({ status, begunAt }) => begunAt >= known && status !== 401)).toEqual([]);
    expect(new Set((await staying.stop()).map(({ status }) => status))).toEqual(new Set([200]));
    expect(
      (
        await server.token({
          client_id: clientId,
          client_secret: testSecret,
          grant_type: 'client_credentials',
        })
      ).status,
    ).toBe(401);
  });

  it('a disabled client is refused at once, and other clients are not affected', async () => {
    const gone = await server.newClient(GENEROUS);
    const neighbor = await server.newClient(GENEROUS);
    const leaving = load(await tokenFor(gone.clientId, gone.liveSecret));
    const staying = load(await tokenFor(neighbor.clientId, neighbor.liveSecret));
    await Promise.all([leaving.responses(50), staying.responses(50)]);
    await setClientEnabled(server.deps, gone.clientId, false);
    await server.catchUp();
    const known = leaving.begun();
    await Promise.all([leaving.responses(50), staying.responses(50)]);
    const left = await leaving.stop();
    expect(left.filter(({ status, begunAt }) => begunAt >= known && status !== 401)).toEqual([]);
    expect(new Set((await staying.stop()).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('new signing keys invalidate no tokens', async () => {
    const { clientId, testSecret } = await server.newClient(GENEROUS);
    const before = load(await tokenFor(clientId, testSecret));
    await before.responses(50);
    await rotateKeys({ keys: server.store.keys, clock: server.clock }, 'test');
    await server.catchUp();
    const after = load(await tokenFor(clientId, testSecret));
    await Promise.all([before.responses(50), after.responses(50)]);
    for (const statuses of [await before.stop(), await after.stop()]) {
      expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
    }
  });

  it('exactly 600 of 650 simultaneous requests pass, over both modes and all tokens of a client', async () => {
    const { clientId, testSecret, liveSecret } = await server.newClient();
    const tokens = await Promise.all(
      [testSecret, liveSecret, testSecret].map((secret) => tokenFor(clientId, secret)),
    );
    const responses = await Promise.all(
      Array.from({ length: 650 }, (_, i) => server.me(tokens[i % 3]!)),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(600);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    for (const { headers } of refused) {
      expect(headers.get('ratelimit-remaining')).toBe('0');
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(
        Number(headers.get('ratelimit-reset')),
      );
    }
    server.clock.advance(Number(refused[0]!.headers.get('retry-after')));
    expect((await server.me(tokens[0]!)).status).toBe(200);
  });
});
