import { decodeJwt } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessServer, listen } from '../../../test/fixtures/access-server.ts';
import {
  createClient,
  disableClient,
  revokeSecret,
  rotateSecret,
  showClient,
} from '../../access/clients.ts';
import { newSecret } from '../../access/secret.ts';
import { newId } from '../../kernel/ids.ts';

let server: AccessServer;
let clientId: string;
let testSecret: string;
let liveSecret: string;
beforeEach(async () => {
  server = await listen();
  ({ clientId, testSecret, liveSecret } = await server.newClient({ scopes: ['tracks', 'search'] }));
});
afterEach(() => server.close());

const grant = { grant_type: 'client_credentials' };
const credentials = (more: object = {}) => ({
  ...grant,
  client_id: clientId,
  client_secret: testSecret,
  ...more,
});
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

async function bodyOf(response: Response) {
  return (await response.json()) as {
    data: Record<string, unknown>;
    error: { code: number; type?: string; message: string; details?: { field: string }[] };
    [member: string]: unknown;
  };
}

/** Everything of an answer that could tell one refusal from another. */
async function seen(response: Response) {
  const { error, ...rest } = await bodyOf(response);
  const { requestId, ...told } = error as typeof error & { requestId: string };
  expect(requestId).toBeTruthy();
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id'].includes(name),
  );
  return { status: response.status, headers, told, rest };
}

