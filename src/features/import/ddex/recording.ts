import { posix } from 'node:path';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import { aiPartsOf, aiShareOf, wordOfRole } from './ai-contribution.ts';
import { type Element, elementsAt, firstTextAt, isFlagged, textAt, textsAt } from './element.ts';

export type Recording = ReturnType<typeof recordingOf>;

/** Reads a `SoundRecording` of ERN 3.8, which describes it by territory, or of ERN 4. */
export function recordingOf(element: Element) {
  const details = preferred(elementsAt(element, 'SoundRecordingDetailsByTerritory'));
  const edition = editionOf(element);
  const described = [...details, element];
  const identified = [...edition, element];
  const works = [
    ...textsAt(element, 'IndirectSoundRecordingId', 'ISWC'),
    ...textsAt(element, 'WorkId', 'ISWC'),
    ...textsAt(element, 'MusicalWorkId', 'ISWC'),
  ];
  const instrumental = textAt(element, 'IsInstrumental');
  const warnings = described.flatMap((part) => textsAt(part, 'ParentalWarningType'));
  return {
    line: element.line,
    /** By which the releases of the message refer to it. */
    reference: textAt(element, 'ResourceReference') ?? '',
    isrc: firstTextAt(identified, ['ResourceId', 'ISRC'], ['SoundRecordingId', 'ISRC']),
    proprietaryId: firstTextAt(
      identified,
      ['ResourceId', 'ProprietaryId'],
      ['SoundRecordingId', 'ProprietaryId'],
    ),
    title: titleOf(described),
    /** As delivered: ISO 8601. */
    duration: firstTextAt([element, ...edition], ['Duration']),
    // The ISWC of a medley would name one work of several.
    iswc: new Set(works).size === 1 ? works[0] : undefined,
    isInstrumental: instrumental === undefined ? undefined : isFlagged(element, 'IsInstrumental'),
    isExplicit: warnings.includes('Explicit'),
    isEdited: warnings.includes('ExplicitContentEdited'),
    credits: described.flatMap(creditsOf),
    /** What to credit if there are no credits. */
    displayArtist: firstTextAt(described, ['DisplayArtistName']),
    genres: genresOf(described),
    releaseDate: firstTextAt(
      described,
      ['ResourceReleaseDate'],
      ['OriginalResourceReleaseDate'],
      ['FirstPublicationDate'],
    ),
    files: [...edition, ...described].flatMap((part) => filesOf(part)),
    previewStart: previewStartOf([...edition, ...described]),
    ai: aiShareOf(element),
    aiParts: aiPartsOf(element),
  };
}

/** Returns the details for the whole world, or else those for the first territory, in a list. */
function preferred(details: readonly Element[]): Element[] {
  const worldwide = details.find((part) => textsAt(part, 'TerritoryCode').includes('Worldwide'));
  return (worldwide === undefined ? details : [worldwide]).slice(0, 1);
}

/** Returns the edition in stereo, if there are several: Stave serves no immersive audio. */
function editionOf(element: Element): Element[] {
  const editions = elementsAt(element, 'SoundRecordingEdition');
  const stereo = editions.find((edition) => textAt(edition, 'Type') !== 'ImmersiveEdition');
  return (stereo === undefined ? editions : [stereo]).slice(0, 1);
}

/** In the order of preference. `ReferenceTitle` identifies a recording of ERN 3.8, also without a title to show. */
const TITLE_TYPES = ['DisplayTitle', 'FormalTitle', 'OriginalTitle'];

const MAX_SUBTITLES = 5;

function titleOf(described: readonly Element[]): string | undefined {
  const shown = described.flatMap((part) => elementsAt(part, 'DisplayTitle'));
  const titles = described.flatMap((part) => elementsAt(part, 'Title'));
  const title =
    shown.find(({ attributes }) => /^(true|1)$/.test(attributes.get('IsDefault') ?? '')) ??
    shown[0] ??
    TITLE_TYPES.map((type) =>
      titles.find(({ attributes }) => attributes.get('TitleType') === type),
    ).find((found) => found !== undefined) ??
    described.flatMap((part) => elementsAt(part, 'ReferenceTitle'))[0] ??
    titles[0];
  const name = title === undefined ? undefined : textAt(title, 'TitleText');
  if (name === undefined) {
    return firstTextAt(described, ['DisplayTitleText']);
  }
  const subTitles = textsAt(title!, 'SubTitle').slice(0, MAX_SUBTITLES);
  return subTitles.reduce(
    (whole, subTitle) => (whole.includes(subTitle) ? whole : `${whole} (${subTitle})`),
    name,
  );
}

function genresOf(described: readonly Element[]): string[] {
  const genres = described.flatMap((part) => elementsAt(part, 'Genre'));
  return [
    ...new Set(
      genres.flatMap((genre) => [...textsAt(genre, 'GenreText'), ...textsAt(genre, 'SubGenre')]),
    ),
  ];
}

/** Returns the second at which the sender wants a preview to begin; undefined if that is no second of a day. */
function previewStartOf(parts: readonly Element[]): number | undefined {
  const technical = parts.flatMap((part) => [
    ...elementsAt(part, 'TechnicalDetails'),
    ...elementsAt(part, 'TechnicalSoundRecordingDetails'),
  ]);
  const start = firstTextAt(
    technical,
    ['ClipDetails', 'Timing', 'StartPoint'],
    ['PreviewDetails', 'StartPoint'],
  );
  const second = start !== undefined && /^\d{1,5}(\.\d{1,9})?$/.test(start) ? Number(start) : NaN;
  return second <= 86_400 ? Math.floor(second) : undefined;
}

