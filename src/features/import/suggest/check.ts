import { catalogItems } from '../catalog-items.ts';
import type { Decoded } from '../decode/decoded.ts';
import { type CompiledMapping, compileMapping } from '../mapping/compile.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { parseMapping } from '../mapping/parse-mapping.ts';
import type { CatalogPlan } from '../plan.ts';
import { type Rejection, rejectionOf } from '../rejection.ts';

/** What importing the sample with a mapping gives. */
export interface Checked {
  tracks: number;
  rejected: number;
  /** The first rejection. */
  first: Rejection | undefined;
}

/** Parses and compiles a suggested mapping as a file of `--map`. */
export function compiled(mapping: Mapping): CompiledMapping {
  return compileMapping(parseMapping(JSON.stringify(mapping), `${mapping.name}.json`));
}

/** Imports the sample with a mapping, without a store. A second track of one id counts as rejected. */
export async function checkMapping(
  mapping: Mapping,
  plan: CatalogPlan,
  records: readonly Decoded[],
): Promise<Checked> {
  const checked: Checked = { tracks: 0, rejected: 0, first: undefined };
  const ids = new Set<string>();
  const mapped = { ...plan, mapping: compiled(mapping) };
  for await (const items of catalogItems(mapped, { source: mapping.name, records })) {
    for (const { file, line, prepared } of items) {
      checked.tracks++;
      const { delivery } = prepared;
      if (delivery !== null && !ids.has(delivery.id)) {
        ids.add(delivery.id);
        continue;
      }
      checked.rejected++;
      checked.first ??=
        delivery === null
          ? rejectionOf(file, line, prepared.problems)
          : { file, line, field: 'externalId', reason: 'repeats the id of a record above' };
    }
  }
  return checked;
}
