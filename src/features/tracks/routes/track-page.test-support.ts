import { randomBytes } from 'node:crypto';
import type { Caller, Mode } from '../../../common/caller.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { TextDocument } from '../../catalog/track-document.ts';
import { SignedUrls } from '../../media/signed-url.ts';
import { TrackPages } from './track-page.ts';
import { UrlIssuer } from './url-issuer.ts';

export const START = Date.parse('2026-11-21T10:00:03.000Z');

/** The time at which URLs are issued. */
export const time = { now: START };

const key = {
  id: 'k',
  purpose: 'url' as const,
  secret: randomBytes(32),
  createdAt: 0,
  retiredAt: null,
};
export const urls = new SignedUrls({ keys: { signing: () => key, verifying: () => [key] } });

export function callerOf(clientId: string, mode: Mode = 'test', hasPreviews = false): Caller {
  const rights = new Set(hasPreviews ? ['previews'] : []);
  return { clientId, mode, features: rights, scopes: rights } as unknown as Caller;
}

export function urlIssuer(): UrlIssuer {
  const publicUrl = () => 'https://api.example.org/base';
  return new UrlIssuer({ urls, clock: { now: () => time.now }, publicUrl });
}

/** Pages of the given documents. With `late`, the documents come asynchronously, as from the store. */
export function pagesOver(documents: (TrackDocument | undefined)[], late = false): TrackPages {
  return new TrackPages({
    documents: {
      documents: () => (late ? Promise.resolve(documents) : documents),
      languages: { document: async (document) => document },
    },
    urls: urlIssuer(),
  });
}

export function documentOf(
  track: object & { id: string },
  artworkKey: string | null = null,
  streamExtension = '',
): TrackDocument {
  const document = new TextDocument(JSON.stringify(track), { artworkKey, streamExtension });
  return Object.assign(document, { id: track.id });
}
