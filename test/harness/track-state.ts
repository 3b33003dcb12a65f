import type { Actor } from '../../src/common/caller.ts';
import type { ChosenState } from '../../src/features/availability/availability.ts';
import type { Store } from '../../src/features/store.ts';

/** Takes a track down or restores it, from any state. Returns false if it has that state already. */
export async function setTrackState(
  { trackFinder }: Pick<Store, 'trackFinder'>,
  id: string,
  state: ChosenState,
  by: Actor,
): Promise<boolean> {
  const [rowIds = []] = await trackFinder.named([id]);
  if (rowIds.length === 0) throw new Error(`there is no track ${id}`);
  const change = { state, reason: null, reference: null };
  return (await trackFinder.setStates(rowIds, change, by)).length > 0;
}
