import { elapsed } from '../list/time.ts';
import { t } from '../texts/texts.ts';
import { keyLabel } from './camelot.ts';
import { choiceLabel, chosenIn } from './choices.ts';
import { audioName, VOCALS_NAMES, vocalsOf } from './kinds.ts';
import type { Query } from './view.ts';

const RANGES = [
  { from: 'bpmMin', to: 'bpmMax', unit: ' BPM', write: String },
  { from: 'durationMin', to: 'durationMax', unit: '', write: (end: End) => elapsed(Number(end)) },
  { from: 'releasedFrom', to: 'releasedTo', unit: '', write: String },
] as const;

type End = string | number;

/** The ranges of a query, with a text for each. */
export function rangesOf(query: Query) {
  return RANGES.filter(({ from, to }) => query[from] !== undefined || query[to] !== undefined).map(
    ({ from, to, unit, write }) => {
      const text = rangeText(query[from], query[to], write);
      return { from, to, text: text + unit };
    },
  );
}

function rangeText(
  from: End | undefined,
  to: End | undefined,
  write: (end: End) => string,
): string {
  if (from === undefined) return t('upTo', { end: write(to!) });
  return to === undefined ? t('from', { end: write(from) }) : `${write(from)} – ${write(to)}`;
}

/** What a search is called. */
export function titleOf({ search, brief }: Query): string {
  if (brief !== undefined) return t('brief');
  return search === undefined ? t('catalog') : `“${search}”`;
}

/** A query in a line. */
export function summaryOf(query: Query): string {
  const { search, type, songKey = [] } = query;
  const parts = [
    search && `“${search}”`,
    ...chosenIn(query).map(({ slug, choice }) => choiceLabel(slug, choice)),
    type && t(type === 'sfx' ? 'soundEffects' : 'music').toLocaleLowerCase(),
    vocalsOf(query)
      .map((one) => t(VOCALS_NAMES[one]).toLocaleLowerCase())
      .join(t('or')),
    songKey.map(keyLabel).join(t('or')),
    audioName(query)?.toLowerCase(),
    ...rangesOf(query).map(({ text }) => text),
  ];
  return parts.filter(Boolean).join(' · ') || t('allTracks');
}
