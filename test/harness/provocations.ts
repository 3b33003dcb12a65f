import { ALL_SCOPES, FEATURES } from '../../src/common/caller.ts';
import { newId } from '../../src/common/ids.ts';
import { fingerprintOf } from '../../src/engines/http/route/change-once.ts';
import { updateClient } from '../../src/features/access/clients.ts';
import type { CallOptions } from './call.ts';
import { GUEST, newLink } from './collections.ts';
import type { EndpointContext } from './endpoint.ts';
import { LICENSEE, quoteBody } from './licensing.ts';

/** Error kinds that no request provokes: they need a handler that throws, or a draining node. */
export const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['internal_error', 'unavailable']);

const NOWHERE: Record<string, string> = {
  slug: 'no-such-track',
  idOrSlug: 'no-such-playlist',
  name: 'no-such-artwork.png',
  id: '00000000-0000-4000-8000-000000000000',
  clientId: 'no-such-client',
  trackId: '00000000-0000-4000-8000-000000000000',
  deliveryId: '00000000-0000-4000-8000-000000000000',
  linkId: '00000000-0000-4000-8000-000000000000',
  commentId: '00000000-0000-4000-8000-000000000000',
  token: 'NoSuchLinkOfAnyService',
  number: '2026-000000-AAAAAAAA',
};
const NUL = Object.fromEntries(Object.keys(NOWHERE).map((name) => [name, '\u0000']));
const CREDENTIALS = { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'no' };

const FILE = { 'Content-Type': 'application/octet-stream' };

/** A position in the change log of another service. */
const CURSOR = `c1.${'A'.repeat(22)}`;
const LOST: Record<string, { cursor: string } | { resume: string }> = {
  listTrackChanges: { cursor: CURSOR },
  readTrackSnapshot: { resume: `r1.1.${CURSOR}` },
};

/** Returns the request of the endpoint with a key that another request has claimed. */
async function withClaimedKey(
  operationId: string,
  { server, featured, featuredClientId, request }: EndpointContext,
  isEqual: boolean,
): Promise<CallOptions> {
  const { method, path } = server.contract.operation(operationId);
  const { params = {}, body } = request;
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const key = newId();
  await server.operator.store.idempotency.claim({
    clientId: featuredClientId,
    mode: 'test',
    key,
    fingerprint: fingerprintOf(isEqual ? method : 'another', url, body),
  });
  const headers = { 'If-Match': '*', ...request.headers, 'Idempotency-Key': key };
  return { ...request, token: featured, headers };
}

/** Requests that name what does not exist other than in their path, and what makes it so that it does not. */
const UNKNOWN: Record<string, CallOptions | ((context: EndpointContext) => Promise<CallOptions>)> =
  {
    readCueSheet: { query: { productionId: 'no-such-production' } },
    readCueSheetCsv: { query: { productionId: 'no-such-production' } },
    createCollection: { body: { name: 'A', tracks: ['no-such-track'] } },
    createQuote: { body: quoteBody({ tracks: ['no-such-track'] }) },
    createLicense: {
      body: { quoteId: NOWHERE.id!, termsVersion: '2026-1', licensee: LICENSEE },
    },
    async readRateCard({ server }) {
      const client = await server.createClient({ scopes: ALL_SCOPES, features: FEATURES });
      await updateClient(server.operator, client.clientId, { rateCard: 'no-such-card' });
      return { token: await client.token() };
    },
  };

/** The operations of guests of links to collections. */
const GUESTS: ReadonlySet<string> = new Set([
  'readShared',
  'unlockShared',
  'voteShared',
  'commentShared',
]);

/** Returns the time a year after another. */
function yearAfter(now: number): string {
  return new Date(now + 365 * 86_400_000).toISOString();
}

/** Requests of operations that only some members need a feature for. */
const FEATURED: Record<string, CallOptions> = {
  listTracks: { query: { licensableIn: ['DE'] } },
  searchTracks: { body: { licensableIn: ['DE'] } },
};

type Provocation = (
  operationId: string,
  context: EndpointContext,
) => Promise<CallOptions> | CallOptions;

