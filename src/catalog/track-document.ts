import { hash } from 'node:crypto';
import type { Filter } from './filter.ts';
import type { Credit, Track, TrackDelivery, TrackDocument } from './track.ts';

/** Part of every fingerprint: raise it when documents change, so that a repeated import renews them. */
const DOCUMENT_VERSION = 1;

/** What the store decides about a delivered track, under its lock. */
export interface TrackDecisions {
  slug: string;
  /** Milliseconds since the epoch. */
  releasedAt: number;
  /** The delivered filters in their order, each once, with ids and slugs. */
  filters: Filter[];
  hasAudio: boolean;
}

/** The track that a delivery makes; members stand in the order of the specification. */
export function composeTrack(delivery: TrackDelivery, decided: TrackDecisions): Track {
  return {
    id: delivery.id,
    name: delivery.name,
    slug: decided.slug,
    type: delivery.type,
    bpm: delivery.bpm,
    songKey: delivery.songKey,
    timeSignature: delivery.timeSignature,
    durationSeconds: delivery.durationSeconds,
    region: delivery.region,
    releaseDate: new Date(decided.releasedAt).toISOString(),
    hasVocals: delivery.hasVocals,
    isPRO: delivery.isPRO,
    tags: delivery.tags,
    artists: delivery.artists.map(toCredit),
    filters: decided.filters,
    isrc: delivery.isrc,
    hasAudio: decided.hasAudio,
  };
}

function toCredit({ id, name, role, isPrimary }: Credit): Credit {
  return { id, name, role, isPrimary };
}

/** The track as JSON text, members in the order of the specification; about 0.8 KB. */
export function serialiseTrack(track: Track): string {
  return JSON.stringify({
    id: track.id,
    name: track.name,
    slug: track.slug,
    type: track.type,
    bpm: track.bpm,
    songKey: track.songKey,
    timeSignature: track.timeSignature,
    durationSeconds: track.durationSeconds,
    region: track.region,
    releaseDate: track.releaseDate,
    hasVocals: track.hasVocals,
    isPRO: track.isPRO,
    tags: track.tags,
    artists: track.artists,
    filters: track.filters,
    isrc: track.isrc,
    hasAudio: track.hasAudio,
  });
}

/** Where the id lies in every serialised track: it is the first member. */
export const ID_AT = '{"id":"'.length;
/** Characters of an id. */
export const ID_LENGTH = 36;

/** The document of a serialised track; about 0.1 µs. */
export function toDocument(serialised: string, artworkKey: string | null): TrackDocument {
  const json = serialised.slice(0, -1);
  return {
    id: serialised.slice(ID_AT, ID_AT + ID_LENGTH),
    json,
    bytes: Buffer.byteLength(json),
    artworkKey,
  };
}

/**
 * 32 bytes that are equal for equal deliveries, whatever the order of their members. Tells a
 * repeated record from a changed one without composing the track.
 */
export function deliveryFingerprint(delivery: TrackDelivery): Buffer {
  const canonical = JSON.stringify([
    DOCUMENT_VERSION,
    delivery.id,
    delivery.source,
    delivery.externalId,
    delivery.name,
    delivery.slug,
    delivery.type,
    delivery.bpm,
    delivery.songKey,
    delivery.timeSignature,
    delivery.durationSeconds,
    delivery.region,
    delivery.releasedAt,
    delivery.hasVocals,
    delivery.isPRO,
    delivery.tags,
    delivery.isrc,
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
