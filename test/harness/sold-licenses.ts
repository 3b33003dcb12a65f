import type { Licensee } from '../../src/features/licensing/issued-license.ts';
import { LICENSEE, quoteBody } from './licensing.ts';
import { CARD } from './rate-cards.ts';
import type { TestServer } from './test-server.ts';

/** What is sold. */
interface Sale {
  /** Slugs or ids. */
  tracks: readonly string[];
  term?: string;
  licensee?: Licensee;
  project?: { name: string; reference?: string };
  purchaseOrder?: string;
}

/**
 * Sells a license in Germany through the API, and returns it as `createLicense` shows it. The rate card of the tests must
 * be published.
 */
export async function sell(
  { call }: Pick<TestServer, 'call'>,
  token: string,
  { licensee = LICENSEE, ...use }: Sale,
) {
  const asked = quoteBody({ territories: ['DE'], ...use });
  const quote = await call('createQuote', { token, body: asked });
  if (quote.status !== 201) throw new Error(`No quote: ${JSON.stringify(quote.error)}`);
  const body = { quoteId: quote.data.id, termsVersion: CARD.termsVersion, licensee };
  const { status, data, error } = await call('createLicense', { token, body });
  if (status !== 201) throw new Error(`No license: ${JSON.stringify(error)}`);
  return data;
}
