import type { Actor } from '../../common/caller.ts';
import { type DeliveredFilter, filterId, type TrackDelivery } from './track.ts';
import { type VocalsMark, vocalsMark, vocalsOfMark } from './vocals.ts';

/** The members of an import record that the operator can edit, in the order in which they are shown. */
export const EDITABLE_FIELDS = [
  ...(['name', 'type', 'artists', 'filters', 'tags', 'isrc', 'iswc', 'bpm', 'songKey'] as const),
  ...(['timeSignature', 'durationSeconds', 'region', 'releaseDate'] as const),
  ...(['hasVocals', 'isPRO', 'language'] as const),
] as const;

export type EditableField = (typeof EDITABLE_FIELDS)[number];

/** The member of a delivery that has the value of a field. */
type MemberOf<Field extends EditableField> = Field extends 'releaseDate' ? 'releasedAt' : Field;

/** The value of a field in the form of a delivery. */
export type EditedValue<Field extends EditableField = EditableField> = Field extends 'hasVocals'
  ? VocalsMark
  : NonNullable<TrackDelivery[MemberOf<Field>]>;

export type EditedValues = { [Field in EditableField]?: EditedValue<Field> };

/** A value that a track has in place of the delivered one. */
export interface TrackEdit {
  value: EditedValue;
  /** Of the last delivery that had the field. */
  delivered: EditedValue;
  by: Actor;
  /** In milliseconds since the epoch. */
  at: number;
  /** When a delivery last changed the delivered value after the edit; null if none has. */
  deliveredAt: number | null;
}

/** All edits of a track. A field without an edit is as delivered. */
export type TrackEdits = { readonly [Field in EditableField]?: TrackEdit };

/** A change of the edits of a track: first some are reverted, then fields get values. */
export interface EditChange {
  revert: readonly EditableField[];
  set: EditedValues;
}

/** A track with its edits. Both deliveries lack its writers, parts and translations, which cannot be edited. */
export interface EditableTrack {
  id: string;
  slug: string;
  source: string;
  edits: TrackEdits;
  /** Without the edits. */
  delivered: TrackDelivery;
  /** With the edits. */
  effective: TrackDelivery;
}

/** A delivered value that a delivery has changed, and that an edit hides. */
export interface HiddenChange {
  slug: string;
  field: EditableField;
  from: EditedValue;
  to: EditedValue;
  /** Whether the delivery now has the value of the edit. */
  isAsEdited: boolean;
}

export function editsOf(edits: TrackEdits): [EditableField, TrackEdit][] {
  return EDITABLE_FIELDS.flatMap((field) => {
    const edit = edits[field];
    return edit === undefined ? [] : [[field, edit]];
  });
}

/** Returns the value of a field; undefined if the delivery leaves the stored one as it is. */
export function valueIn(delivery: TrackDelivery, field: EditableField): EditedValue | undefined {
  if (field === 'hasVocals') return vocalsMark(delivery);
  return delivery[memberOf(field)] ?? undefined;
}

function memberOf(field: EditableField): MemberOf<EditableField> {
  return field === 'releaseDate' ? 'releasedAt' : field;
}

/** Whether two values of a field make the same track. */
function isSameValue(field: EditableField, one: EditedValue, other: EditedValue): boolean {
  return comparable(field, one) === comparable(field, other);
}

function comparable(field: EditableField, value: EditedValue): string {
  // A stored filter has the first one of the names that mean it, and a stored credit has no external id.
  const compared =
    field === 'filters'
      ? (value as DeliveredFilter[]).map(filterId)
      : field === 'artists'
        ? (value as TrackDelivery['artists']).map((credit) => ({ ...credit, externalId: null }))
        : value;
  return JSON.stringify(compared);
}

export function withEdits(delivery: TrackDelivery, edits: TrackEdits): TrackDelivery {
  return { ...delivery, ...membersOf(edits, 'value') };
}

function membersOf(edits: TrackEdits, which: 'value' | 'delivered'): Partial<TrackDelivery> {
  const members = editsOf(edits).map(([field, { [which]: value }]) =>
    field === 'hasVocals' ? vocalsOfMark(value as VocalsMark) : { [memberOf(field)]: value },
  );
  return Object.assign({}, ...members);
}

/**
 * Returns the serialized `Track` of an edited track as a batch keeps it: `deliveryOf` prefers the delivered values that are
 * added.
 *
 * @param edits as they are stored; null if there are none
 */
export function withDelivered(document: string, edits: string | null): string {
  if (edits === null) return document;
  const delivered = membersOf(JSON.parse(edits), 'delivered');
  return `${document.slice(0, -1)},"delivered":${JSON.stringify(delivered)}}`;
}

/** What a delivery of an edited track makes. */
export interface Redelivery {
  /** With the edits. */
  delivery: TrackDelivery;
  edits: TrackEdits;
  /** The edits are to be stored if there are some. */
  hidden: readonly HiddenChange[];
}

/** Applies the edits of a track to a delivery of it. */
export function redelivery(
  delivery: TrackDelivery,
  { slug, edits }: Pick<EditableTrack, 'slug' | 'edits'>,
  now: number,
): Redelivery {
  const hidden: HiddenChange[] = [];
  const after: { [Field in EditableField]?: TrackEdit } = { ...edits };
  for (const [field, edit] of editsOf(edits)) {
    const { delivered: from, value } = edit;
    const to = valueIn(delivery, field);
    if (to === undefined || isSameValue(field, from, to)) continue;
    after[field] = { ...edit, delivered: to, deliveredAt: now };
    hidden.push({ slug, field, from, to, isAsEdited: isSameValue(field, to, value) });
  }
  return { delivery: withEdits(delivery, edits), edits: after, hidden };
}

/** Returns the edits of a track after a change. An edit with the delivered value is none. */
export function changedEdits(
  { edits, delivered }: EditableTrack,
  { revert, set }: EditChange,
  { by, at }: Pick<TrackEdit, 'by' | 'at'>,
): TrackEdits {
  const after: { [Field in EditableField]?: TrackEdit } = { ...edits };
  for (const field of revert) delete after[field];
  for (const field of EDITABLE_FIELDS) {
    const value = set[field];
    if (value === undefined) continue;
    const below = valueIn(delivered, field)!;
    const before = after[field];
    if (isSameValue(field, value, below)) delete after[field];
    else if (before === undefined || !isSameValue(field, value, before.value)) {
      after[field] = { value, delivered: below, by, at, deliveredAt: null };
    }
  }
  return after;
}
