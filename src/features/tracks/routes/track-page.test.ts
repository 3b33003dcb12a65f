import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../common/ids.ts';
import { pageAround } from '../../../engines/http/schemas.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';
import type { UrlKind } from '../../media/signed-url.ts';
import {
  callerOf,
  documentOf,
  pagesOver,
  START,
  time,
  urlIssuer,
  urls,
} from './track-page.test-support.ts';
import { TrackPages } from './track-page.ts';

beforeEach(() => {
  time.now = START;
});
const caller = callerOf(newId());

const parsed = (answer: { envelope: Buffer } | undefined) =>
  JSON.parse(answer!.envelope.toString('utf8'));

describe('TrackPages', () => {
  it('writes the same envelope as JSON.stringify, for any names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.uuid(), name: fc.string({ unit: 'binary' }) }), {
          maxLength: 5,
        }),
        fc.infiniteStream(fc.constantFrom('', 'mp3', 'flac')),
        fc.boolean(),
        fc.boolean(),
        async (tracks, anyExtensions, late, hasPreviews) => {
          const caller = callerOf(newId(), 'test', hasPreviews);
          const urlOf = (kind: UrlKind, id: string, extension?: string) =>
            `https://api.example.org/base${urls.sign(kind, id, caller.clientId, 'test', time.now, extension)}`;
          const extensions = tracks.map(() => anyExtensions.next().value!);
          const pages = pagesOver(
            tracks.map((track, i) => documentOf(track, null, extensions[i])),
            late,
          );
          const rowIds = tracks.map((_, i) => i + 1);
          const answer = await pages.page(
            pageAround(rowIds, 41, { page: 2, pageSize: 20 }),
            caller,
          );
          const expected = {
            data: {
              totalRecords: 41,
              totalPages: 3,
              currentPage: 2,
              pageSize: 20,
              items: tracks.map((track, i) => ({
                ...track,
                artworkUrl: `https://api.example.org/base${artworkPath(track.id, null)}`,
                streamUrl: urlOf('stream', track.id, extensions[i]),
                streamUrlExpiresAt: '2026-11-21T10:30:10.000Z',
                ...(hasPreviews && {
                  previewUrl: urlOf('preview', track.id, 'mp3'),
                  waveformUrl: urlOf('waveform', track.id),
                  waveformDataUrl: urlOf('waveform-dat', track.id),
                }),
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
    const answer = pagesOver([]).page(pageAround([], 0, {}), caller);
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
    const frame = { ...pageAround([1], 1, {}), facets: '{"types":[]}' };
    const answer = await pagesOver([documentOf(track)]).page(frame, caller);
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
    const frame = { ...pageAround([], 0, {}), facets: '{}', warnings };
    const answer = await pagesOver([]).page(frame, caller);
    expect(Object.entries(parsed(answer).data).slice(-2)).toEqual([
      ['facets', {}],
      ['warnings', JSON.parse(warnings)],
    ]);
  });

  it('omits a track that was removed while the page was made', async () => {
    const [a, b] = [{ id: newId() }, { id: newId() }];
    const pages = pagesOver([undefined, documentOf(a), undefined, documentOf(b)]);
    const answer = await pages.page(pageAround([], 4, {}), caller);
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
      pageAround([1], 1, {}),
      caller,
      (id) => ({ before: `{"rank":7,"of":"${id}","track":`, after: '}' }),
    );
    expect(parsed(answer).data.items[0]).toMatchObject({ rank: 7, of: track.id, track });
  });

  it('has the URL of the delivered artwork if there is one', async () => {
    const track = { id: newId() };
    const artworkKey = `${'0a'.repeat(32)}.png`;
    const answer = await pagesOver([]).track(documentOf(track, artworkKey), caller);
    expect(parsed(answer).data.artworkUrl).toBe(
      `https://api.example.org/base${artworkPath(track.id, artworkKey)}`,
    );
  });

  it('writes into the memory of an earlier page only when that was released', async () => {
    const pages = pagesOver([documentOf({ id: newId() })]);
    const make = () => pages.page(pageAround([1], 1, {}), caller);
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
          languages: { document: async (document) => document },
        },
        urls: urlIssuer(),
      });
      const make = () => pages.page(pageAround([1], 0, {}), caller);
      // Both begin before one is complete.
      await Promise.all([make(), make()]);
      expect(given[0]!.buffer === given[1]!.buffer).toBe(isAgain);
    },
  );
});
