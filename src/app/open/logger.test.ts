import { describe, expect, it } from 'vitest';
import { openLog } from './logger.ts';

const SECRET = 'stave_live_4fQz8LrP1sVbN7yTgHkWc2xD9aJmE5uR0oXi';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

function logged(write: (log: ReturnType<typeof openLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = openLog({
    level: 'info',
    clock: { now: () => Date.UTC(2026, 0, 2) },
    destination: { write: (line) => lines.push(line) },
  });
  write(log);
  return lines.map((line) => JSON.parse(line));
}

describe('openLog', () => {
  it('writes one JSON object per line, with level and time', () => {
    expect(logged((log) => log.info({ port: 8080 }, 'listening'))).toEqual([
      { level: 'info', time: '2026-01-02T00:00:00.000Z', port: 8080, msg: 'listening' },
    ]);
  });

  it('omits lines below its level', () => {
    expect(logged((log) => log.debug({}, 'detail'))).toEqual([]);
  });

  it.each([
    [{ secret: SECRET }],
    [{ client: { client_secret: SECRET } }],
    [{ headers: { authorization: `Bearer ${TOKEN}` } }],
    [{ req: { headers: { authorization: 'Basic c3RhdmU6c2VzYW1lc2VzYW1l' } } }],
    [{ note: `the secret is ${SECRET}` }],
    [{ deep: { down: { below: { further: TOKEN } } } }],
    [{ url: `/media/1?expires=1800&signature=${'ab'.repeat(32)}` }],
    [{ err: new Error(`cannot read ${TOKEN}`) }],
    [{ err: Object.assign(new Error('no'), { token: 'abababab' }) }],
    [{ clients: [{ hash: 'abababab' }] }],
    [{ path: `/v1/${TOKEN.slice(0, 40)}` }],
    [{ path: `/v1/${TOKEN.slice(0, 15)}` }],
  ])('redacts secrets in %j', (fields) => {
    const text = JSON.stringify(logged((log) => log.warn(fields, 'something')));
    expect(text).toContain('[secret]');
    for (const secret of [SECRET, TOKEN.slice(0, 15), 'c3RhdmU6c2VzYW1lc2VzYW1l', 'abababab']) {
      expect(text).not.toContain(secret);
    }
  });

  it('does not change its arguments', () => {
    const fields = { port: 1, clients: [{ id: 'a', secret: 'abababab' }] };
    const [line] = logged((log) => log.info(fields, 'clients'));
    expect(line).toMatchObject({ port: 1, clients: [{ id: 'a', secret: '[secret]' }] });
    expect(fields.clients[0]!.secret).toBe('abababab');
  });

  it('does not redact a slug that begins like a token', () => {
    const path = '/v1/tracks/eyjafjallajokull-theme';
    expect(logged((log) => log.info({ path }, 'request'))[0]).toMatchObject({ path });
  });

  it('redacts secrets in the message', () => {
    expect(logged((log) => log.error({}, `bad ${SECRET}`))[0]).toMatchObject({
      msg: 'bad [secret]',
    });
  });
});
