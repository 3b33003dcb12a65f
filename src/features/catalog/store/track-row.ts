import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { parseAvailability, serializedAvailability } from '../../availability/availability.ts';
import { audioJson, serializedAudio } from '../audio-properties.ts';
import type { CreatedTrack, TrackRecord } from '../catalog-stores.ts';
import { detectedOf, type FilledColumns, withDetected } from '../detected.ts';
import type { DocumentParts } from '../document-copy.ts';
import { performersOf } from '../performers.ts';
import { type ProvenanceColumns, provenanceColumns, provenanceJson } from '../provenance.ts';
import {
  type CoverColumns,
  type StreamedColumns,
  type StreamPolicy,
  streamedAudio,
} from '../streamed-audio.ts';
import type { TrackDelivery, TrackType } from '../track.ts';
import { vocalsOf } from '../vocals.ts';
import { artistJson, creditsOf, type References, type StoredCredit } from './references.ts';
import { SHOWN_AI, SHOWN_TRAINING } from './shown-provenance.ts';

/**
 * The columns with the content of a track, with the members that they make. The audio and the artwork are behind URLs,
 * which are no members of the stored track. Partners see neither where a track comes from nor its ISWC. An imported clip
 * or waveform is behind a URL that stays the same.
 */
const MEMBERS = {
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
  preview_start: 'previewStart',
  preview_key: null,
  waveform_key: null,
  language: 'language',
  availability: 'availability',
  detected: 'detected',
  is_instrumental: 'vocals',
  audio_properties: 'audio',
  ai: 'provenance',
  ai_parts: 'provenance',
  training_allowed: 'provenance',
  provenance_statement: 'provenance',
  samples: 'stream',
  is_playable: 'stream',
  cover_bytes: null,
} as const;

type ContentColumn = keyof typeof MEMBERS;

/** In the order of `contentValues`. */
export const CONTENT_COLUMNS = Object.keys(MEMBERS) as ContentColumn[];

/** A value of a content column. SQLite returns booleans as 0 and 1. */
export type ContentValue = string | number | boolean | null;

const PLACES = Object.fromEntries(CONTENT_COLUMNS.map((name, i) => [name, i])) as Record<
  ContentColumn,
  number
>;

/** What the values of a track depend on besides its delivery. */
export interface StoredContent {
  /** The values of the stored track, which stay if the delivery does not contain them. */
  stored: readonly ContentValue[] | undefined;
  /** The values of the stored track, of which those stay that its audio gave. Default: `stored`. */
  fills?: readonly ContentValue[] | undefined;
  /** The time of the release if none is known. */
  now: number;
}

/**
 * Returns the values of CONTENT_COLUMNS.
 *
 * @param artistRowIds of the credits of the delivery, in order.
 * @param filterRowIds of its filters, in order and without repetitions.
 */
export function contentValues(
  delivery: TrackDelivery,
  { stored, now, fills = stored }: StoredContent,
  artistRowIds: readonly number[],
  filterRowIds: readonly number[],
): ContentValue[] {
  const kept = (column: ContentColumn) => stored?.[PLACES[column]] ?? null;
  const credits = delivery.artists.map(
    ({ role, isPrimary }, i): StoredCredit => [artistRowIds[i]!, role, isPrimary],
  );
  const { bpm, songKeys, detected } = keptFills(delivery, fills);
  return [
    delivery.source,
    delivery.externalId,
    delivery.name,
    delivery.type,
    bpm,
    songKeys,
    delivery.timeSignature,
    delivery.durationSeconds,
    delivery.region,
    delivery.releasedAt ?? kept('released_at') ?? now,
    delivery.hasVocals,
    delivery.isPRO,
    JSON.stringify(delivery.tags),
    JSON.stringify(credits),
    JSON.stringify(filterRowIds),
    delivery.isrc,
    delivery.audioKey ?? kept('audio_key'),
    delivery.artworkKey ?? kept('artwork_key'),
    delivery.iswc === undefined ? kept('iswc') : delivery.iswc || null,
    delivery.previewStart === undefined ? kept('preview_start') : delivery.previewStart,
    delivery.previewKey === undefined ? kept('preview_key') : delivery.previewKey,
    delivery.waveformKey === undefined ? kept('waveform_key') : delivery.waveformKey,
    delivery.language === undefined ? kept('language') : delivery.language || null,
    delivery.availability === undefined
      ? kept('availability')
      : serializedAvailability(delivery.availability),
    detected,
    delivery.isInstrumental === true,
    propertiesOf(delivery, kept),
    ...Object.values(provenanceColumns(delivery.provenance)),
    ...encodingOf(delivery, delivery.audioKey ?? kept('audio_key'), fills),
    coverOf(delivery, delivery.artworkKey ?? kept('artwork_key'), fills),
  ];
}

