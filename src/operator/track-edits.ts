import type { Actor } from '../common/caller.ts';
import { OperatorError } from '../common/errors.ts';
import { didYouMean } from '../common/text/explain.ts';
import { filterId, filterName } from '../features/catalog/track.ts';
import {
  type EditableField,
  type EditableTrack,
  type EditedValues,
  editsOf,
  type TrackEdit,
} from '../features/catalog/track-edits.ts';
import type { EditCells } from '../features/import/track-edits.ts';
import type { Store } from '../features/store.ts';
import { findTrack } from '../features/takedown/find-tracks.ts';
import type { MissingRule } from './named.ts';

type TrackStores = Pick<Store, 'catalog' | 'trackEdits' | 'trackFinder'>;

/** Finds a track with its edits. Throws not_found. */
export async function findEditable(store: TrackStores, slugOrId: string): Promise<EditableTrack> {
  const { track } = await findTrack(store, slugOrId);
  return (await store.trackEdits.find(track.id))!;
}

interface EditRequest {
  revert: readonly EditableField[];
  cells: EditCells;
  rule: MissingRule;
}

/** Edits a track. Throws what `editedValues` and `TrackEditStore.edit` throw, and OperatorError for an unknown filter. */
export async function editTrack(
  { store, by }: { store: TrackStores; by: Actor },
  track: EditableTrack,
  { revert, cells, rule }: EditRequest,
): Promise<EditableTrack & { isChanged: boolean }> {
  const { editedValues } = await import('../features/import/track-edits.ts');
  const set = editedValues(track, cells);
  await requireTrackFilters(store, set, rule);
  return store.trackEdits.edit(track.id, { revert, set }, by);
}

/** Throws OperatorError with the nearest filters if a track gets filters that the catalog does not have. */
async function requireTrackFilters(
  { catalog }: TrackStores,
  { filters = [] }: EditedValues,
  { isAllowed, how }: MissingRule,
): Promise<void> {
  if (isAllowed || filters.length === 0) return;
  const all = await catalog.filters();
  const ids = new Set(all.map(({ id }) => id));
  const missing = filters.filter((filter) => !ids.has(filterId(filter))).map(filterName);
  if (missing.length === 0) return;
  const names = all.map(filterName);
  const named = missing.map((name) => `${name}${didYouMean(name, names)}`).join(', ');
  throw new OperatorError(`There is no filter ${named}: to create it, ${how}.`);
}

/** An edit with its values as cells. */
export interface ShownEdit extends Omit<TrackEdit, 'value' | 'delivered'> {
  field: EditableField;
  value: string;
  delivered: string;
}

export async function shownEdits({ edits }: EditableTrack): Promise<ShownEdit[]> {
  const all = editsOf(edits);
  if (all.length === 0) return [];
  const { cellOf } = await import('../features/import/track-edits.ts');
  return all.map(([field, { value, delivered, ...edit }]) => ({
    ...{ field, value: cellOf(field, value), delivered: cellOf(field, delivered) },
    ...edit,
  }));
}
