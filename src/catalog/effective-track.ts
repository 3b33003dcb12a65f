import type { Filter } from './filter.ts';
import type { TrackDelivery } from './track.ts';
import { composeTrack } from './track-document.ts';

/** The stored values of a track that a delivery may change. */
export interface StoredTrack {
  slug: string;
  source: string;
  externalId: string | null;
  releasedAt: number;
  audioKey: string | null;
  artworkKey: string | null;
  document: string;
}

/** The values of a track after a delivery that depend on the values before it. */
export interface EffectiveTrack {
  releasedAt: number;
  audioKey: string | null;
  artworkKey: string | null;
  document: string;
}

/** Values that the delivery does not contain (a release date, audio, artwork) keep their stored value. */
export function effectiveTrack(
  delivery: TrackDelivery,
  stored: Pick<StoredTrack, 'slug' | 'releasedAt' | 'audioKey' | 'artworkKey'>,
  filters: readonly Filter[],
): EffectiveTrack {
  const releasedAt = delivery.releasedAt ?? stored.releasedAt;
  const audioKey = delivery.audioKey ?? stored.audioKey;
  const artworkKey = delivery.artworkKey ?? stored.artworkKey;
  const track = composeTrack(delivery, {
    slug: stored.slug,
    releasedAt,
    filters: [...filters],
    hasAudio: audioKey !== null,
  });
  return { releasedAt, audioKey, artworkKey, document: JSON.stringify(track) };
}

/** Whether storing the track would change anything. All other values of a track are in its document. */
export function differs(
  delivery: TrackDelivery,
  stored: StoredTrack,
  effective: EffectiveTrack,
): boolean {
  return (
    effective.document !== stored.document ||
    effective.audioKey !== stored.audioKey ||
    effective.artworkKey !== stored.artworkKey ||
    delivery.source !== stored.source ||
    delivery.externalId !== stored.externalId
  );
}
