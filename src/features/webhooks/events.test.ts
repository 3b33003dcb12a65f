import { expect, it } from 'vitest';
import type { Change } from '../../engines/change-log/change-log.ts';
import { EVENT_SOURCES } from './events.ts';
import { Outbox } from './outbox.ts';
import type { FanOutStore } from './store/fan-out-store.ts';
import type { Subscriber } from './subscriber.ts';

/** An endpoint that gets changes of collections. */
function endpoint(rowId: number, clientId: string): Subscriber {
  return {
    ...{ rowId, clientId, mode: 'live', referencedOnly: false, hasFeed: false, position: 0 },
    ...{ held: [], lastSuccessAt: null, pending: new Map() },
    chains: new Map([['collection.updated', { startSeq: 0, startRowId: 0, seq: 0 }]]),
  };
}

it('tells readers of taken down tracks in many collections, and gives other work a turn', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
  const changes = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ seq: n + 1, at: 1, entity: 'track', entityId: `t${n}`, kind: 'taken_down' },
    ...{ batchId: null, changed: [] },
  })) as unknown as Change[];
  const store = {
    references: async () => [],
    collectionsWith: async (tracks: string[]) => new Map(tracks.map((track) => [track, ids])),
    collections: async () =>
      new Map(
        ids.map((id) => [
          id,
          { id, mode: 'live', version: 1, ownerId: 'a', clientIds: ['a', 'b'] },
        ]),
      ),
  } as unknown as FanOutStore;
  const subscribers = [endpoint(1, 'a'), endpoint(2, 'b'), endpoint(3, 'other')];
  const outbox = new Outbox('e');
  let turns = 0;
  let isEnded = false;
  const turn = () => {
    turns++;
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  await EVENT_SOURCES.track!(changes, { store, subscribers, outbox });
  isEnded = true;
  expect(turns).toBeGreaterThan(10);
  for (const chain of outbox.subjects()) outbox.setPrevious(chain, 0);
  const steps = [...outbox.steps(1)];
  expect(steps.map(({ subscriber }) => subscriber.rowId)).toEqual([1, 2]);
  for (const { steps: own } of steps) {
    expect(own).toHaveLength(ids.length);
    expect(own[0]).toMatchObject({
      type: 'collection.updated',
      fromSeq: 1,
      seq: 1_000,
      count: 1_000,
    });
  }
});