/** A `Release` or a `TrackRelease` of a message. */
export type Release = ReturnType<typeof releaseOf>;

const MAX_IDS = 10;
const ID_KINDS = ['ICPN', 'GRid', 'ProprietaryId', 'CatalogNumber', 'ISRC'];

/** Reads a release of ERN 3.8, which describes it by territory, or of ERN 4. */
export function releaseOf(element: Element) {
  const details = preferred(elementsAt(element, 'ReleaseDetailsByTerritory'));
  const described = [...details, element];
  const types = textsAt(element, 'ReleaseType');
  return {
    reference: textAt(element, 'ReleaseReference') ?? '',
    /** Whether it is the product, rather than one of its tracks. */
    isMain: element.name === 'Release' && !types.includes('TrackRelease'),
    /** Such as `ICPN 00094631432057`, the most specific one first. */
    ids: releaseIdsOf(element),
    resources: [
      ...new Set([
        ...textsAt(element, 'ReleaseResourceReferenceList', 'ReleaseResourceReference'),
        ...textsAt(element, 'ReleaseResourceReference'),
        ...described.flatMap(resourcesOfGroups),
      ]),
    ],
    genres: genresOf(described),
    releaseDate: firstTextAt(
      described,
      ['ReleaseDate'],
      ['OriginalReleaseDate'],
      ['GlobalReleaseDate'],
      ['GlobalOriginalReleaseDate'],
    ),
    credits: details.length > 0 ? creditsOf(details[0]!) : creditsOf(element),
    displayArtist: firstTextAt(described, ['DisplayArtistName']),
  };
}

export function releaseIdsOf(element: Element): string[] {
  return ID_KINDS.flatMap((kind) =>
    textsAt(element, 'ReleaseId', kind).map((id) => `${kind} ${id}`),
  ).slice(0, MAX_IDS);
}

/** Groups contain groups, such as the discs of an album. */
function resourcesOfGroups(part: Element): string[] {
  return elementsAt(part, 'ResourceGroup').flatMap((group) => [
    ...textsAt(group, 'ResourceGroupContentItem', 'ReleaseResourceReference'),
    ...resourcesOfGroups(group),
  ]);
}

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

function creditsOf(part: Element): NamedCredit[] {
  return KINDS.flatMap(([kind, reference, roles]) =>
    inSequence(elementsAt(part, kind)).flatMap((credit) => {
      // Nobody to credit, such as GenerativeAI of ERN 4.3.2.
      if (textAt(credit, 'SpecialContributor') !== undefined) return [];
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
    return Number.isNaN(place) ? Number.MAX_VALUE : place;
  };
  return credits.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** `FeaturedArtist` becomes FEATURED_ARTIST. */
function rolesOf(role: Element): readonly string[] {
  const given = wordOfRole(role);
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

/** What contains the files of a resource: of an image and a recording of ERN 3.8, and of ERN 4. */
const TECHNICAL = ['TechnicalDetails', 'TechnicalSoundRecordingDetails', 'TechnicalImageDetails'];

/**
 * Returns the files of a resource, relative to the folder of the message: those in a format that Stave serves first.
 * Previews are no files of it.
 */
export function filesOf(part: Element): string[] {
  const technical = TECHNICAL.flatMap((name) => elementsAt(part, name)).filter(
    (details) => !isFlagged(details, 'IsPreview') && !isFlagged(details, 'IsClip'),
  );
  const files = technical
    .flatMap((details) => [...elementsAt(details, 'DeliveryFile'), details])
    // An update of metadata names files that came with an earlier message.
    .filter((details) => !/^(false|0)$/.test(textAt(details, 'IsProvidedInDelivery') ?? ''))
    .flatMap((details) => elementsAt(details, 'File'))
    .map(pathOf)
    .filter((path) => path !== undefined);
  const isServed = (path: string) => AUDIO_EXTENSIONS.includes(extensionOf(path));
  return [...files.filter(isServed), ...files.filter((path) => !isServed(path))];
}

/** ERN 4 names a file by a `URI`; ERN 3.8 also by its name and, optionally, its folder. */
function pathOf(file: Element): string | undefined {
  const uri = textAt(file, 'URI') ?? textAt(file, 'URL');
  const name = textAt(file, 'FileName');
  const folder = textAt(file, 'FilePath');
  if (uri !== undefined || name === undefined) {
    return uri?.replaceAll('\\', '/') ?? folder?.replaceAll('\\', '/');
  }
  const within = folder?.replaceAll('\\', '/') ?? '';
  // Some senders repeat the name of the file in the path.
  return within === name || within.endsWith(`/${name}`) ? within : posix.join(within, name);
}

/**
 * The paths at which a file may lie, the most likely one first. Senders write a URI with and without percent-encoding, and
 * leave out `resources/`, the folder that DDEX recommends.
 */
export function placesOf(path: string): string[] {
  const places = [path];
  if (path.includes('%')) {
    try {
      places.push(decodeURIComponent(path));
    } catch {
      // Not percent-encoded.
    }
  }
  return [
    ...new Set([
      ...places,
      ...places.filter((place) => !place.includes('/')).map((place) => `resources/${place}`),
    ]),
  ];
}
