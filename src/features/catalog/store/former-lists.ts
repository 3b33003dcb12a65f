import {
  serializedTexts,
  type TextChange,
  TRANSLATIONS,
  type TrackText,
} from '../../languages/translations.ts';
import type { DeliveredPart, PartChanges } from '../track-parts.ts';
import type { Writer, WriterChange } from '../writers.ts';
import { changedLists } from './former-parts.ts';

/** The lists of a track in other tables that a delivery changes; an absent one stays. */
export interface ListChanges {
  writers?: WriterChange | undefined;
  parts?: PartChanges | undefined;
  texts?: TextChange | undefined;
}

/** The lists of a track that an import changes, as they were before; an absent one does not change. */
export interface FormerLists {
  writers?: readonly Writer[] | undefined;
  stems?: readonly DeliveredPart[] | undefined;
  versions?: readonly DeliveredPart[] | undefined;
  translations?: readonly TrackText[] | undefined;
}

/** Returns the lists of a track before its changes. */
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
