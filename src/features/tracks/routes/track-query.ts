import Type, { type Static } from 'typebox';
import type { Caller, Mode } from '../../../common/caller.ts';
import { COUNTRIES, type RegionGroup, regionsCovering, WORLD } from '../../../common/codes.ts';
import { type FieldProblem, invalidRequest } from '../../../common/errors.ts';
import { flag, oneOf, slug, territory, uuid } from '../../../common/schema-types.ts';
import { refuseUnlessGranted } from '../../../engines/http/guard/authorize.ts';
import { refuse, shortened } from '../../../engines/http/input/problems.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import {
  dateOrTime,
  firstMoment,
  freeText,
  lastMoment,
  MAX_FILTERS,
  pageMembers,
  rangeOf,
} from '../../../engines/http/schemas.ts';
import {
  AI_SHARES,
  type PageRequest,
  TEXT_FIELDS,
  TRACK_SORTS,
  TRAINING_ANSWERS,
  type TrainingAnswer,
  VOCALS,
} from '../../../engines/search/catalog-index.ts';
import { keyName } from '../../../engines/search/text/song-keys.ts';
import { type CatalogQuery, keysIn } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { NamedFilters } from '../../catalog/live/live-filters.ts';
import { TRACK_TYPES } from '../../catalog/track-values.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { briefMembers } from './brief-members.ts';

/** What `licensableIn` needs in addition to what the operation needs. */
export const LICENSABLE_IN_ACCESS = {
  member: 'licensableIn',
  access: { scope: 'licensing', feature: 'licensing' },
} as const satisfies Route['restricted'];

const licensableInMember = Type.Optional(
  Type.Array(territory(), {
    maxItems: COUNTRIES.length,
    uniqueItems: true,
    description:
      'Only tracks whose `region` and availability cover each of these countries, or `WORLD` alone for all countries. A region may be a group of your rate card. Exclusive licenses are not considered. Needs the feature and the scope `licensing`.',
    examples: [['DE', 'AT']],
  }),
);

/** The meaning of the free text in both forms (docs/contract/search.md#text). */
const TEXT_RULE =
  'Free text on the track’s name, or on what `in` says. Case, accents and punctuation do not matter, and a name with an apostrophe is found with it, without it, and by the words on either side; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first.';

const BPM = { minimum: 0, maximum: 1000 };
const SECONDS = { minimum: 0, maximum: 2_147_483_647 };

const RANGES = {
  'x-ranges': [
    ['bpmMin', 'bpmMax'],
    ['durationMin', 'durationMax'],
    ['releasedFrom', 'releasedTo'],
  ],
};

