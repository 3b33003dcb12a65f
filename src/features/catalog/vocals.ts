import type { Vocals } from '../../engines/search/catalog-index.ts';

/** What is known of the vocals of a track. */
export interface KnownVocals {
  hasVocals: boolean | number;
  /** Whether a track without vocals is known to have none. */
  isInstrumental?: boolean | number;
}

export function vocalsOf({ hasVocals, isInstrumental }: KnownVocals): Vocals {
  return hasVocals ? 'vocal' : isInstrumental ? 'instrumental' : 'unknown';
}

/**
 * What is known of vocals in one value of JSON: 0 if there are known to be none, false if that is unknown. Versions that
 * did not distinguish the two wrote false, and take 0 for false.
 */
export type VocalsMark = boolean | 0;

export function vocalsMark({ hasVocals, isInstrumental }: KnownVocals): VocalsMark {
  return hasVocals ? true : isInstrumental ? 0 : false;
}

export function vocalsOfMark(mark: VocalsMark): { hasVocals: boolean; isInstrumental: boolean } {
  return { hasVocals: mark === true, isInstrumental: mark === 0 };
}
