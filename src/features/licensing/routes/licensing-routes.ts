import type { Clock } from '../../../common/clock.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { LoginThrottle } from '../../access/login-throttle.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { nearestSlug } from '../../catalog/live/nearest-slug.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import type { SignedUrls } from '../../media/signed-url.ts';
import type { Certify } from '../issued-license.ts';
import type { LicensedFiles } from '../licensed-files.ts';
import type { PdfMaker } from '../pdf/pdf-maker.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import type { LicenseDownloadStore } from '../store/license-download-store.ts';
import type { QuoteStore } from '../store/quote-store.ts';
import type { RateCardStore } from '../store/rate-card-store.ts';
import { readCertificate, readCertificatePdf, verifyLicense } from './certificate-routes.ts';
import { createDownloads, listDownloads } from './download-routes.ts';
import { createLicense, listLicenses, showLicense } from './license-routes.ts';
import { createQuote, listQuotes, readRateCard, showQuote } from './quote-routes.ts';

export interface Sales {
  quotes: Pick<QuoteStore, 'tracksNamed' | 'collisions' | 'add' | 'spendable'>;
  issuedLicenses: Pick<IssuedLicenseStore, 'issue' | 'findAny'>;
}

interface LicensingDependencies {
  store: {
    rateCards: RateCardStore;
    quotes: QuoteStore;
    issuedLicenses: IssuedLicenseStore;
    licenseDownloads: LicenseDownloadStore;
    catalog: Pick<CatalogStore, 'resolveTracks'>;
  };
  licensedFiles: LicensedFiles;
  signedUrls: Pick<SignedUrls, 'signDownload'>;
  sales: Sales;
  catalog: Pick<LiveCatalog, 'search' | 'documents'>;
  certify: Certify;
  pdfs: Pick<PdfMaker, 'pdfOf'>;
  loginThrottle: Pick<LoginThrottle, 'failLookup'>;
  publicUrl(): string;
  clock: Clock;
}

/** Returns the operations on quotes and licenses (docs/contract/licensing.md). */
export function licensingRoutes({
  store,
  sales,
  catalog,
  licensedFiles: files,
  signedUrls,
  certify,
  pdfs,
  loginThrottle,
  clock,
  ...deps
}: LicensingDependencies): Route[] {
  const publicUrl = () => deps.publicUrl();
  const { issuedLicenses, licenseDownloads: downloads } = store;
  return [
    readRateCard(store),
    createQuote({
      rateCards: store.rateCards,
      quotes: sales.quotes,
      nearestSlug: (slug) => nearestSlug(slug, catalog),
      clock,
    }),
    listQuotes(store),
    showQuote(store),
    createLicense({ issuedLicenses: sales.issuedLicenses, certify, publicUrl }),
    listLicenses({ issuedLicenses, publicUrl }),
    showLicense({ issuedLicenses, publicUrl }),
    createDownloads({
      ...{ issuedLicenses, files, signedUrls, publicUrl, clock },
      catalog: store.catalog,
    }),
    listDownloads({ issuedLicenses, downloads }),
    readCertificate(store),
    readCertificatePdf({ issuedLicenses, pdfs }),
    verifyLicense({ issuedLicenses: sales.issuedLicenses, loginThrottle, clock }),
  ];
}
