import type {
  RenditionKind,
  RenditionState,
} from '../../../features/renditions/rendition-store.ts';
import {
  integer,
  integerByDefault,
  integerOrNull,
  table,
  text,
  textOf,
  textOrNull,
} from './table-declaration.ts';

/** The tables of renditions. */
export const RENDITION_TABLES = {
  renditions: table(3, {
    audioKey: text,
    kind: textOf<RenditionKind>(),
    variant: text,
    format: text,
    mediaKey: textOrNull,
    size: integerOrNull,
    state: textOf<RenditionState>(),
    attempts: integer,
    error: textOrNull,
    priority: integer,
    claimedBy: textOrNull,
    claimedUntil: integerOrNull,
    /** Of a queued one: when it may be claimed, unless it was requested. */
    updatedAt: integer,
    postponements: integerByDefault,
  }),
  renditionNodes: table(1, { node: text, formats: text, seenAt: integer }, { isLocal: true }),
} as const;
