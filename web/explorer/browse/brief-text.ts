import type { Key } from '../texts/texts.ts';
import { rangesOf } from './summary.ts';
import type { Query } from './view.ts';

/** A part of a brief, as the API tells how it was understood. */
export interface Part {
  text: string;
  kind: string;
  filter?: string;
  tag?: string;
  artist?: string;
  min?: number | string;
  max?: number | string;
  value?: string;
  /** Above 0, at most 1. */
  weight: number;
}

/** Where phrases that no rule understands were compared by meaning. */
export const EMBEDDINGS: Readonly<Record<string, Key>> = {
  local: 'byMeaning',
  remote: 'byMeaning',
  off: 'notByMeaning',
  unavailable: 'meaningUnavailable',
};

const RANGE_NAMES: Readonly<Record<string, readonly [keyof Query, keyof Query]>> = {
  tempo: ['bpmMin', 'bpmMax'],
  length: ['durationMin', 'durationMax'],
  release: ['releasedFrom', 'releasedTo'],
};

/** What a part means, if it says more than the text: `Dark 74 %`, `81 – 99 BPM`. */
export function meaningOf(part: Part, nameOf: (slug: string) => string | undefined): string {
  const { text, filter, tag, artist, value, weight } = part;
  const named = filter === undefined ? undefined : (nameOf(filter) ?? filter);
  const meaning = rangeOf(part) ?? named ?? tag ?? artist ?? value ?? '';
  const share = weight < 1 ? `${Math.round(weight * 100)} %` : '';
  return [meaning.toLowerCase() === text.toLowerCase() ? '' : meaning, share]
    .filter(Boolean)
    .join(' ');
}

function rangeOf({ kind, min, max }: Part): string | undefined {
  const names = RANGE_NAMES[kind];
  if (names === undefined) return undefined;
  const ends = names.map((name, i) => [name, [min, max][i]]);
  return rangesOf(Object.fromEntries(ends))[0]?.text;
}
