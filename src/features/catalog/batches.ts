import type { Actor } from '../../common/caller.ts';
import { StaveError } from '../../common/errors.ts';
import type { TrackState } from '../availability/availability.ts';
import { parseAvailability } from '../availability/availability.ts';
import type { Track, TrackDelivery } from './track.ts';
import { deliveredFields } from './track-document.ts';

/** What one import, or one undo of an import, did to how many tracks. */
export interface Batch {
  /** The batch id of the change log. */
  id: string;
  /** When the batch changed its first track, in milliseconds since the epoch. */
  at: number;
  by: string;
  /** A description of what was imported; `""` if there is none. */
  label: string;
  created: number;
  updated: number;
  withdrawn: number;
  /** The withdrawn tracks that the batch made live again. */
  restored: number;
  /** The id of the batch that this one undoes, completely or in part; null for an import. */
  undoes: string | null;
  /** The id of the batch that undoes this one, completely or in part; null if there is none, or if this one goes on after it. */
  undoneBy: string | null;
  /** Whether the former content of its tracks is no longer kept, so that it cannot be undone. */
  expired: boolean;
}

/** What an undo did to how many tracks. */
export interface UndoSummary {
  /** Tracks that the import had created or made live again. */
  withdrawn: number;
  /** Tracks that have their former content again. */
  updated: number;
  /** Tracks that the import had withdrawn. */
  restored: number;
  /** Tracks that were not changed, because another import has changed them since. */
  skipped: number;
}

export interface UndoOptions {
  by: Actor;
  /** Whether to report only what the undo would do. */
  dryRun?: boolean | undefined;
  /** Called with the slug of each track that another import has changed since. */
  onSkipped?: ((slug: string) => void) | undefined;
}

/** The most former tracks, in multiples of the tracks that the catalog ever had. */
const KEPT_VERSIONS = 3;

/** Whether a catalog that ever had `tracks` tracks keeps too many former tracks. */
export function isTooMuchKept(formerTracks: number, tracks: number): boolean {
  return formerTracks > KEPT_VERSIONS * tracks;
}

/** The content of a track before an import changed it. */
export interface FormerTrack {
  source: string;
  externalId: string | null;
  audioKey: string | null;
  artworkKey: string | null;
  /** The fingerprint of the delivery of this content. */
  fingerprint: Uint8Array;
  /** The serialized `Track`, in the form of `withDelivered`. */
  document: string;
  /** `""` if it was unknown. */
  iswc: string;
  /** A JSON array of `Writer`; null if the import did not change them. */
  writers: string | null;
  /** -1 if there was none. */
  previewStart: number;
  previewKey: string | null;
  waveformKey: string | null;
  /** A JSON array of `DeliveredPart`; null if the import did not change the list. */
  stems: string | null;
  versions: string | null;
  /** `""` if it was that of the catalog. */
  language: string;
  /** A JSON array of `TrackText`; null if the import did not change them. */
  translations: string | null;
  /** `""` if there was none. */
  availability: string;
}

/** The present state of a track that an undo concerns. */
export interface FoundTrack {
  state: TrackState;
  /** The row id of the batch that last changed the track; null if it is not known. */
  batchRowId: number | null;
}

/** What a batch kept of a track when it changed the track. */
export interface KeptTrack {
  formerState: TrackState;
  /** The row id of the batch that had changed the track before. */
  formerBatchRowId: number | null;
  /** Null if the batch changed only the state of the track. */
  former: FormerTrack | null;
}

/** The kind of change in the log for a track that an undo changed. */
type UndoChange = 'withdrawn' | 'updated' | 'restored';

/** What an undo does to one track. */
export type UndoStep =
  /** The track needs no change. */
  | { kind: 'none' }
  /** Another batch has changed the track since. */
  | { kind: 'skip' }
  | {
      kind: 'change';
      /** The kind of change for the log; null if a takedown hides the difference. */
      change: UndoChange | null;
      /** The new content; null if it stays. */
      content: FormerTrack | null;
      /** The new state; undefined if it stays. */
      state: 'live' | 'withdrawn' | undefined;
      /** The batch that counts as the last one to change the track from now on; undefined stands for the undo. */
      batchRowId: number | null | undefined;
    };

