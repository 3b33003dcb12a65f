import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, listen } from '../../../../test/harness/access-server.ts';
import { OAUTH_READERS } from '../../../../test/harness/oauth-readers.ts';

let server: AccessServer;
let clientId: string;
let testSecret: string;
beforeAll(async () => {
  server = await listen();
  ({ clientId, testSecret } = await server.newClient({ scopes: ['search', 'tracks'] }));
});
afterAll(() => server.close());

async function scopesOf(token: string): Promise<string[]> {
  const { data } = (await (await server.me(token)).json()) as { data: { scopes: string[] } };
  return data.scopes.sort();
}

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const discovered = async () => {
    const issuer = new URL(server.base);
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    return oauth.processDiscoveryResponse(issuer, response);
  };
  const grant = async (authentication: oauth.ClientAuth, parameters = {}) => {
    const as = await discovered();
    const client = { client_id: clientId };
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      authentication,
      parameters,
      insecure,
    );
    return oauth.processClientCredentialsResponse(as, client, response);
  };

  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ])('finds the endpoint and gets a token by %s', async (_, authentication) => {
    const result = await grant(authentication(testSecret), { scope: 'search' });
    expect(result).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'search' });
    expect(await scopesOf(result.access_token)).toEqual(['search']);
  });

  it.each([
    ['client_secret_post', oauth.ClientSecretPost],
    ['client_secret_basic', oauth.ClientSecretBasic],
  ])('reads the error for a wrong secret by %s', async (_, authentication) => {
    const thrown = await grant(authentication('wrong')).catch((error: unknown) => error);
    // A challenge is read in preference to the body.
    expect(thrown).toBeInstanceOf(oauth.WWWAuthenticateChallengeError);
    expect(thrown).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
  });

  it('reads every other error', async () => {
    const thrown = await grant(oauth.ClientSecretBasic(testSecret), { scope: 'none' }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(oauth.ResponseBodyError);
    expect(thrown).toMatchObject({
      status: 400,
      error: 'invalid_scope',
      error_description:
        "The client does not hold every scope asked for: 'none' is not a scope of this client.",
    });
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
  const configure = (secret: string, authentication: (secret: string) => openid.ClientAuth) =>
    openid.discovery(new URL(server.base), clientId, undefined, authentication(secret), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it.each([
    ['client_secret_post', openid.ClientSecretPost],
    ['client_secret_basic', openid.ClientSecretBasic],
  ])('finds the endpoint and gets a token by %s', async (_, authentication) => {
    const config = await configure(testSecret, authentication);
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

  it('reads the errors for a wrong secret and other problems', async () => {
    const wrong = await configure('wrong', openid.ClientSecretBasic);
    await expect(openid.clientCredentialsGrant(wrong)).rejects.toMatchObject({
      cause: [{ scheme: 'basic' }],
    });
    const right = await configure(testSecret, openid.ClientSecretPost);
    await expect(openid.clientCredentialsGrant(right, { scope: 'none' })).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
  });
});

describe('simple-oauth2', () => {
  const client = (secret: string, authorizationMethod: 'header' | 'body') =>
    new ClientCredentials({
      client: { id: clientId, secret },
      auth: { tokenHost: server.base, tokenPath: '/oauth/token' },
      options: { authorizationMethod },
    });

  it.each(['header', 'body'] as const)(
    'gets a token with its credentials in the %s',
    async (place) => {
      const { token, expired } = await client(testSecret, place).getToken({ scope: ['tracks'] });
      expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'tracks' });
      expect(expired).toBeTypeOf('function');
      expect(await scopesOf(String(token.access_token))).toEqual(['tracks']);
    },
  );

  it.each(['header', 'body'] as const)(
    'reads the error for a wrong secret in the %s',
    async (place) => {
      await expect(client('wrong', place).getToken({})).rejects.toMatchObject({
        data: { payload: { error: 'invalid_client', error_description: expect.any(String) } },
      });
    },
  );
});

describe.each(Object.entries(OAUTH_READERS))('a response that %s reads', (_library, read) => {
  const ask = async (path: string, form: Record<string, string>) => {
    const response = await fetch(`${server.base}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    });
    return read({
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: await response.text(),
    });
  };

  it('is a token, or an error with a code and a description', async () => {
    const right = { client_id: clientId, client_secret: testSecret };
    expect(await ask('/oauth/token', right)).toEqual({
      accessToken: expect.stringMatching(/^eyJ/),
      expiresIn: 3600,
      scope: 'search tracks',
    });
    for (const [form, error] of [
      [{ ...right, client_secret: 'wrong' }, 'invalid_client'],
      [{ ...right, scope: 'none' }, 'invalid_scope'],
      [{ ...right, grant_type: 'password' }, 'unsupported_grant_type'],
      [{ client_id: clientId }, 'invalid_request'],
    ] as const) {
      expect(await ask('/oauth/token', form)).toEqual({ error, description: expect.any(String) });
    }
  });

  it('is not accepted in the envelope', async () => {
    const right = { client_id: clientId, client_secret: testSecret };
    expect(await ask('/v1/auth/token', right)).toHaveProperty('unreadable');
  });
});
