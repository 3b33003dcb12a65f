import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkedFraming } from './intake.ts';

const NEXT = 'GET /version HTTP/1.1\r\n\r\n';

/** Returns the bytes after the body. The framing receives them in pieces of this size. */
function follow(bytes: string, pieceBytes = bytes.length) {
  const framing = new ChunkedFraming();
  const all = Buffer.from(bytes, 'latin1');
  let taken = 0;
  while (taken < all.length && !framing.isComplete && framing.fault === undefined) {
    taken += framing.advance(all.subarray(taken, taken + pieceBytes));
  }
  return { rest: all.toString('latin1', taken), framing };
}

describe('ChunkedFraming', () => {
  it('finds the end of the body for any division into pieces', () => {
    const chunk = fc.record({
      data: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 }),
      zeros: fc.integer({ min: 0, max: 3 }),
      isUpper: fc.boolean(),
      extension: fc.constantFrom('', ';a', ';a=b', ';a="b;c"'),
    });
    const trailer = fc.constantFrom('', 'X-A: b\r\n', 'X-A: b\r\nX-C: d\r\n');
    fc.assert(
      fc.property(
        fc.array(chunk),
        trailer,
        fc.integer({ min: 1, max: 40 }),
        (chunks, end, piece) => {
          const body = chunks.map(({ data, zeros, isUpper, extension }) => {
            const size = data.length.toString(16);
            const digits = '0'.repeat(zeros) + (isUpper ? size.toUpperCase() : size);
            return `${digits}${extension}\r\n${data}\r\n`;
          });
          const bytes = `${body.join('')}0\r\n${end}\r\n${NEXT}`;
          const { rest, framing } = follow(bytes, piece);
          expect(framing.fault).toBeUndefined();
          expect(framing.isComplete).toBe(true);
          expect(rest).toBe(NEXT);
        },
      ),
    );
  });

  it.each([
    'x\r\n',
    '\r\n',
    ';a\r\n',
    '-1\r\n',
    ' 1\r\na\r\n',
    '1\r\nab\r\n',
    '1\r\na\n',
    '0\r\n\rx',
  ])('refuses %j', (bytes) => {
    expect(follow(bytes).framing.fault?.kind).toBe('invalid_request');
    expect(follow(bytes, 1).framing.fault?.kind).toBe('invalid_request');
  });

  it.each(['fffffffffffffff1\r\n', `${'f'.repeat(40)}\r\n`])('refuses the size %j', (bytes) => {
    expect(follow(bytes).framing.fault?.kind).toBe('invalid_request');
  });

  it.each([
    ['chunks of one byte', '1\r\nx\r\n'.repeat(65_536)],
    ['zeros before a size', '0'.repeat(10_000)],
    ['an extension', `1;${'a'.repeat(10_000)}`],
    ['trailers', `0\r\n${'X-A: b\r\n'.repeat(2000)}`],
  ])('limits %s', (_what, bytes) => {
    const { framing, rest } = follow(bytes);
    expect(framing.fault?.kind).toBe('payload_too_large');
    expect(rest.length).toBeGreaterThan(bytes.length - 10_000);
  });

  it.each([1, 16, 100])('accepts 800 chunks of %i bytes, and any number of larger ones', (size) => {
    const chunks = (count: number, bytes: number) =>
      `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count);
    expect(follow(`${chunks(800, size)}0\r\n\r\n`).framing.isComplete).toBe(true);
    expect(follow(`${chunks(2000, 200)}0\r\n\r\n`).framing.isComplete).toBe(true);
  });
});
