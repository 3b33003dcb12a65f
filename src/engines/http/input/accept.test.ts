import { describe, expect, it } from 'vitest';
import { acceptsJson } from '../response/negotiation.ts';

describe('acceptsJson', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['', true],
    ['  ', true],
    ['*/*', true],
    ['application/json', true],
    ['APPLICATION/JSON', true],
    ['application/json;charset=utf-8', true],
    ['application/*', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html;q=0.9 , application/json;q=0.001', true],
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['application/json; Q=0, */*;q=1', false],
    ['application/*;q=0, */*', false],
    ['application/*;q=0, application/json', true],
    ['application/json;q=2', false],
    ['application/json;q=', false],
    ['application/problem+json', false],
    ['application/jsonp', false],
    ['*', false],
    ['json', false],
    ['text/*', false],
  ])('%j: %s', (accept, expected) => {
    expect(acceptsJson(accept)).toBe(expected);
  });
});
