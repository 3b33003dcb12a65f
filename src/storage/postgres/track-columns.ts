import type { EffectiveTrack } from '../../catalog/effective-track.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { DELIVERED_COLUMNS } from '../delivered-columns.ts';
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

/** The types of DELIVERED_COLUMNS, in the same order. */
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

/** Sets all columns of many tracks. The parameters are arrays in the order of DELIVERED_COLUMNS, then the row ids. */
export const UPDATE = `
  UPDATE tracks SET (${DELIVERED_COLUMNS}) = (${DELIVERED_COLUMNS.replace(/\w+/g, (name) => `new.${name}`)})
  FROM unnest(${[...TYPES, 'bigint'].map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
    AS new (${DELIVERED_COLUMNS}, row_id)
  WHERE tracks.row_id = new.row_id`;
