import { expect, it } from 'vitest';
import type { Track } from '#client';
import { PAGE_SIZE } from './source.ts';
import { TrackPages } from './track-pages.ts';

/** A list of a hundred thousand tracks, whose pages arrive when the test says so. */
function list() {
  const open = new Map<number, { signal: AbortSignal; arrive(): void; fail(error: Error): void }>();
  const requested: number[] = [];
  const pages = new TrackPages({
    call: { operation: 'listTracks', method: 'GET', path: '/v1/tracks', input: {} },
    load: (page, signal) =>
      new Promise((resolve, reject) => {
        requested.push(page);
        const rows = Array.from({ length: PAGE_SIZE }, (_, i) => ({
          track: { slug: `t-${(page - 1) * PAGE_SIZE + i}` } as Track,
        }));
        signal.addEventListener('abort', () => reject(signal.reason));
        open.set(page, {
          signal,
          arrive: () => resolve({ total: 100_000, rows }),
          fail: reject,
        });
      }),
  });
  /** Lets a page arrive, or fail. */
  const settle = async (page: number, error?: Error) => {
    if (error === undefined) open.get(page)!.arrive();
    else open.get(page)!.fail(error);
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { pages, open, requested, settle };
}

it('requests a page once, and knows its tracks by place and by slug', async () => {
  const { pages, requested, settle } = list();
  pages.want(0, 10);
  pages.want(5, 15);
  expect([requested, pages.at(3), pages.total.value]).toEqual([[1], undefined, undefined]);
  await settle(1);
  pages.want(0, 10);
  expect([requested, pages.at(3)?.track.slug, pages.total.value]).toEqual([[1], 't-3', 100_000]);
  expect([pages.indexOf('t-49'), pages.indexOf('t-50'), pages.at(-1)]).toEqual([49, -1, undefined]);
});

it('gives up pages that are no longer visible, and requests them again later', async () => {
  const { pages, open, requested, settle } = list();
  pages.want(0, 120);
  expect(requested).toEqual([1, 2, 3]);
  pages.want(5_000, 5_010);
  expect([1, 2, 3].map((page) => open.get(page)!.signal.aborted)).toEqual([true, true, true]);
  await settle(101);
  expect([pages.failure.value, pages.at(5_000)?.track.slug]).toEqual([undefined, 't-5000']);
  pages.want(0, 0);
  await settle(1);
  expect(pages.at(0)?.track.slug).toBe('t-0');
});

it('keeps a failure until a page arrives', async () => {
  const { pages, settle } = list();
  pages.want(0, 0);
  await settle(1, new Error('the service is away'));
  expect(pages.failure.value).toEqual(new Error('the service is away'));
  pages.retry(0, 0);
  expect(pages.failure.value).toBeUndefined();
  await settle(1);
  expect(pages.at(0)?.track.slug).toBe('t-0');
});

it('gets the next track for the player, and none after the last one', async () => {
  const { pages, settle } = list();
  const next = pages.get(50);
  await settle(2);
  expect((await next)?.track.slug).toBe('t-50');
  expect([await pages.get(100_000), await pages.get(-1)]).toEqual([undefined, undefined]);
});

it('keeps 200 pages, those that were wanted last', async () => {
  const { pages, settle } = list();
  for (let page = 1; page <= 200; page++) {
    pages.want((page - 1) * PAGE_SIZE, (page - 1) * PAGE_SIZE);
    await settle(page);
  }
  pages.want(0, 0);
  pages.want(200 * PAGE_SIZE, 200 * PAGE_SIZE);
  await settle(201);
  expect([pages.at(0)?.track.slug, pages.at(50), pages.at(100)?.track.slug]).toEqual([
    't-0',
    undefined,
    't-100',
  ]);
});
