import type { Static } from 'typebox';
import Type from 'typebox';
import { NAME_PATTERN, type Track, type Warning } from '#client';
import { oneOf, slug } from '../common/schema-types.ts';

/** The greatest number of records of a result: what a model can read at once. */
export const MAX_RECORDS = 25;
const DEFAULT_RECORDS = 10;

export function nameOf(what: 'track' | 'playlist') {
  return Type.String({
    pattern: NAME_PATTERN,
    'x-rule': 'hold only the letters a to z, digits and hyphens',
    maxLength: 200,
    description: `Slug or id of a ${what}, as other tools return it: letters, digits and hyphens.`,
  });
}

export const PAGE = {
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The number of the page, from 1.',
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_RECORDS,
      default: DEFAULT_RECORDS,
      description: `Records of a page: at most ${MAX_RECORDS}.`,
    }),
  ),
};

/** Conditions on tracks that several tools take. */
export const CONDITIONS = {
  type: Type.Optional(
    Type.Union([Type.Literal('music'), Type.Literal('sfx')], {
      description: 'Only music, or only sound effects.',
    }),
  ),
  hasVocals: Type.Optional(
    Type.Boolean({ description: 'Only tracks with vocals (true) or without (false).' }),
  ),
  filterSlugs: Type.Optional(
    Type.Array(slug({ maxLength: 200 }), {
      maxItems: 50,
      description: 'Slugs of filters, from list_filters. A track must carry all of them.',
    }),
  ),
};

/** Conditions of a search on filters, beside `filterSlugs`. */
export const CHOICES = {
  anyFilterSlugs: Type.Optional(
    Type.Array(slug({ maxLength: 200 }), {
      maxItems: 50,
      description:
        'Slugs of filters, from list_filters. A track must carry at least one of them of each type: ' +
        'jazz, blues, dark and calm ask for Jazz or Blues, and for Dark or Calm.',
    }),
  ),
  notFilterSlugs: Type.Optional(
    Type.Array(slug({ maxLength: 200 }), {
      maxItems: 50,
      description: 'Slugs of filters, from list_filters. A track must carry none of them.',
    }),
  ),
};

export function pageOf({ page = 1, pageSize = DEFAULT_RECORDS }) {
  return { page, pageSize };
}

/** An object of these members, and no others: an unknown one would silently widen a search. */
export function inputOf<Members extends Record<string, Type.TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}

// The schemas of results name the least members: a newer service adds others.

export const PLACE = {
  totalRecords: Type.Integer({ description: 'How many records match.' }),
  currentPage: Type.Integer(),
  pageSize: Type.Integer(),
  totalPages: Type.Integer({ description: '0 if nothing matches.' }),
};

/** What the service did not understand as the caller meant it. */
export const WARNINGS = {
  warnings: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() })),
  ),
};

/** The members of a track that lists show. URLs expire, so that only get_track returns them. */
const SHOWN_TRACK = {
  slug: Type.String({ description: 'The name of the track for other tools.' }),
  id: Type.String(),
  name: Type.String(),
  artists: Type.Array(Type.String(), { description: 'Names.' }),
  type: Type.Union([Type.Literal('music'), Type.Literal('sfx')]),
  bpm: Type.String({ description: 'A decimal number, or empty if it is unknown.' }),
  songKey: Type.Array(Type.String()),
  durationSeconds: Type.Integer({ description: '0 if it is unknown.' }),
  hasVocals: Type.Boolean(),
  vocals: oneOf(['vocal', 'instrumental', 'unknown']),
  releaseDate: Type.String({ description: 'ISO 8601, UTC.' }),
  filters: Type.Array(Type.String(), { description: 'Slugs.' }),
};

const LISTED_TRACK = Type.Object(SHOWN_TRACK);

export const TRACKS = { tracks: Type.Array(LISTED_TRACK) };

/** How much two tracks have in common, from 0 to 1. */
function share(what: string) {
  return Type.Union([Type.Number(), Type.Null()], {
    description: `How alike the ${what} are; null if unknown.`,
  });
}

export const SIMILAR_TRACK = Type.Object({
  ...SHOWN_TRACK,
  score: Type.Number({ description: 'From 0 to 1.' }),
  reasons: Type.Object({
    genre: share('genres'),
    mood: share('moods'),
    bpm: share('tempo'),
    key: Type.Boolean(),
    hasVocals: Type.Boolean(),
    sharedFilters: Type.Array(Type.String(), { description: 'Slugs.' }),
  }),
});

export const FILTER = Type.Object({
  slug: Type.String({ description: 'A value of filterSlugs, anyFilterSlugs and notFilterSlugs.' }),
  name: Type.String(),
  type: Type.String(),
  trackCount: Type.Integer(),
});

/** A playlist without its tracks. */
export const PLAYLIST = Type.Object({
  slug: Type.String({ description: 'The name of the playlist for other tools.' }),
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  trackCount: Type.Integer(),
  durationSeconds: Type.Integer(),
});

/** The members of a whole track that an agent needs most. */
export const WHOLE_TRACK = Type.Object({
  slug: Type.String(),
  id: Type.String(),
  name: Type.String(),
  hasAudio: Type.Boolean(),
  streamUrl: Type.String({ description: 'Plays without a token until streamUrlExpiresAt.' }),
  streamUrlExpiresAt: Type.String(),
});

/** What decides a quote. Amounts are integers of minor units, such as cents. */
export const QUOTE = Type.Object({
  id: Type.String({ description: 'With it, a person buys the license.' }),
  status: Type.String(),
  amountMinor: Type.Integer(),
  currency: Type.String({ description: 'ISO 4217.' }),
  minorUnit: Type.Integer({ description: 'The number of decimals of the currency.' }),
  expiresAt: Type.String(),
});

export const RATE_CARD = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  currency: Type.String({ description: 'ISO 4217.' }),
  media: Type.Array(Type.String()),
  terms: Type.Array(Type.String()),
  exclusive: Type.Boolean(),
});

export type ShownTrack = Static<typeof LISTED_TRACK>;

export function shownTrack(track: Track): ShownTrack {
  return {
    slug: track.slug,
    id: track.id,
    name: track.name,
    artists: track.artists.map(({ name }) => name),
    type: track.type,
    bpm: track.bpm,
    songKey: track.songKey,
    durationSeconds: track.durationSeconds,
    hasVocals: track.hasVocals,
    vocals: track.vocals,
    releaseDate: track.releaseDate,
    filters: track.filters.map(({ slug }) => slug),
  };
}

export function lineOf({ slug, name, artists, bpm, durationSeconds, vocals }: ShownTrack) {
  const parts = [
    artists.slice(0, 3).join(', '),
    bpm === '' ? '' : `${bpm} bpm`,
    durationSeconds === 0 ? '' : shownDuration(durationSeconds),
    { vocal: 'vocals', instrumental: 'no vocals', unknown: '' }[vocals],
  ];
  return `${name} [${slug}] ${parts.filter((part) => part !== '').join(' · ')}`;
}

/** Describes a list: its size, its warnings, and one line for each record. */
export function textOf(
  summary: string,
  lines: readonly string[],
  warnings: readonly Warning[] = [],
): string {
  return [summary, ...warnings.map(({ message }) => `Warning: ${message}`), ...lines].join('\n');
}

export function pageSummary(
  what: string,
  page: { totalRecords: number; currentPage: number; totalPages: number },
): string {
  return `${page.totalRecords} ${what}, page ${page.currentPage} of ${page.totalPages}`;
}

function shownDuration(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
