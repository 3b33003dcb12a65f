import type { CsvHints } from './decode/csv-form.ts';
import type { Format } from './decode/format.ts';
import type { CompiledMapping } from './mapping/compile.ts';
import { SHIPPED_MAPPINGS } from './mapping/shipped.ts';
import { RECORD_MEMBERS } from './record.ts';

/** Returns what the mapping, or Stave's own form and the shipped mappings, tell of a CSV file. */
export function csvHints(given: CompiledMapping | null): CsvHints {
  if (given !== null) {
    const { delimiter, headingLine, encoding } = given.mapping;
    return { delimiter, headingLine, encoding, columns: given.reads };
  }
  return {
    columns: new Set([...RECORD_MEMBERS, ...SHIPPED_MAPPINGS.flatMap(({ reads }) => [...reads])]),
  };
}

/** Returns a note if titles above the heading are passed over. */
export function headingNotes(format: Format): string[] {
  return format.kind === 'csv' && format.hasTitles
    ? [`the heading is line ${format.headingLine}; the lines above it are passed over`]
    : [];
}
