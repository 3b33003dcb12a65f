import { isNameless, MAX_CREDITS } from '../canonical/credits.ts';
import { flagOf } from '../canonical/flags.ts';
import type { Mapping, MappingCredit } from './mapping.ts';
import type { Reader } from './paths.ts';
import type { MappingRule } from './rule-schema.ts';

/** Compiles a rule; `where` is its place in the mapping. Throws OperatorError if it is invalid. */
export type RuleCompiler = (where: string, rule: MappingRule) => Reader;

/** Appends what a record gives to a list. */
export type ListReader = (supplied: object, list: unknown[]) => void;

/**
 * Converts a value to a list: no value to no entries, one value to one entry. Omits blank texts.
 */
export function listed(value: unknown): unknown[] {
  const entries = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return entries.filter((entry) => entry !== '' && entry !== null && entry !== undefined);
}

/** Compiles one entry of the section `artists`. */
export function compileCredit(
  mapping: Mapping,
  where: string,
  credit: MappingCredit,
  compile: RuleCompiler,
): ListReader {
  const part = (name: Exclude<keyof MappingCredit, 'each'>): Reader => {
    const rule = credit[name];
    return rule === undefined ? () => undefined : compile(`${where}.${name}`, rule);
  };
  const [name, role, isPrimary, externalId] = [
    part('name'),
    part('role'),
    part('isPrimary'),
    part('externalId'),
  ];
  const [ipi, society, sharePercent] = [part('ipi'), part('society'), part('sharePercent')];
  const roles = new Map(
    Object.entries(mapping.roles ?? {}).map(([theirs, ours]) => [theirs.toLowerCase(), ours]),
  );
  const one = (from: object, artistName: unknown) => {
    const word = role(from);
    return {
      name: artistName,
      role: typeof word === 'string' ? (roles.get(word.trim().toLowerCase()) ?? word) : word,
      isPrimary: flagOf(isPrimary(from)),
      externalId: externalId(from),
      ipi: ipi(from),
      society: society(from),
      sharePercent: sharePercent(from),
    };
  };
  const { each } = credit;
  if (each === undefined) {
    return (supplied, artists) => {
      for (const artistName of listed(name(supplied))) {
        artists.push(one(supplied, artistName));
      }
    };
  }
  const list = compile(`${where}.each`, each);
  return (supplied, artists) => {
    const entries = listed(list(supplied));
    const names = entries.map((entry) =>
      typeof entry === 'object' ? name(entry as object) : undefined,
    );
    // The check of the record rejects a list that is too long, so its other members need no memory.
    const isTooLong =
      names.length > MAX_CREDITS &&
      names.filter((given) => !isNameless({ name: given })).length > MAX_CREDITS;
    for (const [i, entry] of entries.entries()) {
      if (typeof entry === 'object') {
        artists.push(isTooLong ? { name: names[i] } : one(entry as object, names[i]));
      } else {
        // It is kept, so that the check of the record rejects it.
        artists.push(entry);
      }
    }
  };
}
