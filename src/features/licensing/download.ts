import { StaveError } from '../../common/errors.ts';
import type { AudioTags } from '../../engines/audio/tags/audio-tags.ts';
import type { TrackRecord } from '../catalog/catalog-stores.ts';
import { performersOf } from '../catalog/performers.ts';
import type { DownloadFormat } from '../media/signed-url.ts';
import { type IssuedLicense, licenseState } from './issued-license.ts';

/** The most files of one request. */
export const MAX_DOWNLOADS = 500;

/** The first download of a file of a license on a day. */
export interface LicenseDownload {
  trackId: string;
  /** Null for the track itself. */
  partId: string | null;
  format: DownloadFormat;
  /** In milliseconds since the epoch. */
  at: number;
  /** The size of the file. */
  bytes: number;
}

/** Throws `conflict` unless a license is active. */
export function requireActive(license: IssuedLicense, now: number): void {
  const reasons = {
    active: undefined,
    scheduled: `starts at ${new Date(license.startsAt).toISOString()}`,
    expired: `ended at ${new Date(license.endsAt ?? 0).toISOString()}`,
    revoked: 'was revoked',
  };
  const reason = reasons[licenseState(license, now)];
  if (reason === undefined) return;
  throw new StaveError('conflict', `License ${license.number} ${reason}, so nothing is delivered.`);
}

/**
 * Returns what is written into a file of a license, without its cover.
 *
 * @param verifyUrl where the license can be verified
 */
export function tagsOf(
  { number, terms, startsAt, endsAt }: IssuedLicense,
  { track }: Pick<TrackRecord, 'track'>,
  { iswc, verifyUrl, part }: { iswc: string | null; verifyUrl: string; part: string | undefined },
): AudioTags {
  const named = (...roles: string[]) => [
    ...new Set(track.artists.filter(({ role }) => roles.includes(role)).map(({ name }) => name)),
  ];
  const start = new Date(startsAt).toISOString();
  const end = endsAt === null ? 'PERPETUAL' : new Date(endsAt).toISOString();
  return {
    title: part === undefined ? track.name : `${track.name} (${part})`,
    artists: performersOf(track.artists),
    // A part is another recording.
    isrc: part === undefined ? track.isrc : undefined,
    iswc: iswc ?? undefined,
    composers: named('COMPOSER', 'LYRICIST'),
    publishers: named('PUBLISHER'),
    texts: [
      ['LICENSE', number],
      ['LICENSEE', terms.licensee.name],
      ['TERRITORIES', terms.territories.join(', ')],
      ['TERM', `${start}/${end}`],
    ],
    licenseUrl: verifyUrl,
  };
}

/** Whether a file with this extension is in a format already. */
export function isInFormat(extension: string, format: DownloadFormat): boolean {
  return format === 'original' || format === extension;
}

/**
 * Returns the copy of each file by which its name differs from those before it. File systems may ignore case.
 *
 * @param nameOf returns the name of a copy of a file; copies are counted from 1 on
 */
export function copiesOf<File>(
  files: readonly File[],
  nameOf: (file: File, copy: number) => string,
): number[] {
  const names = new Set<string>();
  return files.map((file) => {
    let copy = 1;
    let name = nameOf(file, copy).toLowerCase();
    while (names.has(name)) {
      copy++;
      name = nameOf(file, copy).toLowerCase();
    }
    names.add(name);
    return copy;
  });
}
