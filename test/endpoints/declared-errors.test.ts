import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, FEATURES } from '../../src/access/client.ts';
import type { CallOptions } from '../harness/call.ts';
import { deliveries } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';
import { HttpCaller } from '../harness/http.ts';

/**
 * Provokes, for each operation, every error that the OpenAPI document declares for it, and so holds
 * the document to what really happens. The other way round, that nothing undeclared is answered,
 * is held by the harness in every test.
 */
let house: TestHouse;
let token: string;
/** Of a client for which every contract feature is on. */
let featured: string;
let trackUrls: { streamUrl: string; artworkUrl: string };

beforeAll(async () => {
  house = await startHouse({ tracks: deliveries(5) });
  const client = await house.createClient({ scopes: ALL_SCOPES });
  token = await client.token();
  featured = await (await house.createClient({ scopes: ALL_SCOPES, features: FEATURES })).token();
  trackUrls = (await house.call('showTrack', { token, params: { slug: 'sunrise' } })).data;
});
afterAll(() => house?.close());

const NOWHERE: Record<string, string> = {
  slug: 'no-such-track',
  idOrSlug: 'no-such-playlist',
  name: 'no-such-artwork.png',
  trackId: '00000000-0000-4000-8000-000000000000',
};
const NUL = Object.fromEntries(Object.keys(NOWHERE).map((name) => [name, '\u0000']));
const CREDENTIALS = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'no' };

/** How each kind comes about, for whatever operation declares it. */
const PROVOCATIONS: Record<string, (operationId: string) => Promise<CallOptions> | CallOptions> = {
  invalid_token: () => ({}),
  not_acceptable: () => ({ token, headers: { Accept: 'text/html' } }),
  not_found: () => ({ token, params: NOWHERE }),
  invalid_request(operationId) {
    const { parameters = [], requestBody } = house.contract.operation(operationId);
    if (requestBody !== undefined) {
      return { token: featured, body: '[' };
    }
    const broken = parameters.find(
      ({ in: place, schema }) => place === 'query' && schema.type !== 'string',
    );
    return broken === undefined
      ? { token: featured, params: NUL, query: { type: 'none' } }
      : { token: featured, query: { [broken.name]: '!' } };
  },
  payload_too_large: () => ({ token, body: ' '.repeat(65_537) }),
  unsupported_media_type: () => ({ token, body: '<a/>', headers: { 'Content-Type': 'text/xml' } }),
  async insufficient_scope(operationId) {
    const scope =
      operationId === 'listTracks' || operationId === 'showTrack' ? 'filters' : 'tracks';
    // With all features on: without them a missing feature is told before a missing scope.
    const client = await house.createClient({
      scopes: [scope],
      features: ['changes', 'usage', 'similar'],
    });
    return { token: await client.token({ scope }) };
  },
  feature_not_enabled: () => ({ token }),
  async rate_limited(operationId) {
    if (operationId === 'createToken') {
      // The limit for one address and client id is ten failures a minute.
      const body = { ...CREDENTIALS, client_id: 'guessed' };
      for (let i = 0; i < 10; i++) {
        await house.call('createToken', { body });
      }
      return { body };
    }
    const client = await house.createClient({ scopes: ALL_SCOPES, rateLimit: 1 });
    const limited = await client.token();
    await house.call('readMe', { token: limited });
    return { token: limited };
  },
  unsupported_grant_type: () => ({ body: { ...CREDENTIALS, grant_type: 'password' } }),
  invalid_client: () => ({ body: CREDENTIALS }),
  async invalid_scope() {
    const { clientId, testSecret } = await house.createClient({ scopes: ['tracks'] });
    return {
      body: {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: testSecret,
        scope: 'analytics',
      },
    };
  },
};

/** Shown elsewhere: here they would need a fault injected, a file or a turned clock. */
const SHOWN_ELSEWHERE: Record<string, string> = {
  internal_error: 'src/api: a handler that throws',
  unavailable: 'below, for a node that drains',
};

/** Kinds of the media operations that need audio: shown by the tests of the media routes. */
const MEDIA = ['streamTrack', 'readArtwork'];

