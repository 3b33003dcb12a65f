import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceContextOf } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

const parsed = (traceparent: string | undefined, tracestate?: string) =>
  traceContextOf({ traceparent, tracestate } as never);

describe('traceContextOf', () => {
  it('reads the example of the recommendation', () => {
    expect(parsed(VALID, 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7')).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      flags: 1,
      state: 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7',
    });
  });

  it.each([
    ['not sampled', `00-${TRACE}-${SPAN}-00`, 0],
    ['with flags that are not defined', `00-${TRACE}-${SPAN}-ff`, 255],
    ['of a later version', `01-${TRACE}-${SPAN}-01`, 1],
    ['of a later version with more', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, 1],
    ['of a later version that ends with a dash', `cc-${TRACE}-${SPAN}-01-`, 1],
    ['with the least ids', `00-${'0'.repeat(31)}1-${'0'.repeat(15)}1-01`, 1],
  ])('accepts one %s', (_, traceparent, flags) => {
    expect(parsed(traceparent)).toMatchObject({ flags, state: undefined });
  });

  it.each([
    ['that is missing', undefined],
    ['that is empty', ''],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more', `${VALID}-00`],
    ['of version 00 that ends with a dash', `${VALID}-`],
    ['of a later version with more, without a dash', `01-${TRACE}-${SPAN}-01.00`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['with a trace in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['with a span in upper case', `00-${TRACE}-${SPAN.toUpperCase()}-01`],
    ['with a version in upper case', `0A-${TRACE}-${SPAN}-01`],
    ['with flags in upper case', `00-${TRACE}-${SPAN}-0A`],
    ['with a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['with a long trace', `00-${TRACE}0-${SPAN}-01`],
    ['with a short span', `00-${TRACE}-${SPAN.slice(1)}-01`],
    ['with a long span', `00-${TRACE}-${SPAN}0-01`],
    ['with one digit of version', `0-${TRACE}-${SPAN}-01`],
    ['with one digit of flags', `00-${TRACE}-${SPAN}-1`],
    ['with three digits of flags', `00-${TRACE}-${SPAN}-011`],
    ['with other separators', VALID.replaceAll('-', '_')],
    ['with a letter that is no digit', VALID.replace('4bf', '4bg')],
    ['with a space', ` ${VALID}`],
    ['that was sent twice, as Node joins it', `${VALID}, ${VALID}`],
    ['of a later version that was sent twice', `01${VALID.slice(2)}, 01${VALID.slice(2)}`],
    ['with two lines', `${VALID}\n${VALID}`],
  ])('ignores one %s', (_, traceparent) => {
    expect(parsed(traceparent, 'a=b')).toBeUndefined();
  });

  it('passes a state on up to the length that the recommendation asks for', () => {
    expect(parsed(VALID, `a=${'b'.repeat(510)}`)?.state).toHaveLength(512);
    expect(parsed(VALID, `a=${'b'.repeat(511)}`)).toMatchObject({ state: undefined });
    expect(parsed(VALID, '')).toMatchObject({ state: undefined });
  });

  it('returns two ids in lower case, or nothing, for any text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefAF-g') });
    const near = fc
      .tuple(fc.nat(VALID.length), fc.nat(3), digits)
      .map(([at, length, text]) => VALID.slice(0, at) + text + VALID.slice(at + length));
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        const context = parsed(text);
        if (context === undefined) return;
        expect(context.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
        expect(context.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        expect(text.slice(3, 35)).toBe(context.traceId);
      }),
    );
  });
});
