import { nameBasedId } from '../../common/ids.ts';

/** What a stem contains. */
export const STEM_KINDS = [
  'drums',
  'percussion',
  'bass',
  'guitar',
  'keys',
  'synth',
  'strings',
  'brass',
  'woodwind',
  'vocals',
  'backing_vocals',
  'melody',
  'harmony',
  'fx',
  'other',
] as const;

/** How a version differs from the track. */
export const VERSION_KINDS = [
  'instrumental',
  'vocal',
  'acapella',
  'clean',
  'alternate',
  'cutdown',
  'loop',
  'sting',
] as const;

/** The lists of parts, by the names of their members, with the kinds of parts in them. */
export const PART_KINDS = { stems: STEM_KINDS, versions: VERSION_KINDS } as const;

export type PartList = keyof typeof PART_KINDS;

/** The lists of parts, in the order in which they are shown. */
export const PART_LISTS = Object.keys(PART_KINDS) as PartList[];

/** The word for a part, in the database and in ids. */
export type PartWord = 'stem' | 'version';

export const PART_WORDS: Readonly<Record<PartList, PartWord>> = {
  stems: 'stem',
  versions: 'version',
};

/** The most stems and versions of a track together. */
export const MAX_PARTS = 64;

/** A stem or an alternate version of a track, as an import delivers it and a batch keeps it. */
export interface DeliveredPart {
  /** One of PART_KINDS of its list. */
  kind: string;
  /** Null if it was delivered without a name. */
  name: string | null;
  /** Whole seconds, at least 1; 0 if unknown. */
  durationSeconds: number;
  /** The media key of its audio. */
  audioKey: string;
  sizeBytes: number;
  /**
   * Its place among the parts of its kind, from 1 on, if that is not the next one, because the file of a part before it was
   * missing.
   */
  ordinal?: number | null;
}

export interface TrackPart extends Omit<DeliveredPart, 'ordinal'> {
  /** The id that the URL of the part contains (`partId`). */
  id: string;
}

/** The parts of a track, in the order of their delivery. */
export type PartsByList<Part = TrackPart> = Readonly<Record<PartList, readonly Part[]>>;

/**
 * Returns the id of a part: a UUID of version 5 in the namespace of the id of its track, of the word, the kind and the
 * place among the parts of its kind, from 1 on, such as `stem:drums:1`.
 */
function partId(trackId: string, word: PartWord, kind: string, ordinal: number): string {
  return nameBasedId(trackId, `${word}:${kind}:${ordinal}`);
}

export function identifiedParts<Part extends Pick<DeliveredPart, 'kind' | 'ordinal'>>(
  trackId: string,
  list: PartList,
  parts: readonly Part[],
): (Part & { id: string })[] {
  const counts = new Map<string, number>();
  return parts.map((part) => {
    const ordinal = part.ordinal ?? (counts.get(part.kind) ?? 0) + 1;
    counts.set(part.kind, ordinal);
    return { ...part, id: partId(trackId, PART_WORDS[list], part.kind, ordinal) };
  });
}

/**
 * Whether a track would have more parts than it may. The other list may have become longer since the delivery was
 * checked, so that a store asks this within its transaction.
 */
export function isCrowded(
  delivered: Partial<PartsByList<DeliveredPart>>,
  stored: Readonly<Record<PartList, number>>,
): boolean {
  const count = PART_LISTS.reduce(
    (sum, list) => sum + (delivered[list]?.length ?? stored[list]),
    0,
  );
  return count > MAX_PARTS;
}
