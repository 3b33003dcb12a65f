import Type from 'typebox';
import type { FieldProblem } from '../../../common/errors.ts';
import { flag, integer, madeBy, text, timestamp, uuid } from '../../../common/schema-types.ts';
import { freeText, nameText } from '../../../engines/http/schemas.ts';
import { type GivenItem, repeatedNames, repetition } from '../../catalog/given-items.ts';
import { type CollectionSummary, shownCollection } from '../collection.ts';

export const COLLECTIONS = {
  tag: 'Collections',
  access: { scope: 'saved-searches', feature: 'saved-searches' },
} as const;

/** The most tracks of one addition or removal, and of a new collection. */
export const MAX_ITEMS = 500;

/** A collection as its users see it (docs/contract/collections.md#collection). */
export const CollectionSchema = Type.Object(
  {
    id: uuid({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
    name: Type.String({ examples: ['Spring campaign'] }),
    description: Type.String({ examples: [''] }),
    trackCount: integer('The number of its live tracks.', 12),
    unavailableCount: integer('The number of its tracks that were taken down.', 1),
    durationSeconds: integer('The total duration of its live tracks.', 2210),
    owner: flag('Whether it is yours.', true),
    sharedWith: integer('The number of clients that can read it; 0 unless it is yours.', 2),
    by: madeBy(),
    version: integer('The number of the edit, which `ETag` names.', 3, { minimum: 1 }),
    createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
  },
  { title: 'Collection', description: 'A list of tracks that a client keeps.' },
);

export const nameMember = nameText(
  'The name. Two collections may have the same.',
  'Spring campaign',
);

export function longText(description: string, example: string) {
  return Type.String({ maxLength: 2_000, description, examples: [example] });
}

export function trackName() {
  return freeText({
    minLength: 1,
    description: 'Slug or id of a track, in any case.',
    examples: ['night-bus-home'],
  });
}

export const ItemSchema = Type.Object(
  {
    track: trackName(),
    note: Type.Optional(longText('Your note.', 'for the opening')),
  },
  { title: 'CollectionItem' },
);

/** Returns the problems of a list that names tracks again by the same text. The store finds other repetitions. */
export function refuseRepeated(items: readonly GivenItem[]): FieldProblem[] {
  return repeatedNames(items, ({ track }) => track.toLowerCase()).map(repetition);
}

export const positionMember = integer('The place among the tracks of the collection, from 1.', 1, {
  minimum: 1,
});

export const collectionParams = {
  id: text('The id of the collection, in either case.', '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'),
};

/** Returns the response with one collection, whose `ETag` names the version. */
export function collectionResponse(collection: CollectionSummary) {
  return { data: shownCollection(collection), version: collection.version };
}
