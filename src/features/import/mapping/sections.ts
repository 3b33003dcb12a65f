import { DAY_MS } from '../../../common/clock.ts';
import { isNameless, MAX_CREDITS } from '../canonical/credits.ts';
import { parseMoment } from '../canonical/lists.ts';
import { NEVER } from '../canonical/release-date.ts';
import { readExcludedTerritories, readTerritories } from '../canonical/territory-words.ts';
import { trimmed } from '../canonical/text.ts';
import { flagOf } from '../canonical/values.ts';
import { describe } from '../record.ts';
import type { Mapping, MappingAvailability, MappingCredit, MappingRule } from './mapping.ts';
import { CellProblem, givenMember, isNothing, type Reader } from './members.ts';

/** Compiles a rule; `where` is its place in the mapping. Throws OperatorError if it is invalid. */
export type RuleCompiler = (where: string, rule: MappingRule) => Reader;

export type ListReader = (supplied: object, list: unknown[]) => void;

/** Converts a value to a list without blank texts. */
export function toList(value: unknown): unknown[] {
  const entries = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return entries.filter((entry) => entry !== '' && entry !== null && entry !== undefined);
}

/** Returns a function that compiles one of the rules. What has no rule has no value. */
function partCompiler<Name extends string>(
  where: string,
  rules: { readonly [name in Name]?: MappingRule | undefined },
  compile: RuleCompiler,
): (name: Name) => Reader {
  return (name) => {
    const rule = rules[name];
    return rule === undefined ? () => undefined : compile(`${where}.${name}`, rule);
  };
}

