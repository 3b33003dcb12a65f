import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import type { SampleMember } from '../explain/members.ts';
import { PARENT } from '../explain/members.ts';
import type { DraftRule } from './draft.ts';
import { CLEAR, namedMembers, nameScore, PARTS_OF_WORKS, SYNONYMS } from './names.ts';
import { cleaningOf, shareOf } from './values.ts';

export interface Chosen {
  rule: DraftRule;
  member: SampleMember;
}

/** The name of a file without its folders and its extension. */
const FILE_TITLE = '([^/\\\\]+?)(?:\\.[A-Za-z0-9]{1,5})?$';
/** The beginning of a name of a file that is a number, such as `07076051` or `SFX-012 3`. */
const FILE_NUMBER = /^\p{L}{0,5}[-_ ]*\d/u;
const DESCRIPTIONS = ['description', 'desc', 'fxname', 'caption', 'summary', 'shortdescription'];
const MAX_DESCRIPTION = 300;
/** A name of fewer different values than this share of the records is that of a group of tracks. */
const FEW = 0.1;

/** Chooses the rule for the name of a track. Undefined if no member can be one. */
export function titleOf(members: readonly SampleMember[], count: number): Chosen | undefined {
  const own = members.filter(({ path }) => !path.startsWith(PARENT));
  const scored = own
    .filter(({ values }) => shareOf(values, isWords) > 0.5)
    .map((member) => ({ member, score: titleScore(member, count) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const file = own.find(isFileName);
  const isNumber = file !== undefined && shareOf(file.values, isFileNumber) > 0.5;
  const [best] = scored;
  const described = namedMembers(own, DESCRIPTIONS).find(
    ({ values, records }) => records * 2 >= count && shareOf(values, isShort) > 0.95,
  );
  const isClear = best !== undefined && best.score >= CLEAR;
  const named =
    !isClear && described !== undefined && (file === undefined || isNumber)
      ? described
      : best?.member;
  const main = named ?? file;
  if (main === undefined) return undefined;
  const fromFile = file && { from: file.path, extract: FILE_TITLE };
  const lacks = named !== undefined && named.records < count;
  const spare = lacks
    ? scored.find(({ member, score }) => member !== named && score > CLEAR)?.member
    : undefined;
  const rules = [
    ...(named ? [cleaned(named)] : []),
    ...(spare ? [cleaned(spare)] : []),
    ...(fromFile && (named === undefined || lacks) ? [fromFile] : []),
  ];
  const part = named && rules.length === 1 ? partOfWork(own, named) : undefined;
  const rule =
    part === undefined
      ? rules.length === 1
        ? rules[0]
        : rules
      : { join: [rules[0], { ...asRule(cleaned(part)), default: '' }], separator: ': ' };
  const paths = [named, part, spare, rules.includes(fromFile as never) ? file : undefined]
    .flatMap((member) => member?.path ?? [])
    .join(', ');
  const { remark = '' } = named === undefined ? {} : cleaningOf(named.values);
  const why = named === undefined ? 'the name of the file' : 'by its name';
  const reason = `${paths}: ${why}${remark}`;
  return { rule: { section: 'fields', field: 'name', rule, reason }, member: main };
}

function titleScore({ path, records, values }: SampleMember, count: number): number {
  const distinct = new Set(values).size;
  // A name that half of the records lack is not the name of the track.
  const isOfFew = records * 2 < count || (records >= 20 && distinct < records * FEW);
  return nameScore(path, SYNONYMS.name) * (isOfFew ? 0.2 : 1);
}

/** Finds the movement whose name tells apart the tracks of one work. */
function partOfWork(
  members: readonly SampleMember[],
  name: SampleMember,
): SampleMember | undefined {
  const repeats = name.values.length - new Set(name.values).size;
  return namedMembers(members, PARTS_OF_WORKS).find(
    (part) => part !== name && repeats > 0 && new Set(part.values).size > 1,
  );
}

/** Returns the path, or a rule that undoes the damage that its values have. */
function cleaned({ path, values }: SampleMember): string | { from: string } {
  const { steps } = cleaningOf(values);
  return Object.keys(steps).length === 0 ? path : { from: path, ...steps };
}

function asRule(rule: string | { from: string }): { from: string } {
  return typeof rule === 'string' ? { from: rule } : rule;
}

function isWords(value: unknown): boolean {
  return typeof value === 'string' && /\p{L}/u.test(value);
}

function isShort(value: unknown): boolean {
  return isWords(value) && (value as string).length <= MAX_DESCRIPTION;
}

export function isFileName({ values }: SampleMember): boolean {
  const isAudio = (value: unknown) =>
    typeof value === 'string' && AUDIO_EXTENSIONS.includes(extensionOf(value));
  return shareOf(values, isAudio) > 0.8;
}

function isFileNumber(value: unknown): boolean {
  const stem = /([^/\\]+?)(?:\.[A-Za-z0-9]{1,5})?$/.exec(`${value}`)?.[1] ?? '';
  return FILE_NUMBER.test(stem) && !/\d.*\p{L}{3}/su.test(stem);
}
