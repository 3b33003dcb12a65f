import { type FieldProblem, StaveError } from '../../common/errors.ts';
import { type DeliveredFilter, filterName, type TrackDelivery } from '../catalog/track.ts';
import {
  EDITABLE_FIELDS,
  type EditableField,
  type EditableTrack,
  type EditedValue,
  type EditedValues,
  type HiddenChange,
  valueIn,
} from '../catalog/track-edits.ts';
import { trackMaker } from './canonical/track.ts';
import { cellValue, recordOfRow } from './decode/cells.ts';
import { describe } from './record.ts';

/** Values of fields in the form of a CSV cell of an import (docs/contract/import.md#csv). */
export type EditCells = { [Field in EditableField]?: string };

/** Fields whose empty cell is not an absent value: it is refused, or removes what is stored. */
const KEPT_IF_EMPTY = ['name', 'type', 'iswc', 'language'] as const;

/**
 * Returns the values of cells, as an import of them would deliver them. An empty cell is an unknown value. Throws
 * invalid_request with all problems.
 */
export function editedValues(track: EditableTrack, cells: EditCells): EditedValues {
  const { id, name, type } = track.effective;
  const record: Record<string, unknown> = { id, name, type };
  for (const field of KEPT_IF_EMPTY) {
    if (cells[field] !== undefined) record[field] = cells[field];
  }
  Object.assign(record, recordOfRow(cells as Record<string, string>));
  const { delivery, problems } = trackMaker({ source: track.source })(record);
  if (delivery === null) throw refusal(problems);
  const isDated = cells.releaseDate === undefined || delivery.releasedAt !== null;
  if (!isDated) throw refusal([{ field: 'releaseDate', message: 'must not be empty' }]);
  if ((delivery.writers ?? []).length > 0) {
    const message =
      'must have neither ipi, society nor sharePercent, which only a delivery changes';
    throw refusal([{ field: 'artists', message }]);
  }
  const artists = withKnownIds(delivery.artists, track);
  const given = EDITABLE_FIELDS.filter((field) => cells[field] !== undefined);
  return Object.fromEntries(
    given.map((field) => [field, valueIn({ ...delivery, artists }, field)]),
  );
}

function refusal(problems: readonly FieldProblem[]): StaveError {
  const all = problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  return new StaveError('invalid_request', `The track cannot be edited: ${all}.`);
}

/** Gives credits the ids of the artists of these names in the track: an id may derive from that of the supplier. */
function withKnownIds(
  credits: TrackDelivery['artists'],
  { delivered, effective }: EditableTrack,
): TrackDelivery['artists'] {
  const known = new Map(
    [...effective.artists, ...delivered.artists].map((credit) => [credit.name, credit.id]),
  );
  return credits.map((credit) =>
    credit.externalId === null ? { ...credit, id: known.get(credit.name) ?? credit.id } : credit,
  );
}

/** Returns the values of all fields that a track has, as `editedValues` reads them. */
export function cellsOf({ effective }: EditableTrack): Record<EditableField, string> {
  const cells = EDITABLE_FIELDS.map((field) => [field, cellOf(field, valueIn(effective, field)!)]);
  return Object.fromEntries(cells);
}

/** Returns the cell of a value; `''` if it is unknown. */
export function cellOf(field: EditableField, value: EditedValue): string {
  switch (field) {
    case 'songKey':
    case 'tags':
      return listCell(field, value as string[], (text) => text);
    case 'filters':
      return listCell(field, (value as DeliveredFilter[]).map(filterName), (text) => text);
    case 'artists': {
      const credits = value as TrackDelivery['artists'];
      const plain = credits.map(({ name, role, isPrimary }) => ({ name, role, isPrimary }));
      return listCell(field, plain, ({ name, role }) => `${role}:${name}`);
    }
    case 'releaseDate':
      return new Date(value as number).toISOString().replace('T00:00:00.000Z', '');
    case 'hasVocals':
      return value === true ? 'yes' : value === 0 ? 'no' : '';
    case 'durationSeconds':
      return value === 0 ? '' : String(value);
    default:
      return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
  }
}

/** Joins entries with `|`, or writes them as JSON if they could not be read again. */
function listCell<Entry>(
  field: EditableField,
  list: readonly Entry[],
  textOf: (entry: Entry) => string,
): string {
  const cell = list.map((entry) => textOf(entry).replace(/[\\|]/g, '\\$&')).join('|');
  const json = JSON.stringify(list);
  return cell === '' || JSON.stringify(cellValue(field, cell)) === json ? cell : json;
}

const MAX_NOTED = 20;

/** Collects the delivered values that an import changes beneath edits, for its notes. */
export class HiddenChanges {
  readonly #noted: string[] = [];
  #count = 0;

  add(changes: readonly HiddenChange[]): void {
    this.#count += changes.length;
    for (const { slug, field, from, to, isAsEdited } of changes) {
      if (this.#noted.length === MAX_NOTED) return;
      const [before, after] = [from, to].map((value) => describe(cellOf(field, value)));
      const end = isAsEdited ? 'its edit has the same value, and stays' : 'its edit stays';
      this.#noted.push(
        `${slug}: the delivered ${field} changes from ${before} to ${after}; ${end}`,
      );
    }
  }

  lines(): string[] {
    const more = this.#count - this.#noted.length;
    if (more === 0) return this.#noted;
    return [...this.#noted, `${more} more delivered values change; their edits stay`];
  }
}