function keptFills(
  { bpm, songKey }: TrackDelivery,
  fills: readonly ContentValue[] | undefined,
): FilledColumns {
  const songKeys = JSON.stringify(songKey);
  const detected = fills?.[PLACES.detected] as string | null | undefined;
  if (detected === null || detected === undefined) return { bpm, songKeys, detected: null };
  const before = {
    bpm: fills![PLACES.bpm] as string,
    songKeys: fills![PLACES.song_keys] as string,
    detected,
  };
  return withDetected({ bpm, songKeys }, detectedOf(before));
}

/** The properties of the audio of a delivery: its own, or those of the stored audio if that stays. */
function propertiesOf(
  { audioKey, audioProperties }: TrackDelivery,
  kept: (column: ContentColumn) => ContentValue,
): ContentValue {
  if (audioProperties !== undefined) return serializedAudio(audioProperties);
  return audioKey === null || audioKey === kept('audio_key') ? kept('audio_properties') : null;
}

/** The samples of the audio with a key, and whether it is playable: as delivered, or of the stored track if it has this audio. */
function encodingOf(
  { audioProperties }: TrackDelivery,
  audioKey: ContentValue,
  before: readonly ContentValue[] | undefined,
): [samples: ContentValue, isPlayable: ContentValue] {
  const { samples, isPlayable } = audioProperties ?? {};
  if (isPlayable !== undefined) return [samples ?? null, isPlayable];
  return before !== undefined && before[PLACES.audio_key] === audioKey
    ? [before[PLACES.samples]!, before[PLACES.is_playable]!]
    : [null, null];
}

/** The size of the artwork with a key: as delivered, or of the stored track if it has this artwork. */
function coverOf(
  { coverBytes }: TrackDelivery,
  artworkKey: ContentValue,
  before: readonly ContentValue[] | undefined,
): ContentValue {
  if (coverBytes !== undefined || artworkKey === null) return coverBytes ?? null;
  const stays = before !== undefined && before[PLACES.artwork_key] === artworkKey;
  return stays ? before[PLACES.cover_bytes]! : null;
}

/** Whether two lists of content values are equal, whatever database they come from. */
export function isSameContent(
  one: readonly ContentValue[],
  other: readonly ContentValue[],
): boolean {
  return one.every((value, i) => comparable(value) === comparable(other[i]!));
}

/** Returns the names of what differs for partners between two lists of content values. */
export function changedMembers(
  before: readonly ContentValue[],
  after: readonly ContentValue[],
): string[] {
  const changed = new Set<string>();
  for (const [i, column] of CONTENT_COLUMNS.entries()) {
    const member = MEMBERS[column];
    const [old, value] = [comparable(before[i]!), comparable(after[i]!)];
    if (member === null || old === value) continue;
    changed.add(member);
    if (column === 'audio_key' && (old === null) !== (value === null)) changed.add('hasAudio');
    if (member === 'audio') changed.add('stream');
    if (member === 'hasVocals') changed.add('vocals');
  }
  if (TAG_COLUMNS.some((column) => isChanged(before, after, column)) && isMp3(after)) {
    changed.add('stream');
  }
  return [...changed];
}

/** What the tag before an MP3 says, and so its length depends on. */
const TAG_COLUMNS = ['name', 'artists', 'isrc', 'artwork_key', 'cover_bytes'] as const;

function isChanged(
  before: readonly ContentValue[],
  after: readonly ContentValue[],
  column: ContentColumn,
): boolean {
  return comparable(before[PLACES[column]]!) !== comparable(after[PLACES[column]]!);
}

