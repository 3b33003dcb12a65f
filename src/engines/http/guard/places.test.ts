import { expect, it } from 'vitest';
import { CallerGone } from '../response/errors.ts';
import { Places } from './concurrency.ts';

const LONG_MS = 600_000;
const stays = () => new AbortController().signal;

/** Places, and a function that begins work that ends when the returned function is called. */
function withPlaces({ most = 1, mostWaiting = 10, waitMs = LONG_MS } = {}) {
  const places = new Places({ most, mostWaiting, waitMs });
  const begun: string[] = [];
  const begin = (name: string, { client = 'one', gone = stays() } = {}) => {
    const held = Promise.withResolvers<string>();
    const done = places.at(
      client,
      () => gone,
      () => {
        begun.push(name);
        return held.promise;
      },
    );
    // Some fail later, in the order of the test.
    done.catch(() => {});
    return { done, end: () => held.resolve(name), fail: () => held.reject(new Error(name)) };
  };
  return { begun, begin };
}

it('gives places in the order of the requests, each client its own', async () => {
  const { begun, begin } = withPlaces({ most: 2 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => begin(name)) as [
    ReturnType<typeof begin>,
    ReturnType<typeof begin>,
    ReturnType<typeof begin>,
    ReturnType<typeof begin>,
  ];
  begin('other', { client: 'two' });
  expect(begun).toEqual(['a', 'b', 'other']);
  b.end();
  expect(await b.done).toBe('b');
  await expect.poll(() => begun).toEqual(['a', 'b', 'other', 'c']);
  a.fail();
  await expect(a.done).rejects.toThrow('a');
  await expect.poll(() => begun).toEqual(['a', 'b', 'other', 'c', 'd']);
  c.end();
  d.end();
  expect(await Promise.all([c.done, d.done])).toEqual(['c', 'd']);
  begin('e');
  begin('f');
  begin('g');
  expect(begun.slice(5)).toEqual(['e', 'f']);
});

it('gives no place to a caller that has left', async () => {
  const { begun, begin } = withPlaces();
  const first = begin('first');
  const gone = new AbortController();
  const left = begin('left', { gone: gone.signal });
  const next = begin('next');
  gone.abort();
  await expect(left.done).rejects.toBeInstanceOf(CallerGone);
  await expect(begin('late', { gone: gone.signal }).done).rejects.toBeInstanceOf(CallerGone);
  first.end();
  next.end();
  expect(await next.done).toBe('next');
  expect(begun).toEqual(['first', 'next']);
});

it('refuses requests that wait for too long, or are too many', async () => {
  const { begun, begin } = withPlaces({ mostWaiting: 1, waitMs: 20 });
  const first = begin('first');
  const second = begin('second');
  const refused = { kind: 'unavailable', headers: { 'Retry-After': '1' } };
  await expect(begin('third').done).rejects.toMatchObject(refused);
  await expect(second.done).rejects.toMatchObject(refused);
  first.end();
  await first.done;
  begin('fourth');
  expect(begun).toEqual(['first', 'fourth']);
});
