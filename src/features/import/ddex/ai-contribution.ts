import type { AiShare } from '../../../engines/search/catalog-index.ts';
import type { Provenance } from '../../catalog/provenance.ts';
import { type Element, elementsAt, textAt } from './element.ts';

type AiPart = Provenance['aiParts'][number];

/** The values of the allowed value set `ContainsAI`, of ERN 4.3.2. */
const SHARES: ReadonlyMap<string, AiShare> = new Map([
  ['None', 'none'],
  ['Partly', 'assisted'],
  ['All', 'generated'],
]);

/** What contributors with these roles make. */
const PARTS: readonly [roles: RegExp, part: AiPart][] = [
  [/Vocalist$/, 'vocals'],
  [/Lyricist$|^Author$/, 'lyrics'],
  [/^Composer/, 'composition'],
  [/^(?:Artist|Ensemble|Orchestra|Soloist)$|(?:Musician|Performer)$/, 'performance'],
  [/^Mastering/, 'mastering'],
];

/** Returns how much of a resource a machine made; undefined if the message does not say it. */
export function aiShareOf(resource: Element): AiShare | undefined {
  return SHARES.get(textAt(resource, 'ContainsAI') ?? '');
}

/** Returns what of a recording machines made, by the roles of its contributors. */
export function aiPartsOf(recording: Element): AiPart[] {
  const roles = elementsAt(recording, 'Contributor')
    .filter(isByMachine)
    .flatMap((contributor) => elementsAt(contributor, 'Role'))
    .map(wordOfRole);
  return PARTS.flatMap(([named, part]) => (roles.some((role) => named.test(role)) ? [part] : []));
}

/** `AiContribution` of a special contributor `GenerativeAI` is `All` where it is absent. */
function isByMachine(contributor: Element): boolean {
  const given = textAt(contributor, 'AiContribution');
  if (given !== undefined) return given === 'All' || given === 'Partly';
  return textAt(contributor, 'SpecialContributor') === 'GenerativeAI';
}

/** Returns the word of a role: from 4.3.2 on, it is in the element `Value`. */
export function wordOfRole(role: Element): string {
  const { text, attributes } = elementsAt(role, 'Value')[0] ?? role;
  const word = text.trim();
  return word === 'UserDefined' ? (attributes.get('UserDefinedValue') ?? '') : word;
}
