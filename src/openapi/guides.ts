/** A guide for partners, served at `/docs/{slug}`. */
export interface Guide {
  /** The operationId of its route. */
  operationId: string;
  slug: string;
  title: string;
  /** One sentence, for lists of guides. */
  summary: string;
  /** The name of the Markdown file in `docs/`. */
  file: string;
}

/** All guides, in reading order. */
export const GUIDES: readonly Guide[] = [
  {
    operationId: 'showGettingStarted',
    slug: 'getting-started',
    title: 'Getting started',
    summary: 'From credentials to a playing track, with curl or an OAuth library.',
    file: 'getting-started.md',
  },
  {
    operationId: 'showSearching',
    slug: 'searching',
    title: 'Searching',
    summary: 'Text, filters, ranges, order, facets and suggestions.',
    file: 'searching.md',
  },
  {
    operationId: 'showSimilarTracksGuide',
    slug: 'similar-tracks',
    title: 'Similar tracks',
    summary: 'Tracks that resemble a track, by genre, mood and tempo.',
    file: 'similar-tracks.md',
  },
  {
    operationId: 'showLanguagesGuide',
    slug: 'languages',
    title: 'Speak your users’ language',
    summary: 'Show names, tags and descriptions in the language of your users.',
    file: 'languages.md',
  },
  {
    operationId: 'showPreviewsGuide',
    slug: 'previews',
    title: 'Draw a waveform',
    summary: 'Draw waveforms with wavesurfer.js and peaks.js, and play preview clips.',
    file: 'previews.md',
  },
  {
    operationId: 'showStemsGuide',
    slug: 'stems',
    title: 'Offer stems',
    summary: 'Import stems and alternate versions, and download them one by one or as a ZIP file.',
    file: 'stems.md',
  },
  {
    operationId: 'showMirroring',
    slug: 'mirroring',
    title: 'Mirroring the catalog',
    summary: 'Load a copy of the catalog, and follow its changes.',
    file: 'mirroring.md',
  },
  {
    operationId: 'showReportingUsage',
    slug: 'reporting-usage',
    title: 'Report usage',
    summary: 'Report streams, downloads and syncs, and get cue sheets.',
    file: 'reporting-usage.md',
  },
  {
    operationId: 'showLicensingGuide',
    slug: 'licensing',
    title: 'Quote and license',
    summary: 'Request prices, buy licenses, and keep their numbers.',
    file: 'licensing.md',
  },
  {
    operationId: 'showShortlists',
    slug: 'shortlists',
    title: 'Keep a shortlist',
    summary: 'Keep lists of tracks with notes, edit them together, and share them; keep searches.',
    file: 'shortlists.md',
  },
  {
    operationId: 'showWebhooksGuide',
    slug: 'webhooks',
    title: 'Be told of changes',
    summary: 'Get signed messages about changes, and repeat what was missed.',
    file: 'webhooks.md',
  },
  {
    operationId: 'showVerifyingCertificates',
    slug: 'verifying-certificates',
    title: 'Verify a certificate',
    summary: 'Verify the certificate of a license with openssl or a library.',
    file: 'verifying-certificates.md',
  },
  {
    operationId: 'showTesting',
    slug: 'testing',
    title: 'Test your integration',
    summary: 'Errors, slow and lost responses, and tracks for tests, with test credentials.',
    file: 'testing.md',
  },
  {
    operationId: 'showRetrying',
    slug: 'retrying',
    title: 'Retry safely',
    summary: 'Repeat requests so that each change is made once.',
    file: 'retrying.md',
  },
  {
    operationId: 'showErrors',
    slug: 'errors',
    title: 'Errors',
    summary: 'All kinds of errors, their status and their meaning.',
    file: 'reference/errors.md',
  },
];
