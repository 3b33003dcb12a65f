import { dirname } from 'node:path';
import { OperatorError } from '../../../common/errors.ts';
import { isObject } from '../../../common/text/json.ts';
import { ARTWORK_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import type { TrackType } from '../../catalog/track.ts';
import { membersIn, PARENT, type SampleMember, unusedMembers } from '../explain/members.ts';
import { FileFinder } from '../files/file-finder.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { checkMapping, compiled, type DraftRule, mappingOf, type Sampled } from './draft.ts';
import { fieldRules, typeRule } from './fields.ts';
import { identityOf, NO_NAME } from './identity.ts';
import { creditRules, wordRules } from './lists.ts';
import { CLEAR, nameScore, SYNONYMS } from './names.ts';
import { isFileName } from './title.ts';
import { shareOf } from './values.ts';

/** A rule that costs more than this share of the records is left out. */
const MAX_COST = 0.02;
/** More rules than this are not tried, because each is checked with the sample. */
const MAX_RULES = 60;
const MAX_NAMED = 40;

/** Composes the mapping of the rules that reject no records, or few. Throws OperatorError if no member is a name. */
export async function composeMapping(
  { plan, records, head }: Sampled,
  type: TrackType | undefined,
): Promise<{ mapping: Mapping; remarks: string[] }> {
  const objects = records.map(({ value }) => value).filter(isObject);
  const members = membersIn(objects).filter(({ path }) => isUsable(path));
  const identity = identityOf(members, objects);
  if (identity === undefined) {
    throw new OperatorError(`${plan.path}: ${NO_NAME}`);
  }
  const kind = typeRule(members, objects.length, type);
  const fields = fieldRules(members);
  const files = await fileRules(members, dirname(plan.path));
  const optional: DraftRule[] = [
    ...fields.rules,
    ...files.rules,
    ...creditRules(members),
    ...wordRules(members),
  ].slice(0, MAX_RULES);
  const whole = { ...head, ...(identity.group && { group: identity.group }) };
  const rejectedWith = async (rules: readonly DraftRule[]) =>
    (await checkMapping(mappingOf(whole, rules), plan, records)).rejected;
  let kept: DraftRule[] = [...identity.rules, kind.rule];
  let rejected = await rejectedWith(kept);
  const dropped: string[] = [];
  for (const rule of optional) {
    let best = { rules: [...kept, rule], rejected: await rejectedWith([...kept, rule]) };
    if (best.rejected > rejected && rule.guarded !== undefined) {
      const rules = [...kept, { ...rule, rule: rule.guarded }];
      const guarded = { rules, rejected: await rejectedWith(rules) };
      if (guarded.rejected < best.rejected) best = guarded;
    }
    const cost = best.rejected - rejected;
    if (cost > records.length * MAX_COST) {
      dropped.push(
        `left out a rule for ${rule.field} (${rule.reason}): ${cost} records would be rejected for it`,
      );
    } else {
      kept = best.rules;
      rejected = best.rejected;
    }
  }
  const mapping = mappingOf(whole, kept);
  return {
    mapping,
    remarks: [
      ...kept.map(({ section, field, reason }) => `${placeOf(section, field)} from ${reason}`),
      ...[kind.remark, ...identity.remarks, ...fields.remarks, ...files.remarks, ...dropped].filter(
        (remark) => remark !== undefined,
      ),
      ...unusedRemark(objects, mapping),
    ],
  };
}

/** Whether a path can stand in a rule: a name with blanks at its ends is read without them. */
function isUsable(path: string): boolean {
  return path !== '' && path.split('[].').length <= 2 && !path.endsWith('[]');
}

function placeOf(section: DraftRule['section'], field: string): string {
  return section === 'fields' ? `fields.${field}` : `${section} (${field})`;
}

function unusedRemark(objects: readonly object[], mapping: Mapping): string[] {
  const unused = unusedMembers(objects, compiled(mapping)).map(({ member }) => `"${member}"`);
  const more = unused.length > MAX_NAMED ? ` and ${unused.length - MAX_NAMED} more` : '';
  return unused.length === 0
    ? []
    : [`nothing uses ${unused.slice(0, MAX_NAMED).join(', ')}${more} (--explain shows examples)`];
}

const NO_MEDIA = { stat: () => Promise.resolve(undefined) };

/** Makes the rules for audio and pictures, if the files exist: an import rejects a record whose file does not. */
async function fileRules(
  members: readonly SampleMember[],
  folder: string,
): Promise<{ rules: DraftRule[]; remarks: string[] }> {
  const rules: DraftRule[] = [];
  const remarks: string[] = [];
  const isPicture = ({ values }: SampleMember) =>
    shareOf(values, (value) => ARTWORK_EXTENSIONS.includes(extensionOf(`${value}`))) > 0.8;
  for (const [field, fits] of [
    ['audio', isFileName],
    ['artwork', isPicture],
  ] as const) {
    const score = ({ path }: SampleMember) => nameScore(path, SYNONYMS[field]);
    const [member] = members
      .filter((one) => !/\[\]/.test(one.path) && !one.path.startsWith(PARENT) && fits(one))
      .toSorted((one, other) => score(other) - score(one));
    if (member === undefined) continue;
    const problem = await missingFile(member, folder);
    if (problem === undefined) {
      const reason = `${member.path}: ${score(member) >= CLEAR ? 'by its name and values' : 'by its values'}`;
      rules.push({ section: 'fields', field, rule: member.path, reason });
    } else {
      remarks.push(
        `"${member.path}" names files, but one ${problem}, so fields.${field} has no rule: an import rejects a track whose audio it does not find`,
      );
    }
  }
  return { rules, remarks };
}

async function missingFile({ values }: SampleMember, folder: string): Promise<string | undefined> {
  const files = new FileFinder(NO_MEDIA);
  for (const value of values) {
    const found = await files.find(folder, String(value));
    if ('problem' in found) return found.problem;
  }
  return undefined;
}
