import type { SampleMember } from '../explain/members.ts';
import type { DraftRule } from './draft.ts';
import { CLEAR, CREDIT_LISTS, lastName, namedMembers, nameScore, ROLES, WORDS } from './names.ts';
import { cleaningOf, encodingOf, separatorsOf } from './values.ts';

const ENTRY_NAMES = ['name', 'artistname', 'fullname', 'displayname', 'title', 'label', 'value'];
const ENTRY_ROLES = ['role', 'roles', 'type', 'function', 'capacity'];
/** Separators of people. A comma or a slash is a part of many names of artists. */
const ARTIST_SIGNS = [';', '|'];
const PEOPLE_SIGNS = [';', '|', '/', ','];

interface ObjectList {
  path: string;
  entries: SampleMember[];
}

function objectLists(members: readonly SampleMember[]): ObjectList[] {
  const lists = new Map<string, SampleMember[]>();
  for (const member of members) {
    const [path, rest, more] = member.path.split('[].');
    if (rest !== undefined && more === undefined) {
      lists.set(path!, [...(lists.get(path!) ?? []), { ...member, path: rest }]);
    }
  }
  return [...lists].map(([path, entries]) => ({ path, entries }));
}

function entryMember({ entries }: ObjectList, synonyms: readonly string[]): string | undefined {
  return namedMembers(entries, synonyms)[0]?.path;
}

export function creditRules(members: readonly SampleMember[]): DraftRule[] {
  const rules = objectLists(members).flatMap((list) => {
    const name = entryMember(list, ENTRY_NAMES);
    const isOfPeople =
      nameScore(list.path, CREDIT_LISTS) >= CLEAR || roleOf(list.path) !== undefined;
    return name !== undefined && isOfPeople ? [listedPeople(list, name)] : [];
  });
  const plain = members.filter(({ path }) => !path.includes('[]'));
  for (const [role, synonyms] of ROLES) {
    const best = namedMembers(plain, synonyms).find(({ values }) => values.some(isText));
    const isListed = rules.some(({ field }) => field === role);
    if (best !== undefined && !isListed && encodingOf(best.values) === undefined) {
      rules.push(people(best, role));
    }
  }
  return rules;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && typeof value[0] === 'string');
}

function roleOf(path: string): string | undefined {
  return ROLES.find(([, synonyms]) => nameScore(path, synonyms) >= CLEAR)?.[0];
}

function listedPeople(list: ObjectList, name: string): DraftRule {
  const role = entryMember(list, ENTRY_ROLES);
  const fixed = roleOf(list.path) ?? 'MAIN_ARTIST';
  return {
    section: 'artists',
    field: role === undefined ? fixed : 'any',
    rule: {
      each: list.path,
      name,
      ...(role !== undefined
        ? { role }
        : fixed === 'MAIN_ARTIST'
          ? { isPrimary: { constant: true } }
          : { role: { constant: fixed } }),
    },
    guarded: { each: list.path, name, role: { constant: fixed } },
    reason: `${list.path}: a list of people`,
  };
}

function people({ path, values }: SampleMember, role: string): DraftRule {
  const isMain = role === 'MAIN_ARTIST';
  const split = separatorsOf(values, isMain ? ARTIST_SIGNS : PEOPLE_SIGNS);
  const { steps, remark = '' } = cleaningOf(values);
  const parts = { ...steps, ...(split && { split }) };
  const name = Object.keys(parts).length === 0 ? path : { from: path, ...parts };
  return {
    section: 'artists',
    field: role,
    rule: isMain ? { name, isPrimary: { constant: true } } : { name, role: { constant: role } },
    reason: `${path}: by its name${remark}`,
  };
}

export function wordRules(members: readonly SampleMember[]): DraftRule[] {
  const lists = objectLists(members);
  return WORDS.flatMap(([type, synonyms]) => {
    const named = members.filter(
      ({ path, values }) =>
        !path.includes('[]') && nameScore(lastName(path), synonyms) >= CLEAR && values.some(isText),
    );
    const objects = lists.filter(({ path }) => nameScore(path, synonyms) >= CLEAR);
    return [
      ...named.flatMap((member) => wordRule(type, member)),
      ...objects.flatMap((list): DraftRule[] => {
        const pick = entryMember(list, ENTRY_NAMES);
        return pick === undefined ? [] : [wordsFrom(type, { from: list.path, pick })];
      }),
    ];
  });
}

function wordRule(type: string, { path, values }: SampleMember): DraftRule[] {
  const decode = encodingOf(values);
  if (decode === undefined) {
    const split = separatorsOf(values);
    const { steps } = cleaningOf(values);
    return [wordsFrom(type, { from: path, ...steps, ...(split && { split }) })];
  }
  const objects = values.join(' ').match(/['"](\w*(?:name|title))['"]\s*:/i);
  const isOfObjects = values.some((value) => /[[{]\s*\{|^\s*\{/.test(`${value}`));
  if (isOfObjects && objects === null) {
    return [];
  }
  const pick = isOfObjects ? { pick: objects![1]! } : {};
  return [wordsFrom(type, { from: path, decode, ...pick })];
}

function wordsFrom(type: string, rule: { from: string; [step: string]: unknown }): DraftRule {
  const reason = `${rule.from}: by its name`;
  if (type !== 'tag') {
    return { section: 'filters', field: type, rule: { type, ...rule }, reason };
  }
  const isPlain = Object.keys(rule).length === 1;
  return { section: 'tags', field: type, rule: isPlain ? rule.from : rule, reason };
}
