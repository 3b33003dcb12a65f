import { ALL_SCOPES, FEATURES } from '../../src/access/client.ts';
import { fingerprintOf } from '../../src/http/change-once.ts';
import type { CallOptions } from './call.ts';
import type { EndpointContext } from './endpoint.ts';

/** Error kinds that no request provokes: they need a handler that throws, or a draining node. */
export const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['internal_error', 'unavailable']);

const NOWHERE: Record<string, string> = {
  slug: 'no-such-track',
  idOrSlug: 'no-such-playlist',
  name: 'no-such-artwork.png',
  trackId: '00000000-0000-4000-8000-000000000000',
};
const NUL = Object.fromEntries(Object.keys(NOWHERE).map((name) => [name, '\u0000']));
const CREDENTIALS = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'no' };

/** A position in the change log of another service. */
const CURSOR = `c1.${'A'.repeat(22)}`;
const LOST: Record<string, { cursor: string } | { resume: string }> = {
  listTrackChanges: { cursor: CURSOR },
  readTrackSnapshot: { resume: `r1.1.${CURSOR}` },
};

/** A body, with all defaults, that each operation with an `Idempotency-Key` accepts. */
const VALID: Record<string, object> = {
  reportUsage: {
    events: [
      {
        eventId: 'e-1',
        type: 'download',
        trackId: '00000000-0000-4000-8000-000000000000',
        occurredAt: '2026-11-21T10:00:00Z',
        offline: false,
      },
    ],
  },
};
const KEY = { 'Idempotency-Key': 'provocation' };

type Provocation = (
  operationId: string,
  context: EndpointContext,
) => Promise<CallOptions> | CallOptions;

/** A request for each error kind, for any operation that declares the kind. */
export const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  invalid_token: () => ({}),
  not_acceptable: (_, { token }) => ({ token, headers: { Accept: 'text/html' } }),
  not_found: (_, { featured }) => ({ token: featured, params: NOWHERE }),
  gone: (operationId, { featured }) => ({ token: featured, query: LOST[operationId]! }),
  invalid_request(operationId, { server, featured }) {
    const { parameters = [], requestBody } = server.contract.operation(operationId);
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
  // The largest bound of any operation is 1 MiB.
  payload_too_large: (_, { featured }) => ({ token: featured, body: ' '.repeat(1_048_577) }),
  unsupported_media_type: (_, { featured }) => ({
    token: featured,
    body: '<a/>',
    headers: { 'Content-Type': 'text/xml' },
  }),
  async conflict(operationId, { server }) {
    const client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
    const { method, path } = server.contract.operation(operationId);
    const body = VALID[operationId];
    await server.operator.store.idempotency.claim({
      clientId: client.clientId,
      mode: 'test',
      key: KEY['Idempotency-Key'],
      fingerprint: fingerprintOf(method, path, body),
    });
    return { token: await client.token(), body, headers: KEY };
  },
  async idempotency_mismatch(operationId, { server, featured }) {
    const request = { token: featured, body: VALID[operationId], headers: KEY };
    await server.call(operationId, request);
    return { ...request, query: '_=other' };
  },
  async insufficient_scope(operationId, { server }) {
    const needed = server.contract.operation(operationId).security.flatMap(Object.values).flat();
    const scope = needed.includes('tracks') ? 'filters' : 'tracks';
    // The client has all features, because a missing feature is reported before a missing scope.
    const client = await server.createClient({
      scopes: [scope],
      features: ['changes', 'usage', 'similar'],
    });
    return { token: await client.token({ scope }) };
  },
  feature_not_enabled: (_, { token }) => ({ token }),
  async rate_limited(operationId, { server }) {
    if (operationId === 'createToken') {
      // The limit for one address and client id is ten failures per minute.
      const body = { ...CREDENTIALS, client_id: 'guessed' };
      for (let i = 0; i < 10; i++) {
        await server.call('createToken', { body });
      }
      return { body };
    }
    const client = await server.createClient({ scopes: ALL_SCOPES, rateLimit: 1 });
    const limited = await client.token();
    await server.call('readMe', { token: limited });
    return { token: limited };
  },
  unsupported_grant_type: () => ({ body: { ...CREDENTIALS, grant_type: 'password' } }),
  invalid_client: () => ({ body: CREDENTIALS }),
  async invalid_scope(_, { server }) {
    const { clientId, testSecret } = await server.createClient({ scopes: ['tracks'] });
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
