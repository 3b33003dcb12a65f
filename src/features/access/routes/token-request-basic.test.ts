import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basicCredentials, isBasic } from './token-request.ts';

const header = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('basicCredentials', () => {
  it('decodes any id and secret that a client form-encodes, with colons and spaces', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, fc.boolean(), (clientId, secret, plus) => {
        const encode = (value: string) => {
          const encoded = encodeURIComponent(value);
          return plus ? encoded.replaceAll('%20', '+') : encoded;
        };
        const pair = `${encode(clientId)}:${encode(secret)}`;
        expect(basicCredentials(header(pair))).toEqual({ clientId, secret });
      }),
    );
  });

  it('accepts unencoded credentials, and the scheme in any case', () => {
    expect(basicCredentials(header('id:stave_test_a')?.replace('Basic', 'bAsIc'))).toEqual({
      clientId: 'id',
      secret: 'stave_test_a',
    });
  });

  it('splits at the first colon', () => {
    expect(basicCredentials(header('id:a:b'))).toEqual({ clientId: 'id', secret: 'a:b' });
  });

  it.each([
    'Basic',
    'Basic ',
    'Basic ***',
    'Basic aWQ6c2VjcmV0 aWQ6c2VjcmV0',
    'Basic aWQ6c2VjcmV0, Basic aWQ6c2VjcmV0',
    header('no colon'),
    header('id:%zz'),
    header('id:%ff'),
  ])('cannot read %j', (authorization) => {
    expect(basicCredentials(authorization)).toBeUndefined();
  });
});

describe('isBasic', () => {
  it('checks only the scheme', () => {
    expect(isBasic('Basic')).toBe(true);
    expect(isBasic('basic x')).toBe(true);
    expect(isBasic('Basics x')).toBe(false);
    expect(isBasic('Bearer x')).toBe(false);
    expect(isBasic(undefined)).toBe(false);
  });
});
