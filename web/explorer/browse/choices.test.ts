import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Choice, chosenIn, onlyFilter, withChoice } from './choices.ts';
import type { Query } from './view.ts';

const slug = fc.constantFrom('jazz', 'blues', 'dark', 'calm');
const choice = fc.constantFrom<Choice | undefined>('any', 'all', 'none', undefined);

it('names a filter once, in the member of its last choice', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(slug, choice)), (steps) => {
      let query: Query = { search: 'night' };
      const expected = new Map<string, Choice>();
      for (const [one, next] of steps) {
        query = { ...query, ...withChoice(query, one, next) };
        if (next === undefined) expected.delete(one);
        else expected.set(one, next);
      }
      const chosen = chosenIn(query).map(({ slug, choice }) => [slug, choice] as const);
      expect(chosen.length).toBe(expected.size);
      expect(new Map(chosen)).toEqual(expected);
    }),
  );
});

it('uses the members of the API, and leaves out what is empty', () => {
  const query = { anyFilterSlugs: ['jazz'], notFilterSlugs: ['dark'] };
  expect(withChoice(query, 'dark', 'any')).toEqual({ anyFilterSlugs: ['jazz', 'dark'] });
  expect({ ...query, ...onlyFilter('calm') }).toEqual({ anyFilterSlugs: ['calm'] });
});
