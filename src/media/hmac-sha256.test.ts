import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HmacSha256 } from './hmac-sha256.ts';

const secrets = fc.uint8Array({ minLength: 0, maxLength: 64 });
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });

function reference(secret: Uint8Array, message: string): string {
  return createHmac('sha256', secret).update(message, 'latin1').digest('base64url');
}

describe('HmacSha256', () => {
  it('equals createHmac for every key up to a block and every message', () => {
    fc.assert(
      fc.property(secrets, ascii, (secret, message) => {
        expect(new HmacSha256(secret).of(message)).toBe(reference(secret, message));
      }),
      { numRuns: 1000 },
    );
  });

  it('equals createHmac through a template, whatever was signed before', () => {
    fc.assert(
      fc.property(
        secrets,
        ascii,
        ascii,
        fc.array(fc.stringMatching(/^[0-9a-f]{36}$/), { minLength: 1, maxLength: 4 }),
        (secret, before, after, parts) => {
          const hmac = new HmacSha256(secret);
          const sign = hmac.template(before, 36, after);
          for (const part of parts) {
            hmac.of('something in between');
            expect(sign(part)).toBe(reference(secret, before + part + after));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('matches RFC 4231, test case 2', () => {
    expect(
      Buffer.from(
        new HmacSha256(Buffer.from('Jefe')).of('what do ya want for nothing?'),
        'base64url',
      ).toString('hex'),
    ).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  it('refuses a key over a block and a part of another length', () => {
    expect(() => new HmacSha256(Buffer.alloc(65))).toThrow(RangeError);
    expect(() => new HmacSha256(Buffer.alloc(32)).template('a', 3, 'b')('four')).toThrow(
      RangeError,
    );
  });
});
