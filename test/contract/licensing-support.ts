import type { WriteContext } from '../../src/common/caller.ts';
import type { Client } from '../../src/features/access/client.ts';
import {
  type Issue,
  LICENSE_STATES,
  type Licensee,
} from '../../src/features/licensing/issued-license.ts';
import type { Quote, QuoteRequest } from '../../src/features/licensing/quote.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { certifier, LICENSEE, newQuote, publishCard } from '../harness/licensing.ts';
import { type Harness, someClient, trackId } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';

/** Adds tracks, the rate card and two clients of different accounts, and functions that quote and buy. */
export async function withSales(harness: Harness, count = 5) {
  const { store, clock } = harness;
  await importAll(store, deliveries(0, count));
  await publishCard(store);
  const join = async (members: Partial<Client> = {}) => {
    const client = someClient(members);
    await store.clients.create(client, BY);
    return asClient(client.id);
  };
  const me = await join();
  const other = await join();
  const certify = certifier();

  const quote = (
    by: WriteContext<never>,
    tracks: readonly number[],
    members: Partial<QuoteRequest> = {},
  ): Promise<Quote> => newQuote(store, by, clock.now(), { names: tracks.map(trackId), ...members });

  const buy = (
    by: WriteContext<never>,
    { id: quoteId, terms }: Quote,
    { on = store, ...members }: { on?: Store; licensee?: Licensee; termsVersion?: string } = {},
  ): Promise<Issue> =>
    on.issuedLicenses.issue(
      { quoteId, termsVersion: terms.termsVersion, licensee: LICENSEE, ...members },
      { certify },
      by,
    );

  const sell = async (
    by: WriteContext<never>,
    tracks: readonly number[],
    members: Partial<QuoteRequest> = {},
  ) => (await buy(by, await quote(by, tracks, members))).license;

  return { ...harness, me, other, join, quote, buy, sell, certify };
}

/** Calls every method of the stores of rate cards, quotes and licenses. The client has a rate card. */
export async function useLicensing(
  { store, clock }: Pick<Harness, 'store' | 'clock'>,
  clientId: string,
  tracks: readonly string[],
): Promise<void> {
  const { rateCards, quotes, issuedLicenses, cueSheets } = store;
  const now = clock.now();
  await publishCard(store);
  await publishCard(store);
  await store.clients.update(clientId, { spendingLimit: 1_000_000 }, BY);
  await rateCards.withdraw('standard', 2, BY);
  await rateCards.list();
  await rateCards.show('standard');
  const page = { offset: 0, limit: 9 };
  for (const me of [asClient(clientId), asClient(clientId, 'test')]) {
    for (const exclusive of [false, true]) {
      const members = { names: tracks, exclusive, term: exclusive ? 'P1Y' : 'PERPETUAL' };
      const { id: quoteId } = await newQuote(store, me, now, members);
      await quotes.find(quoteId, me);
      await quotes.spendable(me, now);
      await quotes.list(me, page);
      const request = { quoteId, termsVersion: '2026-1', licensee: LICENSEE };
      const issue = { statedNow: now, certify: certifier() };
      const { license } = await issuedLicenses.issue(request, issue, me);
      await issuedLicenses.issue(request, issue, me);
      await issuedLicenses.find(license.number, me);
      await issuedLicenses.known([license.number], me);
      for (const status of [undefined, ...LICENSE_STATES]) {
        const trackId = status === undefined ? undefined : tracks[0]!;
        await issuedLicenses.list(me, { ...page, now, status, trackId });
      }
      await cueSheets.licensesOf('ep-7', tracks, { ...me, now });
      await store.webhookFanOut.licenses([license.number]);
      await issuedLicenses.revoke(license.number, { reason: 'x', now }, BY);
    }
  }
  await store.webhookFanOut.references(tracks);
  await store.references.ofTrack(tracks[0]!, clientId, 'live');
  await quotes.latest(9);
  await quotes.latest(9, { clientId, offset: 1 });
  await issuedLicenses.latest(9, { now, offset: 1 });
  await issuedLicenses.latest(9, { now, numberPrefix: '2026-' });
  await issuedLicenses.latest(9, { now, clientId, mode: 'live', trackId: tracks[0]! });
  for await (const _ of issuedLicenses.records({ now, mode: 'live', from: 0, to: now }));
  const sold = { mode: 'live', from: 0, to: now, now } as const;
  await issuedLicenses.revenue(sold);
  await issuedLicenses.revenue({ ...sold, clientId });
  await quotes.openAt(clientId, now, 9);
  await quotes.expire();
}
