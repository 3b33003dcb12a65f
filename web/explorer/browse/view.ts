import { NAME_PATTERN } from '#client';

/** What restricts and orders the tracks of a search. The names are those of `GET /v1/tracks`. */
export interface Query {
  search?: string | undefined;
  /** Instead of `search` and `sort`: what somebody would write to a music consultant. */
  brief?: string | undefined;
  /** What of the brief is left out. */
  ignore?: readonly string[] | undefined;
  type?: 'music' | 'sfx' | undefined;
  hasVocals?: boolean | undefined;
  vocals?: readonly Vocals[] | undefined;
  /** Tracks without audio, or any. By default, the explorer lists tracks with audio. */
  hasAudio?: false | 'any' | undefined;
  /** Tracks carry all of them. */
  filterSlugs?: readonly string[] | undefined;
  /** Tracks carry at least one of those of a type. */
  anyFilterSlugs?: readonly string[] | undefined;
  /** Tracks carry none of them. */
  notFilterSlugs?: readonly string[] | undefined;
  /** Tracks have any of them. */
  songKey?: readonly string[] | undefined;
  bpmMin?: number | undefined;
  bpmMax?: number | undefined;
  durationMin?: number | undefined;
  durationMax?: number | undefined;
  releasedFrom?: string | undefined;
  releasedTo?: string | undefined;
  sort?: Sort | undefined;
}

export const VOCALS = ['vocal', 'instrumental', 'unknown'] as const;
export type Vocals = (typeof VOCALS)[number];

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
  'brief',
  'ignore',
  'type',
  'hasVocals',
  'vocals',
  'hasAudio',
  'filterSlugs',
  'anyFilterSlugs',
  'notFilterSlugs',
  'songKey',
  ...RANGES,
  'releasedFrom',
  'releasedTo',
  'sort',
];

/** Which tracks, or which lists, the middle of the page shows. */
export type Shown =
  | { list: 'search' }
  | { list: 'playlist' | 'collection'; of: string }
  | { list: 'similar'; of: string; by?: SimilarBy | undefined }
  | { list: 'saved-search' | 'quote' | 'license'; of: string }
  | { list: (typeof LISTS)[number] };

/** What of two tracks is compared besides filters and tempo, or instead of them. */
const SIMILAR_BY = ['sound', 'both'] as const;
type SimilarBy = (typeof SIMILAR_BY)[number];

/** What belongs to something: lists of tracks, and pages about one thing. */
const LISTS_OF = ['playlist', 'collection', 'similar', 'saved-search', 'quote', 'license'] as const;

/** Lists of other things than tracks, and of tracks that sound like a file, which no address can name. */
const LISTS = [
  'by-audio',
  'playlists',
  'collections',
  'saved-searches',
  'quotes',
  'licenses',
] as const;

/** What the lists of quotes and licenses may be restricted to. */
const STATUSES = ['open', 'licensed', 'scheduled', 'active', 'expired', 'revoked'] as const;
export type Status = (typeof STATUSES)[number];

/** What lies beside the list. */
const PANELS = ['log', 'code', 'cart', 'buy', 'edit', 'links'] as const;
type Panel = (typeof PANELS)[number];

/** All state of the browsing. It is in the query string of the page, so that each state has an address. */
export interface View {
  shown: Shown;
  query: Query;
  /** The slug of the opened track. */
  track?: string | undefined;
  panel?: Panel | undefined;
  /** What the list of quotes or licenses is restricted to. */
  status?: Status | undefined;
  /** The text that the quotes or licenses of the list contain. */
  find?: string | undefined;
  /** The language of names, as a tag; that of the browser if absent. */
  language?: string | undefined;
  /** The parameters of the address with values that are not slugs or ids, and are left out. */
  leftOut?: readonly string[];
}

/** The most filters that the API takes. */
const MAX_FILTERS = 50;
const MAX_KEYS = 24;
const MAX_IGNORED = 100;
const MAX_TEXT_LENGTH = 200;
const MAX_BRIEF_LENGTH = 1000;
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
  const list = (name: string) => (get(name) ?? '').split(',').filter(Boolean);
  const slugs = (name: string) => {
    const valid = list(name).filter((slug) => NAME.test(slug));
    if (valid.length < list(name).length) leftOut.push(name);
    return someOf(valid.slice(0, MAX_FILTERS));
  };
  const flag = (name: string) => {
    const value = oneOf(name, ['true', 'false']);
    return value && value === 'true';
  };
  const brief = get('brief')?.slice(0, MAX_BRIEF_LENGTH);
  const query: Query = {
    ...(brief === undefined
      ? { search: get('search')?.slice(0, MAX_TEXT_LENGTH), sort: oneOf('sort', SORTS) }
      : { brief, ignore: someOf(parameters.getAll('ignore').slice(0, MAX_IGNORED)) }),
    type: oneOf('type', ['music', 'sfx']),
    hasVocals: flag('hasVocals'),
    vocals: someOf(VOCALS.filter((one) => list('vocals').includes(one))),
    hasAudio: flag('hasAudio') === false ? false : oneOf('hasAudio', ['any'] as const),
    filterSlugs: slugs('filterSlugs'),
    anyFilterSlugs: slugs('anyFilterSlugs'),
    notFilterSlugs: slugs('notFilterSlugs'),
    songKey: someOf(list('songKey').slice(0, MAX_KEYS)),
    ...Object.fromEntries(RANGES.map((name) => [name, numberIn(get(name))])),
    releasedFrom: dateIn(get('releasedFrom')),
    releasedTo: dateIn(get('releasedTo')),
  };
  return {
    shown: shownIn(named, get('list'), oneOf('by', SIMILAR_BY)),
    query,
    track: named('track'),
    panel: oneOf('panel', PANELS),
    status: oneOf('status', STATUSES),
    find: get('find')?.slice(0, MAX_TEXT_LENGTH),
    language: languageIn(get('language')),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

function someOf<Value>(values: readonly Value[]): readonly Value[] | undefined {
  return values.length > 0 ? values : undefined;
}

function shownIn(
  named: (name: string) => string | undefined,
  asked: string | undefined,
  by: SimilarBy | undefined,
): Shown {
  for (const list of LISTS_OF) {
    const of = named(list);
    if (of === undefined) continue;
    return list === 'similar' && by !== undefined ? { list, of, by } : { list, of };
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
export function formatView({ shown, query, track, panel, status, find, language }: View): string {
  const parameters = new URLSearchParams();
  if ('of' in shown) parameters.set(shown.list, shown.of);
  else if (shown.list !== 'search') parameters.set('list', shown.list);
  if ('by' in shown && shown.by !== undefined) parameters.set('by', shown.by);
  for (const name of MEMBERS) {
    const value = query[name];
    // Their texts may contain commas.
    if (name === 'ignore') for (const text of query.ignore ?? []) parameters.append(name, text);
    else if (value !== undefined && String(value) !== '') parameters.set(name, String(value));
  }
  if (track !== undefined) parameters.set('track', track);
  if (panel !== undefined) parameters.set('panel', panel);
  if (status !== undefined) parameters.set('status', status);
  if (find !== undefined) parameters.set('find', find);
  if (language !== undefined) parameters.set('language', language);
  // Commas need no escape, and the address is for people, too.
  const text = String(parameters).replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** How many members of a query restrict it, besides its text. */
export function restrictions({ search, brief, ignore, sort, ...rest }: Query): number {
  const counts = Object.values(rest).map((value) => {
    if (Array.isArray(value)) return value.length;
    return value === undefined || value === 'any' ? 0 : 1;
  });
  return counts.reduce((a, b) => a + b, 0);
}
