import Type from 'typebox';
import { timestamp, uuid } from '../../../common/schema-types.ts';
import type { RouteAccess } from '../../../engines/http/route/route.ts';
import { freeText } from '../../../engines/http/schemas.ts';
import { SavedQuery } from '../../tracks/routes/track-query.ts';

/** What all operations on saved searches need. */
export const SAVED_SEARCH_ACCESS: RouteAccess = {
  scope: 'saved-searches',
  feature: 'saved-searches',
};

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

/** The members that a client chooses. */
export const savedSearchMembers = {
  name: freeText({
    minLength: 1,
    pattern: '\\S',
    'x-rule': 'have 1 to 200 characters, and not only spaces',
    description: 'The name, which is unique in upper and lower case.',
    examples: ['Calm nights'],
  }),
  search: SavedQuery,
  notify: Type.Boolean({
    description:
      'Whether your webhooks with `saved_search.matched` are told of new tracks, once a minute at most.',
    examples: [true],
  }),
};

/** A saved search as its client sees it (docs/contract/saved-searches.md#saved-search). */
export const SavedSearchSchema = Type.Object(
  {
    id: uuid({ examples: [ID] }),
    ...savedSearchMembers,
    totalRecords: Type.Integer({
      minimum: 0,
      description: 'The number of tracks that match now.',
      examples: [4120],
    }),
    newCount: Type.Integer({
      minimum: 0,
      description: 'The number of those that were created after you last marked them as seen.',
      examples: [7],
    }),
    seenAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
    version: Type.Integer({
      minimum: 1,
      description: 'The number of the edit, which `ETag` names.',
      examples: [1],
    }),
    createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
  },
  { title: 'SavedSearch', description: 'A search that a client keeps.' },
);

/** The path parameter of a saved search. */
export const savedSearchParams = {
  id: Type.String({
    description: 'The id of the saved search, in either case.',
    examples: [ID],
  }),
};
