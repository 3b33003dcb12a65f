import type { SampleMember } from '../explain/members.ts';
import type { MappingGroup } from '../mapping/mapping.ts';
import { isNothing, type Reader, reader } from '../mapping/members.ts';
import { isScientific } from '../mapping/texts.ts';
import type { DraftRule } from './draft.ts';
import {
  ALBUMS,
  CLEAR,
  namedMembers,
  nameScore,
  POSITIONS,
  ROLES,
  SYNONYMS,
  VERSIONS,
  WORDS,
} from './names.ts';
import { type Chosen, isFileName, titleOf } from './title.ts';
import { dateFormOf, isRunning, shareOf, TESTS } from './values.ts';

/** The rules without which there is no track, and how rows are grouped. */
export interface Identity {
  rules: DraftRule[];
  group?: MappingGroup;
  remarks: string[];
}

/** What share of the records must have an id of their own. */
const ENOUGH = 0.999;

/** Chooses the rules for the name and the id of a track. Undefined if no member can be a name. */
export function identityOf(
  members: readonly SampleMember[],
  records: readonly object[],
): Identity | undefined {
  const plain = members.filter(
    ({ path, values }) => !path.includes('[]') && shareOf(values, TESTS.id) > 0.9,
  );
  const name = titleOf(plain, records.length);
  const own = members.filter(({ path }) => !path.includes('[]')).filter(isOfOneRecording);
  const tellApart = own.map(({ path }) => reader(path));
  return name && idOf(plain, records, name, tellApart);
}

