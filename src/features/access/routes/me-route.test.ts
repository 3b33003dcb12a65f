import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessServer, listen } from '../../../../test/harness/access-server.ts';
import { updateClient } from '../clients.ts';

let server: AccessServer;
beforeEach(async () => {
  server = await listen();
});
afterEach(() => server.close());

const bodyOf = async (response: Response) => (await response.json()) as { data: unknown };

describe('GET /v1/me', () => {
  it('shows a client its name and the scopes of its token', async () => {
    const { clientId } = await server.newClient({
      name: 'Radio Süd',
      scopes: ['tracks', 'search'],
      features: ['usage', 'changes'],
      rateLimit: 120,
      account: 'Süd Media',
    });
    const response = await server.me(await server.newToken(clientId, 'live'));
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit-limit')).toBe('120');
    const expires = (Math.floor(server.clock.now() / 1000) + 3600) * 1000;
    expect(await bodyOf(response)).toEqual({
      data: {
        clientId,
        name: 'Radio Süd',
        mode: 'live',
        scopes: ['changes', 'search', 'tracks', 'usage'],
        features: ['changes', 'usage'],
        rateLimit: { limit: 120, windowSeconds: 60 },
        account: 'Süd Media',
        seat: null,
        tokenExpiresAt: new Date(expires).toISOString(),
      },
      error: { code: 0, message: 'OK' },
    });
  });

  it('omits scopes revoked since the token was issued, and shows only scopes of the token', async () => {
    const { clientId } = await server.newClient({ scopes: ['tracks', 'search'] });
    const token = await server.newToken(clientId);
    await updateClient(server.deps, clientId, { scopes: ['search', 'filters'], rateLimit: 5 });
    await server.catchUp();
    expect((await bodyOf(await server.me(token))).data).toMatchObject({
      scopes: ['search'],
      rateLimit: { limit: 5, windowSeconds: 60 },
    });
  });
});
