import type { PartWord } from '../../../features/catalog/track-parts.ts';
import { integer, integerByDefault, table, text, textOf, textOrNull } from './table-declaration.ts';

/** The tables of the parts of tracks, and of the messages about them. */
export const PART_TABLES = {
  trackParts: table(1, {
    rowId: integerByDefault,
    id: text,
    trackRowId: integer,
    part: textOf<PartWord>(),
    kind: text,
    name: textOrNull,
    durationSeconds: integer,
    audioKey: text,
    sizeBytes: integer,
    position: integer,
  }),
  trackMessages: table(2, { trackId: text, release: text, sentAt: integer }),
} as const;
