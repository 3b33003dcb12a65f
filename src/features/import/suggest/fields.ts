import type { TrackType } from '../../catalog/track.ts';
import type { SampleMember } from '../explain/members.ts';
import type { DraftRule } from './draft.ts';
import { ALBUMS, CLEAR, namedMembers, nameScore, ROLES, SYNONYMS } from './names.ts';
import { dateFormOf, shareOf, TESTS } from './values.ts';

/** What share of the values must be such as the record takes. */
const MOST = 0.5;
/** The share of values that speak for a meaning without a name that does. */
const ALMOST_ALL = 0.9;

/** Makes the rules for the members of a track that need no list, from the best member for each. */
export function fieldRules(members: readonly SampleMember[]): {
  rules: DraftRule[];
  remarks: string[];
} {
  const plain = members.filter(({ path }) => !path.includes('[]'));
  const date = dateRule(plain);
  const rules = [
    durationRule(plain),
    measured(plain, 'bpm', '^\\s*[0-9]{1,3}([.][0-9]+)?\\s*$'),
    measured(plain, 'songKey'),
    measured(plain, 'timeSignature', '^\\s*[1-9][0-9]?\\s*/\\s*[1-9][0-9]?\\s*$'),
    date.rule,
    measured(
      plain,
      'isrc',
      '^[A-Za-z]{2}[- ]?[A-Za-z0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{5}$',
      byTheirValues(plain, TESTS.isrc),
    ),
    measured(
      plain,
      'iswc',
      '^T-?[0-9]{3}[.]?[0-9]{3}[.]?[0-9]{3}-?[0-9]$',
      byTheirValues(plain, TESTS.iswc),
    ),
    measured(plain, 'language', '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$'),
    vocalsRule(plain),
    flagRule(plain, 'isPRO'),
  ];
  return {
    rules: rules.filter((rule) => rule !== undefined),
    remarks: date.remark === undefined ? [] : [date.remark],
  };
}

interface Found {
  member: SampleMember;
  isNamed: boolean;
}

function bestOf(
  members: readonly SampleMember[],
  synonyms: readonly string[],
  fits: (member: SampleMember) => boolean,
): Found | undefined {
  // A member that few records have is worth less than one that all have.
  const weigh = (score: number, { records }: SampleMember) => score + Math.log2(records) * 10;
  const member = namedMembers(members, synonyms, weigh).find(fits);
  return member && { member, isNamed: true };
}

function mostly(test: (value: unknown) => boolean): (member: SampleMember) => boolean {
  return ({ values }) => shareOf(values, test) > MOST;
}

/** Makes a rule of the member that fits best; its guard passes over the texts that do not match. */
function measured(
  members: readonly SampleMember[],
  field: keyof typeof SYNONYMS & keyof typeof TESTS,
  guard?: string,
  otherwise?: Found,
): DraftRule | undefined {
  const found = bestOf(members, SYNONYMS[field], mostly(TESTS[field])) ?? otherwise;
  if (found === undefined) return undefined;
  const { path } = found.member;
  return {
    ...fieldRule(field, path, found),
    ...(guard && { guarded: { from: path, matches: guard } }),
  };
}

function byTheirValues(
  members: readonly SampleMember[],
  test: (value: unknown) => boolean,
): Found | undefined {
  const member = members.find(({ values }) => shareOf(values, test) > ALMOST_ALL);
  return member && { member, isNamed: false };
}

function fieldRule(field: string, rule: unknown, { member, isNamed }: Found): DraftRule {
  const reason = `${member.path}: by its ${isNamed ? 'name' : 'values'}`;
  return { section: 'fields', field, rule, reason };
}

const DURATION_TEXT = '^\\s*[0-9PpT][0-9:.,HhMmSs\'"TtDd ]*[0-9SsMmHh\'"]?\\s*$';
/** A track of this many seconds is unlikely, and of this many milliseconds usual. */
const LONG = 10_000;

