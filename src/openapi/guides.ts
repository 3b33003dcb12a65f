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
