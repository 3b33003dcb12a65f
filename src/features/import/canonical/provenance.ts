import { AI_SHARES } from '../../../engines/search/catalog-index.ts';
import { AI_PARTS, type Provenance } from '../../catalog/provenance.ts';
import { describe, type ImportRecord } from '../record.ts';
import { type Report, trimmed } from './text.ts';

const MAX_STATEMENT = 500;

/** Returns what a record says of the making of a track; undefined if it says nothing. */
export function canonicalProvenance(
  given: Pick<ImportRecord, 'ai' | 'aiParts' | 'trainingAllowed' | 'provenanceStatement'>,
  report: Report,
): Provenance | undefined {
  const ai = wordOf(AI_SHARES, given.ai ?? '', 'ai', report) ?? 'unknown';
  const words = [given.aiParts ?? []].flat().flatMap((text) => text.split(/[,;|]/));
  const named = words.map((word) => wordOf(AI_PARTS, word, 'aiParts', report));
  const aiParts = AI_PARTS.filter((part) => named.includes(part));
  if (ai === 'none' && aiParts.length > 0) {
    report('aiParts', 'must be absent if ai is none');
  }
  const statement = trimmed((given.provenanceStatement ?? '').normalize('NFC'));
  if (statement.length > MAX_STATEMENT) {
    report('provenanceStatement', `must be a text of ${MAX_STATEMENT} characters at most`);
  }
  const trainingAllowed = given.trainingAllowed ?? null;
  const isSilent =
    ai === 'unknown' && aiParts.length === 0 && trainingAllowed === null && statement === '';
  return isSilent ? undefined : { ai, aiParts, trainingAllowed, statement: statement || null };
}

/** Returns undefined for an empty text, and for another word, which it reports. */
function wordOf<Word extends string>(
  words: readonly Word[],
  given: string,
  field: string,
  report: Report,
): Word | undefined {
  const text = trimmed(given).toLowerCase();
  if (text === '') return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined) {
    report(field, `must be ${words.join(', ')}; it is ${describe(given)}`);
  }
  return found;
}
