import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET } from '../harness/fixture-routes.ts';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { expectStandingHeaders } from './expect-envelope.ts';
import { RawClient, type RawResponse } from './raw-client.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ timeouts: { headersMs: 150, requestMs: 150, checkMs: 10 } });
});
afterAll(() => fixture.app.close());

const PIECES = [
  'GET ',
  'POST ',
  'HEAD ',
  'OPTIONS ',
  'CONNECT ',
  'BREW ',
  '/v1/things',
  '/v1/search',
  '/version',
  '*',
  '?page=',
  '%',
  '%ff',
  ' HTTP/1.1',
  ' HTTP/1.0',
  ' HTTP/9.9',
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  'Host: a',
  'Host:',
  ': ',
  ',',
  'Content-Length: 2',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: x',
  '{}',
  '0\r\n\r\n',
  '1\r\n',
  'Content-Type: application/json',
  `Authorization: Bearer ${TOKEN}`,
  'Expect: 100-continue',
  'Expect: x',
  'Accept: a/b',
  'Connection: close',
  'Upgrade: x',
  '\0',
  'é',
  '"',
  '{"page":',
  'Range: bytes=0-1',
];

const garbage = fc.oneof(
  fc
    .array(fc.constantFrom(...PIECES), { maxLength: 25 })
    .map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  // A valid request with one byte changed.
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
    const bytes = Buffer.from(
      `POST /v1/search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"page": 3}`,
    );
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
);

/** Sends bytes and ends its side, and returns all responses until the connection closes. */
async function responsesTo(bytes: Buffer): Promise<RawResponse[]> {
  const client = await RawClient.open(fixture.port);
  client.send(bytes);
  client.socket.end();
  const responses: RawResponse[] = [];
  const isHead = bytes.includes('HEAD ');
  for (;;) {
    const response = await client.response({ head: isHead });
    if (response === undefined) {
      return responses;
    }
    responses.push(response);
    if (isHead) {
      // The bytes do not show which responses have no body.
      client.close();
      return responses;
    }
  }
}

describe('random bytes', () => {
  it('get enveloped responses or a closed connection, and never break the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(garbage, { minLength: 1, maxLength: 4 }), async (parts) => {
        for (const response of await responsesTo(Buffer.concat(parts))) {
          if (response.status === 100) {
            continue;
          }
          expectStandingHeaders(response);
          expect(response.status).toBeLessThan(502);
          expect(response.status).not.toBe(500);
          if (response.status >= 400 && response.body.length > 0) {
            const { data, error } = JSON.parse(response.body.toString());
            expect(data).toEqual({});
            expect(error.code).toBe(response.status);
          }
        }
      }),
      { numRuns: 2000 },
    );
    expect(JSON.stringify(fixture.lines)).not.toMatch(new RegExp(`${TOKEN}|${SECRET}`));
    expect(fixture.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
