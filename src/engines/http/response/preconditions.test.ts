import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpDate } from '../../../common/time.ts';
import { evaluatePreconditions } from './preconditions.ts';

const MODIFIED = 'Sat, 21 Nov 2026 12:00:00 GMT';
const EARLIER = 'Sat, 21 Nov 2026 11:59:59 GMT';
const LATER = 'Sat, 21 Nov 2026 12:00:01 GMT';
const OURS = '"abc"';

function outcome(headers: Record<string, string>) {
  return evaluatePreconditions(headers, { etag: OURS, modifiedMs: Date.parse(MODIFIED) });
}

describe('evaluatePreconditions', () => {
  it.each([
    [{}, 'proceed'],
    // If-Match: strong comparison (RFC 9110 §13.1.1)
    [{ 'if-match': OURS }, 'proceed'],
    [{ 'if-match': '*' }, 'proceed'],
    [{ 'if-match': '"x", "abc"' }, 'proceed'],
    [{ 'if-match': '"x"' }, 'failed'],
    [{ 'if-match': 'W/"abc"' }, 'failed'],
    [{ 'if-match': 'abc' }, 'failed'],
    // If-Unmodified-Since, which If-Match replaces (§13.1.4)
    [{ 'if-unmodified-since': MODIFIED }, 'proceed'],
    [{ 'if-unmodified-since': EARLIER }, 'failed'],
    [{ 'if-unmodified-since': 'yesterday' }, 'proceed'],
    [{ 'if-match': OURS, 'if-unmodified-since': EARLIER }, 'proceed'],
    // If-None-Match: weak comparison (§13.1.2)
    [{ 'if-none-match': OURS }, 'not-modified'],
    [{ 'if-none-match': 'W/"abc"' }, 'not-modified'],
    [{ 'if-none-match': ' * ' }, 'not-modified'],
    [{ 'if-none-match': '"a,b" , "abc"' }, 'not-modified'],
    [{ 'if-none-match': '"abcd"' }, 'proceed'],
    [{ 'if-none-match': '"x,"abc"' }, 'proceed'],
    // If-Modified-Since, which If-None-Match replaces (§13.1.3)
    [{ 'if-modified-since': MODIFIED }, 'not-modified'],
    [{ 'if-modified-since': LATER }, 'not-modified'],
    [{ 'if-modified-since': EARLIER }, 'proceed'],
    [{ 'if-modified-since': '2030' }, 'proceed'],
    [{ 'if-none-match': '"x"', 'if-modified-since': LATER }, 'proceed'],
    // If-Range (§13.1.5)
    [{ 'if-range': OURS }, 'proceed'],
    [{ 'if-range': 'W/"abc"' }, 'proceed-whole'],
    [{ 'if-range': '"x"' }, 'proceed-whole'],
    [{ 'if-range': MODIFIED }, 'proceed'],
    [{ 'if-range': LATER }, 'proceed-whole'],
    [{ 'if-range': EARLIER }, 'proceed-whole'],
    [{ 'if-range': 'nonsense' }, 'proceed-whole'],
    // The order of §13.2.2
    [{ 'if-match': '"x"', 'if-none-match': OURS }, 'failed'],
    [{ 'if-none-match': OURS, 'if-range': '"x"' }, 'not-modified'],
  ])('evaluates %j as %s', (headers, expected) => {
    expect(outcome(headers as Record<string, string>)).toBe(expected);
  });

  it('ignores dates if the representation has none', () => {
    const undated = { etag: OURS, modifiedMs: undefined };
    expect(evaluatePreconditions({ 'if-modified-since': LATER }, undated)).toBe('proceed');
    expect(evaluatePreconditions({ 'if-unmodified-since': EARLIER }, undated)).toBe('proceed');
    expect(evaluatePreconditions({ 'if-range': MODIFIED }, undated)).toBe('proceed-whole');
  });

  it('accepts any text in any header without throwing', () => {
    const header = fc.constantFrom(
      'if-match',
      'if-none-match',
      'if-modified-since',
      'if-unmodified-since',
      'if-range',
    );
    fc.assert(
      fc.property(fc.dictionary(header, fc.string()), (headers) => {
        outcome(headers);
      }),
    );
  });
});

describe('httpDate', () => {
  it('reads the three forms of RFC 9110 §5.6.7 as the same moment', () => {
    const moment = Date.UTC(1994, 10, 6, 8, 49, 37);
    expect(httpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(moment);
    expect(httpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(moment);
    expect(httpDate('Sun Nov  6 08:49:37 1994')).toBe(moment);
  });

  it('reads every date that the service writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_799 }), (seconds) => {
        expect(httpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds * 1000);
      }),
    );
  });

  it('ignores text that is not an HTTP date', () => {
    for (const text of [
      '',
      '2026',
      '1',
      '2026-11-21T12:00:00Z',
      'Sat, 21 Nov 2026 12:00:00 +0100',
    ]) {
      expect(httpDate(text), text).toBeUndefined();
    }
  });
});
