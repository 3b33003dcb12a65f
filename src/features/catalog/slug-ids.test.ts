import { beforeEach, describe, expect, it } from 'vitest';
import { SlugIds } from './slug-ids.ts';

/** The ids in the store, and the slugs of each call. */
let stored: Map<string, string>;
let calls: string[][];
let version: number;
/** Called while the store is read. */
let meanwhile: () => void;
let slugIds: SlugIds;
beforeEach(() => {
  stored = new Map([
    ['a', 'id-a'],
    ['b', 'id-b'],
  ]);
  calls = [];
  version = 1;
  meanwhile = () => {};
  slugIds = new SlugIds({
    store: {
      async resolveTracks(slugs) {
        calls.push([...slugs]);
        const ids = slugs.map((slug) => stored.get(slug));
        meanwhile();
        return ids;
      },
    },
    version: () => version,
  });
});

describe('SlugIds', () => {
  it('reads only what it has not read before, in any order', async () => {
    expect(await slugIds.of(['b', 'x'])).toEqual(['id-b', undefined]);
    expect(await slugIds.of(['x', 'a', 'b'])).toEqual([undefined, 'id-a', 'id-b']);
    expect(await slugIds.of(['b', 'a'])).toEqual(['id-b', 'id-a']);
    // What does not exist may be created at any time.
    expect(calls).toEqual([
      ['b', 'x'],
      ['x', 'a'],
    ]);
  });

  it('finds the track that has a slug after the catalog changed', async () => {
    await slugIds.of(['a']);
    stored.set('a', 'id-new');
    version++;
    expect(await slugIds.of(['a'])).toEqual(['id-new']);
  });

  it('does not keep what it read before a change', async () => {
    meanwhile = () => {
      stored.set('a', 'id-new');
      version++;
    };
    expect(await slugIds.of(['a'])).toEqual(['id-a']);
    meanwhile = () => {};
    expect(await slugIds.of(['a'])).toEqual(['id-new']);
  });
});
