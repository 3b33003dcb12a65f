import type { Mapping } from './mapping.ts';
import type { Lookup, MappingRule } from './rule-schema.ts';

/** A rule of a mapping, and where it is. */
export interface PlacedRule {
  /** The place of the rule, such as `fields.name`. */
  where: string;
  rule: MappingRule;
  /** The rule of the list whose entries this rule reads; null if it reads the record itself. */
  each: MappingRule | null;
}

/** Returns the members and columns of the record that a rule reads. */
export function membersOf(rule: MappingRule): string[] {
  if (typeof rule === 'string') {
    return [rule];
  }
  if (Array.isArray(rule)) {
    return rule.flatMap(membersOf);
  }
  return [
    ...(rule.from === undefined ? [] : [rule.from]),
    ...(rule.join ?? []).flatMap(membersOf),
    ...(typeof rule.rate === 'string' ? [rule.rate] : []),
  ];
}

/** Returns the lookups of a rule. */
export function lookupsOf(rule: MappingRule): Lookup[] {
  if (typeof rule === 'string') {
    return [];
  }
  if (Array.isArray(rule)) {
    return rule.flatMap(lookupsOf);
  }
  return [
    ...(rule.lookup === undefined ? [] : [rule.lookup]),
    ...(rule.join ?? []).flatMap(lookupsOf),
  ];
}

/** Returns every rule of a mapping. */
export function rulesOf(mapping: Mapping): PlacedRule[] {
  const rules: PlacedRule[] = [];
  const add = (where: string, rule: MappingRule, each: MappingRule | null = null) =>
    rules.push({ where, rule, each });
  for (const [name, rule] of Object.entries(mapping.fields)) {
    add(`fields.${name}`, rule);
  }
  for (const section of ['artists', 'availability'] as const) {
    for (const [i, { each, ...parts }] of (mapping[section] ?? []).entries()) {
      if (each !== undefined) {
        add(`${section}[${i}].each`, each);
      }
      for (const [name, rule] of Object.entries(parts)) {
        add(`${section}[${i}].${name}`, rule, each ?? null);
      }
    }
  }
  for (const [i, { type: _, ...rule }] of (mapping.filters ?? []).entries()) {
    add(`filters[${i}]`, rule);
  }
  for (const [i, rule] of (mapping.tags ?? []).entries()) {
    add(`tags[${i}]`, rule);
  }
  if (mapping.group?.by !== undefined) {
    add('group.by', mapping.group.by);
  }
  return rules;
}
