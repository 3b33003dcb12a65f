import type { SearchRequest } from '#client';
import { parseView, type Query } from './view.ts';

/** The query as the API takes it. */
export function withAudio<Some extends Pick<Query, 'hasAudio'>>({ hasAudio, ...query }: Some) {
  return { ...query, hasAudio: hasAudio === 'any' ? undefined : (hasAudio ?? true) };
}

/** People expect to find artists and tags, too. */
export const FIELDS: ('name' | 'artists' | 'tags')[] = ['name', 'artists', 'tags'];

/** A search as `POST /v1/search` takes it. */
export function bodyOf({ search, songKey, ...query }: Query): SearchRequest {
  // One key is a text, as in searches that were saved before there could be several.
  const keys = songKey?.length === 1 ? songKey[0] : songKey;
  const members = { query: search, ...withAudio(query), songKey: keys, in: search && FIELDS };
  return withoutAbsent(members);
}

/** The query of such a body; undefined if the page cannot show all of it, as it may come from a program. */
export function queryOf(body: object): Query | undefined {
  const { query: search, in: _, hasAudio = 'any', ...rest } = body as SearchRequest;
  const members = Object.entries(withoutAbsent({ ...rest, hasAudio, search }));
  const text = new URLSearchParams(members.map(([name, value]) => [name, String(value)]));
  const { query } = parseView(String(text));
  return sorted(bodyOf(query)) === sorted(body) ? query : undefined;
}

/** Without members that restrict nothing. */
export function withoutAbsent(input: object): Record<string, unknown> {
  const members = Object.entries(input).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && !value.length),
  );
  return Object.fromEntries(members);
}

function sorted(body: object): string {
  return JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)));
}
