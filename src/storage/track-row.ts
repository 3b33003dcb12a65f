/** The columns of a track: what a delivery stores in them, and how they are read as a track. */

import type { DocumentParts } from '../catalog/document-copy.ts';
import type { TrackDelivery, TrackType } from '../catalog/track.ts';
import type { References, StoredCredit } from './references.ts';
import { parseStored } from './stored-value.ts';

/** The columns with the content of a track, in the order of `contentValues`. */
export const CONTENT_COLUMNS = [
  'source',
  'external_id',
  'name',
  'type',
  'bpm',
  'song_keys',
  'time_signature',
  'duration_seconds',
  'region',
  'released_at',
  'has_vocals',
  'is_pro',
  'tags',
  'artists',
  'filters',
  'isrc',
  'audio_key',
  'artwork_key',
  'iswc',
] as const;

/** A value of a content column. SQLite returns booleans as 0 and 1. */
export type ContentValue = string | number | boolean | null;

/** The stored values that stay if a delivery does not contain them. */
export interface KeptValues {
  /** In milliseconds since the epoch. */
  releasedAt: number;
  audioKey: string | null;
  artworkKey: string | null;
  iswc: string | null;
}

/** Returns the kept values of a stored track from its content values. */
export function keptValues(content: readonly ContentValue[]): KeptValues {
  const [releasedAt, audioKey, artworkKey, iswc] = KEPT_PLACES.map((place) => content[place]!);
  return { releasedAt, audioKey, artworkKey, iswc } as KeptValues;
}

const KEPT_PLACES = (['released_at', 'audio_key', 'artwork_key', 'iswc'] as const).map((name) =>
  CONTENT_COLUMNS.indexOf(name),
);

/**
 * Returns the values of CONTENT_COLUMNS.
 *
 * @param artistRowIds of the credits of the delivery, in order.
 * @param filterRowIds of its filters, in order and without repetitions.
 */
export function contentValues(
  delivery: TrackDelivery,
  kept: KeptValues,
  artistRowIds: readonly number[],
  filterRowIds: readonly number[],
): ContentValue[] {
  const credits = delivery.artists.map(
    ({ role, isPrimary }, i): StoredCredit => [artistRowIds[i]!, role, isPrimary],
  );
  return [
    delivery.source,
    delivery.externalId,
    delivery.name,
    delivery.type,
    delivery.bpm,
    JSON.stringify(delivery.songKey),
    delivery.timeSignature,
    delivery.durationSeconds,
    delivery.region,
    delivery.releasedAt ?? kept.releasedAt,
    delivery.hasVocals,
    delivery.isPRO,
    JSON.stringify(delivery.tags),
    JSON.stringify(credits),
    JSON.stringify(filterRowIds),
    delivery.isrc,
    delivery.audioKey ?? kept.audioKey,
    delivery.artworkKey ?? kept.artworkKey,
    delivery.iswc === undefined ? kept.iswc : delivery.iswc || null,
  ];
}

/** Whether two lists of content values are equal, whatever database they come from. */
export function isSameContent(
  one: readonly ContentValue[],
  other: readonly ContentValue[],
): boolean {
  return one.every((value, i) => comparable(value) === comparable(other[i]!));
}

/**
 * The members of a track that its content columns make. The audio and the artwork are behind URLs, which are no
 * members of the stored track. Partners see neither where a track comes from nor its ISWC.
 */
const MEMBERS: Readonly<Record<(typeof CONTENT_COLUMNS)[number], string | null>> = {
  source: null,
  external_id: null,
  name: 'name',
  type: 'type',
  bpm: 'bpm',
  song_keys: 'songKey',
  time_signature: 'timeSignature',
  duration_seconds: 'durationSeconds',
  region: 'region',
  released_at: 'releaseDate',
  has_vocals: 'hasVocals',
  is_pro: 'isPRO',
  tags: 'tags',
  artists: 'artists',
  filters: 'filters',
  isrc: 'isrc',
  audio_key: 'audio',
  artwork_key: 'artwork',
  iswc: null,
};

/** Returns the names of what differs for partners between two lists of content values. */
export function changedMembers(
  before: readonly ContentValue[],
  after: readonly ContentValue[],
): string[] {
  const changed: string[] = [];
  for (const [i, column] of CONTENT_COLUMNS.entries()) {
    const member = MEMBERS[column];
    const [old, value] = [comparable(before[i]!), comparable(after[i]!)];
    if (member === null || old === value) continue;
    changed.push(member);
    if (member === 'audio' && (old === null) !== (value === null)) changed.push('hasAudio');
  }
  return changed;
}

function comparable(value: ContentValue): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A row of `tracks`, with the columns that make the track of the API. Lists are JSON texts. */
export interface TrackRow {
  id: string;
  slug: string;
  name: string;
  type: TrackType;
  bpm: string;
  songKeys: string;
  timeSignature: string;
  durationSeconds: number;
  region: string;
  releasedAt: number;
  hasVocals: boolean | number;
  isPro: boolean | number;
  tags: string;
  artists: string;
  filters: string;
  isrc: string;
  audioKey: string | null;
}

/** The columns of `TrackRow`, for SELECT. */
export const TRACK_ROW_COLUMNS = `id, slug, name, type, bpm, song_keys AS "songKeys", time_signature AS "timeSignature",
  duration_seconds AS "durationSeconds", region, released_at AS "releasedAt", has_vocals AS "hasVocals",
  is_pro AS "isPro", tags, artists, filters, isrc, audio_key AS "audioKey"`;

/** The JSON object of a track in parts, without its closing brace. */
type TrackJson = Pick<DocumentParts, 'before' | 'filters' | 'after'>;

/** Returns the JSON of a row, with its members in the order of TRACK_FIELDS. */
export function trackJson(row: TrackRow, references: References): TrackJson {
  const credits = parseStored<StoredCredit[]>(row.artists).map(
    ([rowId, role, isPrimary]) =>
      `{${references.artist(rowId).json},"role":${JSON.stringify(role)},"isPrimary":${isPrimary}}`,
  );
  const members = [
    `"id":"${row.id}"`,
    `"name":${JSON.stringify(row.name)}`,
    `"slug":"${row.slug}"`,
    `"type":"${row.type}"`,
    `"bpm":${JSON.stringify(row.bpm)}`,
    `"songKey":${row.songKeys}`,
    `"timeSignature":${JSON.stringify(row.timeSignature)}`,
    `"durationSeconds":${row.durationSeconds}`,
    `"region":${JSON.stringify(row.region)}`,
    `"releaseDate":"${new Date(row.releasedAt).toISOString()}"`,
    `"hasVocals":${Boolean(row.hasVocals)}`,
    `"isPRO":${Boolean(row.isPro)}`,
    `"tags":${row.tags}`,
    `"artists":[${credits.join()}]`,
  ];
  return {
    before: `{${members.join()},"filters":[`,
    filters: parseStored(row.filters),
    after: `],"isrc":${JSON.stringify(row.isrc)},"hasAudio":${row.audioKey !== null}`,
  };
}

/** Returns the serialized `Track` of a row. */
export function serializedTrack(row: TrackRow, references: References): string {
  const { before, filters, after } = trackJson(row, references);
  return `${before}${filters.map((rowId) => references.filter(rowId).json).join()}${after}}`;
}
