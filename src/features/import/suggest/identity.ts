import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import type { SampleMember } from '../explain/members.ts';
import type { MappingGroup } from '../mapping/mapping.ts';
import type { DraftRule } from './draft.ts';
import { ALBUMS, CLEAR, nameScore, ROLES, SYNONYMS, WORDS } from './names.ts';
import { shareOf, TESTS } from './values.ts';

/** The rules without which there is no track, and how rows are grouped. */
export interface Identity {
  rules: DraftRule[];
  group?: MappingGroup;
}

/** The name of a file without its folders and its extension. */
const FILE_TITLE = '([^/\\\\]+?)(?:\\.[A-Za-z0-9]{1,5})?$';
/** What share of the records must have an id of their own. */
const ENOUGH = 0.999;

/** Chooses the rules for the name and the id of a track. Undefined if no member can be a name. */
export function identityOf(
  members: readonly SampleMember[],
  records: number,
): Identity | undefined {
  const plain = members.filter(
    ({ path, values }) => !path.includes('[]') && shareOf(values, TESTS.id) > 0.9,
  );
  const name = nameOf(plain, records);
  return name && idOf(plain, records, name);
}

interface Chosen {
  rule: DraftRule;
  member: SampleMember;
}

function nameOf(members: readonly SampleMember[], count: number): Chosen | undefined {
  const scored = members
    .filter(({ path, values }) => !path.startsWith('$parent.') && shareOf(values, isWords) > 0.5)
    .map((member) => ({
      member,
      // A name that half of the records lack is not the name of the track.
      score: nameScore(member.path, SYNONYMS.name) * (member.records * 2 < count ? 0.2 : 1),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const named = scored[0]?.member;
  const file = members.find(isFileName);
  const main = named ?? file;
  if (main === undefined) {
    return undefined;
  }
  const fromFile = file && { from: file.path, extract: FILE_TITLE };
  const lacks = named !== undefined && named.records < count;
  const spare = lacks
    ? scored.find(({ member, score }) => member !== named && score > CLEAR)?.member
    : undefined;
  const rules = [
    ...(named ? [named.path] : []),
    ...(spare ? [spare.path] : []),
    ...(fromFile && (named === undefined || lacks) ? [fromFile] : []),
  ];
  const why = named === undefined ? 'the name of the file' : 'by its name';
  const reason = `${rules.map((rule) => (typeof rule === 'string' ? rule : rule.from)).join(', ')}: ${why}`;
  return {
    rule: { section: 'fields', field: 'name', rule: rules.length === 1 ? rules[0] : rules, reason },
    member: main,
  };
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' && !/^\d+([.,:]\d+)*$/.test(value.trim());
}

export function isFileName({ values }: SampleMember): boolean {
  const isAudio = (value: unknown) =>
    typeof value === 'string' && AUDIO_EXTENSIONS.includes(extensionOf(value));
  return shareOf(values, isAudio) > 0.8;
}

function idOf(members: readonly SampleMember[], count: number, name: Chosen): Identity {
  const candidates = members
    .filter((member) => member !== name.member || isFileName(member))
    .map((member) => {
      const distinct = new Set(member.values.map(String)).size;
      return { member, distinct, share: distinct / count, score: idScore(member) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const grouped = candidates.find(
    ({ member, share, score }) =>
      score >= CLEAR && share <= 0.8 && member.records === count && isOfRows(member, name.member),
  );
  const unique = candidates.find(({ share }) => share >= ENOUGH);
  if (grouped !== undefined && (unique === undefined || unique.score < grouped.score)) {
    const rows = isConsecutive(grouped.member) ? 'consecutive' : 'all';
    const reason = `${grouped.member.path}: several rows have one id and one name, so they are one track`;
    return {
      rules: [idRule(grouped.member.path, reason), name.rule],
      group: { rows, conflicts: 'first' },
    };
  }
  if (unique !== undefined) {
    const reason = `${unique.member.path}: each record has its own value`;
    return { rules: [idRule(unique.member.path, reason), name.rule] };
  }
  const [most] = candidates.toSorted((one, other) => other.share - one.share);
  const joined = { join: joinedParts(members, name.member), separator: ' / ' };
  const best =
    most !== undefined && most.share > 0.5 && most.score >= LIKELY ? most.member : undefined;
  return {
    rules: [
      best === undefined
        ? idRule(joined, 'no member has a value of its own in each record, so several are joined')
        : idRule(
            [best.path, joined],
            `${best.path}: most records have their own value; the others get joined members`,
          ),
      name.rule,
    ],
  };
}

function idRule(rule: unknown, reason: string): DraftRule {
  return { section: 'fields', field: 'externalId', rule, reason };
}

/** The lowest score of values that have the form of an id. */
const LIKELY = 60;
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
  const named = nameScore(member.path, SYNONYMS.externalId);
  if (member.path.startsWith('$parent.')) {
    return 0;
  }
  if (named >= CLEAR) {
    return named;
  }
  if (OTHER_MEANINGS.some((synonyms) => nameScore(member.path, synonyms) >= CLEAR)) {
    return 0;
  }
  const { values } = member;
  if (shareOf(values, TESTS.isrc) > 0.9) return 90;
  if (shareOf(values, TESTS.uuid) > 0.9) return 80;
  if (isFileName(member)) return 70;
  if (shareOf(values, (value) => /^https?:\/\/\S+$/.test(`${value}`)) > 0.9) return 60;
  if (shareOf(values, (value) => /^[A-Za-z]*[-_.]?\d[\w.-]*$/.test(`${value}`)) > 0.9) return 20;
  return shareOf(values, (value) => /^\S+$/.test(`${value}`)) > 0.9 ? 10 : 0;
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

function isConsecutive({ values }: SampleMember): boolean {
  const seen = new Set<string>();
  return values.every((value, i) => {
    const isNew = value !== values[i - 1];
    const isBack = isNew && seen.has(String(value));
    seen.add(String(value));
    return !isBack;
  });
}

/** The members that together identify a track that has no id. */
function joinedParts(members: readonly SampleMember[], name: SampleMember): unknown[] {
  const others = [ROLES[0]![1], ALBUMS].flatMap((synonyms) =>
    members.filter(({ path }) => nameScore(path, synonyms) >= CLEAR).slice(0, 1),
  );
  const parts = others.map(({ path }) => ({ from: path, default: '' }));
  return [...parts, name.path];
}

export const NO_NAME =
  'no mapping can be suggested: no member or column looks like the name of a track or of its file';
