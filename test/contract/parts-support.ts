import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { DeliveredPart } from '../../src/features/catalog/track-parts.ts';
import type { Store } from '../../src/features/store.ts';
import { importAll } from '../harness/deliveries.ts';

/** Returns a part whose audio has a key of this letter. */
export function part(
  kind: string,
  letter: string,
  more: Partial<DeliveredPart> = {},
): DeliveredPart {
  const audioKey = `${letter.repeat(64)}.wav`;
  return { kind, name: null, durationSeconds: 60, audioKey, sizeBytes: 1_000, ...more };
}

/** Calls everything of a store that concerns the parts of a track, which has the slug `intro`. */
export async function useParts(store: Store, delivery: TrackDelivery): Promise<void> {
  const { catalog } = store;
  await importAll(store, [{ ...delivery, stems: [part('bass', 'a')] }], 'parts');
  await importAll(store, [{ ...delivery, stems: [part('bass', 'b')] }], 'other parts');
  const found = await catalog.trackParts(delivery.id);
  await catalog.trackParts('intro');
  await catalog.partAudio(found!.parts.stems[0]!.id);
  for await (const _ of catalog.mediaKeys());
}
