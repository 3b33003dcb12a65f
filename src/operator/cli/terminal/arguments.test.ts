import { describe, expect, it } from 'vitest';
import { commaListOrNone, day, moment } from './arguments.ts';

describe('a list of an option', () => {
  it('is empty only by the word none: an empty text is that of a variable without a value', () => {
    expect(commaListOrNone('none')).toEqual([]);
    expect(commaListOrNone('a, b')).toEqual(['a', 'b']);
    for (const text of ['', ' ']) {
      expect(() => commaListOrNone(text)).toThrow('It is empty; none is the empty list.');
    }
    expect(() => commaListOrNone('a,')).toThrow('An element is empty; write a,b,c.');
  });
});

describe('a day', () => {
  it.each(['2024-02-30', '2023-02-29', '2024-13-01', '2024-00-10'])(
    'does not exist: %s',
    (text) => {
      for (const parse of [day, moment('first'), moment('last')]) {
        expect(() => parse(text)).toThrow(`There is no ${text}.`);
      }
    },
  );

  it('has a form', () => {
    expect(day('2024-02-29')).toBe(19_782);
    expect(() => day('30.02.2024')).toThrow('It must be a day such as 2026-01-31.');
  });
});
