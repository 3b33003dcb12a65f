import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveries } from '../../../test/harness/catalog.ts';
import { startTestServer, type TestServer } from '../../../test/harness/test-server.ts';
import { FEATURES, SCOPES, type Scope } from '../../access/client.ts';

/** The scope of each operation of a contract feature that is not implemented. */
const FEATURE_OPERATIONS = {
  reportUsage: 'usage',
} as const;

let server: TestServer;
const tokens = new Map<Scope, string>();
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
  const client = await server.createClient();
  for (const scope of SCOPES) {
    tokens.set(scope, await client.token({ scope }));
  }
});
afterAll(() => server?.close());

describe('contract features', () => {
  it.each(Object.entries(FEATURE_OPERATIONS))(
    '%s needs a token, and is off until %s is switched on',
    async (operationId) => {
      const options = operationId === 'reportUsage' ? { body: {} } : {};
      const without = await server.call(operationId, options);
      expect(without).toMatchObject({ status: 401, error: { type: 'invalid_token' } });
      for (const scope of SCOPES) {
        const { status, error } = await server.call(operationId, {
          ...options,
          token: tokens.get(scope)!,
        });
        expect({ status, type: error.type }).toEqual({ status: 403, type: 'feature_not_enabled' });
      }
    },
  );

  it('respond that they are not implemented if they are on', async () => {
    const client = await server.createClient({ features: FEATURES });
    const token = await client.token();
    for (const operationId of Object.keys(FEATURE_OPERATIONS)) {
      const { error } = await server.call(operationId, { token });
      expect(error.type).toBe('feature_not_enabled');
      expect(error.message).toContain('does not have it yet');
    }
  });

  it('require their scope if they are on', async () => {
    const client = await server.createClient({ features: FEATURES });
    const token = await client.token({ scope: 'tracks' });
    for (const [operationId, scope] of Object.entries(FEATURE_OPERATIONS)) {
      const { error, headers } = await server.call(operationId, { token });
      expect(error.type).toBe('insufficient_scope');
      expect(headers['www-authenticate']).toContain(`scope="${scope}"`);
    }
  });
});
