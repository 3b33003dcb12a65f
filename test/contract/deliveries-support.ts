import { derivedId, newId } from '../../src/common/ids.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';

const BY = 'test:plans';

/** A delivery of a track of the source `label`, with an artist of its own. */
export function delivery(n: number, overrides: Partial<TrackDelivery> = {}): TrackDelivery {
  return {
    id: derivedId('plans', String(n)),
    source: 'label',
    externalId: null,
    name: 'Intro',
    slug: null,
    type: 'music',
    bpm: '',
    songKey: [],
    timeSignature: '',
    durationSeconds: 1,
    region: 'WORLD',
    releasedAt: 1,
    hasVocals: false,
    isPRO: false,
    tags: [],
    isrc: '',
    artists: [{ id: newId(), name: 'A', role: 'COMPOSER', isPrimary: true, externalId: null }],
    filters: [{ type: 'mood', name: 'Calm' }],
    audioKey: null,
    artworkKey: null,
    ...overrides,
  };
}

/** Calls every method of deliveries. Afterwards, the tracks 1 and 2 exist. */
export async function useDeliveries({
  catalog,
  trackEdits,
}: Pick<Store, 'catalog' | 'trackEdits'>): Promise<void> {
  const { id } = delivery(1);
  const session = await catalog.openDelivery(BY, 'b1');
  await session.preview([delivery(1), delivery(1)]);
  await session.deliver([delivery(1), delivery(2), delivery(1, { bpm: '1' })]);
  await session.close();
  const edited = delivery(2).id;
  await trackEdits.edit(edited, { revert: [], set: { bpm: '3' } }, BY);
  await trackEdits.find(edited);
  const second = await catalog.openDelivery(BY, 'b2');
  await second.preview([delivery(1, { bpm: '2' })]);
  await second.deliver([delivery(2, { bpm: '2' })]);
  await second.list([id]);
  await second.takenDown(1);
  await second.countAbsent('label');
  await catalog.countLive('label');
  await second.countWithdrawable('label', [id]);
  await second.withdraw('label', [id]);
  await second.withdrawAbsent('label');
  await second.close();
  const third = await catalog.openDelivery(BY, 'b3');
  await third.deliver([delivery(3)]);
  await third.withdrawAbsent('label');
  await third.close();
  const fourth = await catalog.openDelivery(BY, 'b4');
  const writers = [{ name: 'A', role: 'COMPOSER', ipi: null, society: null, share: 1 }];
  await fourth.deliver([delivery(1), delivery(2, { writers })]);
  await fourth.close();
}
