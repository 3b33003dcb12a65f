import { readFileSync } from 'node:fs';
import { ERROR_KINDS, type ErrorKind } from '../../common/errors.ts';
import { SERVICE_TAG } from '../../engines/http/route/route.ts';
import { GUIDES } from './guides.ts';

/** Error kinds that occur before an operation is reached, so that no operation declares them. */
const BEFORE_OPERATIONS: readonly ErrorKind[] = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'not_implemented',
  'unavailable',
];

/**
 * Returns the introduction of the document: what applies to every operation.
 * @param serverUrl the public URL, without a trailing slash.
 */
export function introduction(serverUrl: string): string {
  const guides = GUIDES.map(({ path, title }) => `[${title}](${serverUrl}/docs/${path})`);
  const errors = BEFORE_OPERATIONS.map((kind) => {
    return `| ${ERROR_KINDS[kind].status} | \`${kind}\` | ${ERROR_KINDS[kind].when} |`;
  });
  return readFileSync(INTRODUCTION, 'utf8')
    .replace('{guides}', () => guides.join(' · '))
    .replace('{errors}', () => errors.join('\n'));
}

const INTRODUCTION = new URL('./introduction.md', import.meta.url);

/** The descriptions of the tags, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  Authentication: 'Exchange client credentials for an access token, and show what a token allows.',
  Tracks: 'Browse, search and read the catalog.',
  Filters: 'Genres, moods and use-cases.',
  Playlists: 'Lists of tracks that the licensor granted to the client.',
  Languages: 'The languages of names, tags and descriptions. A contract feature.',
  Analytics: 'The most licensed tracks.',
  Sync: 'Keep a copy of the catalog. Enabled for a client by contract; disabled by default.',
  Media: 'Audio, preview clips and waveforms behind signed URLs, and artwork.',
  [SERVICE_TAG]: 'Versions and health.',
  Similar: 'Tracks that resemble a track. A contract feature.',
  Collections: 'Lists of tracks and searches that a client keeps. A contract feature.',
  Webhooks: 'Messages to your server about changes. A contract feature.',
  Licensing: 'Prices, quotes, licenses and their certificates. A contract feature.',
  Stems: 'Stems and alternate versions of tracks. A contract feature.',
  Usage: 'Reports of the use of tracks, and cue sheets. A contract feature.',
};

/** The tag of the routes that serve documentation, which the document omits. */
export const DOCUMENTATION_TAG = 'Documentation';