function durationRule(members: readonly SampleMember[]): DraftRule | undefined {
  const found =
    bestOf(members, SYNONYMS.durationSeconds, mostly(TESTS.duration)) ??
    byTheirValues(members, (value) => typeof value === 'string' && TESTS.clock(value));
  if (found === undefined) return undefined;
  const { path, values } = found.member;
  const unit = unitOf(found.member);
  const rule = unit === undefined ? path : { from: path, unit };
  const guarded = { from: path, matches: DURATION_TEXT, ...(unit && { unit }) };
  return {
    ...fieldRule('durationSeconds', rule, found),
    ...(values.some((value) => typeof value === 'string') && { guarded }),
  };
}

function unitOf({ path, values }: SampleMember): 'clock' | 'milliseconds' | undefined {
  if (values.some(TESTS.clock)) {
    return 'clock';
  }
  const numbers = values
    .map(Number)
    .filter((value) => value > 0)
    .toSorted((a, b) => a - b);
  const median = numbers[Math.floor(numbers.length / 2)] ?? 0;
  const saysSo =
    /(?:^|[^a-z])ms(?:$|[^a-z])|[a-z]Ms$|milli|[a-z](?<!ite)ms$/i.test(path) &&
    !/items$/i.test(path);
  return median >= LONG || (saysSo && median >= 1000) ? 'milliseconds' : undefined;
}

const OTHER_DATE = /updat|modif|expir|birth|upload|end|until|accessed/i;

function dateRule(members: readonly SampleMember[]): { rule?: DraftRule; remark?: string } {
  const dated = members.filter(({ path }) => !OTHER_DATE.test(path));
  const isUsual = ({ values }: SampleMember) => shareOf(values, TESTS.date) > ALMOST_ALL;
  const fits = (member: SampleMember) => isUsual(member) || dateFormOf(member.values) !== undefined;
  const found = bestOf(dated, SYNONYMS.releaseDate, fits);
  if (found === undefined) {
    const unknown = bestOf(dated, SYNONYMS.releaseDate, () => true)?.member.path;
    const remark = `"${unknown}" has dates of an unknown form, so it has no rule: add one with \`form\``;
    return unknown === undefined ? {} : { remark };
  }
  const { path, values } = found.member;
  if (isUsual(found.member)) {
    const guarded = { from: path, matches: '^[0-9]{4}(-[0-9]{2}(-[0-9]{2}.*)?)?$' };
    return { rule: { ...fieldRule('releaseDate', path, found), guarded } };
  }
  const form = dateFormOf(values);
  if (form === 'ambiguous') {
    return {
      remark: `"${path}" has dates whose day and month cannot be told apart, so it has no rule: add {"from": ${JSON.stringify(path)}, "form": "DD/MM/YYYY"}, or "MM/DD/YYYY", to fields.releaseDate`,
    };
  }
  const guarded = { from: path, matches: '[0-9]{2}', form };
  return { rule: { ...fieldRule('releaseDate', { from: path, form }, found), guarded } };
}

const VOCAL_WORDS = {
  vocal: true,
  vocals: true,
  instrumental: false,
  'no vocals': false,
  none: false,
};

function vocalsRule(members: readonly SampleMember[]): DraftRule | undefined {
  const flag = flagRule(members, 'hasVocals');
  if (flag !== undefined) {
    return flag;
  }
  const isWord = (value: unknown) =>
    typeof value === 'string' && value.trim().toLowerCase() in VOCAL_WORDS;
  const word = bestOf(members, SYNONYMS.hasVocals, mostly(isWord));
  if (word !== undefined) {
    const values = { ...VOCAL_WORDS, yes: true, no: false, '*': null };
    return fieldRule('hasVocals', { from: word.member.path, values }, word);
  }
  const opposite = bestOf(members, SYNONYMS.instrumental, mostly(TESTS.flag));
  if (opposite === undefined) return undefined;
  const no = { yes: false, y: false, true: false, 1: false };
  const yes = { no: true, n: true, false: true, 0: true };
  const rule = { from: opposite.member.path, values: { ...no, ...yes, '*': null } };
  return fieldRule('hasVocals', rule, opposite);
}

