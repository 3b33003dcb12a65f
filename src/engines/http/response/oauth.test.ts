import { describe, expect, it } from 'vitest';
import { ERROR_KINDS, type ErrorKind, StaveError } from '../../../common/errors.ts';
import { OAUTH_ERRORS, oauthErrorBody, oauthErrorOf } from './envelope.ts';

const read = (error: StaveError) =>
  JSON.parse(oauthErrorBody(error, 'https://api.example.com').toString('utf8'));

describe('oauthErrorBody', () => {
  it('has exactly the members of RFC 6749 §5.2 for every error kind', () => {
    for (const kind of Object.keys(ERROR_KINDS) as ErrorKind[]) {
      expect(OAUTH_ERRORS).toContain(oauthErrorOf(kind));
      expect(read(new StaveError(kind, 'Something is wrong.'))).toEqual({
        error: oauthErrorOf(kind),
        error_description: 'Something is wrong.',
        error_uri: `https://api.example.com/docs/errors#${kind}`,
      });
    }
  });

  it('contains all problems of a request, up to ten', () => {
    const problems = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ field: `m${i}`, message: `m${i} is missing` }));
    const described = (count: number) =>
      read(new StaveError('invalid_request', 'no', { details: problems(count) })).error_description;
    expect(described(1)).toBe('The request is not valid: m0 is missing.');
    expect(described(2)).toBe('The request is not valid: m0 is missing; m1 is missing.');
    expect(described(50).split(';')).toHaveLength(10);
  });

  it('is a sentence with a capital letter for every error kind', () => {
    const details = [{ field: 'scope', message: '"a" is not a scope of this client' }];
    for (const kind of Object.keys(ERROR_KINDS) as ErrorKind[]) {
      expect(read(new StaveError(kind, 'It failed.', { details })).error_description).toBe(
        `${kind === 'invalid_request' ? 'The request is not valid' : 'It failed'}: 'a' is not a scope of this client.`,
      );
    }
  });

  it('contains only characters that RFC 6749 §5.2 allows', () => {
    const { error_description: description } = read(
      new StaveError('invalid_request', 'send "a\\b" … not é, \u0007 or \u{1f3b5}'),
    );
    expect(description).toBe("send 'a?b' ... not ?, ? or ??");
    expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/);
  });

  it('does not mention a cause', () => {
    const error = new StaveError('internal_error', 'It failed.', { cause: new Error('hidden') });
    expect(oauthErrorBody(error, 'https://api.example.com').toString()).not.toContain('hidden');
  });
});
