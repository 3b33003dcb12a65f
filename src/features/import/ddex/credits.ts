import { type Element, elementsAt, textAt } from './element.ts';

/** A credit whose party is named in it (ERN 3.8), or in the list of parties (ERN 4). */
export interface NamedCredit {
  /** The `PartyReference`; undefined if the party is named here. */
  reference: string | undefined;
  name: string | undefined;
  ipi: string | undefined;
  role: string;
}

/** The kinds of credits with the elements of the party and of the role, in the order of a track's artists. */
const KINDS = [
  ['DisplayArtist', 'ArtistPartyReference', ['DisplayArtistRole', 'ArtistRole']],
  ['Contributor', 'ContributorPartyReference', ['Role']],
  ['ResourceContributor', 'ContributorPartyReference', ['ResourceContributorRole', 'Role']],
  [
    'IndirectResourceContributor',
    'ContributorPartyReference',
    ['IndirectResourceContributorRole', 'Role'],
  ],
] as const;

/** The roles of Stave for words of DDEX that are not simply the same word. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  Artist: ['PERFORMER'],
  AssociatedPerformer: ['PERFORMER'],
  ComposerLyricist: ['COMPOSER', 'LYRICIST'],
  Author: ['LYRICIST'],
  MusicPublisher: ['PUBLISHER'],
  OriginalPublisher: ['PUBLISHER'],
  StudioProducer: ['PRODUCER'],
};

/** Returns the credits of a recording or of a release. */
export function creditsOf(part: Element): NamedCredit[] {
  return KINDS.flatMap(([kind, reference, roles]) =>
    inSequence(elementsAt(part, kind)).flatMap((credit) => {
      const named = {
        reference: textAt(credit, reference),
        ...partyOf(credit),
      };
      const words = roles.flatMap((role) => elementsAt(credit, role)).flatMap(rolesOf);
      const fallback = kind === 'DisplayArtist' ? 'MAIN_ARTIST' : 'CONTRIBUTOR';
      return (words.length === 0 ? [fallback] : words).map((role) => ({ ...named, role }));
    }),
  );
}

/** Returns the name and the IPI name number of a party. */
export function partyOf(party: Element): { name: string | undefined; ipi: string | undefined } {
  const ipi = textAt(party, 'PartyId', 'IpiNameNumber');
  return {
    name: textAt(party, 'PartyName', 'FullName'),
    ipi: ipi !== undefined && /^\d{9,11}$/.test(ipi) ? ipi : undefined,
  };
}

/** Elements without a `SequenceNumber` keep their place after the others. */
function inSequence(credits: readonly Element[]): Element[] {
  const placeOf = ({ attributes }: Element) => {
    const place = Number(attributes.get('SequenceNumber') ?? NaN);
    return Number.isNaN(place) ? Infinity : place;
  };
  return credits
    .map((credit) => ({ credit, place: placeOf(credit) }))
    .sort((one, other) => (one.place === other.place ? 0 : one.place - other.place))
    .map(({ credit }) => credit);
}

/** `FeaturedArtist` becomes FEATURED_ARTIST. */
function rolesOf(role: Element): readonly string[] {
  const word = role.text.trim();
  const given = word === 'UserDefined' ? (role.attributes.get('UserDefinedValue') ?? '') : word;
  const known = Object.hasOwn(ROLES, given) ? ROLES[given] : undefined;
  if (known !== undefined) {
    return known;
  }
  const converted = given
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  return converted === '' || converted.length > MAX_ROLE_LENGTH ? [] : [converted];
}

/** A longer word is a remark. */
const MAX_ROLE_LENGTH = 60;
