/** A guide, served at `/docs/{path}` and as Markdown at `/docs/{path}.md`. */
export interface Guide {
  path: string;
  title: string;
  /** One sentence, for lists of guides. */
  summary: string;
  /** The Markdown file, from the root of the package. */
  file: string;
}

export interface GuideSection {
  title: string;
  audience: 'partners' | 'operators';
  guides: readonly Guide[];
}

const guide = (path: string, title: string, summary: string, file = `docs/${path}.md`): Guide => ({
  path,
  title,
  summary,
  file,
});

/** All guides, in reading order. */
export const GUIDE_SECTIONS: readonly GuideSection[] = [
  {
    title: 'First steps',
    audience: 'partners',
    guides: [
      guide(
        'getting-started',
        'Getting started',
        'From credentials to a playing track, with curl, TypeScript or Python.',
      ),
      guide('authentication', 'Authentication', 'Get a token, renew it, and replace a secret.'),
      guide(
        'typescript',
        'TypeScript client',
        'The client library for TypeScript and JavaScript.',
        'packages/sdk/README.md',
      ),
      guide('agents', 'AI agents', 'Let an AI agent search the catalog over MCP.'),
    ],
  },
  {
    title: 'Find and play',
    audience: 'partners',
    guides: [
      guide('searching', 'Searching', 'Text, filters, ranges, order, facets and suggestions.'),
      guide(
        'similar-tracks',
        'Similar tracks',
        'Tracks that resemble a track, by genre, mood and tempo.',
      ),
      guide(
        'languages',
        'Speak your users’ language',
        'Show names, tags and descriptions in the language of your users.',
      ),
      guide('streaming', 'Streaming', 'Play tracks in a browser and on a phone, and renew URLs.'),
      guide(
        'previews',
        'Draw a waveform',
        'Draw waveforms with wavesurfer.js and peaks.js, and play preview clips.',
      ),
      guide(
        'stems',
        'Offer stems',
        'Import stems and alternate versions, and download them one by one or as a ZIP file.',
      ),
      guide(
        'shortlists',
        'Keep a shortlist',
        'Keep lists of tracks with notes, edit them together, and share them; keep searches.',
      ),
    ],
  },
  {
    title: 'Stay in sync',
    audience: 'partners',
    guides: [
      guide('mirroring', 'Mirroring the catalog', 'Load a copy of the catalog, and follow it.'),
      guide(
        'webhooks',
        'Receive webhooks',
        'Get signed messages about changes, and repeat what was missed.',
      ),
    ],
  },
  {
    title: 'License and report',
    audience: 'partners',
    guides: [
      guide(
        'reporting-usage',
        'Report usage',
        'Report streams, downloads and syncs, and get cue sheets.',
      ),
      guide(
        'licensing',
        'Quote and license',
        'Request prices, buy licenses, and keep their numbers.',
      ),
      guide(
        'verifying-certificates',
        'Verify a certificate',
        'Verify the certificate of a license with openssl or a library.',
      ),
    ],
  },
  {
    title: 'Run it reliably',
    audience: 'partners',
    guides: [
      guide('errors', 'Errors', 'Each kind of error with its cause and its cure.'),
      guide('rate-limits', 'Rate limits', 'Read the limit, and stay below it.'),
      guide('retrying', 'Retry safely', 'Repeat requests so that each change is made once.'),
      guide(
        'testing',
        'Test your integration',
        'Errors, slow and lost responses, and tracks for tests, with test credentials.',
      ),
      guide('going-live', 'Going live', 'A checklist before the first live request.'),
      guide('versioning', 'Versions', 'What may change, and how a retirement is announced.'),
    ],
  },
  {
    title: 'For the operator',
    audience: 'operators',
    guides: [
      guide('onboarding', 'Onboard a partner', 'From a contract to a partner who is live.'),
      guide('import', 'Import a catalog', 'Formats, mappings, full deliveries and corrections.'),
      guide('prices', 'Set prices', 'Write, check and publish a rate card.'),
      guide(
        'takedown',
        'Take a track down',
        'Remove a track after a letter, and show who used it.',
      ),
      guide('operations', 'Operate Stave', 'Installation, scaling, failures, backup, monitoring.'),
      guide('reference/configuration', 'Settings', 'All settings with their defaults.'),
      guide('reference/cli', 'Commands', 'All commands with their options.'),
    ],
  },
];

export const GUIDES: readonly Guide[] = GUIDE_SECTIONS.filter(
  ({ audience }) => audience === 'partners',
).flatMap(({ guides }) => guides);

const contract = (name: string, title: string): Guide =>
  guide(`contract/${name}`, title, `The rules: ${title.toLowerCase()}.`);

/** Pages to look things up: the kinds of errors, the contract, the glossary. */
export const REFERENCE_PAGES: readonly Guide[] = [
  guide('reference/errors', 'Kinds of errors', 'All kinds of errors in one table.'),
  guide('contract', 'Contract', 'The rules that callers rely on.', 'docs/contract/README.md'),
  guide('glossary', 'Glossary', 'The meaning of each term.'),
  contract('analytics', 'Most-licensed tracks'),
  contract('authentication', 'Authentication'),
  contract('availability', 'Availability'),
  contract('certificates', 'Certificates of licenses'),
  contract('changes', 'Feed of changes'),
  contract('collections', 'Collections'),
  contract('errors', 'Errors'),
  contract('features', 'Contract features'),
  contract('filters-and-suggestions', 'Filters and suggestions'),
  contract('http', 'HTTP'),
  contract('idempotency', 'Idempotency'),
  contract('import', 'Import'),
  contract('languages', 'Languages'),
  contract('licensing', 'Licensing'),
  contract('limits', 'Limits'),
  contract('operations', 'Operation'),
  contract('playlists', 'Playlists'),
  contract('previews', 'Previews'),
  contract('references', 'References'),
  contract('saved-searches', 'Saved searches'),
  contract('search', 'Search'),
  contract('similar', 'Similar tracks'),
  contract('snapshot', 'Snapshot'),
  contract('stems', 'Stems'),
  contract('streaming', 'Streaming and artwork'),
  contract('tracks', 'Tracks'),
  contract('usage', 'Usage'),
  contract('versions', 'Versions and health'),
  contract('webhooks', 'Webhooks'),
];

/** How many of the reference pages the navigation shows; the index of the contract links to its pages. */
export const SHOWN_REFERENCE_PAGES = 3;
