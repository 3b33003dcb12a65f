import { readTerritories } from '../canonical/territory-words.ts';
import { CellProblem } from './cell-problem.ts';
import { givenMember } from './given-member.ts';
import type { Reader } from './paths.ts';
import type { MappingRule } from './rule-schema.ts';
import { isNothing } from './steps.ts';

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
  const word = text.trim();
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