/** Whether an MP3 of known length is made of audio, by default. A setting may say more. */
function isMp3(values: readonly ContentValue[]): boolean {
  const isPlayable = values[PLACES.is_playable]!;
  return isPlayable !== null && !isPlayable && values[PLACES.samples] !== null;
}

function comparable(value: ContentValue): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

/** A row of `tracks`, with the columns that make the track of the API. Lists are JSON texts. */
export interface TrackRow extends ProvenanceColumns, StreamedColumns {
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
  detected: string | null;
  isInstrumental: boolean | number;
  /** As in the delivery; null if it is unknown. */
  coverBytes: number | null;
}

/** Returns what the document of a new track has besides its delivery. `content` has the values of CONTENT_COLUMNS. */
export function createdTrack(
  delivery: TrackDelivery,
  { rowId, slug }: Pick<CreatedTrack, 'rowId' | 'slug'>,
  content: readonly ContentValue[],
): CreatedTrack {
  const releasedAt = content[PLACES.released_at] as number;
  return { delivery, rowId, slug, releasedAt, filters: content[PLACES.filters] as string };
}

/** Returns the document of a new track, which `documentTexts` makes of its row, too. */
export function documentOf(
  { delivery, rowId, ...chosen }: CreatedTrack,
  streams: StreamPolicy,
): DocumentParts {
  const { id, songKey, isPRO, tags, audioKey, artworkKey } = delivery;
  let credits = '';
  for (const credit of delivery.artists) credits += creditJson(artistJson(credit), credit, credits);
  const row = {
    ...{ id, slug: chosen.slug, name: delivery.name, type: delivery.type, bpm: delivery.bpm },
    ...{ songKeys: JSON.stringify(songKey), timeSignature: delivery.timeSignature },
    ...{ durationSeconds: delivery.durationSeconds, region: delivery.region },
    ...{ releasedAt: chosen.releasedAt, hasVocals: delivery.hasVocals, isPro: isPRO },
    ...{ tags: JSON.stringify(tags), isrc: delivery.isrc, audioKey, filters: chosen.filters },
    detected: null,
    isInstrumental: delivery.isInstrumental === true,
    audioProperties: delivery.audioProperties ? serializedAudio(delivery.audioProperties) : null,
    samples: delivery.audioProperties?.samples ?? null,
    isPlayable: delivery.audioProperties?.isPlayable ?? null,
    ...{ artworkKey, coverBytes: delivery.coverBytes ?? null },
    ...provenanceColumns(delivery.provenance),
  };
  return {
    rowId,
    artworkKey,
    ...withStream(row, jsonOf(row, credits), streams, () => delivery.artists),
  };
}

const OTHER_COLUMNS = `id, slug, name, type, bpm, song_keys AS "songKeys", time_signature AS "timeSignature",
  duration_seconds AS "durationSeconds", region, released_at AS "releasedAt", has_vocals AS "hasVocals",
  is_pro AS "isPro", tags, artists, filters, isrc, audio_key AS "audioKey", detected,
  is_instrumental AS "isInstrumental", audio_properties AS "audioProperties",
  ai_parts AS "aiParts", provenance_statement AS "provenanceStatement", samples, is_playable AS "isPlayable",
  cover_bytes AS "coverBytes"`;

/** The columns of `TrackRow` as they were delivered, for SELECT. */
export const TRACK_ROW_COLUMNS = `${OTHER_COLUMNS}, ai, training_allowed AS "trainingAllowed"`;

/** The columns of `TrackRow` as partners see them, for SELECT of `tracks`. */
export const SHOWN_ROW_COLUMNS = `${OTHER_COLUMNS}, ${SHOWN_AI} AS ai, ${SHOWN_TRAINING} AS "trainingAllowed"`;

