import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../test/harness/collect-garbage.ts';
import { until } from '../../../test/harness/until.ts';
import type { Caller } from '../../access/caller.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { toDocument } from '../../catalog/track-document.ts';
import { newId } from '../../common/ids.ts';
import { artworkPath } from '../../media/artwork.ts';
import { SignedUrls } from '../../media/signed-url.ts';
import { TrackPages } from './track-page.ts';
import { UrlIssuer } from './url-issuer.ts';

const START = Date.parse('2026-11-21T10:00:03.000Z');
let now = START;
beforeEach(() => {
  now = START;
});
const key = {
  id: 'k',
  purpose: 'url' as const,
  secret: randomBytes(32),
  createdAt: 0,
  retiredAt: null,
};
const urls = new SignedUrls({ keys: { signing: () => key, verifying: () => [key] } });
const caller = { clientId: newId(), mode: 'test' } as Caller;

function urlIssuer() {
  const publicUrl = () => 'https://api.example.org/base';
  return new UrlIssuer({ urls, clock: { now: () => now }, publicUrl });
}

/** Pages of the given documents. With `late`, the documents come asynchronously, as from the store. */
function pagesOver(documents: (TrackDocument | undefined)[], late = false) {
  return new TrackPages({
    documents: { documents: () => (late ? Promise.resolve(documents) : documents) },
    urls: urlIssuer(),
  });
}

function documentOf(
  track: object & { id: string },
  artworkKey: string | null = null,
): TrackDocument {
  return Object.assign(toDocument(JSON.stringify(track), artworkKey), { id: track.id });
}

const parsed = (answer: { envelope: Buffer } | undefined) =>
  JSON.parse(answer!.envelope.toString('utf8'));

