import { expect, it, vi } from 'vitest';
import { DrawingThread } from './artwork.ts';
import { generateArtwork } from './generate.ts';

vi.mock('./generate.ts', { spy: true });

const script = new URL('../../../../test/harness/programs/drawing-worker.ts', import.meta.url);

it('draws the picture of a seed in another thread', async () => {
  const picture = await new DrawingThread().draw('seed');
  expect(generateArtwork).not.toHaveBeenCalled();
  expect(picture.equals(await generateArtwork('seed'))).toBe(true);
});

it('returns the requested picture to each of several concurrent callers', async () => {
  const thread = new DrawingThread({ script });
  const seeds = Array.from({ length: 50 }, (_, i) => `seed ${i}`);
  const pictures = await Promise.all(seeds.map((seed) => thread.draw(seed)));
  expect(pictures.map(String)).toEqual(seeds);
});

it('refuses calls beyond the limit of its queue, and completes the others', async () => {
  const thread = new DrawingThread({ script, maxWaiting: 2 });
  const drawn = await Promise.allSettled(['a', 'b', 'c', 'd'].map((seed) => thread.draw(seed)));
  expect(drawn.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect((drawn[3] as PromiseRejectedResult).reason).toMatchObject({
    kind: 'unavailable',
    headers: { 'Retry-After': '1' },
  });
  expect(String(await thread.draw('e'))).toBe('e');
});

it('rejects the call that ended the thread, and draws the next picture in a new thread', async () => {
  const thread = new DrawingThread({ script });
  const seeds = ['a', 'throw', 'b', 'exit', 'c'];
  const drawn = await Promise.allSettled(seeds.map((seed) => thread.draw(seed)));
  expect(
    drawn.map((one) => (one.status === 'fulfilled' ? String(one.value) : one.reason.message)),
  ).toEqual(['a', 'the drawing failed', 'b', 'The thread was ended', 'c']);
});
