import { creditsOf, type NamedCredit } from './credits.ts';
import { type Element, elementsAt, firstTextAt, textAt, textsAt } from './element.ts';
import { genresOf, preferred } from './recording.ts';

/** A `Release` or a `TrackRelease` of a message. */
export interface Release {
  /** By which the deals refer to it. */
  reference: string;
  /** Whether it is the product, rather than one of its tracks. */
  isMain: boolean;
  /** Its ids, such as `ICPN 00094631432057`, the most specific one first. */
  ids: string[];
  /** The references of the resources that it contains. */
  resources: string[];
  genres: string[];
  releaseDate: string | undefined;
  credits: NamedCredit[];
  displayArtist: string | undefined;
}

/** More ids of one release than this are not read. */
const MAX_IDS = 10;
const ID_KINDS = ['ICPN', 'GRid', 'ProprietaryId', 'CatalogNumber', 'ISRC'];

/** Reads a release of ERN 3.8, which describes it by territory, or of ERN 4. */
export function releaseOf(element: Element): Release {
  const details = preferred(elementsAt(element, 'ReleaseDetailsByTerritory'));
  const described = [...details, element];
  const types = textsAt(element, 'ReleaseType');
  return {
    reference: textAt(element, 'ReleaseReference') ?? '',
    isMain: element.name === 'Release' && !types.includes('TrackRelease'),
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

/** Returns the ids in the `ReleaseId` of a release or of a purge. */
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
