import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { FormerTrack } from '../batches.ts';
import {
  type DeliveredLists,
  type DeliveredPart,
  PART_LISTS,
  type PartChanges,
  type PartList,
} from '../track-parts.ts';

/** Returns the names of the lists of parts that change, as the change log records them. */
export function changedLists(changes: PartChanges | undefined): PartList[] {
  return PART_LISTS.filter((list) => changes?.[list] !== undefined);
}

/** Returns the lists of parts after their changes. */
export function listsOf(changes: PartChanges): DeliveredLists {
  return Object.fromEntries(
    PART_LISTS.flatMap((list) => {
      const change = changes[list];
      return change === undefined ? [] : [[list, change.after]];
    }),
  );
}

/** Returns the lists of parts that a batch kept of a track. */
export function deliveredLists(former: Pick<FormerTrack, PartList>): DeliveredLists {
  return Object.fromEntries(
    PART_LISTS.flatMap((list) => {
      const json = former[list];
      return json === null ? [] : [[list, parseStored<DeliveredPart[]>(json)]];
    }),
  );
}
