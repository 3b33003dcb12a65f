import type { Query, Vocals } from './view.ts';

export const VOCALS_NAMES: Readonly<Record<Vocals, string>> = {
  vocal: 'Vocals',
  instrumental: 'Instrumental',
  unknown: 'Not known',
};

export const AUDIO_NAMES = { true: 'With audio', false: 'Without audio' } as const;

/** The vocals of a query, also of an older one with `hasVocals`. */
export function vocalsOf({ hasVocals, vocals }: Query): readonly Vocals[] {
  if (hasVocals === undefined) return vocals ?? [];
  return hasVocals ? ['vocal'] : ['instrumental', 'unknown'];
}
