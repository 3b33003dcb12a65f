import { creditsOf, type NamedCredit } from './credits.ts';
import { type Element, elementsAt, firstTextAt, isFlagged, textAt, textsAt } from './element.ts';
import { filesOf } from './files.ts';

/** A `SoundRecording` of a message. Members that are undefined are absent. */
export interface Recording {
  /** The line of the element. */
  line: number;
  /** By which the releases of the message refer to it. */
  reference: string;
  isrc: string | undefined;
  proprietaryId: string | undefined;
  title: string | undefined;
  /** As delivered: ISO 8601. */
  duration: string | undefined;
  iswc: string | undefined;
  isInstrumental: boolean | undefined;
  isExplicit: boolean;
  isEdited: boolean;
  credits: NamedCredit[];
  /** What to credit if there are no credits. */
  displayArtist: string | undefined;
  genres: string[];
  releaseDate: string | undefined;
  /** The audio files, the preferred one first. */
  files: string[];
  previewStart: number | undefined;
}

/** Reads a `SoundRecording` of ERN 3.8, which describes it by territory, or of ERN 4. */
export function recordingOf(element: Element): Recording {
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
    reference: textAt(element, 'ResourceReference') ?? '',
    isrc: firstTextAt(identified, ['ResourceId', 'ISRC'], ['SoundRecordingId', 'ISRC']),
    proprietaryId: firstTextAt(
      identified,
      ['ResourceId', 'ProprietaryId'],
      ['SoundRecordingId', 'ProprietaryId'],
    ),
    title: titleOf(described),
    duration: firstTextAt([element, ...edition], ['Duration']),
    // The ISWC of a medley would name one work of several.
    iswc: new Set(works).size === 1 ? works[0] : undefined,
    isInstrumental: instrumental === undefined ? undefined : isFlagged(element, 'IsInstrumental'),
    isExplicit: warnings.includes('Explicit'),
    isEdited: warnings.includes('ExplicitContentEdited'),
    credits: described.flatMap(creditsOf),
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
  };
}

/** Returns the details for the whole world, or else those for the first territory, in a list. */
export function preferred(details: readonly Element[]): Element[] {
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

/** More subtitles than this are not read. */
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

/** Returns the genres and subgenres of a recording or a release. */
export function genresOf(described: readonly Element[]): string[] {
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