/** The columns of a `TrackRecord` besides those of `TrackRow` and its state, for SELECT. */
export const TRACK_RECORD_COLUMNS = `source, external_id AS "externalId", artwork_key AS "artworkKey",
  preview_start AS "previewStart", preview_key AS "previewKey", waveform_key AS "waveformKey",
  availability, created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface RecordRow
  extends TrackRow,
    Omit<TrackRecord, 'track' | 'audioKey' | 'availability'> {
  /** In the form of `serializedAvailability`. */
  availability: string | null;
}

export function trackRecordOf(row: RecordRow, references: References): TrackRecord {
  const { state, source, externalId, audioKey, artworkKey, createdAt, updatedAt } = row;
  const { previewStart, previewKey, waveformKey } = row;
  return {
    track: parseStored(serializedTrack(row, references)),
    ...{ state, source, externalId, audioKey, artworkKey },
    ...{ previewStart, previewKey, waveformKey, createdAt, updatedAt },
    availability: parseAvailability(row.availability),
  };
}

/** The JSON object of a track in parts, without its closing brace. */
type TrackJson = Pick<DocumentParts, 'before' | 'filters' | 'after'>;

/** Returns the texts of a document: the JSON of a row, and what its stream URL sends. */
export function documentTexts(
  row: TrackRow & { artworkKey: string | null },
  references: References,
  streams: StreamPolicy,
) {
  return withStream(row, trackJson(row, references), streams, () =>
    creditsOf(row.artists, references),
  );
}

function withStream(
  row: StreamedColumns & CoverColumns & Pick<TrackRow, 'name' | 'isrc'>,
  { before, filters, after }: TrackJson,
  streams: StreamPolicy,
  credits: () => Parameters<typeof performersOf>[0],
): TrackJson & Pick<DocumentParts, 'streamExtension'> {
  const { name, isrc } = row;
  const tags = () => ({ name, isrc, performers: performersOf(credits()) });
  const { streamExtension, json } = streamedAudio(row, streams, tags);
  return { before, filters, after: `${after},"stream":${json}`, streamExtension };
}

/** Returns the JSON of a row. */
function trackJson(row: TrackRow, references: References): TrackJson {
  let credits = '';
  for (const [rowId, role, isPrimary] of parseStored<StoredCredit[]>(row.artists)) {
    credits += creditJson(references.artist(rowId).json, { role, isPrimary }, credits);
  }
  return jsonOf(row, credits);
}

/** Returns the JSON of a credit, after a comma if there are others `before` it. */
function creditJson(
  artist: string,
  { role, isPrimary }: { role: string; isPrimary: boolean },
  before: string,
): string {
  return `${before && ','}{${artist},"role":${JSON.stringify(role)},"isPrimary":${isPrimary}}`;
}

/** The members are in the order of TRACK_FIELDS. */
function jsonOf(row: Omit<TrackRow, 'artists'>, credits: string): TrackJson {
  // One text, because a list of its members and its joining take half of the time to write a million documents.
  const before =
    `{"id":"${row.id}","name":${JSON.stringify(row.name)},"slug":"${row.slug}","type":"${row.type}",` +
    `"bpm":${JSON.stringify(row.bpm)},"songKey":${row.songKeys},` +
    `"timeSignature":${JSON.stringify(row.timeSignature)},"durationSeconds":${row.durationSeconds},` +
    `"region":${JSON.stringify(row.region)},"releaseDate":"${isoTime(row.releasedAt)}",` +
    `"hasVocals":${Boolean(row.hasVocals)},"vocals":"${vocalsOf(row)}","isPRO":${Boolean(row.isPro)},"tags":${row.tags},` +
    `"artists":[${credits}],"filters":[`;
  return {
    before,
    filters: parseStored(row.filters),
    after:
      `],"isrc":${JSON.stringify(row.isrc)},` +
      `"audio":${audioJson(row.audioKey, row.audioProperties)},"hasAudio":${row.audioKey !== null},` +
      `"detected":${detectedMembers(row)},"provenance":${provenanceJson(row)}`,
  };
}

function detectedMembers(row: FilledColumns): string {
  return row.detected === null ? '[]' : JSON.stringify(Object.keys(detectedOf(row)));
}

/** The texts of dates of release, which recur: making one takes ten times as long as finding it. */
const isoTimes = new BoundedMap<number, string>(10_000);

function isoTime(ms: number): string {
  return keptIn(isoTimes, ms, () => new Date(ms).toISOString());
}

export function serializedTrack(row: TrackRow, references: References): string {
  return joined(trackJson(row, references), references);
}

export function joined({ before, filters, after }: TrackJson, references: References): string {
  return `${before}${filters.map((rowId) => references.filter(rowId).json).join()}${after}}`;
}
