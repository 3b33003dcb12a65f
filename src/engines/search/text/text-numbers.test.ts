import fc from 'fast-check';
import { expect, it } from 'vitest';
import { searchForms } from '../../../common/text/search-form.ts';
import { WordNumbers } from './text-numbers.ts';

const character = fc.oneof(
  fc.constantFrom(...'abAB01 -.\0\x7f[]@{`/:'),
  fc.constantFrom("'", 'é', 'ﬀ', '夜'),
);
const name = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcABC019 -_@[`{/:.'), maxLength: 12 }),
  fc.string({ unit: character, maxLength: 8 }),
);

it('the words of plain names are those of the only search form', () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 400 }), (names) => {
      const numbers = new WordNumbers();
      for (const one of names) {
        const found: number[] = [];
        const isPlain = numbers.eachOfPlain(one, (number) => found.push(number));
        const [glued, split] = searchForms(one);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
        expect(isPlain).toBe(/^[\x00-\x7f]*$/.test(one) && !/['`]/.test(one));
        if (isPlain) {
          expect(split).toBeUndefined();
          const words = numbers.texts();
          expect(found.map((number) => words[number]).join(' ')).toBe(glued);
        }
      }
      expect(new Set(numbers.texts()).size).toBe(numbers.size);
    }),
  );
});
