import { membersOf } from './members.ts';
import { reader } from './paths.ts';
import type { MappingRule } from './rule-schema.ts';
import { isNothing } from './steps.ts';

/** Returns a function that finds the first member of a rule that has a value in a record, whatever the rule makes of it. */
export function givenMember(rule: MappingRule = []): (record: object) => string | undefined {
  const sources = membersOf(rule).map((path) => ({ path, read: reader(path) }));
  return (record) => sources.find(({ read }) => !isNothing(read(record)))?.path;
}
