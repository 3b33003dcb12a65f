import { describe, expect, it } from 'vitest';
import { readTokenRequest, tokenRequestProblems } from './token-request.ts';

const good = { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret' };
const basic = `Basic ${Buffer.from('id:secret').toString('base64')}`;

const fields = (body: Record<string, unknown>, authorization?: string) =>
  tokenRequestProblems(body, authorization).map(({ field }) => field);

describe('readTokenRequest', () => {
  it('reads credentials from the body', () => {
    expect(readTokenRequest({ ...good, scope: 'search' }, undefined)).toEqual({
      clientId: 'id',
      secret: 'secret',
      scope: 'search',
    });
  });

  it('reads credentials from HTTP Basic', () => {
    expect(readTokenRequest({ grant_type: 'client_credentials' }, basic)).toEqual({
      clientId: 'id',
      secret: 'secret',
      scope: undefined,
    });
  });

  it('ignores unknown members, and other schemes', () => {
    expect(readTokenRequest({ ...good, audience: 'x', resource: [1] }, 'Bearer abc').clientId).toBe(
      'id',
    );
  });

  it('treats an empty member as absent', () => {
    expect(readTokenRequest({ ...good, scope: '' }, undefined).scope).toBeUndefined();
    expect(fields({ ...good, client_secret: '' })).toEqual(['client_secret']);
    expect(
      readTokenRequest({ grant_type: 'client_credentials', client_secret: '' }, basic).clientId,
    ).toBe('id');
  });

  it.each([
    'password',
    'authorization_code',
    'refresh_token',
    'CLIENT_CREDENTIALS',
    'client_credentials ',
  ])('does not support the grant %j', (grantType) => {
    const request = { ...good, grant_type: grantType };
    expect(fields(request)).toEqual([]);
    expect(fields({ grant_type: grantType, username: 'u', password: 'p' })).toEqual([]);
    expect(() => readTokenRequest(request, undefined)).toThrow(
      expect.objectContaining({ kind: 'unsupported_grant_type' }),
    );
  });
});

describe('tokenRequestProblems', () => {
  it.each([
    [{ grantType: 'client_credentials' }, 'grant_type', 'grantType'],
    [{ clientId: 'x' }, 'client_id', 'clientId'],
    [{ 'client-id': 'x' }, 'client_id', 'client-id'],
    [{ ClientSecret: 'x' }, 'client_secret', 'ClientSecret'],
    [{ client_secert: 'x' }, 'client_secret', 'client_secert'],
    [{ password: 'x' }, 'client_secret', 'password'],
  ])('names a misspelled member: %j', (body, field, name) => {
    const { [field as keyof typeof good]: _, ...rest } = good;
    expect(tokenRequestProblems({ ...rest, ...body }, undefined)).toEqual([
      { field, message: `${field} is missing; ${name} is not read, call it ${field}` },
    ]);
  });

  it('gives no hint for a missing member without a similar one', () => {
    const body = { ...good, audience: 'x' } as Record<string, unknown>;
    delete body.client_id;
    expect(tokenRequestProblems(body, undefined)).toEqual([
      { field: 'client_id', message: 'client_id is missing' },
    ]);
  });

  it('reports every problem together', () => {
    const body = { client_id: 7, client_secret: ['a', 'b'], scope: null };
    expect(tokenRequestProblems(body, undefined)).toEqual([
      { field: 'grant_type', message: 'grant_type is missing' },
      { field: 'client_id', message: 'client_id must be a text' },
      { field: 'client_secret', message: 'client_secret must be a text' },
      { field: 'scope', message: 'scope must be a text' },
    ]);
  });

  it.each(['grant_type', 'client_id', 'client_secret', 'scope'])(
    'refuses a %s that is not a text',
    (member) => {
      for (const value of [7, true, null, {}, [], ['x']]) {
        expect(fields({ ...good, [member]: value })).toEqual([member]);
      }
    },
  );

  it('refuses credentials in two places at once', () => {
    expect(fields(good, basic)).toEqual(['client_id', 'client_secret']);
    expect(fields({ grant_type: 'client_credentials', client_id: 'id' }, basic)).toEqual([
      'client_id',
    ]);
  });

  it('refuses a malformed Basic header, together with other problems', () => {
    expect(fields({}, 'Basic ???')).toEqual(['grant_type', 'Authorization']);
    for (const pair of [':secret', 'id:', ':']) {
      const header = `Basic ${Buffer.from(pair).toString('base64')}`;
      expect(fields({ grant_type: 'client_credentials' }, header)).toEqual(['Authorization']);
    }
  });

  it('ignores inherited members', () => {
    expect(fields(Object.create(good))).toEqual(['grant_type', 'client_id', 'client_secret']);
  });

  it('never repeats a secret in its messages', () => {
    const body = { ...good, grant_type: 7, client_secret: 'stave_test_hidden' };
    expect(JSON.stringify(tokenRequestProblems(body, basic))).not.toContain('hidden');
  });

  it.each(['\0', 'a\0b', '\ud800'])('refuses the text %j', (text) => {
    expect(fields({ ...good, client_id: text })).toEqual(['client_id']);
    expect(fields({ ...good, client_secret: text, scope: text })).toEqual([
      'client_secret',
      'scope',
    ]);
    const withNul = `Basic ${Buffer.from('id:a\0b').toString('base64')}`;
    expect(fields({ grant_type: 'client_credentials' }, withNul)).toEqual(['Authorization']);
  });
});
