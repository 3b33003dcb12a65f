import { derivedId } from '../../../common/ids.ts';
import { BoundedMap, keptIn } from '../../../common/memory/caches.ts';
import { isObject } from '../../../common/text/json.ts';
import { fold } from '../../../common/text/search-form.ts';
import type { DeliveredCredit } from '../../catalog/track.ts';
import { WHOLE_SHARE, type Writer } from '../../catalog/writers.ts';
import { describe, type ImportRecord } from '../record.ts';
import { canonicalText, MAX_NAME_LENGTH, MAX_WORD_LENGTH, type Report, trimmed } from './text.ts';

export const MAX_CREDITS = 100;
const ROLE = /^[A-Z]+(_[A-Z]+)*$/;
const MAX_SOCIETY_LENGTH = 40;

/** How many artist ids are kept, because each costs a hash and artists recur. */
const MAX_ARTIST_IDS = 20_000;

/** Returns a function that makes the credits of a record, with ids derived for one source. */
export function creditMaker(source: string) {
  const idsByExternalId = new BoundedMap<string, string>(MAX_ARTIST_IDS);
  const idsByName = new BoundedMap<string, string>(MAX_ARTIST_IDS);

  return (artists: ImportRecord['artists'], report: Report): DeliveredCredit[] => {
    if (artists === undefined || artists === null) {
      return [];
    }
    if (artists.length > MAX_CREDITS) {
      report('artists', `must list ${MAX_CREDITS} at most; it lists ${artists.length}`);
      return [];
    }
    const credits: DeliveredCredit[] = [];
    let hasPrimary = false;
    for (let i = 0; i < artists.length; i++) {
      const artist = artists[i]!;
      const name = canonicalText(artist.name, `artists[${i}].name`, MAX_NAME_LENGTH, report);
      if (name === '') {
        continue;
      }
      const externalId = canonicalExternalId(artist.externalId, `artists[${i}].externalId`, report);
      const role = canonicalRole(artist.role, `artists[${i}].role`, report);
      const id =
        externalId === null
          ? keptIn(idsByName, name, () => artistIdByName(name))
          : keptIn(idsByExternalId, externalId, () => derivedId('artist', source, externalId));
      const isPrimary: boolean = artist.isPrimary === true && !hasPrimary;
      hasPrimary ||= isPrimary;
      if (!credits.some((credit) => credit.id === id && credit.role === role)) {
        credits.push({ id, name, role, isPrimary, externalId });
      }
    }
    return credits;
  };
}

/** Derives one id for all artists of one folded name, whatever the source. */
function artistIdByName(name: string): string {
  const folded = fold(name);
  return folded === '' ? derivedId('artist-sign', name) : derivedId('artist-name', folded);
}

export function canonicalExternalId(
  given: string | number | null | undefined,
  field: string,
  report: Report,
): string | null {
  if (given === undefined || given === null) {
    return null;
  }
  const text = canonicalText(`${given}`, field, MAX_WORD_LENGTH, report);
  return text === '' ? null : text;
}

/** Returns a role as one upper-case word: `main artist` becomes MAIN_ARTIST. */
function canonicalRole(given: string | null | undefined, field: string, report: Report): string {
  if (given === 'MAIN_ARTIST' || given === undefined || given === null) {
    return 'MAIN_ARTIST';
  }
  const role = given
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  if (!ROLE.test(role) || role.length > MAX_WORD_LENGTH) {
    report(field, `must be one word of ASCII letters such as COMPOSER; it is ${describe(given)}`);
  }
  return role;
}

/**
 * Returns the credits with what is known of them as writers, if that is given for one of them; an empty
 * list for an empty list, and undefined if what is stored stays. Names and roles are those that
 * `creditMaker` accepts, so only the other members are reported.
 */
export function canonicalWriters(
  artists: readonly ImportArtist[],
  report: Report,
): Writer[] | undefined {
  if (artists.length > MAX_CREDITS) {
    return undefined;
  }
  const areGiven = artists.some(
    ({ ipi, society, sharePercent }) => isGiven(ipi) || isGiven(society) || isGiven(sharePercent),
  );
  if (artists.length > 0 && !areGiven) return undefined;
  const silent = () => {};
  return artists.map((artist, i) => ({
    name: canonicalText(artist.name, 'name', MAX_NAME_LENGTH, silent),
    role: canonicalRole(artist.role, 'role', silent),
    ipi: canonicalIpi(artist.ipi, `artists[${i}].ipi`, report),
    society: canonicalSociety(artist.society, `artists[${i}].society`, report),
    share: canonicalShare(artist.sharePercent, `artists[${i}].sharePercent`, report),
  }));
}

/** Whether a credit has no name. Such a credit is omitted; the track is still imported. */
export function isNameless(credit: unknown): boolean {
  if (!isObject(credit)) {
    return false;
  }
  const name: unknown = Reflect.get(credit, 'name') ?? '';
  return typeof name === 'string' && trimmed(name) === '';
}

type ImportArtist = NonNullable<ImportRecord['artists']>[number];

/** A blank text is absent, as a blank cell is. */
function isGiven(value: string | number | null | undefined): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && trimmed(value) !== '');
}

function canonicalIpi(given: ImportArtist['ipi'], field: string, report: Report): string | null {
  if (!isGiven(given)) {
    return null;
  }
  const digits = trimmed(`${given}`);
  if (!/^\d{9,11}$/.test(digits)) {
    report(field, `must have 9 to 11 digits; it is ${describe(given)}`);
    return null;
  }
  return digits.padStart(11, '0');
}

function canonicalSociety(
  given: ImportArtist['society'],
  field: string,
  report: Report,
): string | null {
  return isGiven(given) ? canonicalText(given, field, MAX_SOCIETY_LENGTH, report) || null : null;
}

/** Returns hundredths of a percent. */
function canonicalShare(
  given: ImportArtist['sharePercent'],
  field: string,
  report: Report,
): number | null {
  if (!isGiven(given)) {
    return null;
  }
  const [, whole, decimals = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(trimmed(`${given}`)) ?? [];
  const share = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  if (whole === undefined || share > WHOLE_SHARE) {
    report(
      field,
      `must be a number between 0 and 100 with two decimals at most; it is ${describe(given)}`,
    );
    return null;
  }
  return share;
}
