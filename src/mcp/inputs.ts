import Type from 'typebox';
import { NAME_PATTERN } from '#client';

/** The greatest number of records of a result: what a model can read at once. */
export const MAX_RECORDS = 25;
const DEFAULT_RECORDS = 10;

/** A slug or id of a track or a playlist. */
export function nameOf(what: 'track' | 'playlist') {
  return Type.String({
    pattern: NAME_PATTERN,
    maxLength: 200,
    description: `Slug or id of a ${what}, as other tools return it: letters, digits and hyphens.`,
  });
}

/** The page of a list. */
export const PAGE = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'The number of the page, from 1.' }),
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
    Type.Array(Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 200 }), {
      maxItems: 20,
      description: 'Slugs of filters, from list_filters. A track must carry all of them.',
    }),
  ),
};

/** A page with the default number of records. */
export function pageOf({ page = 1, pageSize = DEFAULT_RECORDS }) {
  return { page, pageSize };
}

/** An object of these members, and no others: an unknown one would silently widen a search. */
export function inputOf<Members extends Record<string, Type.TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}
