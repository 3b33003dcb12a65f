import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MODES } from '../../common/caller.ts';
import { hashSecret, isWellFormedSecret, newSecret } from './secret.ts';

describe('newSecret', () => {
  it.each(MODES)('creates a secret with its mode and a correct checksum (%s)', (mode) => {
    const secret = newSecret(mode);
    expect(secret).toMatch(new RegExp(`^stave_${mode}_[0-9A-Za-z]{36}$`));
    expect(isWellFormedSecret(secret)).toBe(true);
  });

  it('uses every digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2000; i++) {
      for (const digit of newSecret('test').slice('stave_test_'.length, -6)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
      }
    }
    // Of 60,000 digits, 968 of each are expected. The standard deviation is 31. Six deviations are allowed.
    expect(counts.size).toBe(62);
    expect(Math.min(...counts.values())).toBeGreaterThan(780);
    expect(Math.max(...counts.values())).toBeLessThan(1160);
  });

  it('creates no secret twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newSecret('live'))).size).toBe(1000);
  });
});

describe('isWellFormedSecret', () => {
  it('refuses a secret with one changed character, or with the prefix of the other mode', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 46 }),
        fc.string({ minLength: 1, maxLength: 1 }),
        (at, character) => {
          const secret = newSecret('test');
          const changed = secret.slice(0, at) + character + secret.slice(at + 1);
          expect(isWellFormedSecret(changed)).toBe(changed === secret);
        },
      ),
      { numRuns: 2000 },
    );
    expect(isWellFormedSecret(newSecret('test').replace('test', 'live'))).toBe(false);
  });

  it('refuses any text before or after a secret', () => {
    const secret = newSecret('test');
    for (const text of [`${secret}\n`, ` ${secret}`, secret.slice(1), `${secret}0`, '']) {
      expect(isWellFormedSecret(text)).toBe(false);
    }
  });

  it('accepts a secret of the documented form', () => {
    // Its checksum was computed with zlib.crc32 of Python.
    expect(isWellFormedSecret(`stave_test_${'0'.repeat(30)}49h18s`)).toBe(true);
  });
});

describe('hashSecret', () => {
  it('is SHA-256 in hexadecimal', () => {
    expect(hashSecret('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
