import type { DocumentParts, FilterText } from '../catalog/document-copy.ts';
import type { Filter } from '../catalog/filter.ts';
import { ID_LENGTH } from '../catalog/track-document.ts';

/** Selects the filters as `FilterRow`. */
export const SELECT_FILTERS = 'SELECT row_id AS "rowId", id, name, slug, type FROM filters';

/** A filter with its row id. */
export interface FilterRow extends Filter {
  rowId: number;
}

/** Returns a filter as it appears in documents. */
export function filterText({ rowId, id, name, slug, type }: FilterRow): FilterText {
  return { rowId, json: JSON.stringify({ id, name, slug, type }) };
}

const FILTERS = ',"filters":[';
const ID_AT = '{"id":"'.length;

/** Divides documents into the text of the track and its filters. */
export class DocumentDivider {
  readonly #filters = new Map<string, FilterText>();

  constructor(filters: readonly FilterRow[]) {
    for (const filter of filters) this.#filters.set(filter.id, filterText(filter));
  }

  /** `document` is the JSON object of a track. If it has an unknown filter, its filters remain in the text. */
  parts(rowId: number, artworkKey: string | null, document: string): DocumentParts {
    const json = document.slice(0, -1);
    // Quotes within strings are escaped, so the first occurrence is the member.
    const start = json.indexOf(FILTERS) + FILTERS.length;
    const filters: number[] = [];
    let at = start;
    for (;;) {
      const filter = this.#filters.get(json.slice(at + ID_AT, at + ID_AT + ID_LENGTH));
      if (filter === undefined || !json.startsWith(filter.json, at)) break;
      filters.push(filter.rowId);
      at += filter.json.length;
      if (json[at] !== ',') break;
      at++;
    }
    if (start < FILTERS.length || json[at] !== ']') {
      return { rowId, artworkKey, before: json, filters: [], after: '' };
    }
    return { rowId, artworkKey, before: json.slice(0, start), filters, after: json.slice(at) };
  }
}
