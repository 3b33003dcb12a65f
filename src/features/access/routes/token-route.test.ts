import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  basic,
  bodyOf,
  clientId,
  credentials,
  grant,
  liveSecret,
  seen,
  server,
  testSecret,
  useTokenServer,
} from '../../../../test/harness/token-server.ts';
import { newId } from '../../../common/ids.ts';
import { createClient, rotateSecret, setClientEnabled, showClient } from '../clients.ts';
import { newSecret } from '../secret.ts';

useTokenServer();

describe('a successful token request', () => {
  it('gets the envelope with everything that a client needs', async () => {
    const response = await server.token(credentials());
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(await bodyOf(response)).toEqual({
      data: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'search tracks',
        mode: 'test',
      },
      error: { code: 0, message: 'OK' },
    });
  });

  it('takes the mode from the secret, whatever the request contains', async () => {
    const response = await server.token(
      credentials({ client_secret: liveSecret, mode: 'test', sid: 'x', client_name: 'y' }),
      { 'x-mode': 'test' },
    );
    const { data } = await bodyOf(response);
    expect(data.mode).toBe('live');
    expect(decodeJwt(data.access_token as string).mode).toBe('live');
    const me = await bodyOf(await server.me(data.access_token as string));
    expect(me.data.mode).toBe('live');
  });

  it('restricts the token to the requested scopes', async () => {
    const { data } = await bodyOf(await server.token(credentials({ scope: 'search' })));
    expect(data.scope).toBe('search');
    const me = await bodyOf(await server.me(data.access_token as string));
    expect(me.data.scopes).toEqual(['search']);
  });

  it('gets only the envelope, also for a form and for HTTP Basic', async () => {
    for (const response of [
      await server.tokenByForm(credentials()),
      await server.tokenByForm(grant, basic(clientId, testSecret)),
      await server.token(grant, basic(clientId, testSecret)),
    ]) {
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const body = await bodyOf(response);
      expect(Object.keys(body).sort()).toEqual(['data', 'error']);
      expect(body.error).toEqual({ code: 0, message: 'OK' });
    }
  });

  it('accepts HTTP Basic with a form', async () => {
    const response = await server.tokenByForm(grant, basic(clientId, liveSecret));
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data.mode).toBe('live');
  });

  it('works at once for a new client and a new secret', async () => {
    const fresh = await createClient(server.deps, { name: 'Fresh', scopes: ['search'] });
    const ids = { client_id: fresh.clientId, client_secret: fresh.testSecret };
    expect((await server.token({ ...grant, ...ids })).status).toBe(200);
    const { secret } = await rotateSecret(server.deps, clientId, 'test');
    expect((await server.token(credentials({ client_secret: secret }))).status).toBe(200);
    expect((await server.token(credentials())).status).toBe(200);
  });
});

describe('a refused token request', () => {
  /** The five kinds of invalid clients. All responses must look the same. */
  async function strangers() {
    const disabled = await server.newClient();
    await setClientEnabled(server.deps, disabled.clientId, false);
    const revoked = (await showClient(server.deps, clientId)).secrets.find(
      ({ mode }) => mode === 'live',
    )!;
    await server.deps.store.clients.revokeSecret(clientId, revoked.id, server.deps.by);
    await server.catchUp();
    return {
      'unknown client': { client_id: newId(), client_secret: testSecret },
      'wrong secret': { client_id: clientId, client_secret: newSecret('test') },
      'revoked secret': { client_id: clientId, client_secret: liveSecret },
      'disabled client': { client_id: disabled.clientId, client_secret: disabled.testSecret },
      'bad checksum': { client_id: clientId, client_secret: `${testSecret.slice(0, -1)}!` },
      'malformed secret': { client_id: 'x', client_secret: 'y' },
    };
  }

  it('gets the same invalid_client for any wrong credentials, for JSON without a challenge', async () => {
    const responses: Awaited<ReturnType<typeof seen>>[] = [];
    for (const ids of Object.values(await strangers())) {
      responses.push(await seen(await server.token({ ...grant, ...ids })));
    }
    expect(responses[0]).toMatchObject({
      status: 401,
      shown: { code: 401, type: 'invalid_client' },
    });
    expect(responses[0]!.rest).toEqual({ data: {} });
    expect(Object.fromEntries(responses[0]!.headers)).not.toHaveProperty('www-authenticate');
    expect(responses).toEqual(responses.map(() => responses[0]));
  });

  it('gets the same by form and by Basic, with a challenge', async () => {
    const responses: Awaited<ReturnType<typeof seen>>[] = [];
    for (const ids of Object.values(await strangers())) {
      responses.push(await seen(await server.tokenByForm({ ...grant, ...ids })));
      responses.push(
        await seen(await server.tokenByForm(grant, basic(ids.client_id, ids.client_secret))),
      );
    }
    responses.push(await seen(await server.token(grant, basic('x', 'y'))));
    expect(responses[0]!.status).toBe(401);
    expect(Object.fromEntries(responses[0]!.headers)['www-authenticate']).toBe(
      'Basic realm="stave"',
    );
    expect(responses).toEqual(responses.map(() => responses[0]));
  });

  it('reads the change log once for each refusal', async () => {
    const ways = await strangers();
    const { changes } = server.store;
    const head = changes.head.bind(changes);
    let reads = 0;
    changes.head = () => {
      reads += 1;
      return head();
    };
    for (const ids of Object.values(ways)) {
      reads = 0;
      await server.token({ ...grant, ...ids });
      expect(reads).toBe(1);
    }
  });

  it('reports every missing member together', async () => {
    const response = await server.token({});
    expect(response.status).toBe(400);
    const { error } = await bodyOf(response);
    expect(error.type).toBe('invalid_request');
    expect(error.details!.map(({ field }) => field)).toEqual([
      'grant_type',
      'client_id',
      'client_secret',
    ]);
  });

  it('is invalid_request for credentials in two places or given twice', async () => {
    const responses = [
      await server.tokenByForm(credentials(), basic(clientId, testSecret)),
      await server.token(credentials(), basic(clientId, testSecret)),
      await fetch(`${server.base}/v1/auth/token`, {
        method: 'POST',
        body: new URLSearchParams([...Object.entries(credentials()), ['client_id', clientId]]),
      }),
      await fetch(`${server.base}/v1/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(credentials()).replace('{', '{"client_secret":"x",'),
      }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error.type).toBe('invalid_request');
    }
  });

  it('is unsupported_grant_type for any other grant', async () => {
    const response = await server.token(credentials({ grant_type: 'password' }));
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.type).toBe('unsupported_grant_type');
  });

  it('gets invalid_scope for a scope that the client lacks, after authentication', async () => {
    const response = await server.token(credentials({ scope: 'search analytics' }));
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.type).toBe('invalid_scope');
    const stranger = await server.token(
      credentials({ scope: 'analytics', client_secret: newSecret('test') }),
    );
    expect((await bodyOf(stranger)).error.type).toBe('invalid_client');
  });

  it('ignores credentials in the query', async () => {
    const query = new URLSearchParams(credentials());
    const response = await fetch(`${server.base}/v1/auth/token?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(400);
  });
});
