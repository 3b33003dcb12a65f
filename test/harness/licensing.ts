import type { WriteContext } from '../../src/common/caller.ts';
import { systemClock } from '../../src/common/clock.ts';
import { newSortableId } from '../../src/common/ids.ts';
import { newLicenseKeys } from '../../src/features/licensing/certificate.ts';
import {
  type Certify,
  claimsOf,
  type Licensee,
} from '../../src/features/licensing/issued-license.ts';
import { signedBy } from '../../src/features/licensing/license-keys.ts';
import { makeQuote } from '../../src/features/licensing/make-quote.ts';
import type { Quote, QuoteRequest } from '../../src/features/licensing/quote.ts';
import type { Store } from '../../src/features/store.ts';
import { BY } from './deliveries.ts';
import { cardText } from './rate-cards.ts';

/** A licensee of the tests. */
export const LICENSEE: Licensee = { name: 'Lighthouse Film', country: 'DE', email: 'a@b.example' };

/** A licensee for whom the signer of the tests fails, so that the license is rolled back with its number. */
export const UNSIGNED: Licensee = { name: 'Nobody', country: 'DE' };

/** The body of a request for a quote. */
export function quoteBody(members: object = {}) {
  return {
    tracks: ['night-ferry'],
    media: ['online', 'social'],
    territories: ['DE', 'AT'],
    term: 'P1Y',
    audience: 50_000,
    project: { name: 'Spring ad' },
    ...members,
  };
}

/** Publishes the rate card of the tests, with other members. Returns its version. */
export function publishCard(store: Store, members: Record<string, unknown> = {}): Promise<number> {
  const name = String(members.name ?? 'standard');
  return store.rateCards.publish({ name, document: cardText(members) }, BY);
}

/** Returns what makes certificates with a key of its own. It throws for the licensee `UNSIGNED`. */
export function certifier(): Certify {
  const sign = signedBy(newLicenseKeys(systemClock)[0]!);
  return (license) => {
    if (license.terms.licensee.name === UNSIGNED.name) throw new Error('cannot sign');
    return sign(claimsOf(license, 'https://api.house.example'));
  };
}

/**
 * Quotes tracks for a client, as POST /v1/quotes does.
 *
 * @param now the time of the request, which a test request may state
 * @param clockNow that of the clock
 */
export async function newQuote(
  store: Store,
  { clientId, mode, actor }: Omit<WriteContext, 'finish'>,
  now: number,
  { names, ...members }: Partial<QuoteRequest> & { names: readonly string[] },
  clockNow = now,
): Promise<Quote> {
  const request = {
    names,
    media: ['online'],
    territories: ['DE'],
    term: 'P1Y',
    audience: 50_000,
    exclusive: false,
    startsAt: null,
    project: { name: 'Spring ad' },
    ...members,
  };
  const buyer = { clientId, mode };
  const published = await store.rateCards.ofClient(clientId);
  const made = await makeQuote(request, published, store.quotes, { buyer, now });
  const quote = { ...made, ...buyer, id: newSortableId(clockNow), request };
  const rateCard = published === undefined ? null : made.terms.rateCard;
  return store.quotes.add({ ...quote, rateCard }, { actor, ...buyer });
}
