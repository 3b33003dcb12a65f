import { expect, it } from 'vitest';
import { AwaitedAudio, type Waiting } from './message-order.ts';

function waiting(name: string): Waiting {
  return {
    path: 'a.xml',
    recording: {
      line: 1,
      externalId: 'a',
      releases: [],
      record: { name },
      files: [],
      problems: [],
    },
    cover: undefined,
    message: { trackId: 'a', sentAt: 1, releases: [] },
  };
}

it('holds 10,000 recordings and 16 Mi characters at most, and has room again for those that are taken', () => {
  const many = new AwaitedAudio();
  for (let i = 0; i < 10_000; i++) {
    expect(many.add(`${i}`, waiting(''))).toBe(true);
  }
  expect(many.add('more', waiting(''))).toBe(false);
  expect(many.take('7')).toBeDefined();
  expect(many.take('7')).toBe(undefined);
  expect(many.add('more', waiting(''))).toBe(true);

  const long = new AwaitedAudio();
  const text = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < 15; i++) {
    expect(long.add(`${i}`, waiting(text))).toBe(true);
  }
  expect(long.add('more', waiting(text))).toBe(false);
  long.take('3');
  expect(long.add('more', waiting(text))).toBe(true);
});

it('keeps the first cover that is offered', () => {
  const awaited = new AwaitedAudio();
  awaited.add('a', waiting(''));
  awaited.offer('b', { folder: 'x', place: 'y' });
  awaited.offer('a', undefined);
  awaited.offer('a', { folder: '2', place: 'new.png' });
  awaited.offer('a', { folder: '1', place: 'old.png' });
  expect(awaited.take('a')?.cover).toEqual({ folder: '2', place: 'new.png' });
});