describe('TrackPages', () => {
  it('writes the same envelope as JSON.stringify, for any names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.uuid(), name: fc.string({ unit: 'binary' }) }), {
          maxLength: 5,
        }),
        fc.boolean(),
        async (tracks, late) => {
          const pages = pagesOver(
            tracks.map((track) => documentOf(track)),
            late,
          );
          const frame = { totalRecords: 41, page: 2, pageSize: 20 };
          const answer = await pages.page(
            frame,
            tracks.map((_, i) => i + 1),
            caller,
          );
          const expected = {
            data: {
              totalRecords: 41,
              totalPages: 3,
              currentPage: 2,
              pageSize: 20,
              items: tracks.map((track) => ({
                ...track,
                artworkUrl: `https://api.example.org/base${artworkPath(track.id, null)}`,
                streamUrl: `https://api.example.org/base${urls.sign('stream', track.id, caller.clientId, 'test', now)}`,
                streamUrlExpiresAt: '2026-11-21T10:30:10.000Z',
              })),
            },
            error: { code: 0, message: 'OK' },
          };
          expect(answer.envelope.toString('utf8')).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('responds synchronously if the documents are in memory', () => {
    const answer = pagesOver([]).page({ totalRecords: 0, page: 1, pageSize: 20 }, [], caller);
    expect(answer).not.toBeInstanceOf(Promise);
    expect(parsed(answer as { envelope: Buffer }).data).toEqual({
      totalRecords: 0,
      totalPages: 0,
      currentPage: 1,
      pageSize: 20,
      items: [],
    });
  });

  it('writes facets after the items', async () => {
    const track = { id: newId() };
    const frame = { totalRecords: 1, page: 1, pageSize: 20, facets: '{"types":[]}' };
    const answer = await pagesOver([documentOf(track)]).page(frame, [1], caller);
    const { items, ...rest } = parsed(answer).data;
    expect(items).toHaveLength(1);
    expect(rest).toEqual({
      totalRecords: 1,
      totalPages: 1,
      currentPage: 1,
      pageSize: 20,
      facets: { types: [] },
    });
  });

  it('writes warnings last', async () => {
    const warnings = '[{"field":"filterSlugs","message":"no filter has the slug clam"}]';
    const frame = { totalRecords: 0, page: 1, pageSize: 20, facets: '{}', warnings };
    const answer = await pagesOver([]).page(frame, [], caller);
    expect(Object.entries(parsed(answer).data).slice(-2)).toEqual([
      ['facets', {}],
      ['warnings', JSON.parse(warnings)],
    ]);
  });

  it('omits a track that was removed while the page was made', async () => {
    const [a, b] = [{ id: newId() }, { id: newId() }];
    const pages = pagesOver([undefined, documentOf(a), undefined, documentOf(b)]);
    const answer = await pages.page({ totalRecords: 4, page: 1, pageSize: 20 }, [], caller);
    expect(parsed(answer).data.items.map((item: { id: string }) => item.id)).toEqual([a.id, b.id]);
  });

  it('names a track that was removed while a list of named tracks was made', async () => {
    const track = { id: newId() };
    for (const late of [false, true]) {
      const pages = pagesOver([undefined, documentOf(track)], late);
      const names = ['夜', track.id];
      const notFound = (shown: readonly TrackDocument[]) =>
        names.filter((name) => shown.every(({ id }) => id !== name));
      const { items, ...rest } = parsed(await pages.named([1, 2], notFound, caller)).data;
      expect(items.map((item: { id: string }) => item.id)).toEqual([track.id]);
      expect(rest).toEqual({ notFound: ['夜'] });
    }
  });

  it('wraps items that contain more than the track', async () => {
    const track = { id: newId() };
    const answer = await pagesOver([documentOf(track)]).page(
      { totalRecords: 1, page: 1, pageSize: 20 },
      [1],
      caller,
      (id) => ({ before: `{"rank":7,"of":"${id}","track":`, after: '}' }),
    );
    expect(parsed(answer).data.items[0]).toMatchObject({ rank: 7, of: track.id, track });
  });

  it('has the URL of the delivered artwork if there is one', async () => {
    const track = { id: newId() };
    const artworkKey = `${'0a'.repeat(32)}.png`;
    const answer = pagesOver([]).track(documentOf(track, artworkKey), caller);
    expect(parsed(answer).data.artworkUrl).toBe(
      `https://api.example.org/base${artworkPath(track.id, artworkKey)}`,
    );
  });

  it('writes into the memory of an earlier page only when that was released', async () => {
    const pages = pagesOver([documentOf({ id: newId() })]);
    const make = () => pages.page({ totalRecords: 1, page: 1, pageSize: 20 }, [1], caller);
    const first = await make();
    expect((await make()).envelope.buffer).not.toBe(first.envelope.buffer);
    const shared = first.share!()(caller)!;
    first.release!();
    expect((await make()).envelope.buffer).toBe(first.envelope.buffer);
    expect(shared.envelope.buffer).not.toBe(first.envelope.buffer);
  });

  it.each([
    { late: false, isAgain: true },
    { late: true, isAgain: false },
  ])(
    'gives memory for records again when they are written: $isAgain if they are late: $late',
    async ({ late, isAgain }) => {
      const given: Buffer[] = [];
      const pages = new TrackPages({
        documents: {
          documents(_, allocate) {
            given.push(allocate!(100));
            return late ? Promise.resolve([]) : [];
          },
        },
        urls: urlIssuer(),
      });
      const make = () => pages.page({ totalRecords: 0, page: 1, pageSize: 20 }, [1], caller);
      // Both begin before one is complete.
      await Promise.all([make(), make()]);
      expect(given[0]!.buffer === given[1]!.buffer).toBe(isAgain);
    },
  );

  describe('share', () => {
    const clients = [newId(), newId()];
    const documents = [null, `${'0a'.repeat(32)}.png`].map((artworkKey, i) =>
      documentOf(Object.assign({ id: newId() }, { name: `Ébauche ${i}` }), artworkKey),
    );
    const pages = pagesOver(documents);
    const frame = { totalRecords: 41, page: 2, pageSize: 20 };
    const pageFor = async (to: Caller) => (await pages.page(frame, [1, 2], to)).envelope;
    const callers = fc.record({
      clientId: fc.constantFrom(...clients),
      mode: fc.constantFrom('test', 'live'),
    }) as fc.Arbitrary<Caller>;

    it('makes the bytes that a new page for the caller has, in any order of callers and times', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ to: callers, afterMs: fc.nat(12_000), isSent: fc.boolean() }), {
            maxLength: 12,
          }),
          async (requests) => {
            now = START;
            const issueTo = (await pages.page(frame, [1, 2], caller)).share!();
            const unsent: [Buffer, Buffer][] = [];
            for (const { to, afterMs, isSent } of requests) {
              now += afterMs;
              const issued = issueTo(to)!;
              const { envelope } = issued;
              expect(envelope.toString()).toBe((await pageFor(to)).toString());
              if (isSent) issued.release!();
              else unsent.push([envelope, Buffer.from(envelope)]);
            }
            // A response that is still being sent must not change.
            for (const [envelope, copy] of unsent) expect(envelope.equals(copy)).toBe(true);
          },
        ),
      ));

    it('returns the same buffer and issue to the same caller until new URLs are issued', async () => {
      const { envelope, share } = await pages.page(frame, [1, 2], caller);
      const issueTo = share!();
      const first = issueTo(caller)!;
      expect(first.envelope.equals(envelope)).toBe(true);
      expect(issueTo(caller)).toBe(first);
      now += 10_000;
      expect(issueTo(caller)!.issue).not.toBe(first.issue);
    });

    it('writes into the same bytes again when all responses with them were sent', async () => {
      const [first, second] = clients.map((clientId) => ({ ...caller, clientId })) as [
        Caller,
        Caller,
      ];
      const issueTo = (await pages.page(frame, [1, 2], first)).share!();
      const issued = [issueTo(first)!, issueTo(first)!];
      issued[0]!.release!();
      const copied = issueTo(second)!;
      expect(copied.envelope).not.toBe(issued[1]!.envelope);
      copied.release!();
      expect(issueTo(first)!.envelope).toBe(copied.envelope);
    });

    it('holds no more memory than the envelope, whenever the URLs were issued', async () => {
      await collectGarbage();
      const before = process.memoryUsage().arrayBuffers;
      const held = [];
      for (let i = 0; i < 200; i++) {
        now += 10_000;
        held.push((await pages.page(frame, [1, 2], caller)).share!());
        // Fills the rest of Node's buffer pool, which a slice would keep in memory.
        for (let bytes = 0; bytes < Buffer.poolSize; bytes += 1000) Buffer.from('x'.repeat(1000));
      }
      // V8 frees the memory of buffers in another thread, some time after the collection.
      await until(async () => {
        await collectGarbage();
        return process.memoryUsage().arrayBuffers - before < 4_000_000;
      }, 'the buffers to be freed');
      expect(held).toHaveLength(200);
    });

    it('leaves a caller to the handler whose URLs have another length', async () => {
      const issueTo = (await pages.page(frame, [1, 2], caller)).share!();
      expect(issueTo({ ...caller, clientId: 'short' })).toBeUndefined();
    });
  });
});