function idOf(
  members: readonly SampleMember[],
  records: readonly object[],
  name: Chosen,
  tellApart: readonly Reader[],
): Identity {
  const count = records.length;
  const remarks = members.flatMap(changingIdRemark);
  const candidates = members
    .filter((member) => member !== name.member || isFileName(member))
    .map((member) => {
      const distinct = new Set(member.values.map(String)).size;
      return { member, distinct, share: distinct / count, score: idScore(member) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const isEachIdentified = candidates.some(
    ({ member, share }) => share >= ENOUGH && isIdOfRecording(member),
  );
  const grouped = candidates.find(
    ({ member, share, score }) =>
      !isEachIdentified &&
      share < ENOUGH &&
      (score >= LIKELY || (score >= CODES && share <= 0.8 && isOfRows(name.member, member))) &&
      member.records === count &&
      isOfRows(member, name.member) &&
      tellApart.every((read) => isOneOfEach(member, records.map(read))),
  );
  const unique = candidates.find(({ share }) => share >= ENOUGH);
  if (grouped !== undefined && (unique === undefined || unique.score < grouped.score)) {
    const rows = isConsecutive(grouped.member) ? 'consecutive' : 'all';
    const reason = `${grouped.member.path}: several rows have one id and one name, so they are one track`;
    return {
      rules: [idRule(grouped.member.path, reason), name.rule],
      group: { rows, conflicts: 'first' },
      remarks,
    };
  }
  if (unique !== undefined) {
    const reason = `${unique.member.path}: each record has its own value`;
    return { rules: [idRule(unique.member.path, reason), name.rule], remarks };
  }
  const [most] = candidates.toSorted((one, other) => other.share - one.share);
  const parts = joinedParts(members, records, name.member);
  const joined = {
    join: parts.map((from) => (from === name.member.path ? from : { from, default: '' })),
    separator: ' / ',
  };
  const isMost = most !== undefined && most.share > 0.5 && most.score >= LIKELY;
  const composed = parts.map((path) => `"${path}"`).join(', ');
  if (!isMost) {
    remarks.push(
      `no member identifies a track from delivery to delivery, so fields.externalId is composed of ${composed}: a track of which one of these changes becomes another track. Better ask the supplier for an id`,
    );
  }
  const rule = isMost
    ? idRule(
        [most.member.path, joined],
        `${most.member.path}: most records have their own value; the others get joined members`,
      )
    : idRule(joined, `${composed}: no member has a value of its own in each record`);
  return { rules: [rule, name.rule], remarks };
}

function idRule(rule: unknown, reason: string): DraftRule {
  return { section: 'fields', field: 'externalId', rule, reason };
}

/** The least digits of numbers that are taken for ids without a name that says so. */
const MIN_DIGITS = 6;
/** The lowest score of values that have the form of an id. */
const LIKELY = 60;
/** The score of codes with numbers. Other words may be the name itself in other letters. */
const CODES = 20;
/** Names of values that several tracks can share, so that they are no id. */
const OTHER_MEANINGS: readonly (readonly string[])[] = [
  ...ROLES.map(([, synonyms]) => synonyms),
  ...WORDS.map(([, synonyms]) => synonyms),
  ALBUMS,
  SYNONYMS.name,
  SYNONYMS.durationSeconds,
  SYNONYMS.bpm,
  SYNONYMS.songKey,
  SYNONYMS.timeSignature,
  SYNONYMS.releaseDate,
];

/** Rates how likely a member is the id of a track, by its name, then by its values. */
function idScore(member: SampleMember): number {
  const { values } = member;
  const named = nameScore(member.path, SYNONYMS.externalId);
  if (member.path.startsWith('$parent.') || isChanging(member) !== undefined) {
    return 0;
  }
  if (named >= CLEAR) {
    return named;
  }
  if (OTHER_MEANINGS.some((synonyms) => nameScore(member.path, synonyms) >= CLEAR)) {
    return 0;
  }
  if (shareOf(values, TESTS.isrc) > 0.9) return 90;
  if (dateFormOf(values) !== undefined || shareOf(values, isWrittenDate) > 0.9) return 0;
  if (shareOf(values, TESTS.uuid) > 0.9) return 80;
  if (isFileName(member)) return 70;
  if (shareOf(values, (value) => /^https?:\/\/\S+$/.test(`${value}`)) > 0.9) return 60;
  // Numbers of different lengths count or measure something, such as plays.
  if (named === 0 && shareOf(values, (value) => /^\d+(\.\d+)?$/.test(`${value}`)) > 0.9) {
    const lengths = new Set(values.map((value) => `${value}`.length));
    return lengths.size === 1 && Math.max(...lengths) >= MIN_DIGITS ? CODES : 0;
  }
  if (shareOf(values, (value) => /^[A-Za-z]*[-_.]?\d[\w.-]*$/.test(`${value}`)) > 0.9) return CODES;
  return shareOf(values, (value) => /^\S+$/.test(`${value}`)) > 0.9 ? 10 : 0;
}

/** Whether a value is a date that is no mere number, such as 2020 or 20200501. */
function isWrittenDate(value: unknown): boolean {
  return /[-:]/.test(`${value}`) && TESTS.date(value as never);
}

/** Returns why the next delivery can give the values to other tracks; undefined if nothing says so. */
function isChanging({ path, values }: SampleMember): string | undefined {
  if (nameScore(path, POSITIONS) >= CLEAR) return 'is a place in a list';
  if (isRunning(values)) return 'numbers the records from 1 on';
  return values.some(isScientific)
    ? 'has numbers that a program has rounded (8.05E+11)'
    : undefined;
}

function changingIdRemark(member: SampleMember): string[] {
  const why = isChanging(member);
  const isOther = nameScore(member.path, SYNONYMS.externalId) < CLEAR && !isRunning(member.values);
  return why === undefined || isOther
    ? []
    : [
        `"${member.path}" ${why}, so it is not taken for the id: the next file would give these ids to other tracks. If the supplier keeps them, write "externalId": ${JSON.stringify(member.path)}`,
      ];
}

/** Whether the rows with one value of the member have one name. */
function isOfRows(id: SampleMember, name: SampleMember): boolean {
  if (id.values.length !== name.values.length) {
    return false;
  }
  const names = new Map<string, unknown>();
  return id.values.every((value, i) => {
    const known = names.get(String(value));
    names.set(String(value), name.values[i]);
    return known === undefined || known === name.values[i];
  });
}

/** Whether the values of a member are those of one recording or its file. */
function isIdOfRecording(member: SampleMember): boolean {
  const { values } = member;
  return (
    shareOf(values, TESTS.isrc) > 0.9 || shareOf(values, TESTS.uuid) > 0.9 || isFileName(member)
  );
}

/** Values of which a recording has one: rows that differ in one are several recordings. */
const OF_ONE_RECORDING: readonly (readonly string[])[] = [
  SYNONYMS.isrc,
  SYNONYMS.durationSeconds,
  VERSIONS,
  ...ROLES.filter(([role]) => role === 'MAIN_ARTIST').map(([, synonyms]) => synonyms),
];

function isOfOneRecording(member: SampleMember): boolean {
  return (
    isIdOfRecording(member) ||
    OF_ONE_RECORDING.some((synonyms) => nameScore(member.path, synonyms) >= CLEAR)
  );
}

/** Whether the rows with one id have at most one of the values. A row without one may belong to any. */
function isOneOfEach(id: SampleMember, values: readonly unknown[]): boolean {
  const known = new Map<string, unknown>();
  return id.values.every((one, i) => {
    const value = values[i];
    if (isNothing(value)) return true;
    const first = known.get(String(one));
    known.set(String(one), value);
    return first === undefined || String(first) === String(value);
  });
}

function isConsecutive({ values }: SampleMember): boolean {
  const seen = new Set<string>();
  return values.every((value, i) => {
    const isNew = value !== values[i - 1];
    const isBack = isNew && seen.has(String(value));
    seen.add(String(value));
    return !isBack;
  });
}

/** The members that together identify a track that has no id: as many as it takes. */
function joinedParts(
  members: readonly SampleMember[],
  records: readonly object[],
  { path: name }: SampleMember,
): string[] {
  const best = (synonyms: readonly string[]) =>
    namedMembers(members, synonyms)
      .map(({ path }) => path)
      .slice(0, 1);
  const distinct = (paths: readonly string[]) => {
    const readers = paths.map(reader);
    return new Set(records.map((record) => JSON.stringify(readers.map((read) => read(record)))))
      .size;
  };
  const people = ROLES.flatMap(([, synonyms]) => best(synonyms)).slice(0, 1);
  let parts = [...new Set([...people, ...best(ALBUMS), name])];
  const more = [VERSIONS, NUMBERS, SYNONYMS.durationSeconds, SYNONYMS.releaseDate].flatMap(best);
  for (const path of more) {
    const longer = [path, ...parts];
    const isWhole = distinct(parts) >= records.length * ENOUGH;
    if (!isWhole && !parts.includes(path) && distinct(longer) > distinct(parts)) {
      parts = [...parts.slice(0, -1), path, name];
    }
  }
  return parts;
}

/** Places of a track on its album. */
const NUMBERS = ['tracknumber', 'trackno', 'tracknum', 'trackposition'];

export const NO_NAME =
  'no mapping can be suggested: no member or column looks like the name of a track or of its file';
