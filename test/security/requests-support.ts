import { afterAll, beforeAll } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { type RawResponse, rawRequest } from './raw-client.ts';

export let fixture: Fixture;

/** Starts the fixture before the tests of a file. */
export function serveFixture(): void {
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.app.close());
}

export const HOST = 'Host: localhost\r\n';

export const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;

export function get(path: string, headers = AUTH, method = 'GET'): Promise<RawResponse> {
  return rawRequest(fixture.port, `${method} ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`);
}

export function post(
  path: string,
  body: string | Buffer,
  headers = `${AUTH}Content-Type: application/json\r\n`,
): Promise<RawResponse> {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\n${HOST}${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return rawRequest(fixture.port, Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
}
