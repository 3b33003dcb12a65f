import type { TrackAudio } from '../catalog/catalog-stores.ts';

/** A clip as MP3, and a waveform in two formats (JSON is stored as gzip). */
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

export interface Rendition extends RenditionName {
  state: RenditionState;
  /** What a node must decode to make it: the extension of the audio, or FFMPEG. */
  format: string;
  /** How often a node began to make it. */
  attempts: number;
  /** Why it or its last attempt failed; a line for people. */
  error: string | null;
  /** Null unless it is done. */
  file: RenditionFile | null;
}

export interface RenditionFile {
  mediaKey: string;
  sizeBytes: number;
}

export interface MadeRendition extends RenditionName {
  mediaKey: string;
}

/** What the renditions of a track depend on. Imported files are not made. */
export type TrackSound = Pick<
  TrackAudio,
  'audioKey' | 'previewStart' | 'previewKey' | 'waveformKey'
>;

export interface RenditionNode {
  node: string;
  /** The extensions that it decodes, and FFMPEG if it has ffmpeg. */
  formats: string[];
}

/** The renditions of one audio file that a node is making. */
export interface RenditionClaim {
  audioKey: string;
  /** The node, and the number of its thread. */
  holder: string;
  /** At least one, in the order of their kinds. At most one of them is a clip. */
  names: RenditionName[];
  /** How often the job was postponed since it was queued. */
  postponements: number;
}

/** A node that was not seen for this time does not count. */
export const NODE_MS = 60_000;
/** After so many attempts that ended the process or the thread, a rendition fails. */
export const MAX_ATTEMPTS = 3;

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

export function clipVariant(previewStart: number | null): string {
  return previewStart === null ? '' : String(previewStart);
}