export function compileCredit(
  mapping: Mapping,
  where: string,
  credit: MappingCredit,
  compile: RuleCompiler,
): ListReader {
  const { each, ...rules } = credit;
  const part = partCompiler(where, rules, compile);
  const [name, role, isPrimary] = [part('name'), part('role'), part('isPrimary')];
  const [externalId, ipi] = [part('externalId'), part('ipi')];
  const [society, sharePercent] = [part('society'), part('sharePercent')];
  const roles = new Map(
    Object.entries(mapping.roles ?? {}).map(([theirs, ours]) => [theirs.toLowerCase(), ours]),
  );
  const one = (from: object, artistName: unknown) => {
    const word = role(from);
    return {
      name: artistName,
      role: typeof word === 'string' ? (roles.get(trimmed(word).toLowerCase()) ?? word) : word,
      isPrimary: flagOf(isPrimary(from)),
      externalId: externalId(from),
      ipi: ipi(from),
      society: society(from),
      sharePercent: sharePercent(from),
    };
  };
  if (each === undefined) {
    return (supplied, artists) => {
      for (const artistName of toList(name(supplied))) {
        artists.push(one(supplied, artistName));
      }
    };
  }
  const list = compile(`${where}.each`, each);
  return (supplied, artists) => {
    const entries = toList(list(supplied));
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

interface Scope {
  /** Null for all of them; undefined if the record says nothing. */
  included: unknown[] | null | undefined;
  excluded: unknown[];
}

/**
 * Compiles one entry of the section `availability`. Without `each`, a record without any of the
 * values gives no entry. With `each`, every entry of the list gives one, because an entry without
 * limits means that the track is always available.
 */
export function compileAvailability(
  where: string,
  { each, ...rules }: MappingAvailability,
  compile: RuleCompiler,
): ListReader {
  const part = partCompiler(where, rules, compile);
  const scopeOf = scopeReader(rules, part('territories'), part('excludedTerritories'));
  const from = part('from');
  const until =
    rules.through === undefined ? part('until') : throughReader(rules.through, part('through'));
  const one = (supplied: object, { included, excluded }: Scope) => {
    const entry: Record<string, unknown> = {};
    if (included !== undefined && included !== null) {
      entry.territories = included;
    }
    if (excluded.length > 0) {
      entry.excludedTerritories = excluded;
    }
    for (const [member, read] of [
      ['from', from],
      ['until', until],
    ] as const) {
      const value = read(supplied);
      if (!isNothing(value)) {
        entry[member] = value;
      }
    }
    return entry;
  };
  if (each === undefined) {
    return (supplied, entries) => {
      const scope = scopeOf(supplied);
      const entry = one(supplied, scope);
      // The word for all territories removes the limits of an earlier delivery; no word leaves them.
      if (Object.keys(entry).length > 0 || scope.included === null) {
        entries.push(entry);
      }
    };
  }
  const list = compile(`${where}.each`, each);
  return (supplied, entries) => {
    for (const entry of toList(list(supplied))) {
      const isObject = typeof entry === 'object' && entry !== null;
      entries.push(isObject ? one(entry, scopeOf(entry)) : entry);
    }
  };
}

/** The last minute of a day, as senders write its end: 23:59 or 23:59:59. */
const LAST_MINUTE_MS = DAY_MS - 60 * 1000;

/** Reads the first moment after the last day that a rule gives, in UTC. Throws CellProblem for no day. */
function throughReader(rule: MappingRule, read: Reader): Reader {
  const member = givenMember(rule);
  return (supplied) => {
    const given = read(supplied);
    if (isNothing(given)) {
      return undefined;
    }
    const [value, another] = toList(given);
    const moment =
      typeof value === 'string' && another === undefined ? parseMoment(value) : undefined;
    const time = moment === undefined ? Number.NaN : ((moment % DAY_MS) + DAY_MS) % DAY_MS;
    if (!(time === 0 || time >= LAST_MINUTE_MS)) {
      const advice = '`until` takes times, and `form` other forms of dates';
      const problem = `must be the last day, such as 2026-01-31 (${advice})`;
      throw new CellProblem(member(supplied) ?? '', `${problem}; it is ${describe(given)}`);
    }
    const lastDay = moment! - time;
    return lastDay >= NEVER ? undefined : new Date(lastDay + DAY_MS).toISOString();
  };
}

/** Returns a reader of the territories of a record. It throws CellProblem for what is not understood. */
function scopeReader(
  { territories, excludedTerritories }: MappingAvailability,
  readIncluded: Reader,
  readExcluded: Reader,
): (supplied: object) => Scope {
  const [member, excludedMember] = [givenMember(territories), givenMember(excludedTerritories)];
  return (supplied) => {
    const scope: Scope = { included: undefined, excluded: [] };
    const given = toList(readIncluded(supplied));
    const excluded = toList(readExcluded(supplied));
    if (given.length === 0) {
      refuseRemoved(member(supplied), 'gives no territory', 'WORLD');
    }
    if (excluded.length === 0) {
      refuseRemoved(excludedMember(supplied), 'excludes no territory', 'none');
    }
    if (areTexts(given)) {
      const read = readTerritories(given);
      if ('problem' in read) {
        throw new CellProblem(member(supplied) ?? '', read.problem);
      }
      scope.included = read.included?.slice() ?? null;
      scope.excluded = read.excluded.slice();
    } else if (given.length > 0) {
      scope.included = given;
    }
    if (areTexts(excluded)) {
      const read = readExcludedTerritories(excluded);
      if ('problem' in read) {
        throw new CellProblem(excludedMember(supplied) ?? '', read.problem);
      }
      scope.excluded.push(...read);
    } else {
      // The check of the record rejects what is no text.
      scope.excluded.push(...excluded);
    }
    return scope;
  };
}

function areTexts(list: readonly unknown[]): list is readonly string[] {
  return list.length > 0 && list.every((entry) => typeof entry === 'string');
}

/** Throws CellProblem for a member whose value a rule removes completely. `word` is how a rule says that this is right. */
function refuseRemoved(member: string | undefined, what: string, word: string): void {
  if (member !== undefined) {
    const effect = 'so that the track would be available everywhere';
    throw new CellProblem(member, `${what}, ${effect}; \`${word}\` stands for that`);
  }
}

/** What may be the code of a group of countries in a rate card. */
const CODE = /^[A-Z0-9]+([-_][A-Z0-9]+)*$/i;
/** Shorter words are codes. */
const MIN_NAME_LENGTH = 4;

/**
 * Returns a reader of the region of a record: a code, or one country or the world in words. It throws CellProblem if
 * the rule removes the region that the supplier names, because a track without a region may be used everywhere.
 */
export function regionReader(rule: MappingRule, read: Reader): Reader {
  const member = givenMember(rule);
  return (record) => {
    const value = read(record);
    if (!isNothing(value)) {
      return typeof value === 'string' ? regionOf(value) : value;
    }
    const removed = member(record);
    if (removed !== undefined) {
      const effect = 'so that the track could be used everywhere';
      throw new CellProblem(removed, `gives no region, ${effect}; \`WORLD\` stands for that`);
    }
    return undefined;
  };
}

/** Returns the code of words that name the world or one country, otherwise the text, which the record checks. */
function regionOf(text: string): string {
  const word = trimmed(text);
  const isCode = CODE.test(word);
  if (isCode && word.length < MIN_NAME_LENGTH) {
    return text;
  }
  const read = readTerritories([word]);
  if ('problem' in read || read.excluded.length > 0) {
    return text;
  }
  if (read.included === null) {
    return isCode && !/^worldwide$/i.test(word) ? text : 'WORLD';
  }
  const [code = text, another] = read.included;
  return another === undefined ? code : text;
}
