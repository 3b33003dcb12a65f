import type { TrackType } from '../../catalog/track.ts';
import type { SampleMember } from '../explain/members.ts';
import type { DraftRule } from './draft.ts';
import { CLEAR, nameScore } from './names.ts';
import { SYNONYMS } from './synonyms.ts';

/** Words of suppliers for the types of tracks. */
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

/** Unknown words that a rule translates. */
const MAX_WORDS = 20;

/** Returns the rule for the type, and a remark if the type is assumed. */
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
  if (named === undefined) {
    const reason = given === undefined ? 'a fixed value' : 'a fixed value, because of --type';
    const rule = rulesOf({ constant: given ?? 'music' }, reason);
    return given === undefined
      ? {
          rule,
          remark:
            'no member says whether a track is music or a sound effect, so fields.type is "music" for all (--type sfx suggests "sfx")',
        }
      : { rule };
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
  const rule = others.length === 0 ? named.path : { from: named.path, values };
  const made = rulesOf(rule, `${named.path}: by its name and values`);
  const list = unknown.map((word) => JSON.stringify(word.slice(0, 60))).join(', ');
  return unknown.length === 0
    ? { rule: made }
    : {
        rule: made,
        remark: `fields.type takes ${list} of "${named.path}" for ${given ?? 'music'}: check the words`,
      };
}

function wordOf(value: string): string {
  return value.trim().toLowerCase();
}

function rulesOf(rule: unknown, reason: string): DraftRule {
  return { section: 'fields', field: 'type', rule, reason };
}
