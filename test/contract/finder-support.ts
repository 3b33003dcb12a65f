import type { Store } from '../../src/features/store.ts';
import { BY } from '../harness/deliveries.ts';

/** Calls every method with which the operator finds and changes tracks; `id` is that of the track `intro`. */
export async function useFinder(
  { trackFinder, references, changes }: Store,
  id: string,
): Promise<void> {
  for await (const _ of trackFinder.matching({ words: [' intro'], state: 'withdrawn' }));
  for await (const _ of trackFinder.matching({ words: [' intro'], source: 'label' }));
  const [[rowId]] = (await trackFinder.named(['intro', id])) as [[number], number[]];
  await trackFinder.withIsrcs(['DEA120000001']);
  for await (const _ of trackFinder.ofSource('label'));
  for await (const _ of trackFinder.ofBatch('b1'));
  await trackFinder.withRowIds([rowId]);
  await trackFinder.twinsOf([rowId], 10);
  await trackFinder.sources();
  await trackFinder.sourceCounts();
  await trackFinder.slugsNear('intro');
  await trackFinder.beginningWith('int', 5);
  for (const state of ['taken_down', 'live'] as const) {
    await trackFinder.setStates([rowId], { state, reason: 'r', reference: null }, BY);
  }
  await references.holdersOf([rowId]);
  await changes.latest(10, { source: 'label', batchId: 'b1', text: 'x' });
}
