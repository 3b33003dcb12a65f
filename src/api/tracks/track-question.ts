import Type, { type Static } from 'typebox';
import type { Mode } from '../../access/client.ts';
import { type PageRequest, TRACK_SORTS } from '../../catalog/catalog-index.ts';
import type { CatalogQuery } from '../../catalog/live-catalog.ts';
import { TRACK_TYPES } from '../../catalog/track.ts';
import { dateOrTime, firstMoment, lastMoment } from '../schemas/date-or-time.ts';
import { freeText, MAX_FILTERS, oneOf, slug, uuid } from '../schemas/fields.ts';
import { pageMembers, pageOrDefault } from '../schemas/page.ts';

/** What the free text of both forms means (decisions §4, Text). */
const TEXT_RULE =
  'Free text on the track’s name. Case, accents and punctuation do not matter; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first.';

const BPM = { minimum: 0, maximum: 1000 };
const SECONDS = { minimum: 0, maximum: 2_147_483_647 };

/** Ends of ranges: pairs that must not be the wrong way round. */
const RANGES = {
  'x-ranges': [
    ['bpmMin', 'bpmMax'],
    ['durationMin', 'durationMax'],
    ['releasedFrom', 'releasedTo'],
  ],
};

/** Both ends of each range are included; an unknown value lies in none (decisions §4, extensions). */
const rangeMembers = {
  bpmMin: Type.Optional(
    Type.Number({
      ...BPM,
      description:
        'Only tracks of at least this tempo, in beats per minute; none whose tempo is unknown.',
      examples: [90],
    }),
  ),
  bpmMax: Type.Optional(
    Type.Number({
      ...BPM,
      description: 'Only tracks of at most this tempo; none whose tempo is unknown.',
      examples: [120.5],
    }),
  ),
  durationMin: Type.Optional(
    Type.Integer({
      ...SECONDS,
      description: 'Only tracks of at least so many seconds; none whose length is unknown.',
      examples: [30],
    }),
  ),
  durationMax: Type.Optional(
    Type.Integer({
      ...SECONDS,
      description: 'Only tracks of at most so many seconds; none whose length is unknown.',
      examples: [180],
    }),
  ),
  releasedFrom: Type.Optional(
    dateOrTime({
      description: 'Only tracks released on this day (UTC), at this moment or later.',
      examples: ['2024-01-01'],
    }),
  ),
  releasedTo: Type.Optional(
    dateOrTime({
      description: 'Only tracks released by this moment, or by the end of this day (UTC).',
      examples: ['2024-12-31'],
    }),
  ),
};

/** The members that list and search share, under the same names. */
const sharedMembers = {
  type: Type.Optional(
    oneOf(TRACK_TYPES, { description: 'Only music, or only sound effects.', examples: ['music'] }),
  ),
  hasVocals: Type.Optional(
    Type.Boolean({
      description: 'Only tracks with vocals (true) or without (false).',
      examples: [false],
    }),
  ),
  filterIds: Type.Optional(
    Type.Array(uuid(), {
      maxItems: MAX_FILTERS,
      description: 'Ids of filters; a track must carry all of them, and all of `filterSlugs`.',
      examples: [['6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11']],
    }),
  ),
  filterSlugs: Type.Optional(
    Type.Array(slug(), {
      maxItems: MAX_FILTERS,
      description:
        'Slugs of filters, as `GET /v1/filters` lists them; a track must carry all of them, and all of `filterIds`. One that no filter has matches nothing.',
      examples: [['ambient', 'calm']],
    }),
  ),
  songKey: Type.Optional(
    freeText({
      description:
        'Only tracks with this key among theirs, as `songKey` of a track spells it, in either case.',
      examples: ['A minor'],
    }),
  ),
  ...rangeMembers,
  sort: Type.Optional(
    oneOf(TRACK_SORTS, {
      default: 'relevance',
      description:
        '`relevance`: best match first, and without a text the newest. `newest` and `oldest` go by release; `name` goes from A to Z; `bpm` and `duration` rise, unknown ones last; `popular` has the most licensed first, by live licences for a live token and test ones for a test token. Ties: newest, then by id.',
      examples: ['newest'],
    }),
  ),
  facets: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether to add `facets`: how many tracks of the whole result carry each filter, are of each type, and have vocals or none.',
      examples: [true],
    }),
  ),
  ...pageMembers,
};

