import type { PartWord } from '../../catalog/track-parts.ts';
import { integer, integerByDefault, table, text, textOf, textOrNull } from './table-declaration.ts';

/** The tables of the parts of tracks. */
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
} as const;
