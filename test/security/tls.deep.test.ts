import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type KeyPair,
  ServedCertificate,
} from '../../src/engines/http/connection/served-certificate.ts';
import { readPair, writeCertificate } from '../harness/certificate.ts';
import { type Fixture, startFixture } from '../harness/fixture-server.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, type RawResponse, rawRequest } from './raw-client.ts';

/** A new certificate for localhost; undefined if openssl is not installed. */
function selfSigned(): KeyPair | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'stave-tls-'));
  try {
    const files = writeCertificate(folder);
    return files && readPair(files);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tls = selfSigned();
const STRICT = { 'strict-transport-security': 'max-age=31536000' };

describe.skipIf(tls === undefined)('HTTPS (needs openssl)', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ tls: new ServedCertificate(tls!) });
  });
  afterAll(() => fixture.app.close());

  function get(path: string): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const options = {
        port: fixture.port,
        path,
        ca: tls!.cert,
        servername: 'localhost',
        agent: false,
      };
      const sent = request({ host: '127.0.0.1', ...options }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on('data', (chunk) => chunks.push(chunk))
          .on('end', () => {
            const headers = response.headers as RawResponse['headers'];
            resolve({ status: response.statusCode!, headers, body: Buffer.concat(chunks) });
          });
      });
      sent.on('error', reject).end();
    });
  }

  it('tells browsers to stay with HTTPS, in each response', async () => {
    const paths = ['/version', '/health-check', '/nowhere', '/%E0%A4%A', '/v1/tracks', '//'];
    for (const path of paths) {
      expect((await get(path)).headers, path).toMatchObject(STRICT);
    }
    const plain = await startFixture();
    const answer = await rawRequest(plain.port, 'GET /version HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
    await plain.app.close();
  });

  it('responds as over HTTP', async () => {
    expectData(await get('/version'));
    expectEnvelope(await get('/nowhere'), 'not_found');
  });

  it('responds to invalid bytes inside TLS with the envelope', async () => {
    const socket = connect({
      port: fixture.port,
      host: '127.0.0.1',
      ca: tls!.cert,
      servername: 'localhost',
    });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await new Promise((resolve) => {
      socket.once('secureConnect', () => socket.write('garbage\r\n\r\n')).once('close', resolve);
    });
    const [head, body] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head).toContain('\r\nStrict-Transport-Security: max-age=31536000\r\n');
    expect(JSON.parse(body!).error.type).toBe('invalid_request');
  });

  it('closes connections that do not finish their handshake in time', async () => {
    const impatient = await startFixture({
      tls: new ServedCertificate(tls!),
      timeouts: { headersMs: 100 },
    });
    const silent = await Promise.all(
      Array.from({ length: 20 }, () => RawClient.open(impatient.port)),
    );
    const slow = (await RawClient.open(impatient.port)).send('\x16\x03\x01');
    for (const client of [...silent, slow]) {
      await client.untilClosed();
      expect(client.rest.length).toBe(0);
    }
    await impatient.app.close();
  });

  it('serves pipelined requests in order', async () => {
    const socket = connect({
      port: fixture.port,
      host: '127.0.0.1',
      ca: tls!.cert,
      servername: 'localhost',
    });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    const ids = Array.from({ length: 500 }, (_, i) => `r${i}`);
    const requests = ids.map(
      (id) => `GET /version HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
    );
    await new Promise((resolve) => {
      socket.once('secureConnect', () => socket.end(requests.join(''))).once('close', resolve);
    });
    const text = Buffer.concat(chunks).toString();
    expect([...text.matchAll(/^X-Request-Id: (r\d+)\r$/gm)].map(([, id]) => id)).toEqual(ids);
  });

  it('closes connections that do not use TLS, and continues', async () => {
    const client = await RawClient.open(fixture.port);
    client.send('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.untilClosed();
    expectData(await get('/version'));
  });
});
