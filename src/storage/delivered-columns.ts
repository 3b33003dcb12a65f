import type { EffectiveTrack } from '../catalog/effective-track.ts';
import type { TrackDelivery } from '../catalog/track.ts';

/** The columns of a track that a delivery sets, in the order of `deliveredValues`. */
export const DELIVERED_COLUMNS = `source, external_id, name, type, has_vocals, released_at, duration_seconds, bpm,
  song_keys, isrc, audio_key, artwork_key, fingerprint, updated_at, document, batch_row_id`;

export function deliveredValues<Bytes extends Uint8Array>(
  {
    delivery,
    fingerprint,
    effective,
  }: { delivery: TrackDelivery; fingerprint: Bytes; effective: EffectiveTrack },
  now: number,
  batchRowId: number,
) {
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
