import type { Mode } from '../../../common/caller/scopes.ts';
import {
  boolean,
  integer,
  integerByDefault,
  integerOrNull,
  table,
  text,
  textOf,
} from './table-declaration.ts';

/** The table of saved searches. */
export const SAVED_SEARCH_TABLES = {
  savedSearches: table(1, {
    rowId: integerByDefault,
    id: text,
    clientRowId: integer,
    mode: textOf<Mode>(),
    name: text,
    foldedName: text,
    query: text,
    notify: boolean,
    seenRowId: integer,
    seenAt: integer,
    notifiedRowId: integer,
    version: integer,
    createdAt: integer,
    updatedAt: integer,
    createdSeq: integerOrNull,
    notifiedAt: integerOrNull,
  }),
} as const;
