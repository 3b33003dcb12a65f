import { describe, expect, it } from 'vitest';
import { StaveError } from '../../kernel/errors.ts';
import { readTokenRequest } from './token-request.ts';

const good = { grant_type: 'client_credentials', client_id: 'id', client_secret: 'secret' };
const basic = `Basic ${Buffer.from('id:secret').toString('base64')}`;

function refusal(body: Record<string, unknown>, authorization?: string): StaveError {
  try {
    readTokenRequest(body, authorization);
  } catch (error) {
    expect(error).toBeInstanceOf(StaveError);
    return error as StaveError;
  }
  throw new Error('was read');
}
const fields = (error: StaveError) => error.details?.map(({ field }) => field);

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

  it('passes over members it does not know, and other schemes', () => {
    expect(readTokenRequest({ ...good, audience: 'x', resource: [1] }, 'Bearer abc').clientId).toBe(
      'id',
    );
  });

  it('takes an empty member for an absent one', () => {
    expect(readTokenRequest({ ...good, scope: '' }, undefined).scope).toBeUndefined();
    expect(fields(refusal({ ...good, client_secret: '' }))).toEqual(['client_secret']);
    expect(
      readTokenRequest({ grant_type: 'client_credentials', client_secret: '' }, basic).clientId,
    ).toBe('id');
  });

  it('reports every problem together', () => {
    const error = refusal({ client_id: 7, client_secret: ['a', 'b'], scope: null });
    expect(error.kind).toBe('invalid_request');
    expect(error.details).toEqual([
      { field: 'grant_type', message: 'grant_type is missing' },
      { field: 'client_id', message: 'client_id must be a text' },
      { field: 'client_secret', message: 'client_secret must be a text' },
      { field: 'scope', message: 'scope must be a text' },
    ]);
  });

  it.each(['grant_type', 'client_id', 'client_secret', 'scope'])(
    'refuses a %s that is no text',
    (member) => {
      for (const value of [7, true, null, {}, [], ['x']]) {
        expect(fields(refusal({ ...good, [member]: value }))).toEqual([member]);
      }
    },
  );

  it('refuses credentials in two places at once', () => {
    expect(fields(refusal(good, basic))).toEqual(['client_id', 'client_secret']);
    expect(fields(refusal({ grant_type: 'client_credentials', client_id: 'id' }, basic))).toEqual([
      'client_id',
    ]);
  });

  it('refuses an unreadable Basic header, together with the rest', () => {
    expect(fields(refusal({}, 'Basic ???'))).toEqual(['grant_type', 'Authorization']);
    for (const pair of [':secret', 'id:', ':']) {
      const header = `Basic ${Buffer.from(pair).toString('base64')}`;
      expect(fields(refusal({ grant_type: 'client_credentials' }, header))).toEqual([
        'Authorization',
      ]);
    }
  });

  it('does not mistake what every object inherits for a member', () => {
    expect(fields(refusal(Object.create(good)))).toEqual([
      'grant_type',
      'client_id',
      'client_secret',
    ]);
  });

  it.each([
    'password',
    'authorization_code',
    'refresh_token',
    'CLIENT_CREDENTIALS',
    'client_credentials ',
  ])('does not support the grant %j', (grantType) => {
    expect(refusal({ ...good, grant_type: grantType }).kind).toBe('unsupported_grant_type');
  });

  it('never repeats a secret in what it says', () => {
    const error = refusal({ ...good, grant_type: 7, client_secret: 'stave_test_hidden' }, basic);
    expect(JSON.stringify([error.message, error.details])).not.toContain('hidden');
  });
});
