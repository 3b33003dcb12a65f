import { describe, expect, it } from 'vitest';
import {
  basic,
  bodyOf,
  clientId,
  credentials,
  grant,
  seen,
  server,
  testSecret,
  useTokenServer,
} from '../../../../test/harness/token-server.ts';
import { newId } from '../../../common/ids.ts';
import { newSecret } from '../secret.ts';

useTokenServer();

describe('guessing', () => {
  const guess = (address: string, id = clientId) =>
    server.token(credentials({ client_id: id, client_secret: newSecret('test') }), {
      'x-forwarded-for': address,
    });

  it('is limited after ten failures per minute, for known and unknown clients', async () => {
    const responses: Awaited<ReturnType<typeof seen>>[] = [];
    for (const id of [clientId, newId()]) {
      for (let i = 0; i < 10; i++) {
        expect((await guess('192.0.2.1', id)).status).toBe(401);
      }
      responses.push(await seen(await guess('192.0.2.1', id)));
    }
    expect(responses[0]).toMatchObject({ status: 429, shown: { type: 'rate_limited' } });
    expect(Object.fromEntries(responses[0]!.headers)['retry-after']).toBe('60');
    expect(responses[1]).toEqual(responses[0]);
    expect((await guess('192.0.2.2')).status).toBe(401);
    server.clock.advance(60);
    expect((await guess('192.0.2.1')).status).toBe(401);
  });

  it('never refuses the right secret, which does not reset the limit', async () => {
    for (let i = 0; i < 12; i++) {
      await guess('192.0.2.1');
    }
    const right = await server.token(credentials(), { 'x-forwarded-for': '192.0.2.1' });
    expect(right.status).toBe(200);
    expect((await guess('192.0.2.1')).status).toBe(429);
  });

  it('is limited after three hundred failures from one address, over all ids', async () => {
    await Promise.all(Array.from({ length: 300 }, () => guess('192.0.2.1', newId())));
    expect((await guess('192.0.2.1', newId())).status).toBe(429);
    expect((await guess('192.0.2.9', newId())).status).toBe(401);
  });

  it.each([
    ['with a port that changes', (i: number) => `203.0.113.7:${1024 + i}`],
    ['in brackets, with a port that changes', (i: number) => `[2001:db8::1]:${1024 + i}`],
    ['that cannot be parsed', (i: number) => `garbage ${i}`],
  ])('is limited for forwarded addresses %s', async (_, form) => {
    const statuses: number[] = [];
    for (let i = 0; i < 400; i++) statuses.push((await guess(form(i))).status);
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(390).fill(429)]);
  });

  it('does not count requests with other errors', async () => {
    for (let i = 0; i < 12; i++) {
      await server.token({}, { 'x-forwarded-for': '192.0.2.1' });
      await server.token(credentials({ scope: 'nothing' }), { 'x-forwarded-for': '192.0.2.1' });
    }
    expect((await guess('192.0.2.1')).status).toBe(401);
  });
});

describe('the log', () => {
  it('contains no secret and no token', async () => {
    const { data } = await bodyOf(await server.token(credentials()));
    const token = data.access_token as string;
    await server.me(token);
    await server.me(`${token}x`);
    const wrong = newSecret('live');
    await server.token(credentials({ client_secret: wrong }));
    await server.tokenByForm(grant, basic(clientId, wrong));
    await server.tokenByForm(credentials(), basic(clientId, testSecret));
    const log = server.logged();
    for (const hidden of [testSecret, wrong, token, token.split('.')[2]!]) {
      expect(log).not.toContain(hidden);
      expect(log).not.toContain(Buffer.from(`${clientId}:${hidden}`).toString('base64'));
    }
  });
});
