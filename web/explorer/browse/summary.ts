import type { Query } from './view.ts';

const RANGES = [
  { from: 'bpmMin', to: 'bpmMax', unit: ' BPM' },
  { from: 'durationMin', to: 'durationMax', unit: ' s' },
  { from: 'releasedFrom', to: 'releasedTo', unit: '' },
] as const;

/** The ranges of a query, with a text for each. */
export function rangesOf(query: Query) {
  return RANGES.filter(({ from, to }) => query[from] !== undefined || query[to] !== undefined).map(
    ({ from, to, unit }) => ({ from, to, text: rangeText(query[from], query[to]) + unit }),
  );
}

type End = string | number | undefined;

function rangeText(from: End, to: End): string {
  if (from === undefined) return `up to ${to}`;
  return to === undefined ? `from ${from}` : `${from} – ${to}`;
}

/** A query in a line. */
export function summaryOf(query: Query): string {
  const { search, filterSlugs, type, hasVocals, songKey } = query;
  const parts = [
    search && `“${search}”`,
    ...filterSlugs,
    type && (type === 'sfx' ? 'sound effects' : 'music'),
    hasVocals !== undefined && (hasVocals ? 'vocals' : 'instrumental'),
    songKey,
    ...rangesOf(query).map(({ text }) => text),
  ];
  return parts.filter(Boolean).join(' · ') || 'all tracks';
}
