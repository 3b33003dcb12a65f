import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES, SCOPES, type Scope } from '../../src/access/client.ts';
import { newId } from '../../src/kernel/ids.ts';
import { deliveries } from '../harness/catalog.ts';
import { startHouse, type TestHouse } from '../harness/house.ts';

/** Which scope opens which operation (decisions §2 and §5). */
const OPERATIONS: Record<string, Scope> = {
  listTracks: 'tracks',
  showTrack: 'tracks',
  searchTracks: 'search',
  suggest: 'search',
  listFilters: 'filters',
  listPlaylists: 'playlists',
  listPlaylistTracks: 'playlists',
  listMostLicensed: 'analytics',
};
const FEATURE_OPERATIONS = {
  listTrackChanges: 'changes',
  reportUsage: 'usage',
  listSimilarTracks: 'similar',
} as const;
const OPEN = ['createToken', 'readVersion', 'healthCheck', 'streamTrack', 'readArtwork'];

let house: TestHouse;
const tokens = new Map<Scope, string>();
beforeAll(async () => {
  house = await startHouse({ tracks: deliveries(3) });
  const client = await house.createClient();
  const now = house.clock.now();
  const playlist = await house.operator.store.playlists.create(
    { id: newId(), name: 'List', description: '', createdAt: now, updatedAt: now },
    [],
    'test:harness',
  );
  await house.operator.store.playlists.grant(playlist.id, client.clientId, 'test:harness');
  for (const scope of SCOPES) {
    tokens.set(scope, await client.token({ scope }));
  }
  await house.until(async () => (await attempt('listPlaylistTracks', 'playlists')).status === 200);
});
afterAll(() => house?.close());

const attempt = (operationId: string, scope: Scope) =>
  house.call(operationId, {
    token: tokens.get(scope)!,
    params: operationId === 'listPlaylistTracks' ? { idOrSlug: 'list' } : { slug: 'sunrise' },
    ...(operationId === 'searchTracks' && { body: {} }),
    ...(operationId === 'suggest' && { query: { q: 'sun' } }),
  });

describe('scopes', () => {
  it('cover every operation that needs a token', () => {
    const known = new Set([
      ...Object.keys(OPERATIONS),
      ...Object.keys(FEATURE_OPERATIONS),
      ...OPEN,
      'readMe',
    ]);
    const unknown = house.contract
      .operations()
      .filter(({ operationId, security }) => security.length > 0 && !known.has(operationId));
    expect(unknown.map(({ operationId }) => operationId)).toEqual([]);
  });

  for (const [operationId, needed] of Object.entries(OPERATIONS)) {
    for (const held of SCOPES) {
      it(`${operationId} ${held === needed ? 'opens to' : 'stays closed to'} ${held}`, async () => {
        const { status, error, headers } = await attempt(operationId, held);
        if (held === needed) {
          expect(status).toBe(200);
        } else {
          expect({ status, type: error.type }).toEqual({ status: 403, type: 'insufficient_scope' });
          expect(headers['www-authenticate']).toBe(
            `Bearer realm="stave", error="insufficient_scope", scope="${needed}"`,
          );
        }
      });
    }
  }

  it.each(SCOPES)('readMe answers a token with %s', async (scope) => {
    const { data } = await attempt('readMe', scope);
    expect(data.scopes).toEqual([scope]);
  });
});

describe('contract features', () => {
  it.each(Object.entries(FEATURE_OPERATIONS))(
    '%s needs a token, and is off until %s is switched on',
    async (operationId) => {
      const options = operationId === 'reportUsage' ? { body: {} } : {};
      const without = await house.call(operationId, options);
      expect(without).toMatchObject({ status: 401, error: { type: 'invalid_token' } });
      for (const scope of SCOPES) {
        const { status, error } = await house.call(operationId, {
          ...options,
          token: tokens.get(scope)!,
        });
        expect({ status, type: error.type }).toEqual({ status: 403, type: 'feature_not_enabled' });
      }
    },
  );

  it('are not pretended to once switched on', async () => {
    const client = await house.createClient({ features: FEATURES });
    const token = await client.token();
    for (const operationId of Object.keys(FEATURE_OPERATIONS)) {
      const { error } = await house.call(operationId, { token });
      expect(error.type).toBe('feature_not_enabled');
      expect(error.message).toContain('does not have it yet');
    }
  });

  it('ask for their scope once switched on', async () => {
    const client = await house.createClient({ features: FEATURES });
    const token = await client.token({ scope: 'tracks' });
    for (const [operationId, scope] of Object.entries(FEATURE_OPERATIONS)) {
      const { error, headers } = await house.call(operationId, { token });
      expect(error.type).toBe('insufficient_scope');
      expect(headers['www-authenticate']).toContain(`scope="${scope}"`);
    }
  });
});
