import { catalogItems } from '../catalog-items.ts';
import type { Decoded } from '../decode/decoded.ts';
import { type Item, type Rejection, rejectionOf, unreadableRejection } from '../item.ts';
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
  /** How many records the tracks are made of: more than tracks if rows are grouped. */
  records: number;
  tracks: number;
  rejected: number;
  first: Rejection | undefined;
}

export function compiled(mapping: Mapping): CompiledMapping {
  return compileMapping(parseMapping(JSON.stringify(mapping), `${mapping.name}.json`));
}

/** The ids in which a repeated one is found: 30 MB. */
const MAX_IDS = 250_000;

/**
 * Imports the sample, or the whole file, with a mapping and without a store. A second track of one id counts as
 * rejected, and so does the rest of a file that cannot be read.
 */
export async function checkMapping(
  mapping: Mapping,
  plan: CatalogPlan,
  records?: readonly Decoded[],
): Promise<Checked> {
  const checked: Checked = { records: 0, tracks: 0, rejected: 0, first: undefined };
  const mapped = { ...plan, mapping: compiled(mapping) };
  const onRecord = () => {
    checked.records++;
  };
  const context = { source: mapping.name, onRecord, ...(records && { records }) };
  const read = catalogItems(mapped, context);
  try {
    await checkItems(read, checked);
  } catch (error) {
    checked.rejected++;
    checked.first ??= unreadableRejection(plan.path, error);
  }
  return checked;
}

async function checkItems(read: AsyncIterable<Item[]>, checked: Checked): Promise<void> {
  const ids = new Set<string>();
  for await (const items of read) {
    for (const item of items) {
      checked.tracks++;
      const { file, line, prepared } = item;
      const { delivery } = prepared;
      if (delivery !== null && !ids.has(delivery.id)) {
        if (ids.size < MAX_IDS) ids.add(delivery.id);
        continue;
      }
      checked.rejected++;
      checked.first ??=
        delivery === null
          ? rejectionOf(item, prepared.problems)
          : { file, line, field: 'externalId', reason: 'repeats the id of a record above' };
    }
  }
}

export interface Sampled {
  plan: CatalogPlan;
  records: readonly Decoded[];
  /** What a mapping must say so that the records are found. */
  head: DraftHead;
}