describe('every error that the document declares', () => {
  // The operations are known only once a house runs, and cases are named before that: one case a kind.
  for (const kind of Object.keys(PROVOCATIONS)) {
    it(`${kind} is answered by each operation that declares it`, async () => {
      const declaring = house.contract
        .operations()
        .map(({ operationId }) => operationId)
        .filter((id) => !MEDIA.includes(id))
        .filter((id) => house.contract.declaredErrors(id).some((error) => error.kind === kind));
      expect(declaring.length).toBeGreaterThan(0);
      for (const operationId of declaring) {
        const answer = await house.call(operationId, await PROVOCATIONS[kind]!(operationId));
        expect({ operationId, type: answer.error.type }).toEqual({ operationId, type: kind });
        expect(answer.error.code).toBe(answer.status);
        expect(answer.error.requestId).toBe(answer.headers['x-request-id']);
        expect(answer.data).toEqual({});
      }
    });
  }

  it('has a provocation here or is shown elsewhere', () => {
    const kinds = new Set(
      house.contract
        .operations()
        .filter(({ operationId }) => !MEDIA.includes(operationId))
        .flatMap(({ operationId }) => house.contract.declaredErrors(operationId))
        .map(({ kind }) => kind),
    );
    const known = [...Object.keys(PROVOCATIONS), ...Object.keys(SHOWN_ELSEWHERE)];
    expect([...kinds].filter((kind) => !known.includes(kind))).toEqual([]);
  });

  it('media answer what they declare of a name or signature that is wrong', async () => {
    const changed = `${new URL(trackUrls.streamUrl).pathname}?signature=x`;
    const forged = await house.http.send('GET', changed);
    house.contract.check('streamTrack', forged);
    expect(forged.status).toBe(403);
    const nothing = await house.http.send('GET', '/media/artwork/none.png');
    house.contract.check('readArtwork', nothing);
    expect(nothing.status).toBe(404);
    const picture = await house.http.send('GET', new URL(trackUrls.artworkUrl).pathname);
    house.contract.check('readArtwork', picture);
    expect(picture.status).toBe(200);
    const silent = await house.http.send('GET', trackUrls.streamUrl.slice(house.address.length));
    house.contract.check('streamTrack', silent);
    expect(silent.status).toBe(404);
  });
});

describe('a node that drains', () => {
  it('answers unavailable on open connections, with the versions where it is asked for health', async () => {
    const leaving = await startHouse({ tracks: [] });
    const mine = await (await leaving.createClient()).token();
    // A request whose body never ends keeps the node from closing.
    const { hostname, port } = new URL(leaving.address);
    const slow = connect(Number(port), hostname);
    await new Promise((resolve) => slow.once('connect', resolve));
    slow.write(
      `POST /v1/search HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${mine}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    const slowAnswer = new Promise<string>((resolve) => {
      let text = '';
      slow.on('data', (chunk) => {
        text += chunk;
      });
      slow.on('end', () => resolve(text));
    });
    // The drain refuses new connections: these are opened before it begins.
    const operations = ['healthCheck', 'readVersion', 'listTracks', 'createToken'];
    const sockets = await Promise.all(operations.map(() => keptConnection(leaving.address)));
    const closed = leaving.service.close();
    await leaving.until(async () => !(await canConnect(leaving.address)));

    for (const [i, operationId] of operations.entries()) {
      const { method, path } = leaving.contract.operation(operationId);
      const answer = await sockets[i]!.send(method, path, { Authorization: `Bearer ${mine}` });
      if (operationId === 'readVersion') {
        expect(answer.status).toBe(200);
        continue;
      }
      leaving.contract.check(operationId, answer);
      expect(answer.status).toBe(503);
      const { data, error } = JSON.parse(answer.body.toString('utf8'));
      expect(error.type).toBe('unavailable');
      expect(data).toEqual(
        operationId === 'healthCheck'
          ? { apiVersion: 'v1', serviceVersion: expect.any(String) }
          : {},
      );
    }
    slow.write('}');
    expect(await slowAnswer).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    for (const socket of sockets) {
      socket.close();
    }
    await leaving.close();
  });
});

/** A caller whose connection is open, and is kept. */
async function keptConnection(address: string): Promise<HttpCaller> {
  const http = new HttpCaller(address);
  await http.send('GET', '/version');
  return http;
}

function canConnect(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
