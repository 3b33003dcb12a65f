import { expect, it } from 'vitest';
import { buildSegment } from '../../engines/search/build/segment-builder.ts';
import { runSteps } from '../../engines/search/build/steps.ts';
import { type IndexMaker, ServiceIndexSource } from './index-source.ts';

const segment = (seq: number) => runSteps(buildSegment([], seq));

const maker: IndexMaker = {
  open: async () => segment(5),
  build: async (notBefore) => segment(notBefore),
  merge: async ({ seq }) => segment(seq),
  changes: async (after) => ({ columns: segment(after), removed: new Uint32Array() }),
  close: async () => {},
};

/** A source whose store only returns a number of tracks for which the maker is used. */
function source() {
  const catalog = { counts: async () => ({ live: 1 }) };
  const store = { catalog } as unknown as ConstructorParameters<
    typeof ServiceIndexSource
  >[0]['store'];
  return new ServiceIndexSource({ store, maker, threadFrom: 1, merges: false });
}

it('adopts only newer segments, and tries again after a failure', async () => {
  const one = source();
  await one.open();
  const taken: number[] = [];
  const take = async ({ seq }: { seq: number }) => void taken.push(seq);
  expect(await one.adopt(segment(5), take)).toBe(false);
  const away = new Error('the database is away');
  await expect(one.adopt(segment(9), () => Promise.reject(away))).rejects.toThrow(away);
  expect(await one.adopt(segment(9), take)).toBe(true);
  expect(await one.adopt(segment(7), take)).toBe(false);
  await one.build(20);
  expect(await one.adopt(segment(20), take)).toBe(false);
  expect(taken).toEqual([9]);
});