describe('a successful token request', () => {
  it('is answered with the envelope and everything a client needs', async () => {
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

  it('takes the mode from the secret, whatever else the request says', async () => {
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

  it('narrows the token to the scopes asked for', async () => {
    const { data } = await bodyOf(await server.token(credentials({ scope: 'search' })));
    expect(data.scope).toBe('search');
    const me = await bodyOf(await server.me(data.access_token as string));
    expect(me.data.scopes).toEqual(['search']);
  });

  it('carries the members of RFC 6749 at the top level for a form, and for a form alone', async () => {
    const response = await server.tokenByForm(credentials());
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = await bodyOf(response);
    const { mode, ...members } = body.data;
    expect(mode).toBe('test');
    expect(body).toEqual({ data: body.data, error: { code: 0, message: 'OK' }, ...members });
    const json = await bodyOf(await server.token(grant, basic(clientId, testSecret)));
    expect(Object.keys(json).sort()).toEqual(['data', 'error']);
  });

  it('accepts HTTP Basic with a form', async () => {
    const response = await server.tokenByForm(grant, basic(clientId, liveSecret));
    expect(response.status).toBe(200);
    expect((await bodyOf(response)).data.mode).toBe('live');
  });

  it('works at once for a client and for a secret made a moment ago', async () => {
    const fresh = await createClient(server.desk, { name: 'Fresh', scopes: ['search'] });
    const ids = { client_id: fresh.clientId, client_secret: fresh.testSecret };
    expect((await server.token({ ...grant, ...ids })).status).toBe(200);
    const { secret } = await rotateSecret(server.desk, clientId, 'test');
    expect((await server.token(credentials({ client_secret: secret }))).status).toBe(200);
    expect((await server.token(credentials())).status).toBe(200);
  });
});

describe('a refused token request', () => {
  /** The five ways to be no client; each must look like the others. */
  async function strangers() {
    const disabled = await server.newClient();
    await disableClient(server.desk, disabled.clientId);
    const revoked = (await showClient(server.desk, clientId)).secrets.find(
      ({ mode }) => mode === 'live',
    )!;
    await revokeSecret(server.desk, clientId, revoked.id);
    await server.catchUp();
    return {
      'unknown client': { client_id: newId(), client_secret: testSecret },
      'wrong secret': { client_id: clientId, client_secret: newSecret('test') },
      'revoked secret': { client_id: clientId, client_secret: liveSecret },
      'disabled client': { client_id: disabled.clientId, client_secret: disabled.testSecret },
      'bad checksum': { client_id: clientId, client_secret: `${testSecret.slice(0, -1)}!` },
      'no secret at all': { client_id: 'x', client_secret: 'y' },
    };
  }

  it('is the same invalid_client whatever is wrong, as JSON without a challenge', async () => {
    const answers: Awaited<ReturnType<typeof seen>>[] = [];
    for (const ids of Object.values(await strangers())) {
      answers.push(await seen(await server.token({ ...grant, ...ids })));
    }
    expect(answers[0]).toMatchObject({ status: 401, told: { code: 401, type: 'invalid_client' } });
    expect(answers[0]!.rest).toEqual({ data: {} });
    expect(Object.fromEntries(answers[0]!.headers)).not.toHaveProperty('www-authenticate');
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it('is the same again by form and by Basic, with a challenge', async () => {
    const answers: Awaited<ReturnType<typeof seen>>[] = [];
    for (const ids of Object.values(await strangers())) {
      answers.push(await seen(await server.tokenByForm({ ...grant, ...ids })));
      answers.push(
        await seen(await server.tokenByForm(grant, basic(ids.client_id, ids.client_secret))),
      );
    }
    answers.push(await seen(await server.token(grant, basic('x', 'y'))));
    expect(answers[0]!.status).toBe(401);
    expect(Object.fromEntries(answers[0]!.headers)['www-authenticate']).toBe('Basic realm="stave"');
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it('asks the change log once for each refusal, whoever it is about', async () => {
    const ways = await strangers();
    const { changes } = server.store;
    const head = changes.head.bind(changes);
    let asked = 0;
    changes.head = () => {
      asked += 1;
      return head();
    };
    for (const ids of Object.values(ways)) {
      asked = 0;
      await server.token({ ...grant, ...ids });
      expect(asked).toBe(1);
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
    const answers = [
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
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect((await bodyOf(answer)).error.type).toBe('invalid_request');
    }
  });

  it('is unsupported_grant_type for any other grant', async () => {
    const response = await server.token(credentials({ grant_type: 'password' }));
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.type).toBe('unsupported_grant_type');
  });

  it('is invalid_scope for a scope that the client lacks, told to nobody but the client', async () => {
    const response = await server.token(credentials({ scope: 'search analytics' }));
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.type).toBe('invalid_scope');
    const stranger = await server.token(
      credentials({ scope: 'analytics', client_secret: newSecret('test') }),
    );
    expect((await bodyOf(stranger)).error.type).toBe('invalid_client');
  });

  it('takes no credentials from the query', async () => {
    const query = new URLSearchParams(credentials());
    const response = await fetch(`${server.base}/v1/auth/token?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(400);
  });
});

describe('guessing', () => {
  const guess = (address: string, id = clientId) =>
    server.token(credentials({ client_id: id, client_secret: newSecret('test') }), {
      'x-forwarded-for': address,
    });

  it('is slowed after ten failures a minute, alike for known and unknown clients', async () => {
    const answers: Awaited<ReturnType<typeof seen>>[] = [];
    for (const id of [clientId, newId()]) {
      for (let i = 0; i < 10; i++) {
        expect((await guess('192.0.2.1', id)).status).toBe(401);
      }
      answers.push(await seen(await guess('192.0.2.1', id)));
    }
    expect(answers[0]).toMatchObject({ status: 429, told: { type: 'rate_limited' } });
    expect(Object.fromEntries(answers[0]!.headers)['retry-after']).toBe('60');
    expect(answers[1]).toEqual(answers[0]);
    expect((await guess('192.0.2.2')).status).toBe(401);
    server.clock.turn(60);
    expect((await guess('192.0.2.1')).status).toBe(401);
  });

  it('never locks out the right secret, and is not forgiven by it', async () => {
    for (let i = 0; i < 12; i++) {
      await guess('192.0.2.1');
    }
    const right = await server.token(credentials(), { 'x-forwarded-for': '192.0.2.1' });
    expect(right.status).toBe(200);
    expect((await guess('192.0.2.1')).status).toBe(429);
  });

  it('is slowed after three hundred failures from one address, over all ids', async () => {
    await Promise.all(Array.from({ length: 300 }, () => guess('192.0.2.1', newId())));
    expect((await guess('192.0.2.1', newId())).status).toBe(429);
    expect((await guess('192.0.2.9', newId())).status).toBe(401);
  });

  it('counts no request that is wrong in another way', async () => {
    for (let i = 0; i < 12; i++) {
      await server.token({}, { 'x-forwarded-for': '192.0.2.1' });
      await server.token(credentials({ scope: 'nothing' }), { 'x-forwarded-for': '192.0.2.1' });
    }
    expect((await guess('192.0.2.1')).status).toBe(401);
  });
});

describe('the log', () => {
  it('holds no secret and no token, whatever happened', async () => {
    const { data } = await bodyOf(await server.token(credentials()));
    const token = data.access_token as string;
    await server.me(token);
    await server.me(`${token}x`);
    const wrong = newSecret('live');
    await server.token(credentials({ client_secret: wrong }));
    await server.tokenByForm(grant, basic(clientId, wrong));
    await server.tokenByForm(credentials(), basic(clientId, testSecret));
    const log = server.logged.join('\n');
    for (const hidden of [testSecret, wrong, token, token.split('.')[2]!]) {
      expect(log).not.toContain(hidden);
      expect(log).not.toContain(Buffer.from(`${clientId}:${hidden}`).toString('base64'));
    }
  });
});
