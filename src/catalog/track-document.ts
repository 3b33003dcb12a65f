import { hash } from 'node:crypto';
import type { Filter } from './filter.ts';
import type { Credit, Track, TrackDelivery, TrackDocument } from './track.ts';
import {
  DELIVERED_FIELDS,
  type DeliveredField,
  type DerivedField,
  TRACK_FIELDS,
} from './track-fields.ts';

const FIELDS = Object.keys(TRACK_FIELDS) as readonly (keyof Track)[];

/** A part of every fingerprint. Increase it when documents change, so that a repeated import rewrites them. */
const DOCUMENT_VERSION = 1;

/** The values of a delivered track that the store decides under the write lock. */
export interface TrackDecisions {
  slug: string;
  /** In milliseconds since the epoch. */
  releasedAt: number;
  /** The delivered filters in order and without repetitions, with their ids and slugs. */
  filters: Filter[];
  hasAudio: boolean;
}

/** Makes the track of a delivery, with its members in the order of TRACK_FIELDS. */
export function composeTrack(delivery: TrackDelivery, decided: TrackDecisions): Track {
  const derived: Pick<Track, DerivedField> = {
    id: delivery.id,
    slug: decided.slug,
    releaseDate: new Date(decided.releasedAt).toISOString(),
    artists: delivery.artists.map(toCredit),
    filters: decided.filters,
    hasAudio: decided.hasAudio,
  };
  const track: Record<string, unknown> = {};
  for (const field of FIELDS) {
    track[field] =
      field in derived ? derived[field as DerivedField] : delivery[field as DeliveredField];
  }
  return track as unknown as Track;
}

/** The values of DELIVERED_FIELDS, from a track or a delivery. */
export function deliveredFields(from: Pick<Track, DeliveredField>): Pick<Track, DeliveredField> {
  const entries = DELIVERED_FIELDS.map((field) => [field, from[field]]);
  return Object.fromEntries(entries) as Pick<Track, DeliveredField>;
}

function toCredit({ id, name, role, isPrimary }: Credit): Credit {
  return { id, name, role, isPrimary };
}

/** Where the id is in every serialized track: it is the first member. */
export const ID_AT = '{"id":"'.length;
/** The length of an id. */
export const ID_LENGTH = 36;

/** The memory of a document besides its text: the object, and the bookkeeping of a cache. */
const OVERHEAD_BYTES = 400;

/**
 * A document as the store returns it: serialized once, when it was written. It is a string and not bytes, because
 * a Buffer for each track would cost more than everything else in reading it.
 */
export class TextDocument implements TrackDocument {
  readonly id: string;
  readonly artworkKey: string | null;
  readonly bytes: number;
  /** The JSON object of `Track`, without its closing brace. */
  readonly json: string;

  /** @param serialized the JSON object of `Track`. */
  constructor(serialized: string, artworkKey: string | null) {
    this.json = serialized.slice(0, -1);
    this.id = serialized.slice(ID_AT, ID_AT + ID_LENGTH);
    this.artworkKey = artworkKey;
    this.bytes = Buffer.byteLength(this.json);
  }

  write(buffer: Buffer, at: number): void {
    buffer.write(this.json, at, this.bytes, this.#isAscii ? 'latin1' : 'utf8');
  }

  /** The memory that the document occupies in a cache. */
  get memoryBytes(): number {
    // A string takes two bytes per character if one of its characters is not in Latin-1.
    return (this.#isAscii ? this.bytes : 2 * this.json.length) + OVERHEAD_BYTES;
  }

  get #isAscii(): boolean {
    return this.bytes === this.json.length;
  }
}

/** Returns the track of a document. */
export function parseDocument(document: TrackDocument): Track {
  const json = Buffer.alloc(document.bytes);
  document.write(json, 0);
  return JSON.parse(`${json.toString()}}`);
}

/** Makes the document of a serialized track. */
export function toDocument(serialized: string, artworkKey: string | null): TextDocument {
  return new TextDocument(serialized, artworkKey);
}

/**
 * A hash of 32 bytes that is equal for equal deliveries, whatever the order of their members. It
 * distinguishes a repeated record from a changed one without making the track.
 */
export function deliveryFingerprint(delivery: TrackDelivery): Buffer {
  const canonical = JSON.stringify([
    DOCUMENT_VERSION,
    delivery.id,
    delivery.source,
    delivery.externalId,
    delivery.slug,
    delivery.releasedAt,
    DELIVERED_FIELDS.map((field) => delivery[field]),
    delivery.artists.map((credit) => [
      credit.id,
      credit.name,
      credit.role,
      credit.isPrimary,
      credit.externalId,
    ]),
    delivery.filters.map((filter) => [filter.type, filter.name]),
    delivery.audioKey,
    delivery.artworkKey,
  ]);
  return hash('sha256', canonical, 'buffer');
}
