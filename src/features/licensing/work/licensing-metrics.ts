import { MODES } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { isInForce } from '../issued-license.ts';
import type { LicenseKeys } from '../license-keys.ts';
import type { PdfMaker } from '../pdf/pdf-maker.ts';
import type { Sales } from '../routes/licensing-routes.ts';

/** The counted results of requests for licenses. Others change nothing and say nothing about sales. */
const OUTCOMES = ['issued', 'repeated', 'expired', 'refused'] as const;
const VERIFICATIONS = ['valid', 'invalid', 'unknown'] as const;

/** Counts quotes, sales and verifications after their commit. */
export function measuredSales(
  metrics: Metrics,
  { quotes, issuedLicenses }: Sales,
  clock: Clock,
): Sales {
  const quoted = metrics.counter('stave_quotes_total', 'Quotes that were stored, by mode.', [
    'mode',
  ]);
  const requested = metrics.counter(
    'stave_licenses_total',
    'Requests for licenses by mode and outcome: issued, repeated, expired (the quote) or refused.',
    ['mode', 'outcome'],
  );
  const verified = metrics.counter(
    'stave_license_verifications_total',
    'Public verifications of license numbers by outcome: valid, invalid or unknown.',
    ['outcome'],
  );
  // Prometheus does not see the first value of a series as a rise, so each begins with 0.
  for (const mode of MODES) {
    quoted.count([mode]);
    for (const outcome of OUTCOMES) requested.count([mode, outcome]);
  }
  for (const outcome of VERIFICATIONS) verified.count([outcome]);
  return {
    quotes: {
      tracksNamed: (names) => quotes.tracksNamed(names),
      spendable: (...of) => quotes.spendable(...of),
      collisions: (...use) => quotes.collisions(...use),
      async add(quote, context) {
        const stored = await quotes.add(quote, context);
        quoted.increment([stored.mode]);
        return stored;
      },
    },
    issuedLicenses: {
      async issue(request, issue, context) {
        const count = (outcome: string) => requested.increment([context.mode, outcome]);
        try {
          const made = await issuedLicenses.issue(request, issue, context);
          count(made.isNew ? 'issued' : 'repeated');
          return made;
        } catch (error) {
          const kind = error instanceof StaveError ? error.kind : undefined;
          if (kind === 'gone') count('expired');
          if (kind === 'conflict') count('refused');
          throw error;
        }
      },
      async findAny(number) {
        const found = await issuedLicenses.findAny(number);
        const known = found && (isInForce(found, clock.now()) ? 'valid' : 'invalid');
        verified.increment([known ?? 'unknown']);
        return found;
      },
    },
  };
}

export function measurePdfs(metrics: Metrics, pdfs: PdfMaker): void {
  metrics.observedCounter(
    'stave_license_pdfs_total',
    'PDFs of licenses by outcome: made, failed, or refused because too many waited.',
    () => Object.entries(pdfs.counts).map(([outcome, count]) => [{ outcome }, count]),
  );
  metrics.gauge(
    'stave_license_pdfs_waiting',
    'PDFs of licenses that are being made or wait.',
    () => pdfs.waiting,
  );
}

export function measureLicenseKeys(metrics: Metrics, keys: LicenseKeys, clock: Clock): void {
  metrics.gauge(
    'stave_license_key_age_seconds',
    'Age of the key that signs certificates of licenses, by mode.',
    () =>
      keys
        .signingSince()
        .map(([mode, since]) => [{ mode }, Math.max(0, clock.now() - since) / 1_000]),
  );
}