/** See docs/contract/search.md#ranges. */
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
      description:
        'Only tracks of at least this duration in seconds; none whose duration is unknown.',
      examples: [30],
    }),
  ),
  durationMax: Type.Optional(
    Type.Integer({
      ...SECONDS,
      description:
        'Only tracks of at most this duration in seconds; none whose duration is unknown.',
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

function filterList(
  item: ReturnType<typeof slug>,
  options: { description: string; examples: string[][] },
) {
  return Type.Optional(Type.Array(item, { maxItems: MAX_FILTERS, ...options }));
}

/** See docs/contract/search.md#choices. */
const choiceMembers = {
  anyFilterIds: filterList(uuid(), {
    description:
      'Ids of filters, grouped with those of `anyFilterSlugs` by their type; a track must carry at least one of each group. At most 50 in both together. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches.',
    examples: [['ef446696-4d21-5812-8cc9-7e014d1fa6c9']],
  }),
  anyFilterSlugs: filterList(slug(), {
    description:
      'Slugs of filters, grouped with those of `anyFilterIds` by their type; a track must carry at least one of each group: `jazz,blues,dark,calm` asks for Jazz or Blues, and for Dark or Calm. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches.',
    examples: [['jazz', 'blues']],
  }),
  notFilterIds: filterList(uuid(), {
    description:
      'Ids of filters; a track must carry none of them, and none of `notFilterSlugs`. At most 50 in both together. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error.',
    examples: [['2d6f6c3e-2f0f-5d55-9d51-0c1f8d1f2b61']],
  }),
  notFilterSlugs: filterList(slug(), {
    description:
      'Slugs of filters; a track must carry none of them, and none of `notFilterIds`. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error.',
    examples: [['corporate']],
  }),
};

/** How many keys a query may name: there are 24. */
const MAX_KEYS = 24;

/** See docs/contract/search.md#keys. */
const songKeyMember = Type.Optional(
  Type.Union([freeText(), Type.Array(freeText(), { maxItems: MAX_KEYS })], {
    'x-rule': `be a text of at most 200 characters, or a list of at most ${MAX_KEYS}`,
    description:
      'Only tracks with one of these keys: in the spelling of a track, or a major or minor key in any usual one (`A minor`, `Am`, `a-moll`, `8A` of Camelot, `1m` of Open Key). Several are a list, or separated by commas.',
    examples: ['A minor'],
  }),
);

const selectingMembers = {
  in: Type.Optional(
    Type.Array(oneOf(TEXT_FIELDS), {
      maxItems: TEXT_FIELDS.length,
      description:
        'Where the text is searched: in the `name`, the names of the `artists`, the `tags`, the names of the `filters` in the catalog’s language and in that of the response; in the name where it is not given. Every word must stand in one of them. A match in the name ranks above one that needs an artist, that above one that needs a tag, that above one that needs a filter.',
      examples: [['name', 'artists']],
    }),
  ),
  type: Type.Optional(
    oneOf(TRACK_TYPES, { description: 'Only music, or only sound effects.', examples: ['music'] }),
  ),
  hasVocals: Type.Optional(flag('Only tracks with vocals (true) or without (false).', false)),
  filterIds: filterList(uuid(), {
    description:
      'Ids of filters; a track must carry all of them, and all of `filterSlugs`. An unknown filter matches nothing, and `warnings` names it.',
    examples: [['ef446696-4d21-5812-8cc9-7e014d1fa6c9']],
  }),
  filterSlugs: filterList(slug(), {
    description:
      'Slugs of filters, as `GET /v1/filters` lists them; a track must carry all of them, and all of `filterIds`. An unknown filter matches nothing, and `warnings` names it.',
    examples: [['ambient', 'calm']],
  }),
  ...choiceMembers,
  vocals: Type.Optional(
    Type.Array(oneOf(VOCALS), {
      maxItems: VOCALS.length,
      uniqueItems: true,
      description:
        'Only tracks of which one of these is known: vocals, no vocals, or neither. With `facets`, `vocals` counts each as if it were the only choice.',
      examples: [['instrumental', 'unknown']],
    }),
  ),
  hasAudio: Type.Optional(
    flag('Only tracks whose `streamUrl` has audio to play (true), or the others (false).', true),
  ),
  ai: Type.Optional(
    Type.Array(oneOf(AI_SHARES), {
      maxItems: AI_SHARES.length,
      uniqueItems: true,
      description:
        'Only tracks of which a machine made one of these: nothing, some of it, all of it, or nobody says what. With `facets`, `ai` counts each as if it were the only choice.',
      examples: [['none', 'unknown']],
    }),
  ),
  trainingAllowed: Type.Optional(
    Type.Union([oneOf(TRAINING_ANSWERS), Type.Boolean()], {
      'x-rule': 'be true, false or unknown',
      description:
        'Only tracks from which machines may learn, or may not, or of which nobody says that.',
      examples: ['unknown'],
    }),
  ),
  artist: Type.Optional(
    freeText({
      description:
        'Only tracks of an artist of this name. Case, accents and punctuation do not matter; the whole name counts.',
      examples: ['Stave Sound Library'],
    }),
  ),
  songKey: songKeyMember,
  licensableIn: licensableInMember,
  ...rangeMembers,
};

const sortMember = (options?: { default: 'relevance' }) =>
  Type.Optional(
    oneOf(TRACK_SORTS, {
      ...options,
      description:
        '`relevance`: best match first, and without a text the newest. `newest` and `oldest` go by release; `name` goes from A to Z; `bpm` and `duration` rise, unknown ones last; `popular` has the most licensed first, by live licenses for a live token and test ones for a test token. Ties: newest, then by id.',
      examples: ['newest'],
    }),
  );

/** The members that select a part of the result, and what is shown of it. */
export const resultMembers = {
  facets: Type.Optional(
    flag(
      'Whether to add `facets`: how many tracks of the whole result carry each filter, are of each type, have vocals or none, and have each provenance.',
      true,
      { default: false },
    ),
  ),
  ...pageMembers,
};

const sharedMembers = {
  ...selectingMembers,
  sort: sortMember({ default: 'relevance' }),
  ...resultMembers,
  ...languageMember,
};

const textMember = Type.Optional(freeText({ description: TEXT_RULE, examples: ['night'] }));

/** Query of GET /v1/tracks (docs/contract/search.md#query-members). */
export const ListTracksQuery = Type.Object(
  {
    search: textMember,
    ...sharedMembers,
    isrc: Type.Optional(
      Type.String({
        'x-rule': 'be an ISRC: two letters, three letters or digits, seven digits',
        pattern: '^[A-Za-z]{2}-?[A-Za-z0-9]{3}-?[0-9]{2}-?[0-9]{5}$',
        description: 'Only the tracks of this recording, with or without hyphens, in either case.',
        examples: ['ZZSTV2600001'],
      }),
    ),
  },
  RANGES,
);

/** Body of POST /v1/search (docs/contract/search.md#query-members). */
export const SearchBody = Type.Object(
  {
    query: textMember,
    ...briefMembers,
    ...sharedMembers,
    sort: sortMember(),
  },
  {
    title: 'SearchRequest',
    additionalProperties: false,
    ...RANGES,
    // An example with all members would find nothing.
    examples: [{ query: 'night', type: 'music', page: 1, pageSize: 20 }],
  },
);

/** The body of POST /v1/search without the members of the result. It has no defaults, so it is kept as it was sent. */
export const SavedQuery = Type.Object(
  { query: textMember, ...selectingMembers, sort: sortMember() },
  {
    title: 'SavedQuery',
    additionalProperties: false,
    ...RANGES,
    description:
      'The body of `POST /v1/search` without `page`, `pageSize` and `facets`, as it was sent.',
    examples: [{ query: 'night', filterSlugs: ['calm'] }],
  },
);

/** A query of the catalog, with the names that both endpoints share. */
export type TrackQuery = Omit<Static<typeof ListTracksQuery>, 'search'> & { text?: string };

export function searchedQuery({ query: text, ...query }: Static<typeof SearchBody>): TrackQuery {
  return { ...query, ...(text !== undefined && { text }) };
}

/** Returns the restrictions of the query of either endpoint, without `licensableIn`. The catalog normalizes them. */
export function catalogQuery(query: TrackQuery): CatalogQuery {
  const { isrc, songKey, trainingAllowed, releasedFrom, releasedTo, ...others } = query;
  const { page, pageSize, sort, facets, language, licensableIn, ...restrictions } = others;
  return {
    ...restrictions,
    ...(isrc !== undefined && { isrc: isrc.replaceAll('-', '') }),
    ...(songKey !== undefined && { songKeys: [songKey].flat() }),
    ...(trainingAllowed !== undefined && {
      trainingAllowed: String(trainingAllowed) as TrainingAnswer,
    }),
    ...(releasedFrom !== undefined && { releasedFrom: firstMoment(releasedFrom) }),
    ...(releasedTo !== undefined && { releasedTo: lastMoment(releasedTo) }),
  };
}

/** Returns the page that a query requests. `mode` decides whose licenses `popular` counts. */
export function requestedPage(query: TrackQuery, mode: Mode): PageRequest {
  const { sort, facets } = query;
  return {
    ...rangeOf(query),
    ...(sort !== undefined && sort !== 'relevance' && { sort }),
    ...(sort === 'popular' && { popularity: mode }),
    ...(facets && { facets }),
  };
}

type LicensableQuery = Pick<TrackQuery, 'licensableIn'>;

/** Returns the groups of countries of the rate card of a client. */
export type RegionGroupsOf = (clientId: string) => readonly RegionGroup[];

/** Returns what a schema does not check. `prefix` precedes the names of members. */
export function queryProblems(
  { licensableIn = [], ...query }: LicensableQuery & NamedFilters,
  prefix = '',
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const refused = (member: string, rule: string) => refuse(problems, `${prefix}${member}`, rule);
  if (licensableIn.length > 1 && licensableIn.includes(WORLD)) {
    refused('licensableIn', 'have WORLD alone, or only countries');
  }
  for (const [ids, slugs] of [
    ['anyFilterIds', 'anyFilterSlugs'],
    ['notFilterIds', 'notFilterSlugs'],
  ] as const) {
    const count = (query[ids]?.length ?? 0) + (query[slugs]?.length ?? 0);
    if (count > MAX_FILTERS) {
      refused(slugs, `have at most ${MAX_FILTERS} filters together with ${prefix}${ids}`);
    }
  }
  return problems;
}

/**
 * Returns the problems of a query that the catalog shows: filters that it asks for and excludes, and texts that are neither
 * a key nor the key of a track.
 */
export function catalogProblems(
  catalog: Pick<LiveCatalog, 'filterConflicts' | 'hasKey'>,
  { songKey = [], ...query }: NamedFilters & Pick<TrackQuery, 'songKey'>,
  prefix = '',
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const { field, name, other } of catalog.filterConflicts(query)) {
    refuse(problems, `${prefix}${field}`, `not have ${name}, which ${prefix}${other} has, too`);
  }
  const hasKey = (key: string) => catalog.hasKey(key);
  const key = keysIn([songKey].flat(), hasKey).find((one) => !keyName(one) && !hasKey(one));
  if (key !== undefined) {
    const rule = `${KEY_RULE}; ${shortened(key)} is neither`;
    refuse(problems, `${prefix}songKey`, rule);
  }
  return problems;
}

const KEY_RULE =
  'have keys as tracks spell them, or major and minor keys such as A minor, Am, a-moll, 8A (Camelot) or 1m (Open Key)';

/** Throws `invalid_request` with the problems of `catalogProblems`. */
export function refuseCatalogProblems(...query: Parameters<typeof catalogProblems>): void {
  const problems = catalogProblems(...query);
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Throws `feature_not_enabled` or `insufficient_scope` if a query has `licensableIn` and the caller may not use it. */
export function refuseUnlicensed({ licensableIn = [] }: LicensableQuery, caller: Caller): void {
  if (licensableIn.length > 0) refuseUnlessGranted(caller, LICENSABLE_IN_ACCESS.access);
}

/** Whether a client has the features, and a token the scopes, that a query needs. */
export function mayAsk(
  { licensableIn = [] }: LicensableQuery,
  { features, scopes }: Pick<Caller, 'features' | 'scopes'>,
): boolean {
  return licensableIn.length === 0 || (features.has('licensing') && scopes.has('licensing'));
}

export type LicensableRestriction = Required<Pick<CatalogQuery, 'regions' | 'territories'>>;

/** Returns the restriction of a query; undefined if it allows all. An empty list counts as absent. */
export function licensableRestriction(
  { licensableIn = [] }: LicensableQuery,
  clientId: string,
  groupsOf: RegionGroupsOf,
): LicensableRestriction | undefined {
  if (licensableIn.length === 0) return undefined;
  return {
    regions: regionsCovering(licensableIn, groupsOf(clientId)),
    territories: licensableIn,
  };
}
