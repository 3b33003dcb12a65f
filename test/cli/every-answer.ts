import { createHash } from 'node:crypto';
import type { Caller } from './caller.ts';
import type { Partner } from './every-table.ts';

const GERMAN = { 'Accept-Language': 'de' };
/** Members that differ between responses to the same request. */
const VARYING = /"(requestId|streamUrlExpiresAt|urlsExpireAt|tokenExpiresAt)":"[^"]*"/g;
const SIGNED = /"(\w*[uU]rl)":"(https:\/\/music\.example\.com\/media\/[^"]*)"/g;

/** Paths whose responses show what is stored for a client. */
function pathsOf(partner: Partner): string[] {
  const { collection, link, savedSearch, license, quote, webhook } = partner;
  return [
    '/v1/me',
    '/v1/tracks?pageSize=100',
    '/v1/tracks?search=nachtf',
    '/v1/tracks/track-1',
    '/v1/tracks/track-1/stems',
    '/v1/tracks/track-1/similar',
    '/v1/tracks/track-5/references',
    '/v1/suggest?q=tra',
    '/v1/filters',
    '/v1/languages',
    '/v1/playlists',
    '/v1/playlists/best/tracks',
    '/v1/analytics/most-licensed',
    '/v1/usage/summary?groupBy=track',
    '/v1/usage/cue-sheet?productionId=ep-7',
    '/v1/usage/cue-sheet.csv?productionId=ep-7',
    '/v1/saved-searches',
    `/v1/saved-searches/${savedSearch}/tracks`,
    '/v1/collections',
    `/v1/collections/${collection}/tracks`,
    `/v1/collections/${collection}/shares`,
    `/v1/collections/${collection}/links`,
    `/v1/collections/${collection}/links/${link}/comments`,
    '/v1/rate-card',
    '/v1/quotes',
    `/v1/quotes/${quote}`,
    '/v1/licenses',
    `/v1/licenses/${license.number}`,
    `/v1/licenses/${license.number}/certificate`,
    `/v1/licenses/${license.number}/certificate.pdf`,
    `/v1/licenses/${license.number}/verify`,
    '/.well-known/jwks.json',
    '/.well-known/jwks-test.json',
    '/v1/webhooks',
    `/v1/webhooks/${webhook}/deliveries?pageSize=100&status=delivered`,
  ];
}

/** The paths of which the files at the signed URLs are compared, too. */
const WITH_FILES = ['/v1/tracks/track-1', '/v1/tracks/track-1/stems'];

/** Returns what a service answers to a client, by path: equal texts from services with equal data. */
export async function everyAnswer(
  caller: Caller,
  partner: Partner,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const ask = async (name: string, target: string) => {
    const { status, headers, body } = await caller.send('GET', target, { headers: GERMAN });
    const isJson = headers.get('content-type')?.includes('json') ?? false;
    const text = isJson ? body.toString() : digest(body);
    const same = text.replace(VARYING, '"$1":"…"').replace(SIGNED, '"$1":"…"');
    answers[name] = `${status} ${same}`;
    return [...text.matchAll(SIGNED)].map(([, member, url]) => ({ member, url: url! }));
  };
  for (const path of pathsOf(partner)) {
    const urls = await ask(path, path);
    if (!WITH_FILES.includes(path)) continue;
    for (const [i, { member, url }] of urls.entries()) await ask(`${path} ${i} ${member}`, url);
  }
  return answers;
}

function digest(bytes: Buffer): string {
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex')}`;
}
