import { extensionOf } from '../../engines/blobs/content-types.ts';

/** What is made of the audio of a track: a clip as MP3, and a waveform in two formats (JSON is stored as gzip). */
export type RenditionKind = 'preview' | 'waveform' | 'waveform-dat';

/** A failed rendition is made again only if the operator asks for it. */
export type RenditionState = 'queued' | 'running' | 'done' | 'failed';

/** What identifies a rendition. Tracks with equal audio share their renditions. */
export interface RenditionName {
  /** The media key of the audio. */
  audioKey: string;
  kind: RenditionKind;
  /** The second at which a clip begins, as a number; '' for the loudest passage, and for a waveform. */
  variant: string;
}

/** The rendition as the store has it. */
export interface Rendition extends RenditionName {
  state: RenditionState;
  /** What a node must decode to make it: the extension of the audio, or FFMPEG. */
  format: string;
  /** How often a node began to make it. */
  attempts: number;
  /** Why it failed, or why the last attempt did; a line for people. */
  error: string | null;
  /** Null unless it is done. */
  file: RenditionFile | null;
}

/** A rendition in the media store. */
export interface RenditionFile {
  mediaKey: string;
  sizeBytes: number;
}

/** A rendition that is made. */
export interface MadeRendition extends RenditionName {
  mediaKey: string;
}

/** What the renditions of a track depend on. */
export interface TrackSound {
  /** The media key of its audio; null if it has none. */
  audioKey: string | null;
  /** The second at which the clip begins; null for the loudest passage. */
  previewStart: number | null;
  /** The media keys of an imported clip and waveform, which are served instead of what would be made. */
  previewKey: string | null;
  waveformKey: string | null;
}

/** The node that makes renditions. */
export interface RenditionNode {
  node: string;
  /** The extensions that it decodes, and FFMPEG if it has ffmpeg. */
  formats: string[];
}

/**
 * The renditions of the catalog, and the jobs to make them. None of it is in the change log. Times are those of the
 * clock that all nodes share.
 */
export interface RenditionStore {
  find(name: RenditionName): Promise<Rendition | undefined>;
  /** All renditions of an audio file. */
  ofAudio(audioKey: string): Promise<Rendition[]>;
  /** Adds jobs for the renditions that do not exist, and returns their number. 1,024 names at most. */
  add(names: readonly RenditionName[]): Promise<number>;
  /** Like `add`; also puts those that are queued first: before those of earlier requests, and what nobody requested. */
  request(names: readonly RenditionName[]): Promise<void>;
  /** The sounds of those tracks that are live and have audio. */
  soundsOf(trackIds: readonly string[]): Promise<TrackSound[]>;
  /**
   * The same of up to `limit` tracks after a row id, in their order, with the audio of those among them that are not
   * live, and the row id of the last one; undefined after the last track. Does not delay other work of this process.
   */
  soundsAfter(
    rowId: number,
    limit: number,
  ): Promise<{ sounds: TrackSound[]; silent: string[]; lastRowId: number } | undefined>;
  /** The media keys of the audio of those tracks that exist, and are not live. */
  silentAudio(trackIds: readonly string[]): Promise<string[]>;
  /** Deletes the jobs for these audio files that no node has begun. Returns their number. */
  dropQueued(audioKeys: readonly string[]): Promise<number>;
  /**
   * Deletes all but what is running, and what is of audio that a track names, or the former content of one. Works in
   * short transactions, until the signal aborts. Returns the number.
   */
  dropUnnamed(signal?: AbortSignal): Promise<number>;
  /** The same of these audio files. */
  dropUnnamedOf(audioKeys: readonly string[]): Promise<number>;
  /**
   * The number of renditions in each state; of failed ones, those that a live track needs. Reads all of them, but does
   * not delay other work of this process.
   */
  counts(): Promise<Record<RenditionState, number>>;
  /** The same of those that are not made. Reads only these. */
  unmade(): Promise<Record<Exclude<RenditionState, 'done'>, number>>;
  /** The bytes of those that are made. Reads all of them, as `unmade`. */
  bytes(): Promise<number>;
  /** Whether a live track has audio, of which they are made. */
  hasAudio(): Promise<boolean>;
  /** What nodes must decode to make those that are queued. Reads all of these, as `unmade`. */
  queuedFormats(): Promise<string[]>;
  /** Up to `limit` that are made, after one of them in the order of the store, or from the first; [] after the last. */
  madeAfter(last: RenditionName | undefined, limit: number): Promise<MadeRendition[]>;
  /** Queues those that are made, to be made again. Returns their number. 1,024 names at most. */
  remake(names: readonly RenditionName[]): Promise<number>;
  /** Queues the failed ones that live tracks need, with new attempts. Returns their number. Works in short transactions. */
  requeueFailed(): Promise<number>;
  /** Ends the pauses of all jobs that were postponed, so that they may be claimed. Works in short transactions. */
  endPauses(): Promise<void>;
  /** The nodes that were seen within NODE_MS. */
  nodes(): Promise<RenditionNode[]>;
}

