import type { Concept } from '../catalog-index.ts';
import type { Segment } from '../segments/segment.ts';
import { hasBit, partitionPoint } from '../sets/bits.ts';
import { filterLabel } from '../sets/labels.ts';
import type { LiveTracks } from '../sets/live-tracks.ts';
import type { TrackSet } from '../sets/track-set.ts';
import { narrowed } from '../text/occurrences.ts';
import type { TextField } from '../text/text-field.ts';
import { formsOf } from '../text/text-query.ts';
import { Restrictions } from './restrictions.ts';

interface Needs {
  readonly segment: Segment;
  readonly live: LiveTracks;
  /** Returns empty sets, which are used until the function returns that was given them. */
  take(): TrackSet;
}

/** The tracks of a segment that carry a concept: the union of bitsets, of ascending lists, and of what meets a query. */
export class Carriers {
  readonly #bitsets: readonly Uint32Array[];
  readonly #lists: readonly Uint32Array[];
  readonly #met: Restrictions | undefined;

  constructor(
    bitsets: readonly Uint32Array[],
    lists: readonly Uint32Array[],
    met: Restrictions | undefined,
  ) {
    this.#bitsets = bitsets;
    this.#lists = lists;
    this.#met = met;
  }

  /** Whether a live track carries the concept. */
  has(ordinal: number): boolean {
    return (
      this.#bitsets.some((bits) => hasBit(bits, ordinal)) ||
      this.#met?.admits(ordinal) === true ||
      this.#lists.some((list) => {
        const at = partitionPoint(0, list.length, (i) => list[i]! < ordinal);
        return list[at] === ordinal;
      })
    );
  }

  /** Adds those that are live to an empty set. */
  addLive(set: TrackSet, { live, take }: Needs): void {
    set.becomeAny(this.#eachBitset(live, take), live.bits);
    for (const list of this.#lists) if (!live.lists.isLong(list)) set.addCommon(list, live.bits);
  }

  *#eachBitset(live: LiveTracks, take: () => TrackSet): Generator<Uint32Array> {
    yield* this.#bitsets;
    for (const list of this.#lists) if (live.lists.isLong(list)) yield live.lists.of(list);
    if (this.#met === undefined) return;
    const met = take();
    this.#met.collect(met, take);
    if (met.count > 0) yield met.bits;
  }
}

export function carriersOf(
  needs: Needs,
  { filterIds = [], tags = [], artists = [], words = [], meets }: Concept,
  translations: boolean,
): Carriers {
  const { segment, live } = needs;
  const bitsets: Uint32Array[] = [];
  const lists: Uint32Array[] = [];
  const addList = (list: Uint32Array) => lists.push(list);
  for (const id of filterIds) {
    const label = segment.labelNumber(filterLabel(id));
    if (label === undefined) continue;
    const bits = live.dense(label);
    if (bits === undefined) lists.push(live.sparse(label)!);
    else bitsets.push(bits);
  }
  const { fields, translations: translated } = segment;
  const withTranslations = (field: TextField, other: TextField | undefined) =>
    translations && other !== undefined ? [field, other] : [field];
  for (const field of withTranslations(fields.tags, translated.tags)) {
    eachEqual(field, tags, addList);
  }
  eachEqual(fields.artists, artists, addList);
  const nameFields = withTranslations(fields.name, translated.name);
  for (const form of words.flatMap(formsOf)) eachNamed(nameFields, form, needs, addList);
  return new Carriers(bitsets, lists, meets && Restrictions.of(segment, live, meets));
}

type VisitList = (tracks: Uint32Array) => void;

function eachEqual(field: TextField, texts: readonly string[], visit: VisitList): void {
  for (const form of texts.flatMap(formsOf)) field.startingWith(form).equal(visit);
}

/** Calls back with the tracks whose name has all of the words. */
function eachNamed(
  fields: readonly TextField[],
  form: readonly string[],
  { take }: Needs,
  visit: VisitList,
): void {
  const places = [...new Set(form)].map((word) => fields.map((field) => field.whole(word)));
  const [first, ...others] = places;
  const each = (visitList: VisitList) => {
    for (const place of first!) if (place.kind === 'lists') place.each(visitList);
  };
  if (others.length === 0) {
    each(visit);
    return;
  }
  const some = take();
  each((tracks) => some.addAll(tracks));
  const found = narrowed(some, others, take);
  const list = new Uint32Array(found.count);
  let next = 0;
  found.each((ordinal) => {
    list[next++] = ordinal;
  });
  visit(list);
}
