import { searchForm } from '../../common/text/search-form.ts';
import {
  MAX_CONCEPTS,
  MAX_PHRASES,
  type UnderstandOptions,
  type Understood,
  type UnderstoodBrief,
  type UnderstoodKind,
  type Vocabulary,
} from './brief.ts';
import { BriefReader } from './brief-reader.ts';
import { withParts } from './compounds.ts';
import { hasContent, wordsOf } from './words.ts';

/** Understands a brief by rules and a vocabulary. The time grows with the length of the brief. */
export function understand(
  brief: string,
  vocabulary: Vocabulary,
  { now, ignore = [] }: UnderstandOptions,
): UnderstoodBrief {
  const { understood, negatedUnknown, phrases } = new BriefReader(
    brief,
    withParts(wordsOf(brief), vocabulary),
    vocabulary,
    now,
  ).read();
  const left = new Set(ignore.map(searchForm));
  const isLeft = (text: string) => left.has(searchForm(text));
  const { consistent, contradicting } = checked(understood.filter(({ text }) => !isLeft(text)));
  const tooMany = consistent.slice(MAX_CONCEPTS);
  const texts = [...contradicting, ...tooMany].map(({ text }) => text);
  return {
    understood: consistent.slice(0, MAX_CONCEPTS),
    ignored: [...new Set([...phrases, ...negatedUnknown, ...texts])],
    phrases: phrases.filter((text) => !isLeft(text) && hasContent(text)).slice(0, MAX_PHRASES),
  };
}

/** Leaves out what repeats an earlier part, and separates hard parts that no track can meet together with earlier ones. */
function checked(parts: readonly Understood[]) {
  const consistent: Understood[] = [];
  const contradicting: Understood[] = [];
  const seen = new Set<string>();
  const ranges = new Map<UnderstoodKind, { min: Bound; max: Bound }>();
  for (const part of parts) {
    const { kind, value, min, max, hard, meaning } = part;
    const ids = meaning.filters.map(({ id }) => id);
    const same = JSON.stringify([kind, value, min, max, ids, meaning.tags, meaning.artists]);
    if (seen.has(same)) continue;
    seen.add(same);
    if (hard && kind !== 'not') {
      const range = ranges.get(kind);
      // A value is a range from itself to itself.
      const least = greater(range?.min, min ?? value);
      const most = lesser(range?.max, max ?? value);
      if (least !== undefined && most !== undefined && least > most) {
        contradicting.push(part);
        continue;
      }
      ranges.set(kind, { min: least, max: most });
    }
    consistent.push(part);
  }
  return { consistent, contradicting };
}

type Bound = number | string | undefined;

function greater(one: Bound, other: Bound): Bound {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

function lesser(one: Bound, other: Bound): Bound {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}
