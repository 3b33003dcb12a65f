import { posix } from 'node:path';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import { type Element, elementsAt, isFlagged, textAt } from './element.ts';

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
    .filter((details) => !isLeftOut(details))
    .flatMap((details) => elementsAt(details, 'File'))
    .map(pathOf)
    .filter((path) => path !== undefined);
  const isServed = (path: string) => AUDIO_EXTENSIONS.includes(extensionOf(path));
  return [...files.filter(isServed), ...files.filter((path) => !isServed(path))];
}

/** An update of metadata names files that came with an earlier message. */
function isLeftOut(details: Element): boolean {
  return /^(false|0)$/.test(textAt(details, 'IsProvidedInDelivery') ?? '');
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
