import { describe, expect, it } from 'vitest';
import type { FilterNames } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { id, matches, track } from './search-rules.test-support.ts';

const filterNames: FilterNames = {
  names: [
    { id: id(90), texts: ['Electronic', 'Elektronisch'] },
    { id: id(91), texts: ['Hip-Hop'] },
    { id: id(92), texts: ['Ночь'] },
    { id: id(93), texts: ['♥'] },
  ],
  toJSON: () => 'de',
};

const index = builtOver([
  track(0, { name: 'Moon', filterIds: [id(90)] }),
  track(1, { name: 'Electronic Moon' }),
  track(2, { tags: ['electronic'] }),
  track(3, { filterIds: [id(91), id(92), id(93)] }),
]);

describe('the names of filters', () => {
  const found = (text: string) =>
    matches(index, { text, in: ['filters', 'name', 'tags'], filterNames });

  it('are searched after the name and the tags', () => {
    expect(found('electronic')).toEqual([1, 2, 0]);
    expect(found('moon electronic')).toEqual([1, 0]);
    expect(found('electronic moo')).toEqual([1, 0]);
  });

  it('are searched in each of their languages, with typos, and in other forms', () => {
    expect(found('elektronisch')).toEqual([0]);
    expect(found('elektronsch')).toEqual([0]);
    expect(found('hiphop')).toEqual([3]);
    expect(found('noch')).toEqual([3]);
    expect(found('♥')).toEqual([3]);
  });

  it('are not searched by default', () => {
    expect(matches(index, { text: 'elektronisch', filterNames })).toEqual([]);
    expect(matches(index, { text: 'moon' })).toEqual([0, 1].toSorted());
  });
});
