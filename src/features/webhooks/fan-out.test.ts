import { expect, it } from 'vitest';
import { FanOut } from './fan-out.ts';
import type { SavedSearchMatches } from './saved-search-matches.ts';
import type { FanOutStore } from './store/fan-out-store.ts';
import type { Subscriber } from './subscriber.ts';

const POSITION = { epoch: 'e', seq: 5 };

/** A fan-out of a log and a store that have nothing new, of which one call can be made to fail. */
function start(subscribers: Subscriber[] = []) {
  let failing = '';
  const call = <Value>(name: string, value: Value) => {
    return async (): Promise<Value> => {
      if (failing === name) throw new Error(`${name} failed`);
      return value;
    };
  };
  const log = {
    bounds: call('bounds', { epoch: POSITION.epoch, head: POSITION.seq, floor: 0 }),
    since: call('since', []),
  };
  const store = {
    position: call('position', POSITION),
    subscribers: call('subscribers', subscribers),
    subjectChains: call('subjectChains', []),
  } as unknown as FanOutStore;
  const matches = { run: call('matches', undefined) } as unknown as SavedSearchMatches;
  const fanOut = new FanOut({ log: log as never, store, matches, clock: { now: () => 1 } });
  const failAt = (name: string) => {
    failing = name;
  };
  return { fanOut, failAt };
}

it.each(['bounds', 'position', 'subscribers', 'matches'])(
  'is behind while %s fails, until a whole run',
  async (name) => {
    const { fanOut, failAt } = start();
    await fanOut.run();
    expect(fanOut.behindMs).toBe(0);
    failAt(name);
    await expect(fanOut.run()).rejects.toThrow(name);
    const { behindMs } = fanOut;
    expect(behindMs).toBeGreaterThan(0);
    await expect(fanOut.run()).rejects.toThrow(name);
    expect(fanOut.behindMs).toBeGreaterThan(behindMs);
    failAt('');
    await fanOut.run();
    expect(fanOut.behindMs).toBe(0);
  },
);

it('handles the chains of as many endpoints as there are', async () => {
  const endpoint = {
    ...{ clientId: 'c', mode: 'live', referencedOnly: false, hasFeed: false, position: 5 },
    ...{ held: [], lastSuccessAt: null, pending: new Map() },
    chains: new Map([['track.created', { startSeq: 5, startRowId: 0, seq: 0 }]]),
  };
  const many = Array.from({ length: 200_000 }, (_, rowId) => ({ ...endpoint, rowId }));
  const { fanOut } = start(many as unknown as Subscriber[]);
  await fanOut.run();
  expect(fanOut.behindMs).toBe(0);
});
