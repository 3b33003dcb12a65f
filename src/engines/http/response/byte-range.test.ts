import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteRange } from './representation.ts';

describe('byteRange', () => {
  it.each([
    ['bytes=0-99', { start: 0, end: 99 }],
    ['bytes=990-2000', { start: 990, end: 999 }],
    ['bytes=500-', { start: 500, end: 999 }],
    ['bytes=-100', { start: 900, end: 999 }],
    ['bytes=-5000', { start: 0, end: 999 }],
    ['bytes=999-999', { start: 999, end: 999 }],
    ['BYTES=0-0', { start: 0, end: 0 }],
    ['bytes= 0-0 ,', { start: 0, end: 0 }],
    ['bytes=0-99999999999999999999999', { start: 0, end: 999 }],
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=99999999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=1-2-3', 'whole'],
    ['bytes=+1-2', 'whole'],
    ['bytes=0x1-2', 'whole'],
    ['bytes 0-1', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['', 'whole'],
    [undefined, 'whole'],
  ])('reads %s of 1000 bytes', (header, expected) => {
    expect(byteRange(header, 1000)).toEqual(expected);
  });

  it('returns the whole body if it is empty', () => {
    expect(byteRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(byteRange('bytes=-5', 0)).toBe('whole');
  });

  it('is always within the body and contains the requested bytes', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 5000 }),
        fc.option(fc.nat({ max: 6000 }), { nil: undefined }),
        fc.option(fc.nat({ max: 6000 }), { nil: undefined }),
        (size, first, last) => {
          const body = Array.from({ length: size }, (_, i) => i);
          const range = byteRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
          const requested =
            first === undefined
              ? last === undefined || last === 0
                ? []
                : body.slice(-last)
              : body.slice(first, last === undefined ? undefined : last + 1);
          if (typeof range === 'object') {
            expect(body.slice(range.start, range.end + 1)).toEqual(requested);
            expect(range.start).toBeLessThanOrEqual(range.end);
            expect(range.end).toBeLessThan(size);
          } else {
            expect(requested).toEqual([]);
          }
        },
      ),
    );
  });

  it('accepts any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, size) => {
        byteRange(text, size);
        byteRange(`bytes=${text}`, size);
      }),
    );
  });
});
