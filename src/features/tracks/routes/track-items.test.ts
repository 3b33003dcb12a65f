import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Caller } from '../../../common/caller.ts';
import { newId } from '../../../common/ids.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { TextDocument } from '../../catalog/track-document.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';
import { SignedUrls } from '../../media/signed-url.ts';
import { TrackPages } from './track-page.ts';
import { UrlIssuer } from './url-issuer.ts';

const NOW = Date.parse('2026-11-21T10:00:03.000Z');
const key = {
  id: 'k',
  purpose: 'url' as const,
  secret: randomBytes(32),
  createdAt: 0,
  retiredAt: null,
};
const urls = new SignedUrls({ keys: { signing: () => key, verifying: () => [key] } });
const pages = new TrackPages({
  documents: { documents: () => [], languages: { document: async (document) => document } },
  urls: new UrlIssuer({
    urls,
    clock: { now: () => NOW },
    publicUrl: () => 'https://api.example.org',
  }),
});
const [caller, other] = [newId(), newId()].map((clientId) => {
  const none = new Set<never>();
  return { clientId, mode: 'test', features: none, scopes: none } as unknown as Caller;
}) as [Caller, Caller];

const TRACKS = Array.from({ length: 3 }, (_, i) => ({ id: newId(), name: `Nächte ${i}` }));

function documentOf(track: { id: string }): TrackDocument {
  const media = { artworkKey: null, streamExtension: 'wav' };
  return Object.assign(new TextDocument(JSON.stringify(track), media), { id: track.id });
}

function shown(track: { id: string } | null, { clientId }: Caller): object | null {
  return (
    track && {
      ...track,
      artworkUrl: `https://api.example.org${artworkPath(track.id, null)}`,
      streamUrl: `https://api.example.org${urls.sign('stream', track.id, clientId, 'test', NOW, 'wav')}`,
      streamUrlExpiresAt: '2026-11-21T10:30:10.000Z',
    }
  );
}

const items = fc.array(
  fc.record({
    note: fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    track: fc.constantFrom(null, ...TRACKS),
  }),
  { maxLength: 8 },
);

it('writes tracks that repeat and tracks that are null between texts in any script', () => {
  fc.assert(
    fc.property(items, fc.string({ unit: 'binary' }), (list, cursor) => {
      const nextCursor = cursor.toWellFormed();
      const response = pages.items(
        list.map(({ note, track }) => ({
          before: `{"note":${JSON.stringify(note)},"track":`,
          document: track && documentOf(track),
          after: `,"end":${JSON.stringify(note)}}`,
        })),
        caller,
        `,"nextCursor":${JSON.stringify(nextCursor)}`,
      );
      const expected = (viewer: Caller) => ({
        data: {
          items: list.map(({ note, track }) => ({ note, track: shown(track, viewer), end: note })),
          nextCursor,
        },
        error: { code: 0, message: 'OK' },
      });
      expect(JSON.parse(response.envelope.toString('utf8'))).toEqual(expected(caller));
      // A cached list gets the URLs of another client.
      const issued = response.share!()(other)!;
      expect(JSON.parse(issued.envelope.toString('utf8'))).toEqual(expected(other));
      issued.release?.();
      response.release?.();
    }),
  );
});
