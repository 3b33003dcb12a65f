import { NAME_PATTERN } from '#client';

/** What restricts and orders the tracks of a search. The names are those of `GET /v1/tracks`. */
export interface Query {
  search?: string | undefined;
  type?: 'music' | 'sfx' | undefined;
  hasVocals?: boolean | undefined;
  filterSlugs: readonly string[];
  songKey?: string | undefined;
  bpmMin?: number | undefined;
  bpmMax?: number | undefined;
  durationMin?: number | undefined;
  durationMax?: number | undefined;
  releasedFrom?: string | undefined;
  releasedTo?: string | undefined;
  sort?: Sort | undefined;
}

export const SORTS = [
  'relevance',
  'newest',
  'oldest',
  'name',
  'bpm',
  'duration',
  'popular',
] as const;
export type Sort = (typeof SORTS)[number];

/** The ranges, each with its two members. */
export type RangeName = 'bpmMin' | 'bpmMax' | 'durationMin' | 'durationMax';
const RANGES: readonly RangeName[] = ['bpmMin', 'bpmMax', 'durationMin', 'durationMax'];

/** The members in the order of addresses, so that equal queries have equal addresses. */
const MEMBERS: readonly (keyof Query)[] = [
  'search',
  'type',
  'hasVocals',
  'filterSlugs',
  'songKey',
  ...RANGES,
  'releasedFrom',
  'releasedTo',
  'sort',
];

/** Which tracks, or which lists, the middle of the page shows. */
export type Shown =
  | { list: 'search' }
  | { list: 'playlist' | 'collection' | 'similar'; of: string }
  | { list: 'saved-search'; of: string }
  | { list: (typeof LISTS)[number] };

/** Lists of tracks that belong to something. */
const LISTS_OF = ['playlist', 'collection', 'similar', 'saved-search'] as const;

/** Lists of other things than tracks. */
const LISTS = ['playlists', 'collections', 'saved-searches', 'quotes'] as const;

/** What lies beside the list. */
type Panel = 'log' | 'code';

/** All state of the browsing. It is in the query string of the page, so that each state has an address. */
export interface View {
  shown: Shown;
  query: Query;
  /** The slug of the opened track. */
  track?: string | undefined;
  panel?: Panel | undefined;
  /** The language of names, as a tag; that of the browser if absent. */
  language?: string | undefined;
  /** The parameters of the address with values that are not slugs or ids, and are left out. */
  leftOut?: readonly string[];
}

/** The most filters that the API takes. */
const MAX_FILTERS = 50;
const MAX_TEXT_LENGTH = 200;
/** What the page puts into paths of the API. */
const NAME = new RegExp(NAME_PATTERN);

/**
 * Reads a query string. Ignores what it does not know and values that are not valid; those of slugs and ids are in
 * `leftOut`.
 */
export function parseView(text: string): View {
  const parameters = new URLSearchParams(text);
  const get = (name: string) => parameters.get(name) || undefined;
  const oneOf = <Value extends string>(name: string, values: readonly Value[]) =>
    values.find((value) => value === get(name));
  const leftOut: string[] = [];
  const named = (name: string) => {
    const value = get(name);
    if (value === undefined || NAME.test(value)) return value;
    leftOut.push(name);
    return undefined;
  };
  const filters = (get('filterSlugs') ?? '').split(',').filter(Boolean);
  const filterSlugs = filters.filter((slug) => NAME.test(slug));
  if (filterSlugs.length < filters.length) leftOut.push('filterSlugs');
  const vocals = oneOf('hasVocals', ['true', 'false']);
  const query: Query = {
    filterSlugs: filterSlugs.slice(0, MAX_FILTERS),
    search: get('search')?.slice(0, MAX_TEXT_LENGTH),
    type: oneOf('type', ['music', 'sfx']),
    hasVocals: vocals && vocals === 'true',
    songKey: get('songKey'),
    ...Object.fromEntries(RANGES.map((name) => [name, numberIn(get(name))])),
    releasedFrom: dateIn(get('releasedFrom')),
    releasedTo: dateIn(get('releasedTo')),
    sort: oneOf('sort', SORTS),
  };
  return {
    shown: shownIn(named, get('list')),
    query,
    track: named('track'),
    panel: oneOf('panel', ['log', 'code']),
    language: languageIn(get('language')),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

function shownIn(named: (name: string) => string | undefined, asked: string | undefined): Shown {
  for (const list of LISTS_OF) {
    const of = named(list);
    if (of !== undefined) return { list, of };
  }
  return { list: LISTS.find((one) => one === asked) ?? 'search' };
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function dateIn(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
}

function languageIn(text: string | undefined): string | undefined {
  return text !== undefined && /^[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}$/i.test(text) ? text : undefined;
}

/** Returns the query string of a view, with its `?`; empty for the first view. */
export function formatView({ shown, query, track, panel, language }: View): string {
  const parameters = new URLSearchParams();
  if ('of' in shown) parameters.set(shown.list, shown.of);
  else if (shown.list !== 'search') parameters.set('list', shown.list);
  for (const name of MEMBERS) {
    const value = query[name];
    if (value !== undefined && String(value) !== '') parameters.set(name, String(value));
  }
  if (track !== undefined) parameters.set('track', track);
  if (panel !== undefined) parameters.set('panel', panel);
  if (language !== undefined) parameters.set('language', language);
  // Commas need no escape, and the address is for people, too.
  const text = String(parameters).replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** How many members of a query restrict it, besides its text. */
export function restrictions({ search, sort, filterSlugs, ...rest }: Query): number {
  return filterSlugs.length + Object.values(rest).filter((value) => value !== undefined).length;
}
