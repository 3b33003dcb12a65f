import type { EffectiveTrack } from '../../catalog/effective-track.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import type { Value } from './database.ts';
import type { StoredFilter } from './filter-registry.ts';

/** A delivery, with its fingerprint. */
export interface Delivered {
  delivery: TrackDelivery;
  fingerprint: Buffer;
}

/** A track to be written, with all of its values. */
export interface Written extends Delivered {
  rowId: number;
  slug: string;
  filters: readonly StoredFilter[];
  effective: EffectiveTrack;
}

/** The columns that a delivery sets. */
export const COLUMNS = `source, external_id, name, type, has_vocals, released_at, duration_seconds, bpm,
  song_keys, isrc, audio_key, artwork_key, fingerprint, updated_at, document, batch_row_id`;
/** The types of those columns, in the same order. */
const TYPES = [
  'text',
  'text',
  'text',
  'text',
  'boolean',
  'bigint',
  'bigint',
  'float8',
  'text',
  'text',
  'text',
  'text',
  'bytea',
  'bigint',
  'text',
  'bigint',
];

/** Sets all columns of many tracks. The parameters are arrays in the order of COLUMNS, then the row ids. */
export const UPDATE = `
  UPDATE tracks SET (${COLUMNS}) = (${COLUMNS.replace(/\w+/g, (name) => `new.${name}`)})
  FROM unnest(${[...TYPES, 'bigint'].map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS new (${COLUMNS}, row_id)
  WHERE tracks.row_id = new.row_id`;

/** Returns the values in the order of COLUMNS. */
export function valuesOf(
  { delivery, fingerprint, effective }: Written,
  now: number,
  batchRowId: number,
): Value[] {
  return [
    delivery.source,
    delivery.externalId,
    delivery.name,
    delivery.type,
    delivery.hasVocals,
    effective.releasedAt,
    delivery.durationSeconds,
    Number(delivery.bpm),
    JSON.stringify(delivery.songKey),
    delivery.isrc,
    effective.audioKey,
    effective.artworkKey,
    fingerprint,
    now,
    effective.document,
    batchRowId,
  ];
}