/** Query of GET /v1/tracks (specification; `isrc` by decisions §5). */
export const ListTracksQuery = Type.Object(
  {
    search: Type.Optional(freeText({ description: TEXT_RULE, examples: ['night'] })),
    ...sharedMembers,
    isrc: Type.Optional(
      Type.String({
        'x-rule': 'be an ISRC: two letters, three letters or digits, seven digits',
        pattern: '^[A-Za-z]{2}-?[A-Za-z0-9]{3}-?[0-9]{2}-?[0-9]{5}$',
        description: 'Only the tracks of this recording, with or without hyphens, in either case.',
        examples: ['QZES72400137'],
      }),
    ),
  },
  RANGES,
);

/** Body of POST /v1/search (specification). */
export const SearchBody = Type.Object(
  {
    query: Type.Optional(freeText({ description: TEXT_RULE, examples: ['night'] })),
    ...sharedMembers,
  },
  {
    title: 'SearchRequest',
    additionalProperties: false,
    ...RANGES,
    // A first try with every member at once would find nothing.
    examples: [{ query: 'night', type: 'music', page: 1, pageSize: 20 }],
  },
);

/** A question to the catalog in the words that both forms share. */
export type TrackQuestion = Omit<Static<typeof ListTracksQuery>, 'search'> & { text?: string };

/** Bounds that the index takes as they are. */
const NUMERIC_BOUNDS = ['bpmMin', 'bpmMax', 'durationMin', 'durationMax'] as const;

/**
 * The one query that both forms come down to, so that equal questions get equal answers. Empty texts
 * and empty lists are not given; ids lose their case, lists their duplicates (decisions §4).
 */
export function catalogQuery(question: TrackQuestion): CatalogQuery {
  const { text, type, hasVocals, filterIds, filterSlugs, isrc } = question;
  const { songKey, releasedFrom, releasedTo } = question;
  const query: CatalogQuery = {};
  if (text !== undefined && text !== '') {
    query.text = text;
  }
  if (type !== undefined) {
    query.type = type;
  }
  if (hasVocals !== undefined) {
    query.hasVocals = hasVocals;
  }
  if (filterIds?.length) {
    query.filterIds = [...new Set(filterIds.map((id) => id.toLowerCase()))];
  }
  if (filterSlugs?.length) {
    query.filterSlugs = [...new Set(filterSlugs)];
  }
  if (isrc !== undefined) {
    query.isrc = isrc.replaceAll('-', '').toUpperCase();
  }
  if (songKey !== undefined && songKey !== '') {
    // As documents carry it: an accented key may come decomposed.
    query.songKey = songKey.normalize('NFC');
  }
  for (const bound of NUMERIC_BOUNDS) {
    const value = question[bound];
    if (value !== undefined) {
      query[bound] = value;
    }
  }
  if (releasedFrom !== undefined) {
    query.releasedFrom = firstMoment(releasedFrom);
  }
  if (releasedTo !== undefined) {
    query.releasedTo = lastMoment(releasedTo);
  }
  return query;
}

/** The part of the answer that a question asks for. `mode` decides whose licences `popular` counts. */
export function requestedPage(question: TrackQuestion, mode: Mode): PageRequest {
  const { page, pageSize } = pageOrDefault(question);
  const request: PageRequest = { offset: (page - 1) * pageSize, limit: pageSize };
  if (question.sort !== undefined && question.sort !== 'relevance') {
    request.sort = question.sort;
  }
  if (question.sort === 'popular') {
    request.popularity = mode;
  }
  if (question.facets) {
    request.facets = true;
  }
  return request;
}
