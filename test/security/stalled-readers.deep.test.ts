import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Feature, Mode } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import { silentLog } from '../../src/common/log.ts';
import { ServedCertificate } from '../../src/engines/http/connection/served-certificate.ts';
import { ResponseCache } from '../../src/engines/http/response/response-cache.ts';
import { route } from '../../src/engines/http/route/route.ts';
import { pageAround } from '../../src/engines/http/schemas.ts';
import type { DocumentCopy } from '../../src/features/catalog/document-copy.ts';
import { DocumentFile } from '../../src/features/catalog/store/disk/document-file.ts';
import { DocumentFileWriter } from '../../src/features/catalog/store/disk/document-writer.ts';
import { artworkPath } from '../../src/features/media/artwork/artwork.ts';
import { SignedUrls, type UrlKind } from '../../src/features/media/signed-url.ts';
import { TrackPages } from '../../src/features/tracks/routes/track-page.ts';
import { UrlIssuer } from '../../src/features/tracks/routes/url-issuer.ts';
import { readPair, writeCertificate } from '../harness/certificate.ts';
import { TestClock } from '../harness/clock.ts';
import { callerOf, tokenOf } from '../harness/feature-server.ts';
import { type ListeningServer, listenWith } from '../harness/http-server.ts';
import { until } from '../harness/until.ts';

/** A page of these has some 200 KB, so that a few pages fill the buffers of a connection. */
const TRACKS = Array.from({ length: 100 }, (_, i) => ({ id: newId(), name: `${i}`.repeat(1_000) }));

/** The requests of each connection that stops reading: far more than its buffers have room for. */
const REQUESTS = 250;
/** How often the other clients request pages meanwhile. */
const ROUNDS = 4;

const BASE = 'https://api.example.org';

const folder = mkdtempSync(join(tmpdir(), 'stave-stalled-'));
const certificate = writeCertificate(folder);
const key = {
  id: 'k',
  purpose: 'url' as const,
  secret: randomBytes(32),
  createdAt: 0,
  retiredAt: null,
};
const keys = { signing: () => key, verifying: () => [key] };
/** Signs what the test expects. It has a signer of its own, as each one keeps only those of the present time. */
const expected = new SignedUrls({ keys });

let documents: DocumentCopy;
beforeAll(async () => {
  const path = join(folder, 'documents.copy');
  const parts = TRACKS.map(({ id, name }, i) => ({
    rowId: i + 1,
    artworkKey: null,
    streamExtension: '',
    before: `{"id":"${id}","name":"${name}","filters":[`,
    filters: [],
    after: ']',
  }));
  const columns = await new DocumentFileWriter({ path, madeBy: 'a test', by: 'service' }).write(
    {
      documents: (async function* () {
        yield parts;
      })(),
      filters: async () => [],
      catalog: async () => '',
      seq: async () => 1,
      expected: parts.length,
    },
    0,
  );
  documents = DocumentFile.open(path, columns, silentLog);
});
afterAll(() => {
  documents.close();
  rmSync(folder, { recursive: true });
});

let clock: TestClock;
let server: ListeningServer;
afterEach(() => server.app.close());

/** Serves lists of the tracks from their file, with the cache of responses. */
async function serve(isTls: boolean): Promise<void> {
  clock = TestClock.running();
  const pages = new TrackPages({
    documents: {
      documents: (rowIds, allocate) => documents.read(rowIds, new Set(), allocate),
      languages: { document: async (document) => document },
    },
    urls: new UrlIssuer({ urls: new SignedUrls({ keys }), clock, publicUrl: () => BASE }),
  });
  const things = route({
    ...{ tag: 'T', summary: 'S', description: 'D', errors: [] },
    operationId: 'listThings',
    method: 'GET',
    path: '/v1/things',
    access: { scope: 'tracks' },
    query: Type.Object({ size: Type.Integer({ minimum: 1, maximum: 100 }) }),
    data: Type.Object({}),
    cacheable: true,
    handle: ({ query: { size }, caller }) => {
      const rowIds = Array.from({ length: size }, (_, i) => i + 1);
      return pages.page(pageAround(rowIds, 100, { pageSize: size }), caller!);
    },
  });
  server = await listenWith({
    routes: [things],
    authenticate: (authorization) => callerOf(authorization!.slice('Bearer '.length)),
    rateLimiter: {
      take: (_key, limit) => ({ allowed: true, limit, remaining: limit - 1, resetSeconds: 60 }),
    },
    responseCache: new ResponseCache({ catalogVersion: () => 1, maxBytes: 64 * 1024 * 1024 }),
    clock,
    tls: isTls ? new ServedCertificate(readPair(certificate!)) : null,
  });
}

/** A client in a mode, with one connection. */
class Reader {
  readonly socket: Socket;
  readonly #client: string;
  readonly #mode: Mode;
  readonly #features: readonly Feature[];
  readonly #sent: { size: number; isHead: boolean; at: number }[] = [];
  #received = Buffer.alloc(0);
  #chunks: Buffer[] = [];

