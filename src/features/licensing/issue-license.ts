import type { By } from '../../common/caller.ts';
import type { RegionGroup } from '../../common/codes.ts';
import { StaveError } from '../../common/errors.ts';
import type { IssuedLicense, Licensee, LicenseRequest, LicenseTerms } from './issued-license.ts';
import { licenseNumber, shownAmount } from './issued-license.ts';
import {
  fixtureTrack,
  LATE_START_MS,
  type LicensableTrack,
  occupationOf,
  type Quote,
  type QuoteTerms,
  type Spendable,
  territoryProblem,
} from './quote.ts';

const MAX_DETAILS = 50;

/** Throws `conflict` unless a request has the terms and the licensee of the license that its quote has bought. */
export function requireSameRequest(
  { number, terms }: IssuedLicense,
  { termsVersion, licensee }: LicenseRequest,
): void {
  if (termsVersion === terms.termsVersion && isSameLicensee(licensee, terms.licensee)) return;
  throw new StaveError(
    'conflict',
    `The quote has bought license ${number} for another licensee or other terms; request a new quote for another license.`,
  );
}

function isSameLicensee(one: Licensee, other: Licensee): boolean {
  return (
    one.name === other.name &&
    one.country === other.country &&
    (one.email ?? null) === (other.email ?? null)
  );
}

/** Returns the start of the license. Throws if the quote or its start has expired, or has other terms. */
export function startOf(
  { terms, expiresAt }: Quote,
  { termsVersion }: LicenseRequest,
  now: number,
): number {
  if (now >= expiresAt) {
    const at = new Date(expiresAt).toISOString();
    throw new StaveError('gone', `The quote expired at ${at}; request a new one.`);
  }
  if (termsVersion !== terms.termsVersion) {
    const message = `termsVersion must be ${terms.termsVersion}, as in the quote`;
    throw new StaveError('conflict', `The terms are others: ${message}.`, {
      details: [{ field: 'termsVersion', message }],
    });
  }
  if (terms.startsAt === null) return now;
  const startsAt = Date.parse(terms.startsAt);
  if (startsAt < now - LATE_START_MS) {
    throw new StaveError(
      'conflict',
      `The start ${terms.startsAt} of the quote has passed; request a new quote.`,
    );
  }
  return startsAt;
}

/**
 * Returns the tracks of a quote. Throws `conflict` if tracks were taken down, are licensed to others, or may no longer be
 * licensed in a territory; its message names them.
 *
 * @param live the live tracks of the quote, by id
 * @param collided the ids of the tracks that have a colliding license
 * @param groups of the rate card of the quote. A quote keeps its price if the card changes, but nobody may license a
 * track where the licensor has lost the right.
 */
export function tracksForSale(
  { terms, mode }: Quote,
  live: ReadonlyMap<string, LicensableTrack>,
  collided: ReadonlySet<string>,
  groups: readonly RegionGroup[],
): LicensableTrack[] {
  const tracks = terms.items.map(({ trackId }) => live.get(trackId) ?? fixtureTrack(trackId, mode));
  const problems = terms.items.flatMap(({ trackId, slug }, i) => {
    const track = tracks[i];
    const reason =
      track === undefined
        ? 'was taken down'
        : (territoryProblem(track, terms.territories, groups) ??
          (collided.has(trackId) ? 'is licensed to others for a part of this use' : undefined));
    return reason === undefined ? [] : [{ field: `items[${i}]`, message: `${slug} ${reason}` }];
  });
  if (problems.length === 0) return tracks as LicensableTrack[];
  const details = problems.slice(0, MAX_DETAILS);
  const named = details.map(({ message }) => message).join(', ');
  throw new StaveError('conflict', `The quote cannot be licensed: ${named}.`, { details });
}

/**
 * Throws `conflict` if a license costs more than its client may still spend.
 *
 * @param spendable null without a limit
 */
export function requireSpendable(
  { amountMinor, currency, minorUnit }: QuoteTerms,
  spendable: Spendable | null,
): void {
  if (spendable === null || spendable.currency !== currency) return;
  if (amountMinor <= spendable.remainingMinor) return;
  const amount = (minor: number) => `${shownAmount(minor, minorUnit)} ${currency}`;
  throw new StaveError(
    'conflict',
    `The license costs ${amount(amountMinor)}, and ${amount(spendable.remainingMinor)} is left of the spending limit of ${spendable.limit} ${currency} of this month (UTC).`,
  );
}

/**
 * Returns the license of a quote without its certificate.
 *
 * @param count how many licenses the mode has in this year, with this one
 */
export function newLicense(
  { id, terms, mode, clientId }: Quote,
  { licensee }: LicenseRequest,
  tracks: readonly LicensableTrack[],
  {
    now,
    startsAt,
    count,
    by,
  }: { now: number; startsAt: number; count: number; by: By | undefined },
): Omit<IssuedLicense, 'certificate'> {
  const { project, media, territories, exclusive, termsVersion, termsUrl, minorUnit } = terms;
  const { purchaseOrder } = terms;
  const licensed: LicenseTerms = {
    quoteId: id,
    ...{ licensee, project, media, territories, exclusive, termsVersion, termsUrl, minorUnit },
    ...(purchaseOrder !== undefined && { purchaseOrder }),
    parts: terms.parts ?? false,
    ...(by !== undefined && { by }),
    tracks: tracks.map(({ id: trackId, name, artists, isrc, provenance }, i) => {
      const { amountMinor } = terms.items[i]!;
      return { trackId, name, artists, isrc, provenance, amountMinor };
    }),
  };
  const { amountMinor, currency } = terms;
  return {
    number: licenseNumber(mode, new Date(now).getUTCFullYear(), count),
    ...{ clientId, mode, terms: licensed, amountMinor, currency, startsAt },
    issuedAt: now,
    endsAt: occupationOf(terms, startsAt).endsAt,
    revokedAt: null,
    reason: null,
  };
}
