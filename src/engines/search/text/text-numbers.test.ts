import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NameCollector } from '../build/value-builder.ts';
import { ListNumbers, type TextList, TextNumbers } from './text-numbers.ts';
import { symbolRuns } from './text-query.ts';

it('numbers a list anew in each numbering, also when one is used again', () => {
  const shared: TextList = ['b', 'a', 'b'];
  const one = new ListNumbers(new TextNumbers(), (text) => text);
  const otherTexts = new TextNumbers();
  otherTexts.of('a');
  const other = new ListNumbers(otherTexts, (text) => text);
  expect(one.of(shared)).toEqual([0, 1]);
  expect(other.of(shared)).toEqual([1, 0]);
  expect(one.of(shared)).toEqual([0, 1]);
  expect(one.of([])).toEqual([]);
});

it('finds each name that has runs of symbols', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '-', "'", 'é', '★') });
  fc.assert(
    fc.property(name, (text) => {
      const mayHaveSymbols = new NameCollector().add(text);
      expect(mayHaveSymbols || symbolRuns(text).length === 0).toBe(true);
    }),
  );
  for (const plain of ['Night Train 7', 'Night', '']) {
    expect(new NameCollector().add(plain)).toBe(false);
  }
});