/** The renditions of one audio file that a node is making. */
export interface RenditionClaim {
  audioKey: string;
  /** The node, and which of its threads. */
  holder: string;
  /** At least one, in the order of their kinds. At most one of them is a clip. */
  names: RenditionName[];
  /** How often the job was postponed since it was queued. */
  postponements: number;
}

/** How long a node counts after it was seen last, in milliseconds. */
export const NODE_MS = 60_000;
/** After this many attempts that the process or the thread did not survive, a rendition fails. */
export const MAX_ATTEMPTS = 3;

/** What nodes that make renditions need of the store. A claim has one holder at a time, also among nodes. */
export interface RenditionClaimStore {
  /**
   * Claims for `ms` milliseconds the renditions of one audio file that the holder decodes: first what was requested
   * last, then the oldest. Also takes over the claims that have expired. Returns undefined if there is nothing to make.
   */
  claim(
    holder: string,
    formats: readonly string[],
    ms: number,
  ): Promise<RenditionClaim | undefined>;
  /** Prolongs a claim to `ms` milliseconds from now on. Returns false if another holder has it. */
  renew(claim: RenditionClaim, ms: number): Promise<boolean>;
  /**
   * Stores the files, in the order of the names of the claim. Does nothing, and returns false, if another holder has the
   * claim.
   */
  finish(claim: RenditionClaim, files: readonly RenditionFile[]): Promise<boolean>;
  /**
   * Ends a claim with a reason, a line for people. If the attempt may be repeated, the renditions fail only after
   * MAX_ATTEMPTS, and are queued before. Returns whether they failed.
   */
  fail(claim: RenditionClaim, reason: string, mayRepeat: boolean): Promise<boolean>;
  /** Ends a claim as if it had not begun. `format` is what a node must decode instead of the extension. */
  release(claim: RenditionClaim, format?: string): Promise<void>;
  /**
   * Ends a claim as if it had not begun, with the reason, and puts it after all that are queued now. It is claimed again
   * after `ms` milliseconds at the earliest, or once it is requested.
   */
  postpone(claim: RenditionClaim, reason: string, ms: number): Promise<void>;
  /** Stores that a node makes renditions, and what it decodes. */
  see(node: RenditionNode): Promise<void>;
  /** Removes a node. */
  leave(node: string): Promise<void>;
}

/** The renditions that are made for a track: none for what was imported. */
export function renditionsOf(sound: TrackSound): RenditionName[] {
  const { audioKey } = sound;
  if (audioKey === null) return [];
  const names: RenditionName[] = [];
  if (sound.previewKey === null) {
    names.push({ audioKey, kind: 'preview', variant: clipVariant(sound.previewStart) });
  }
  if (sound.waveformKey === null) {
    names.push({ audioKey, kind: 'waveform', variant: '' });
    names.push({ audioKey, kind: 'waveform-dat', variant: '' });
  }
  return names;
}

/** The variant of a clip that begins at a second; null for the loudest passage. */
export function clipVariant(previewStart: number | null): string {
  return previewStart === null ? '' : String(previewStart);
}

/** What a node must decode, as far as the key of the audio says it. */
export function formatOf(audioKey: string): string {
  return extensionOf(audioKey);
}