/**
 * Decides how to undo one logged change of a batch. `kept` is undefined if the batch created the track, or if
 * the change was undone before. `undoRowId` is the batch of an earlier, unfinished undo.
 */
export function undoStep(
  change: string,
  track: FoundTrack,
  kept: KeptTrack | undefined,
  { batchRowId, undoRowId }: { batchRowId: number; undoRowId: number | undefined },
): UndoStep {
  const isOwn = track.batchRowId === batchRowId;
  if (change === 'created') {
    if (isOwn && (track.state === 'live' || track.state === 'unavailable')) {
      const step = { kind: 'change', change: 'withdrawn', state: 'withdrawn' } as const;
      return { ...step, content: null, batchRowId: undefined };
    }
    return { kind: isOwn || track.batchRowId === undoRowId ? 'none' : 'skip' };
  }
  if (kept === undefined) return { kind: 'none' };
  if (!isOwn) return { kind: 'skip' };
  const state = stateBefore(kept.formerState, track.state);
  const logged = state === 'live' ? 'restored' : state;
  return {
    kind: 'change',
    change: logged ?? (kept.former === null ? null : 'updated'),
    content: kept.former,
    state,
    batchRowId: kept.formerBatchRowId,
  };
}

/**
 * Returns the state to restore, if the track still has the state that the change gave it. A track that its
 * availability makes unavailable counts as live.
 */
function stateBefore(before: TrackState, state: TrackState): 'live' | 'withdrawn' | undefined {
  const isLive = state === 'live' || state === 'unavailable';
  if (before === 'withdrawn') return isLive ? 'withdrawn' : undefined;
  const wasLive = before === 'live' || before === 'unavailable';
  return wasLive && state === 'withdrawn' ? 'live' : undefined;
}

/**
 * The delivery that gives a track its former content without its edits, except its writers, its parts and its
 * translations.
 */
export function deliveryOf({ document, ...former }: FormerTrack): TrackDelivery {
  // Documents of earlier versions lack both.
  const track = JSON.parse(document) as Omit<Track, 'detected' | 'provenance'> &
    Partial<Pick<Track, 'detected' | 'provenance'>> & { delivered?: Partial<TrackDelivery> };
  return {
    ...deliveredFields(track),
    ...(track.detected?.includes('bpm') && { bpm: '' }),
    ...(track.detected?.includes('songKey') && { songKey: [] }),
    // Documents of versions before them lack both.
    isInstrumental: track.vocals === 'instrumental',
    ...(track.audio && { audioProperties: track.audio }),
    ...(track.provenance && { provenance: track.provenance }),
    id: track.id,
    source: former.source,
    externalId: former.externalId,
    slug: null,
    releasedAt: Date.parse(track.releaseDate),
    artists: track.artists.map((credit) => ({ ...credit, externalId: null })),
    filters: track.filters.map((filter) => ({ type: filter.type, name: filter.name })),
    audioKey: former.audioKey,
    artworkKey: former.artworkKey,
    iswc: former.iswc,
    language: former.language,
    availability: parseAvailability(former.availability || null),
    previewStart: former.previewStart < 0 ? null : former.previewStart,
    previewKey: former.previewKey,
    waveformKey: former.waveformKey,
    ...track.delivered,
  };
}

export function unknownBatch(id: string): StaveError {
  return new StaveError(
    'not_found',
    `There is no import ${id} that changed something: \`stave import list\` shows those that did.`,
  );
}

export function stillRuns(id: string): StaveError {
  return new StaveError(
    'conflict',
    `The import ${id} has changed more tracks since this undo began. Stop the import, or wait until it has ended, and undo it again.`,
  );
}

export function expiredBatch(id: string): StaveError {
  return new StaveError(
    'gone',
    `The import ${id} can no longer be undone, because the former content of its tracks is no longer kept.`,
  );
}

export function alreadyAnUndo(id: string): StaveError {
  return new StaveError(
    'conflict',
    `${id} is the undo of an import; to have its changes back, import its files again.`,
  );
}
