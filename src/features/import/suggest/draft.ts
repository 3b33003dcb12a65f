import { catalogItems } from '../catalog-items.ts';
import type { Decoded } from '../decode/decoded.ts';
import { type Rejection, rejectionOf } from '../item.ts';
import { type CompiledMapping, compileMapping } from '../mapping/compile.ts';
import type { Mapping, MappingRule } from '../mapping/mapping.ts';
import { parseMapping } from '../mapping/parse-mapping.ts';
import type { CatalogPlan } from '../plan.ts';

export interface DraftRule {
  section: 'fields' | 'artists' | 'filters' | 'tags';
  /** The member of the record in `fields`; otherwise the kind of the entry, for people. */
  field: string;
  /** A rule of `fields` or `tags`, or a whole entry of the other sections. */
  rule: unknown;
  /** The same rule, made to pass over values that the record does not take. */
  guarded?: unknown;
  reason: string;
}

export type DraftHead = Pick<Mapping, 'name' | 'records' | 'encoding' | 'group'>;

export function mappingOf(head: DraftHead, rules: readonly DraftRule[]): Mapping {
  const { group, ...rest } = head;
  const of = (section: DraftRule['section']) =>
    rules.filter((rule) => rule.section === section).map(({ rule }) => rule);
  const fields = Object.fromEntries(
    rules
      .filter(({ section }) => section === 'fields')
      .map(({ field, rule }) => [field, rule as MappingRule]),
  );
  const lists = Object.fromEntries(
    (['artists', 'filters', 'tags'] as const)
      .map((section) => [section, of(section)] as const)
      .filter(([, entries]) => entries.length > 0),
  );
  return { ...rest, fields, ...lists, ...(group && { group }) } as Mapping;
}

export interface Checked {
  tracks: number;
  rejected: number;
  first: Rejection | undefined;
}

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
    for (const item of items) {
      checked.tracks++;
      const { file, line, prepared } = item;
      const { delivery } = prepared;
      if (delivery !== null && !ids.has(delivery.id)) {
        ids.add(delivery.id);
        continue;
      }
      checked.rejected++;
      checked.first ??=
        delivery === null
          ? rejectionOf(item, prepared.problems)
          : { file, line, field: 'externalId', reason: 'repeats the id of a record above' };
    }
  }
  return checked;
}

export interface Sampled {
  plan: CatalogPlan;
  records: readonly Decoded[];
  /** What a mapping must say so that the records are found. */
  head: DraftHead;
}
