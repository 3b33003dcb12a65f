import { describe, expect, it } from 'vitest';
import type { LanguageCount } from '../translations.ts';
import { SharedCounts } from './list-languages.ts';

/** Counts that the test ends. */
function heldCounts() {
  const begun: PromiseWithResolvers<LanguageCount[]>[] = [];
  const state = { version: 1 };
  const counts = new SharedCounts(
    {
      counts() {
        begun.push(Promise.withResolvers());
        return begun.at(-1)!.promise;
      },
    },
    () => state.version,
  );
  return { begun, state, counts };
}

const german = (tracks: number): LanguageCount[] => [
  { language: 'de', tracks, filters: 0, playlists: 0 },
];

describe('counts of languages', () => {
  it('are shared until the version changes', async () => {
    const { begun, state, counts } = heldCounts();
    const both = [counts.read(), counts.read()];
    await Promise.resolve();
    both.push(counts.read());
    expect(begun).toHaveLength(1);
    begun[0]!.resolve(german(1));
    expect(await Promise.all(both)).toEqual([german(1), german(1), german(1)]);
    expect(await counts.read()).toEqual(german(1));
    state.version++;
    const next = counts.read();
    await Promise.resolve();
    begun[1]!.resolve(german(2));
    expect(await next).toEqual(german(2));
  });

  it('run one at a time, and never show an outdated state', async () => {
    const { begun, state, counts } = heldCounts();
    const first = counts.read();
    await Promise.resolve();
    for (let i = 0; i < 3; i++) {
      state.version++;
      void counts.read();
    }
    const later = counts.read();
    await Promise.resolve();
    expect(begun).toHaveLength(1);
    begun[0]!.resolve(german(1));
    expect(await first).toEqual(german(1));
    await expect.poll(() => begun.length).toBe(2);
    begun[1]!.resolve(german(2));
    expect(await later).toEqual(german(2));
    expect(await counts.read()).toEqual(german(2));
  });

  it('are counted again after an error', async () => {
    const { begun, counts } = heldCounts();
    const failed = counts.read();
    await Promise.resolve();
    begun[0]!.reject(new Error('The database is unavailable'));
    await expect(failed).rejects.toThrow('unavailable');
    const next = counts.read();
    await Promise.resolve();
    begun[1]!.resolve(german(1));
    expect(await next).toEqual(german(1));
  });
});
