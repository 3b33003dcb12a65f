import type { Filter } from './filter.ts';
import type { TrackDelivery } from './track.ts';
import { composeTrack, serialiseTrack } from './track-document.ts';

/** What is stored of a track that a delivery may change. */
export interface StoredTrack {
  slug: string;
  source: string;
  externalId: string | null;
  releasedAt: number;
  audioKey: string | null;
  artworkKey: string | null;
  document: string;
}

/** What a track becomes by a delivery: the values that depend on what is there already. */
export interface EffectiveTrack {
  releasedAt: number;
  audioKey: string | null;
  artworkKey: string | null;
  document: string;
}

/** What the delivery leaves unsaid (a release date, audio, artwork) stays as it is. */
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
  return { releasedAt, audioKey, artworkKey, document: serialiseTrack(track) };
}

/** Whether writing it would change anything; all else that is stored of a track stands in its document. */
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
