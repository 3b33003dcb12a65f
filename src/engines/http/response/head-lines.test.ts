import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../../../../test/harness/fixture-server.ts';
import { THING_ROUTE } from '../../../../test/harness/thing-route.ts';
import type { Route } from '../route/route.ts';

const DATA = { text: 'x'.repeat(2_000) };
/** A header that is only sent by `writeHead` of Node. */
const OTHER = 'X-Other: 1';
const LINK = '<https://example.org/?page=2>; rel="next"';

let fixture: Fixture;
beforeAll(async () => {
  const { body: _, ...thing } = THING_ROUTE;
  const listing = (
    operationId: string,
    headers: Record<string, string>,
    notes?: string,
  ): Route => ({
    ...thing,
    operationId,
    method: 'GET',
    path: `/v1/${operationId}`,
    ...(notes && {
      deprecation: { since: new Date(0), sunset: new Date(2 ** 40), notes },
    }),
    handle: () => ({ data: DATA, headers }),
  });
  const other = { 'X-Other': '1' };
  fixture = await startFixture({
    routes: [
      listing('lines', { Link: LINK }),
      listing('fields', { Link: LINK, ...other }),
      listing('oldLines', { Link: LINK }, 'https://example.org/notes'),
      listing('oldFields', { Link: LINK, ...other }, 'https://example.org/notes'),
      listing('split', { Link: 'a\r\nb' }),
    ],
  });
});
afterAll(() => fixture.app.close());

/** The lines of the head, in their order, without the one that the test adds and those that change with time. */
async function linesOf(path: string, version = '1.1', fields = ''): Promise<string[]> {
  const socket = connect(fixture.port, '127.0.0.1');
  socket.write(
    `GET ${path} HTTP/${version}\r\nHost: h\r\nX-Request-Id: id-1\r\nAuthorization: Bearer ${TOKEN}\r\n${fields}\r\n`,
  );
  // The second request, which is refused, ends the connection.
  socket.write('GET / HTTP/1.1\r\n\r\n');
  const [head] = (await text(socket)).split('\r\n\r\n') as [string];
  return head
    .split('\r\n')
    .filter((line) => line !== OTHER)
    .map((line) => line.replace(/(?<=^(?:Date|RateLimit.*?): ).*/, '…'));
}

describe('writeHeadLines', () => {
  it.each([
    ['1.1', ''],
    ['1.1', 'Accept-Encoding: gzip\r\n'],
    ['1.1', 'Connection: close\r\n'],
    ['1.0', ''],
    ['1.0', 'Connection: keep-alive\r\n'],
  ])('writes the head that Node writes, for HTTP/%s with %j', async (version, fields) => {
    const lines = await linesOf('/v1/lines', version, fields);
    expect(lines[0]).toBe('HTTP/1.1 200 OK');
    expect(lines).toContain(`Link: ${LINK}`);
    expect(lines).toEqual(await linesOf('/v1/fields', version, fields));
  });

  it('leaves the link of a deprecated route to Node', async () => {
    const lines = await linesOf('/v1/oldLines');
    expect(lines.filter((line) => line.startsWith('Link: '))).toEqual([
      `Link: <https://example.org/notes>; rel="deprecation"; type="text/html", ${LINK}`,
    ]);
    expect(lines).toEqual(await linesOf('/v1/oldFields'));
  });

  it('sends no value with a line break', async () => {
    expect((await linesOf('/v1/split'))[0]).toMatch(/^HTTP\/1\.1 500 /);
  });

  it('writes the time of the response', async () => {
    const sent = await fetch(`${fixture.base}/v1/lines`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
    expect(Math.abs(Date.parse(sent.headers.get('date')!) - Date.now())).toBeLessThan(5_000);
  });
});
