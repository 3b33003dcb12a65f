import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';

const HOST = 'Host: localhost\r\n';
const JSON_POST = `POST /v1/search HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const PIECE = Buffer.alloc(64 * 1024, ' ');
const PIECES = 3;

let fixture: Fixture;
afterEach(() => fixture.app.close());

/**
 * Sends a head, and more bytes after the server has responded and ended its side. Reads only after everything is sent,
 * and returns the status lines.
 */
async function sendOn(head: string): Promise<string[]> {
  const accepted = once(fixture.app.server, 'connection') as Promise<[Socket]>;
  const socket = connect({ port: fixture.port, host: '127.0.0.1' });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let received = '';
  // A reset makes a write fail, and discards what was not read before it.
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  socket.pause();
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  const [served] = await accepted;
  const ended = new Promise((resolve) => served.once('finish', resolve));
  socket.write(head);
  await ended;
  for (let i = 0; i < PIECES && !socket.destroyed; i++) {
    await new Promise((resolve) => socket.write(PIECE, resolve));
  }
  socket.resume();
  await closed;
  return received.match(/^HTTP\/1\.1 \d+/gm) ?? [];
}

describe('the last response on a connection reaches a client that is still sending', () => {
  it.each([
    [
      'a malformed chunk',
      `${JSON_POST}Authorization: Bearer ${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    [
      'a refused Expect',
      `${JSON_POST}Expect: 100-continue\r\nContent-Length: 1048576\r\n\r\n`,
      401,
    ],
    [
      'a request with Upgrade',
      `GET /version HTTP/1.1\r\n${HOST}Connection: upgrade\r\nUpgrade: x\r\n\r\n`,
      200,
    ],
    [
      'an invalid request line',
      `POST  /version HTTP/1.1\r\n${HOST}Content-Length: 1048576\r\n\r\n`,
      400,
    ],
    ['Connection: close', `${JSON_POST}Connection: close\r\nContent-Length: 1048576\r\n\r\n`, 401],
  ])('after %s', async (_what, head, status) => {
    fixture = await startFixture();
    expect(await sendOn(head)).toEqual([`HTTP/1.1 ${status}`]);
  });
});