  constructor(number: number, isTls: boolean) {
    this.#client = `client-${number % 10}`;
    this.#mode = number % 3 === 0 ? 'test' : 'live';
    this.#features = number % 2 === 0 ? ['previews'] : [];
    const place = { host: '127.0.0.1', port: server.port };
    this.socket = isTls
      ? connectTls({ ...place, ca: readFileSync(certificate!.cert), servername: 'localhost' })
      : connect(place);
    this.socket.on('error', () => {});
    this.socket.pause().on('data', (chunk) => this.#chunks.push(chunk));
  }

  /** Sends requests without waiting: for pages that are cached and for others, some compressed, some HEAD. */
  send(from: number, count: number): this {
    const token = tokenOf({
      client: this.#client,
      mode: this.#mode,
      features: this.#features,
    });
    for (let i = from; i < from + count; i++) {
      const size = [100, 90, 40, 5][i % 4]!;
      const isHead = i % 11 === 0;
      const ownPage = i % 3 === 0 ? `&_n=${this.#client}-${i}` : '';
      const gzip = i % 5 === 0 ? 'Accept-Encoding: gzip\r\n' : '';
      this.#sent.push({ size, isHead, at: clock.now() });
      this.socket.write(
        `${isHead ? 'HEAD' : 'GET'} /v1/things?size=${size}${ownPage} HTTP/1.1\r\n` +
          `Host: localhost\r\nAuthorization: Bearer ${token}\r\n${gzip}\r\n`,
      );
    }
    return this;
  }

  /** Reads all responses, and checks every byte of their bodies. */
  async check(): Promise<void> {
    this.socket.resume();
    for (const { size, isHead, at } of this.#sent.splice(0)) {
      const head = (await this.#take(() => this.#received.indexOf('\r\n\r\n') + 4)).toString();
      expect(head).toMatch(/^HTTP\/1\.1 200 /);
      if (isHead) continue;
      const length = Number(/\r\nContent-Length: (\d+)\r\n/i.exec(head)![1]);
      const body = await this.#take(() => length);
      const isGzipped = /\r\nContent-Encoding: gzip\r\n/i.test(head);
      this.#checkPage((isGzipped ? gunzipSync(body) : body).toString(), size, at);
    }
    expect(this.#received).toHaveLength(0);
  }

  #checkPage(text: string, size: number, askedAt: number): void {
    const expiresAt = Date.parse(/"streamUrlExpiresAt":"([^"]+)"/.exec(text)![1]!);
    expect(expiresAt).toBeGreaterThanOrEqual(askedAt + 1_800_000);
    const signed = (kind: UrlKind, id: string) => {
      const extension = kind === 'preview' ? 'mp3' : '';
      return (
        BASE + expected.sign(kind, id, this.#client, this.#mode, expiresAt - 1_800_000, extension)
      );
    };
    const items = TRACKS.slice(0, size).map(({ id, name }) => ({
      ...{ id, name, filters: [] },
      artworkUrl: BASE + artworkPath(id, null),
      streamUrl: signed('stream', id),
      streamUrlExpiresAt: new Date(expiresAt).toISOString(),
      ...(this.#features.includes('previews') && {
        previewUrl: signed('preview', id),
        waveformUrl: signed('waveform', id),
        waveformDataUrl: signed('waveform-dat', id),
      }),
    }));
    const page = { totalRecords: 100, totalPages: Math.ceil(100 / size), currentPage: 1 };
    const data = { ...page, pageSize: size, items };
    // Not the texts, because the message of a failure would show both.
    expect(text === JSON.stringify({ data, error: { code: 0, message: 'OK' } })).toBe(true);
  }

  /** Returns the next bytes up to an end, which is less than 4 while it is unknown. */
  async #take(end: () => number): Promise<Buffer> {
    const isThere = () => {
      if (this.#chunks.length > 0) {
        this.#received = Buffer.concat([this.#received, ...this.#chunks.splice(0)]);
      }
      return end() > 3 && this.#received.length >= end();
    };
    await until(isThere, 'a response');
    const taken = this.#received.subarray(0, end());
    this.#received = this.#received.subarray(taken.length);
    return taken;
  }
}

it.for(['http', 'https'].filter((scheme) => scheme === 'http' || certificate !== undefined))(
  'clients that stop reading get their own pages over %s, while others get theirs',
  async (scheme) => {
    const isTls = scheme === 'https';
    await serve(isTls);
    const accepted: Socket[] = [];
    server.app.server.on(isTls ? 'secureConnection' : 'connection', (one) => accepted.push(one));
    const readers = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => new Reader(from + i, isTls));
    const stalled = readers(0, 4).map((one, i) => one.send(i, REQUESTS));
    await until(
      () => accepted.length === 4 && accepted.every(({ writableLength }) => writableLength > 0),
      'the connections to stall',
    );
    const others = readers(4, 6);
    for (let round = 0; round < ROUNDS; round++) {
      const [leaving] = readers(round, 1);
      leaving!.send(round, 8).socket.once('readable', () => leaving!.socket.destroy());
      await Promise.all(others.map((one, i) => one.send(round * 7 + i, 12).check()));
      // The system may have taken a response into its buffers just now, and the next one follows.
      await until(() => accepted.slice(0, 4).every(({ writableLength }) => writableLength > 0));
      clock.advance(3);
    }
    for (const one of stalled) await one.check();
    for (const { socket } of [...stalled, ...others]) socket.destroy();
  },
);
