import { StaveError } from '../../common/errors.ts';
import { derivedId } from '../../common/ids.ts';
import { slugify } from '../../common/text/slug.ts';
import type { AvailabilityEntry } from '../availability/availability.ts';
import type { TrackText } from '../languages/translations.ts';
import type { AudioEncoding, AudioProperties } from './audio-properties.ts';
import type { Provenance } from './provenance.ts';
import type { TrackFields } from './track-fields.ts';
import type { DeliveredPart } from './track-parts.ts';
import type { DeliveredField, FILTER_TYPES } from './track-values.ts';
import type { Writer } from './writers.ts';

export type TrackType = TrackFields['type'];

/** A track in the API without its URLs. Unknown values are `""`, `[]`, `"WORLD"`, 0 or false. */
export interface Track extends TrackFields {}

/**
 * A track as pages show it: the JSON object of `Track` in UTF-8, without its closing brace, so that the URLs can
 * follow. It begins with the id.
 */
export interface TrackDocument {
  readonly id: string;
  /** The media key of the artwork; null if it is generated. */
  readonly artworkKey: string | null;
  /** The extension in the stream URL; '' without audio. */
  readonly streamExtension: string;
  /** The number of bytes that `write` writes. */
  readonly bytes: number;
  write(buffer: Buffer, at: number): void;
}

/** An artist in a delivery, with its derived id (docs/contract/import.md#identifiers). */
export type DeliveredCredit = TrackFields['artists'][number] & { externalId: string | null };

/** A filter in a delivery, which has no slug yet. */
export interface DeliveredFilter {
  type: FilterType;
  name: string;
}

/**
 * Returns the id of a filter. The type and the slug of the name identify it: two spellings with one slug are one filter. If
 * no slug can be made of the name, the name itself identifies it.
 */
export function filterId({ type, name }: DeliveredFilter): string {
  return derivedId('filter', type, slugify(name) || name);
}

/** Returns the name of a filter for people, which the import record takes, too: `genre:Ambient`. */
export function filterName({ type, name }: DeliveredFilter): string {
  return `${type}:${name}`;
}

/**
 * A track as an import passes it to the store: validated, with canonical values (docs/contract/tracks.md) and
 * derived ids. The store adds what needs the write lock: slugs, and the comparison with the stored track.
 */
export interface TrackDelivery extends Pick<TrackFields, DeliveredField> {
  id: string;
  source: string;
  externalId: string | null;
  /** A slug that the supplier requests, in the form of a slug; null if it is made from the name. */
  slug: string | null;
  /** In milliseconds since the epoch; null if unknown: then the time of the first import stays. */
  releasedAt: number | null;
  artists: DeliveredCredit[];
  filters: DeliveredFilter[];
  /** The media key; null if the delivery has no audio: then the stored key stays. */
  audioKey: string | null;
  artworkKey: string | null;
  /** The size of the artwork in the form of `coverBytes`, if that is known. It is no part of the fingerprint. */
  coverBytes?: number;
  /** Whether the track is said to have no vocals; default: false, for a track with vocals, and where that is unknown. */
  isInstrumental?: boolean;
  /** Of the audio, if that was read. They are no part of the fingerprint. A former track has no encoding. */
  audioProperties?: AudioProperties & Partial<AudioEncoding>;
  /** The second at which the preview clip begins; null if it is to be removed; absent if the stored one stays. */
  previewStart?: number | null;
  /** The media key of an imported preview clip; null and absence as above. */
  previewKey?: string | null;
  /** The media key of an imported waveform, in the form of `waveformDat`; null and absence as above. */
  waveformKey?: string | null;
  /** In the form `T-034.524.680-1`; `""` if it is to be removed; absent if the stored one stays. */
  iswc?: string;
  /**
   * All credits of the delivery, if one of them has more than a credit; empty if what is stored is to be removed;
   * absent if it stays.
   */
  writers?: readonly Writer[];
  /** The stems and the alternate versions; empty if they are to be removed; absent if the stored ones stay. */
  stems?: readonly DeliveredPart[];
  versions?: readonly DeliveredPart[];
  /** The canonical tag of the language of name and tags; `""` for that of the catalog; absent if the stored one stays. */
  language?: string;
  /** All translations of the name and the tags; absent if the stored ones stay. */
  translations?: readonly TrackText[];
  /** Absent if the supplier does not say it: then it is unknown. */
  provenance?: Provenance;
  /** The periods and territories of availability; empty if they are to be removed; absent if the stored ones stay. */
  availability?: readonly AvailabilityEntry[];
}

/**
 * The outcome of one delivery. `duplicate` is a second, different record of one id in one import; `foreign`
 * is a track that belongs to another source; `crowded` is one that would have more parts than it may. None of them
 * writes anything.
 */
export type DeliveryOutcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'duplicate'
  | 'foreign'
  | 'crowded';

export function unknownTrack(slugOrId: string): StaveError {
  return new StaveError('not_found', `There is no track ${slugOrId}.`);
}

export type FilterType = (typeof FILTER_TYPES)[number];

/** A genre, a mood or a use-case that tracks carry. Slugs are unique among the filters of all types. */
export interface Filter {
  id: string;
  name: string;
  slug: string;
  type: FilterType;
}

/** A filter with the number of live tracks that carry it. */
export interface CountedFilter extends Filter {
  trackCount: number;
}

/** The completions of a text that is being typed. */
export interface Completions {
  filters: CountedFilter[];
  /** Names of tracks. */
  names: string[];
}

/** The message of a supplier that decided last about a track. The track need not exist. */
export interface TrackMessage {
  trackId: string;
  /** When the sender created the message, in milliseconds since the epoch. */
  sentAt: number;
  /** The ids that an import derives of the releases that contain the recording: 10 at most. */
  releases: readonly string[];
}

/** The most tracks of one call. */
export const MAX_MESSAGE_TRACKS = 100;
/** The most releases of one track. */
export const MAX_MESSAGE_RELEASES = 10;
