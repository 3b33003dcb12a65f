import { type FieldProblem, StaveError } from '../../common/errors.ts';

/** A track to put into a collection: by slug or id, as it was sent. */
export interface GivenItem {
  track: string;
  /** The member of the request that names it, such as `items[3].track`. */
  field: string;
  /** Undefined keeps the note of a track that is in the collection. */
  note?: string | undefined;
}

/**
 * @param names unknown tracks, or tracks that are not live, as the request names them
 * @param meant what the first name may mean
 */
export function unknownTracks(names: readonly string[], meant?: string): StaveError {
  const shown = names.slice(0, 50).join(', ') + (names.length > 50 ? ', …' : '');
  const isOne = names.length === 1;
  const instead = isOne ? '' : ` instead of ${names[0]}`;
  return new StaveError(
    'not_found',
    `${isOne ? 'There is no track' : 'There are no tracks'} ${shown}${meant ? `; did you mean ${meant}${instead}?` : '.'}`,
  );
}

/**
 * Returns the items that name what an earlier item names.
 *
 * @param keyOf returns what an item names; undefined if it names nothing
 */
export function repeatedNames<Key>(
  items: readonly GivenItem[],
  keyOf: (item: GivenItem, index: number) => Key | undefined,
): GivenItem[] {
  const seen = new Set<Key>();
  return items.filter((item, i) => {
    const key = keyOf(item, i);
    if (key === undefined) return false;
    return seen.size === seen.add(key).size;
  });
}

/** The problem of an item that names a track again. */
export function repetition({ field }: Pick<GivenItem, 'field'>): FieldProblem {
  return { field, message: `${field} names a track again` };
}
