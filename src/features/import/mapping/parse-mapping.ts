import { Compile } from 'typebox/compile';
import { OperatorError } from '../../../common/errors.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { isObject, jsonProblem } from '../../../common/text/json.ts';
import { isRecordsPath } from '../decode/nested.ts';
import { RECORD_MEMBERS } from '../record.ts';
import {
  AvailabilityRule,
  CreditRule,
  Group,
  LookupSchema,
  Mapping,
  type MappingRule,
  ruleMembers,
} from './mapping.ts';
import { lookupsOf, rulesOf } from './members.ts';

/** Members of the record that `fields` may fill. The lists of names have their own sections. */
const FIELD_MEMBERS: readonly string[] = RECORD_MEMBERS.filter(
  (member) => !['artists', 'filters', 'tags', 'availability'].includes(member),
);

const compiled = Compile(Mapping);

/** Parses a mapping. Throws OperatorError that names the invalid member and the problem. */
export function parseMapping(text: string, file: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`the mapping ${file} is not valid JSON: ${jsonProblem(text, error)}`);
  }
  const problem = problemOf(value);
  if (problem !== undefined) {
    throw new OperatorError(`the mapping ${file} is not as it should be: ${problem}`);
  }
  return value as Mapping;
}

function problemOf(value: unknown): string | undefined {
  // Probably another file, whose members may be secret.
  if (isObject(value) && !('fields' in value)) return 'it has no `fields`';
  if (!compiled.Check(value)) return firstProblem(value);
  const unknown = Object.keys(value.fields).find((member) => !FIELD_MEMBERS.includes(member));
  if (unknown !== undefined) {
    return `fields.${unknown} is no member of the import record${didYouMean(unknown, FIELD_MEMBERS)}`;
  }
  return wrongMember(value);
}

/** Returns what the schema cannot say of a mapping; undefined if nothing is wrong. */
function wrongMember(mapping: Mapping): string | undefined {
  const { group, fields } = mapping;
  if (group !== undefined && (group.by ?? fields.id ?? fields.externalId) === undefined) {
    return 'group needs `by`, or a rule for fields.externalId';
  }
  if (fields.region !== undefined && takesFirst(fields.region)) {
    return 'fields.region cannot take the `first` of several regions; write a rule of `availability`';
  }
  const twoEnds = mapping.availability?.findIndex(({ until, through }) => until && through) ?? -1;
  if (twoEnds >= 0) {
    return `availability[${twoEnds}] takes only one of \`until\` and \`through\``;
  }
  const { headingLine, firstRecordLine } = mapping;
  if (firstRecordLine !== undefined && !(firstRecordLine > (headingLine ?? firstRecordLine))) {
    return 'firstRecordLine needs `headingLine`, and must be a line after it';
  }
  const lookups = rulesOf(mapping).flatMap(({ where, rule }) =>
    lookupsOf(rule).map((lookup) => ({ where: `${where}: lookup.`, ...lookup })),
  );
  for (const { where, encoding, records } of [{ where: '', ...mapping }, ...lookups]) {
    if (encoding !== undefined && !isEncoding(encoding)) {
      return `${where}encoding names an unknown encoding, "${encoding}"`;
    }
    if (records !== undefined && !isRecordsPath(records)) {
      return `${where}records must be a path such as data.tracks, releases[].tracks[], tracks{} or $.tracks[]; it is "${records.slice(0, 100)}"`;
    }
  }
  return undefined;
}

function takesFirst(rule: MappingRule): boolean {
  return [rule].flat().some((one) => typeof one === 'object' && one.first === true);
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name) !== undefined;
  } catch {
    return false;
  }
}

/** Members of the parts of a mapping, to suggest one for a misspelled member. */
const PART_MEMBERS: readonly string[] = [
  ...Object.keys(ruleMembers),
  ...Object.keys(LookupSchema.properties),
  ...Object.keys(CreditRule.properties),
  ...Object.keys(AvailabilityRule.properties),
  ...Object.keys(Group.properties),
];

/** Returns the most useful error: an unknown member, then the deepest one, then any. */
function firstProblem(value: unknown): string {
  const errors = [...compiled.Errors(value)];
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown !== undefined) {
    const member = (unknown.params as { additionalProperties: string[] }).additionalProperties[0]!;
    const path = pathOf(unknown.instancePath);
    const known = path.length === 0 ? Object.keys(Mapping.properties) : PART_MEMBERS;
    return `${[...path, member].join('.')} is no member of it${didYouMean(member, known)}`;
  }
  const error = errors.toSorted(
    (one, other) => pathOf(other.instancePath).length - pathOf(one.instancePath).length,
  )[0];
  return error === undefined
    ? 'it does not match the format'
    : `${pathOf(error.instancePath).join('.') || 'the whole'} ${error.message}`;
}

function pathOf(instancePath: string): string[] {
  return instancePath.split('/').slice(1);
}