/** A request for each error kind, for any operation that declares the kind. */
export const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  // Of a guest, the request is one without the cookie of its link.
  invalid_token: async (operationId, context) => {
    if (!GUESTS.has(operationId)) return {};
    const { token } = await newLink(context, { password: 'right password' });
    const { request } = context;
    const body = operationId === 'unlockShared' ? { password: 'wrong password' } : request.body;
    return {
      ...request,
      ...(body !== undefined && { body }),
      params: { ...request.params, token },
    };
  },
  not_acceptable: (_, { token }) => ({ token, headers: { Accept: 'text/html' } }),
  async not_found(operationId, context) {
    const { featured, request } = context;
    const unknown = UNKNOWN[operationId];
    const special = typeof unknown === 'function' ? await unknown(context) : unknown;
    return { ...request, token: featured, params: NOWHERE, ...special };
  },
  gone: (operationId, { featured, request, server }) =>
    operationId === 'createLicense'
      ? // A test request may state a time after the quote has expired.
        { ...request, token: featured, headers: { 'X-Stave-Now': yearAfter(server.clock.now()) } }
      : { token: featured, query: LOST[operationId]! },
  invalid_request(operationId, { server, featured }) {
    const { parameters = [], requestBody } = server.contract.operation(operationId);
    if (operationId === 'searchByAudio') return { token: featured, body: '[', headers: FILE };
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
  // The largest bound of any operation is 1 MiB, or 20 MiB for a file.
  payload_too_large: (operationId, { featured }) =>
    operationId === 'searchByAudio'
      ? { token: featured, body: Buffer.alloc(20 * 1_048_576 + 1), headers: FILE }
      : { token: featured, body: ' '.repeat(1_048_577) },
  unsupported_media_type: (_, { featured }) => ({
    token: featured,
    body: '<a/>',
    headers: { 'Content-Type': 'text/xml' },
  }),
  conflict: (operationId, context) =>
    operationId === 'listSimilarTracks'
      ? // No track has been analyzed.
        { ...context.request, token: context.featured, query: { by: 'sound' } }
      : withClaimedKey(operationId, context, true),
  idempotency_mismatch: (operationId, context) => withClaimedKey(operationId, context, false),
  precondition_required: (_, { featured, request: { headers: _headers, ...request } }) => ({
    ...request,
    token: featured,
  }),
  precondition_failed: (_, { featured, request }) => ({
    ...request,
    token: featured,
    headers: { 'If-Match': '"0"' },
  }),
  async insufficient_scope(operationId, { server }) {
    const needed = server.contract.operation(operationId).security.flatMap(Object.values).flat();
    const scope = needed.includes('tracks') ? 'filters' : 'tracks';
    // The client has all features, because a missing feature is reported before a missing scope.
    const client = await server.createClient({
      scopes: [scope],
      features: FEATURES,
    });
    return { token: await client.token({ scope }) };
  },
  async forbidden(operationId, context) {
    const { server, token } = context;
    if (operationId === 'commentShared') {
      const { token: link, trackId } = await newLink(context, { comments: false });
      return { params: { token: link }, body: { ...GUEST, trackId, text: 'Could work' } };
    }
    const body = { origins: ['https://editor.example'] };
    const { data } = await server.call('createBrowserToken', { token, body });
    return { token: data.access_token, headers: { Origin: 'https://other.example' } };
  },
  feature_not_enabled(operationId, { server, token }) {
    const featured = FEATURED[operationId];
    if (featured !== undefined) return { token, ...featured };
    // Operations without a feature of their own refuse the choice of a language.
    const { parameters = [] } = server.contract.operation(operationId);
    const isLocalized = parameters.some(({ name }) => name === 'language');
    return { token, ...(isLocalized && { query: { language: 'de' } }) };
  },
  async rate_limited(operationId, { server, request }) {
    if (operationId === 'createToken') {
      // The limit for one address and client id is ten failures per minute.
      const body = { ...CREDENTIALS, client_id: 'guessed' };
      for (let i = 0; i < 10; i++) {
        await server.call('createToken', { body });
      }
      return { body };
    }
    if (GUESTS.has(operationId)) {
      const { token } = request.params!;
      for (let i = 0; i < 120; i++) await server.call('readShared', { params: { token: token! } });
      return request;
    }
    if (operationId === 'verifyLicense') {
      for (let i = 0; i < 30; i++) {
        await server.call('verifyLicense', { params: NOWHERE });
      }
      return { params: NOWHERE };
    }
    const client = await server.createClient({ scopes: ALL_SCOPES, rateLimit: 1 });
    const limited = await client.token();
    await server.call('readMe', { token: limited });
    return { token: limited };
  },
  unsupported_grant_type: () => ({ body: { ...CREDENTIALS, grant_type: 'password' } }),
  invalid_client: () => ({ body: CREDENTIALS }),
  async invalid_scope(operationId, { server, token }) {
    if (operationId === 'createBrowserToken') {
      return { token, body: { origins: ['https://editor.example'], scopes: ['analytics'] } };
    }
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
