import Type, { type Static } from 'typebox';
import type { CatalogQuery } from '../../catalog/live-catalog.ts';
import { TRACK_TYPES } from '../../catalog/track.ts';
import { freeText, MAX_FILTERS, oneOf, slug, uuid } from '../schemas/fields.ts';
import { pageMembers } from '../schemas/page.ts';

/** What the free text of both forms means (decisions §4, Text). */
const TEXT_RULE =
  'Free text on the track’s name. Case, accents and punctuation do not matter; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first.';

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
  ...pageMembers,
};

/** Query of GET /v1/tracks (specification; `isrc` by decisions §5). */
export const ListTracksQuery = Type.Object({
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
});

/** Body of POST /v1/search (specification). */
export const SearchBody = Type.Object(
  {
    query: Type.Optional(freeText({ description: TEXT_RULE, examples: ['night'] })),
    ...sharedMembers,
  },
  {
    title: 'SearchRequest',
    additionalProperties: false,
    // A first try with every member at once would find nothing.
    examples: [{ query: 'night', type: 'music', page: 1, pageSize: 20 }],
  },
);

/** A question to the catalog in the words that both forms share. */
export type TrackQuestion = Omit<Static<typeof ListTracksQuery>, 'search'> & { text?: string };

/**
 * The one query that both forms come down to, so that equal questions get equal answers. An empty
 * text and empty lists are not given; ids lose their case, lists their duplicates (decisions §4).
 */
export function catalogQuery({
  text,
  type,
  hasVocals,
  filterIds,
  filterSlugs,
  isrc,
}: TrackQuestion): CatalogQuery {
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
  return query;
}
