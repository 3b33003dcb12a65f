import type { BatchChange } from '../../../engines/sql/logged-change.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { TrackState } from '../../availability/availability.ts';
import { BY_AVAILABILITY, visibleChange } from '../../availability/store/track-period.ts';
import {
  serializedTexts,
  type TextChange,
  TRANSLATIONS,
  type TrackText,
} from '../../languages/translations.ts';
import type { FormerTrack } from '../batches.ts';
import {
  type DeliveredLists,
  type DeliveredPart,
  PART_LISTS,
  type PartChanges,
  type PartList,
} from '../track-parts.ts';
import type { Writer, WriterChange } from '../writers.ts';

/**
 * Returns the change of a track that a delivery has updated.
 *
 * @param changed the members that it changed; undefined if it only restored a withdrawn track
 */
export function deliveredChange(
  id: string,
  before: TrackState,
  after: TrackState,
  changed: readonly string[] = [],
): BatchChange {
  if (before === 'withdrawn' && after === 'live') return ['restored', id];
  const visible = visibleChange(before, after);
  return visible === undefined ? ['updated', id, changed] : [visible, id, BY_AVAILABILITY];
}

/** Returns the numbers of changes as a batch counts them: one that the availability of a track causes is an update. */
export function batchCounts(changes: readonly BatchChange[]): Record<BatchChange[0], number> {
  const counts = { created: 0, updated: 0, withdrawn: 0, restored: 0 };
  for (const [kind, , changed] of changes) {
    counts[changed === BY_AVAILABILITY ? 'updated' : kind]++;
  }
  return counts;
}

/** How a delivery changes the lists that a track has in other tables; an absent list stays. */
export interface ListChanges {
  writers?: WriterChange | undefined;
  parts?: PartChanges | undefined;
  texts?: TextChange | undefined;
}

/** The lists of a track before a change; a list that does not change is absent. */
export interface FormerLists {
  writers?: readonly Writer[] | undefined;
  stems?: readonly DeliveredPart[] | undefined;
  versions?: readonly DeliveredPart[] | undefined;
  translations?: readonly TrackText[] | undefined;
}

export function formerLists({ writers, parts, texts }: ListChanges): FormerLists {
  return {
    writers: writers?.before,
    stems: parts?.stems?.before,
    versions: parts?.versions?.before,
    translations: texts?.before,
  };
}

/** Returns the lists as JSON arrays; null for those that do not change. */
export function serializedLists({ writers, stems, versions, translations }: FormerLists) {
  const json = (list: readonly object[] | undefined) =>
    list === undefined ? null : JSON.stringify(list);
  return {
    writers: json(writers),
    stems: json(stems),
    versions: json(versions),
    translations: translations === undefined ? null : serializedTexts(translations),
  };
}

/** Returns the names of the lists that partners see and that change, as the change log records them. */
export function listMembers({ parts, texts }: Pick<ListChanges, 'parts' | 'texts'>): string[] {
  return [...changedLists(parts), ...(texts === undefined ? [] : [TRANSLATIONS])];
}

/** Returns the names of the lists of parts that change, as the change log records them. */
export function changedLists(changes: PartChanges | undefined): PartList[] {
  return PART_LISTS.filter((list) => changes?.[list] !== undefined);
}

/** Returns the changed lists of parts. */
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
