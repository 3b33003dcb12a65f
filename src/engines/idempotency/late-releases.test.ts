import { expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { until } from '../../../test/harness/until.ts';
import type { KeyClaim } from './idempotency.ts';
import { LateReleases } from './idempotency-store.ts';

const clock = new TestClock();

function claimOf(key: string, seconds = 60): KeyClaim {
  const fingerprint = Buffer.alloc(32);
  const end = clock.now() + seconds * 1_000;
  return { clientId: 'one', mode: 'live', key, fingerprint, until: end, id: 1 };
}

/** Returns releases that record the keys of their attempts, each with the result of the first. */
function recorded(attempt: (key: string, times: number) => boolean) {
  const tried: string[] = [];
  const late = new LateReleases(async ({ key }) => {
    tried.push(key);
    return attempt(key, tried.filter((one) => one === key).length);
  }, clock);
  return { tried, late };
}

it('gives back the other claims if one cannot be', async () => {
  const { tried, late } = recorded((key, times) => {
    if (key === 'bad' && times < 3) throw new Error('in use');
    return true;
  });
  for (const key of ['bad', 'a', 'b']) late.add(claimOf(key), false);
  await until(() => tried.filter((key) => key === 'bad').length === 3, 'the last attempt');
  expect(tried).toEqual(['bad', 'a', 'b', 'bad', 'bad']);
});

it('tries a lost claim until it finds it, and another one once', async () => {
  const { tried, late } = recorded((key, times) => key === 'lost' && times === 3);
  late.add(claimOf('lost'), true);
  late.add(claimOf('stored'), false);
  await until(() => tried.filter((key) => key === 'lost').length === 3, 'the last attempt');
  late.add(claimOf('next'), false);
  await until(() => tried.includes('next'), 'a later claim');
  expect(tried.toSorted()).toEqual(['lost', 'lost', 'lost', 'next', 'stored']);
});

it('forgets a claim that has expired', async () => {
  const { tried, late } = recorded(() => false);
  late.add(claimOf('lost', 0), true);
  late.add(claimOf('next'), false);
  await until(() => tried.includes('next'), 'the claim after it');
  expect(tried).toEqual(['next']);
});
