import type { Mapping } from '../mapping/mapping.ts';
import type { MappingRule } from '../mapping/rule-schema.ts';

/** One rule of a suggested mapping. */
export interface DraftRule {
  section: 'fields' | 'artists' | 'filters' | 'tags';
  /** The member of the record in `fields`; otherwise the kind of the entry, for people. */
  field: string;
  /** A rule of `fields` or `tags`, or a whole entry of the other sections. */
  rule: unknown;
  /** The same rule, made to pass over values that the record does not take. */
  guarded?: unknown;
  /** What the rule reads, and why. */
  reason: string;
}

/** What a mapping says besides its rules. */
export type DraftHead = Pick<Mapping, 'name' | 'records' | 'encoding' | 'group'>;

/** Composes the mapping of a head and rules. */
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
