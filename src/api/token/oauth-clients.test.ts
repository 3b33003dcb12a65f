import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, listen } from '../../../test/fixtures/access-server.ts';

let server: AccessServer;
let clientId: string;
let testSecret: string;
beforeAll(async () => {
  server = await listen();
  ({ clientId, testSecret } = await server.newClient({ scopes: ['search', 'tracks'] }));
});
afterAll(() => server.close());

const insecure = { [oauth.allowInsecureRequests]: true };
const metadata = () => ({
  issuer: server.base,
  token_endpoint: `${server.base}/v1/auth/token`,
});

describe('oauth4webapi', () => {
  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ])('gets a token by %s and reaches the API with it', async (_, authentication) => {
    const as = metadata();
    const client = { client_id: clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      authentication(testSecret),
      { scope: 'search' },
      insecure,
    );
    const result = await oauth.processClientCredentialsResponse(as, client, response);
    expect(result).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'search' });
    const me = await oauth.protectedResourceRequest(
      result.access_token,
      'GET',
      new URL(`${server.base}/v1/me`),
      undefined,
      null,
      insecure,
    );
    expect(await me.json()).toMatchObject({ data: { clientId, scopes: ['search'] } });
  });

  it('understands the challenge of a wrong token', async () => {
    const request = oauth.protectedResourceRequest(
      'wrong',
      'GET',
      new URL(`${server.base}/v1/me`),
      undefined,
      null,
      insecure,
    );
    const error = await request.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect((error as oauth.WWWAuthenticateChallengeError).cause).toMatchObject([
      { scheme: 'bearer', parameters: { realm: 'stave', error: 'invalid_token' } },
    ]);
  });
});

describe('openid-client', () => {
  it.each([
    ['client_secret_post', openid.ClientSecretPost],
    ['client_secret_basic', openid.ClientSecretBasic],
  ])('gets a token by %s and reaches the API with it', async (_, authentication) => {
    const config = new openid.Configuration(
      metadata(),
      clientId,
      undefined,
      authentication(testSecret),
    );
    openid.allowInsecureRequests(config);
    const tokens = await openid.clientCredentialsGrant(config);
    expect(tokens.scope).toBe('search tracks');
    expect(tokens.expiresIn()).toBeGreaterThan(3500);
    const me = await openid.fetchProtectedResource(
      config,
      tokens.access_token,
      new URL(`${server.base}/v1/me`),
      'GET',
    );
    expect(await me.json()).toMatchObject({ data: { clientId } });
  });

  it('is told that its secret is wrong', async () => {
    const config = new openid.Configuration(
      metadata(),
      clientId,
      undefined,
      openid.ClientSecretBasic('wrong'),
    );
    openid.allowInsecureRequests(config);
    await expect(openid.clientCredentialsGrant(config)).rejects.toMatchObject({
      cause: expect.anything(),
    });
  });
});
