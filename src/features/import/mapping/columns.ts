import { foldedName } from '../canonical/text.ts';
import { RECORD_MEMBERS } from '../record.ts';
import { type CompiledMapping, compileMapping } from './compile.ts';
import type { Mapping, MappingRule } from './mapping.ts';

/**
 * Returns the mapping for a table whose headings are its columns with other capitals, spaces or signs: `Sourceaudio Id`
 * for `SourceAudio ID`. Columns of Stave's own form are written exactly.
 */
export function forColumns(compiled: CompiledMapping, columns: readonly string[]): CompiledMapping {
  const given = columnsByName(columns);
  let isRenamed = false;
  const rename = (path: string): string => {
    const column = given.get(foldedName(path)) ?? path;
    if (columns.includes(path) || RECORD_MEMBERS.includes(path) || column === path) return path;
    isRenamed = true;
    return column;
  };
  const mapping = renamed(compiled.mapping, rename);
  return isRenamed ? compileMapping(mapping) : compiled;
}

/** Returns the members of the record by the columns of a table that name them in other letters. */
export function membersByColumn(columns: readonly string[]): ReadonlyMap<string, string> {
  const given = columnsByName(columns);
  return new Map(
    RECORD_MEMBERS.flatMap((member) => {
      const column = given.get(foldedName(member));
      return column === undefined || columns.includes(member) ? [] : [[column, member]];
    }),
  );
}

/** The first column of each folded name. */
function columnsByName(columns: readonly string[]): Map<string, string> {
  return new Map(columns.toReversed().map((column) => [foldedName(column), column]));
}

type Rename = (path: string) => string;

function renamed(mapping: Mapping, rename: Rename): Mapping {
  const { recognize = {}, fields, artists, filters, tags } = mapping;
  const rules = (entry: object) =>
    Object.fromEntries(
      Object.entries(entry).map(([part, rule]) => [part, renamedRule(rule, rename)]),
    );
  const { formats, ...named } = recognize;
  return {
    ...mapping,
    recognize: {
      ...(formats && { formats }),
      ...Object.fromEntries(
        Object.entries(named).map(([part, paths]) => [part, paths.map(rename)]),
      ),
    },
    fields: rules(fields),
    ...(artists && { artists: artists.map((credit) => rules(credit) as typeof credit) }),
    ...(filters && {
      filters: filters.map((filter) => renamedRule(filter, rename) as typeof filter),
    }),
    ...(tags && { tags: tags.map((rule) => renamedRule(rule, rename)) }),
  };
}

function renamedRule(rule: MappingRule, rename: Rename): MappingRule {
  if (typeof rule === 'string') return rename(rule);
  if (Array.isArray(rule)) return rule.map((one) => renamedRule(one, rename)) as MappingRule;
  const { from, join } = rule;
  return {
    ...rule,
    ...(from !== undefined && { from: rename(from) }),
    ...(join && { join: join.map((one) => renamedRule(one, rename)) as typeof join }),
  };
}
