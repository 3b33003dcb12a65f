import { type Key, t } from '../texts/texts.ts';
import type { Query, Vocals } from './view.ts';

export const VOCALS_NAMES: Readonly<Record<Vocals, Key>> = {
  vocal: 'vocals',
  instrumental: 'instrumental',
  unknown: 'notKnown',
};

/** What a query says of audio; undefined for tracks with audio, as by default. */
export function audioName({ hasAudio }: Query): string | undefined {
  if (hasAudio === undefined) return undefined;
  return t(hasAudio === 'any' ? 'anyAudio' : 'withoutAudio');
}

/** The vocals of a query, also of an older one with `hasVocals`. */
export function vocalsOf({ hasVocals, vocals }: Query): readonly Vocals[] {
  if (hasVocals === undefined) return vocals ?? [];
  return hasVocals ? ['vocal'] : ['instrumental', 'unknown'];
}
