import type { Actor } from '../../src/common/caller.ts';
import { derivedId } from '../../src/common/ids.ts';
import type { DeliveryOutcome, TrackDelivery } from '../../src/features/catalog/track.ts';
import type { Store } from '../../src/features/store.ts';

export const BY: Actor = 'test:contract';

/** The nth delivery, valid and with all values. */
export function delivery(n: number, overrides: Partial<TrackDelivery> = {}): TrackDelivery {
  const artist = `Artist ${n % 7}`;
  return {
    id: derivedId('contract', String(n)),
    source: 'label',
    externalId: `label:${n}`,
    name: `Track ${n}`,
    slug: null,
    type: n % 3 === 0 ? 'sfx' : 'music',
    bpm: '120',
    songKey: ['A minor'],
    timeSignature: '4/4',
    durationSeconds: 60 + (n % 200),
    region: 'WORLD',
    releasedAt: Date.UTC(2020, 0, 1 + (n % 300)),
    hasVocals: n % 2 === 0,
    isPRO: false,
    tags: ['slow'],
    isrc: '',
    artists: [
      {
        id: derivedId('artist', artist),
        name: artist,
        role: 'MAIN_ARTIST',
        isPrimary: true,
        externalId: null,
      },
    ],
    filters: [
      { type: 'genre', name: `Genre ${n % 5}` },
      { type: 'mood', name: 'Calm' },
      { type: 'use-case', name: `Use ${n % 3}` },
    ],
    audioKey: null,
    artworkKey: null,
    ...overrides,
  };
}

/** The deliveries from `from` to `to - 1`. */
export function deliveries(from: number, to: number): TrackDelivery[] {
  return Array.from({ length: to - from }, (_, i) => delivery(from + i));
}

/** Runs one import of these deliveries from start to end. */
export async function importAll(
  store: Store,
  batch: readonly TrackDelivery[],
  batchId = 'batch',
): Promise<DeliveryOutcome[]> {
  const session = await store.catalog.openDelivery(BY, batchId);
  try {
    return await session.deliver(batch);
  } finally {
    await session.close();
  }
}
