import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchWords } from '../../common/text/search-form.ts';
import type { ValueInText } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import { track } from './search-rules.test-support.ts';

const spelled = (text: string) => text.split(' ').map((word) => [word]);
const sorted = (values: readonly ValueInText[]) =>
  values.map(({ from, length, tracks, text }) => `${from} ${length} ${tracks} ${text}`).sort();

describe('values in a text', () => {
  const index = builtOver([
    track(1, { artists: ['The Night Owls', 'Night'], tags: ['Drum & Bass', "Rock 'n' Roll"] }),
    track(2, { artists: ['night'], tags: ['drum', 'Drum & Bass'] }),
    track(3, { artists: ['night', '!!!'], tags: ['rock n roll revival of the late nineties era'] }),
  ]);

  it('are found at each place, in the spelling of most tracks', () => {
    expect(sorted(index.valuesInText('artists', spelled('the night owls of the night')))).toEqual([
      '0 3 1 The Night Owls',
      '1 1 3 night',
      '5 1 3 night',
    ]);
    expect(sorted(index.valuesInText('tags', spelled('a drum bass drum')))).toEqual([
      '1 1 1 drum',
      '1 2 2 Drum & Bass',
      '3 1 1 drum',
    ]);
  });

  it('are found split and glued at apostrophes, but not by words without spellings', () => {
    expect(sorted(index.valuesInText('tags', spelled('rock n roll')))).toEqual([
      "0 3 1 Rock 'n' Roll",
    ]);
    expect(index.valuesInText('tags', [['rock'], [], ['n'], ['roll']])).toEqual([]);
    expect(
      index.valuesInText('tags', spelled('rock n roll revival of the late nineties era')),
    ).toHaveLength(1);
  });

  it('are found by other spellings of their last word only', () => {
    const text = [['nights', 'night'], ['owls']];
    expect(sorted(index.valuesInText('artists', text))).toEqual(['0 1 3 night']);
    expect(index.valuesInText('artists', [['the'], ['nights', 'night'], ['owls']])).toHaveLength(1);
  });

  it('of which most tracks have are common', () => {
    const common = ['Drum & Bass', "Rock 'n' Roll", 'drum'].map((text) => ({
      text,
      tracks: text === 'Drum & Bass' ? 2 : 1,
    }));
    expect(index.commonTags(3)).toEqual(common);
    expect(index.commonTags(1)).toEqual(common.slice(0, 1));
  });

  it('are those of a plain search, over several segments', async () => {
    const value = fc
      .array(fc.constantFrom('a', 'b', "a'b", 'bass', 'Bass', '!'), { minLength: 1, maxLength: 4 })
      .map((words) => words.join(' '));
    const catalog = fc.array(fc.array(value, { maxLength: 3 }), { maxLength: 12 });
    const text = fc.array(
      fc.uniqueArray(fc.constantFrom('a', 'b', 'ab', 'bass', 'c'), { maxLength: 2 }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(catalog, catalog, text, async (tracks, later, words) => {
        const entries = [...tracks, ...later].map((tags, i) => track(i, { tags }));
        const index = builtOver(entries.slice(0, tracks.length));
        await index.apply(entries.slice(tracks.length), [], 1);
        const naive = new NaiveIndex(entries);
        const form = ({ text, ...value }: ValueInText) => ({
          ...value,
          text: searchWords(text)[0]!,
        });
        expect(sorted(index.valuesInText('tags', words).map(form))).toEqual(
          sorted(naive.valuesInText('tags', words).map(form)),
        );
        const count = ({ tracks }: { tracks: number }) => tracks;
        expect(index.commonTags(100).map(count)).toEqual(naive.commonTags(100).map(count));
      }),
    );
  });
});