function flagRule(
  members: readonly SampleMember[],
  field: 'hasVocals' | 'isPRO',
): DraftRule | undefined {
  const found = bestOf(members, SYNONYMS[field], mostly(TESTS.flag));
  if (found === undefined) return undefined;
  const words = ['true', 'false', 'yes', 'no', 'y', 'n', '1', '0'];
  return {
    ...fieldRule(field, found.member.path, found),
    guarded: { from: found.member.path, only: words },
  };
}

const TYPE_WORDS: Readonly<Record<string, TrackType>> = {
  music: 'music',
  song: 'music',
  track: 'music',
  instrumental: 'music',
  sfx: 'sfx',
  'sound effect': 'sfx',
  'sound effects': 'sfx',
  soundeffect: 'sfx',
  effect: 'sfx',
  fx: 'sfx',
  sound: 'sfx',
};

const MAX_WORDS = 20;

export function typeRule(
  members: readonly SampleMember[],
  records: number,
  given: TrackType | undefined,
): { rule: DraftRule; remark?: string } {
  const named = members.find(
    ({ path, values, records: count }) =>
      nameScore(path, SYNONYMS.type) >= CLEAR &&
      count === records &&
      values.every((value) => typeof value === 'string') &&
      values.filter((value) => wordOf(value as string) in TYPE_WORDS).length > values.length / 2,
  );
  const typeRuleOf = (read: unknown, reason: string): DraftRule => {
    return { section: 'fields', field: 'type', rule: read, reason };
  };
  if (named === undefined) {
    const reason = given === undefined ? 'a fixed value' : 'a fixed value, because of --type';
    const [type, other] = areEffects(members)
      ? (['sfx', 'music'] as const)
      : (['music', 'sfx'] as const);
    const rule = typeRuleOf({ constant: given ?? type }, reason);
    const why =
      type === 'sfx'
        ? 'the records name WAV files with categories, and neither artists nor albums'
        : 'no member says whether a track is music or a sound effect';
    const remark = `${why}, so fields.type is "${type}" for all (--type ${other} suggests "${other}")`;
    return given === undefined ? { rule, remark } : { rule };
  }
  const words = [...new Set(named.values.map(String))];
  const others = [
    ...new Set(words.filter((word) => TYPE_WORDS[wordOf(word)] !== word).map(wordOf)),
  ];
  const unknown = others.filter((word) => !(word in TYPE_WORDS)).slice(0, MAX_WORDS);
  const values = Object.fromEntries(
    others
      .filter((word) => word in TYPE_WORDS || unknown.includes(word))
      .map((word) => [word, TYPE_WORDS[word] ?? given ?? 'music']),
  );
  const read = others.length === 0 ? named.path : { from: named.path, values };
  const rule = typeRuleOf(read, `${named.path}: by its name and values`);
  const list = unknown.map((word) => JSON.stringify(word.slice(0, 60))).join(', ');
  const remark = `fields.type takes ${list} of "${named.path}" for ${given ?? 'music'}: check the words`;
  return unknown.length === 0 ? { rule } : { rule, remark };
}

/** Names of members that music has. */
const OF_MUSIC = [
  ...ROLES.map(([, synonyms]) => synonyms),
  ALBUMS,
  SYNONYMS.isrc,
  SYNONYMS.bpm,
  SYNONYMS.songKey,
  ['genre', 'genres', 'lyrics'],
];
const CATEGORIES = ['category', 'categories', 'subcategory', 'catid', 'fxname', 'class'];

/** Whether the records look like a library of sounds: WAV files with categories, and nothing of music. */
function areEffects(members: readonly SampleMember[]): boolean {
  const isNamed = (synonyms: readonly string[]) => namedMembers(members, synonyms).length > 0;
  const areWav = ({ values }: SampleMember) =>
    shareOf(values, (value) => /\.wav$/i.test(`${value}`)) > 0.8;
  return members.some(areWav) && isNamed(CATEGORIES) && !OF_MUSIC.some(isNamed);
}

function wordOf(value: string): string {
  return value.trim().toLowerCase();
}
