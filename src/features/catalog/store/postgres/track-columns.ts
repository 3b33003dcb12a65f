import type { TrackDelivery } from '../../track.ts';
import { CONTENT_COLUMNS, type ContentValue } from '../track-row.ts';

/** A delivery, with its fingerprint. */
export interface Delivered {
  delivery: TrackDelivery;
  fingerprint: Buffer;
}

/** A track to be written, with the values that a delivery decides. */
export interface Written {
  rowId: number;
  /** In the order of CONTENT_COLUMNS. */
  content: readonly ContentValue[];
  fingerprint: Buffer;
}

/** A new track, to be written. */
export interface Created extends Written {
  id: string;
  slug: string;
}

/** The columns that a delivery sets, beside its content. */
const DELIVERED_COLUMNS = [...CONTENT_COLUMNS, 'fingerprint', 'updated_at', 'batch_row_id'];

/** The types of the columns that are not text. */
const TYPES: Readonly<Record<string, string>> = {
  duration_seconds: 'bigint',
  released_at: 'bigint',
  preview_start: 'bigint',
  has_vocals: 'boolean',
  is_pro: 'boolean',
  fingerprint: 'bytea',
  updated_at: 'bigint',
  batch_row_id: 'bigint',
  row_id: 'bigint',
};

/** The target of COPY for new tracks. */
export const CREATION = `tracks (row_id, id, slug, created_at, ${DELIVERED_COLUMNS})`;

/** Returns the values of CREATION. */
export function createdValues(track: Created, now: number, batchRowId: number) {
  return [track.rowId, track.id, track.slug, now, ...deliveredValues(track, now, batchRowId)];
}

/** Sets all columns of many tracks. The parameters are arrays in the order of `updatedValues`. */
export const UPDATE = `
  UPDATE tracks SET (${DELIVERED_COLUMNS}) = (${DELIVERED_COLUMNS.map((name) => `new.${name}`)})
  FROM unnest(${[...DELIVERED_COLUMNS, 'row_id'].map((name, i) => `$${i + 1}::${TYPES[name] ?? 'text'}[]`)})
    AS new (${DELIVERED_COLUMNS}, row_id)
  WHERE tracks.row_id = new.row_id`;

/** Returns the values of one track for UPDATE. */
export function updatedValues(track: Written, now: number, batchRowId: number) {
  return [...deliveredValues(track, now, batchRowId), track.rowId];
}

function deliveredValues({ content, fingerprint }: Written, now: number, batchRowId: number) {
  return [...content, fingerprint, now, batchRowId];
}
