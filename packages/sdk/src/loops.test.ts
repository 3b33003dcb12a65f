import { describe, expect, it } from 'vitest';
import { scriptedServer, send, sendError } from './scripted-server.test-support.ts';

const parametersOf = (url: string) => new URL(url, 'http://x').searchParams;

describe('a list', () => {
  const pages = (total: number) =>
    scriptedServer(({ url }, response) => {
      const page = Number(parametersOf(url).get('page') ?? 1);
      send(response, 200, {
        currentPage: page,
        totalPages: total,
        items: total === 0 ? [] : [{ id: `${page}a` }, { id: `${page}b` }],
      });
    });

  it('is a page to await, and all records to loop over', async () => {
    const server = await pages(3);
    const list = server.client().listTracks({ search: 'x' });
    expect((await list).items).toHaveLength(2);
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    expect(ids).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/tracks?search=x',
      '/v1/tracks?search=x&page=2',
      '/v1/tracks?search=x&page=3',
    ]);
  });

  it('requests no page that the loop does not reach, and may be empty', async () => {
    const server = await pages(3);
    for await (const { id } of server.client().listPlaylistTracks({ idOrSlug: 'p' })) {
      if (id === '2a') break;
    }
    expect(server.received).toHaveLength(2);
    const empty = await pages(0);
    for await (const _ of empty.client().listTracks()) throw new Error('there is none');
  });
});

describe('the feed', () => {
  it('continues from each cursor and waits for changes', async () => {
    let seq = 0;
    const server = await scriptedServer((_, response) => {
      seq++;
      const items = seq % 3 === 1 ? [{ seq }] : [];
      // The second response has only left out changes, the third one has found none.
      const nextCursor = `c${seq === 3 ? 2 : seq}`;
      send(response, 200, { items, nextCursor, nextSince: null, hasMore: seq === 2 });
    });
    const pages: unknown[] = [];
    const start = performance.now();
    for await (const { items, nextCursor } of server
      .client()
      .followTrackChanges({ since: '2026-01-01T00:00:00Z' })) {
      pages.push([nextCursor, ...items.map((item) => item.seq)]);
      if (pages.length === 3) break;
    }
    expect(pages).toEqual([['c1', 1], ['c2'], ['c4', 4]]);
    // The third response came at once.
    expect(performance.now() - start).toBeGreaterThan(990);
    const requested = server.received.map(({ url }) => Object.fromEntries(parametersOf(url)));
    expect(requested).toEqual([
      // The service refuses a wait with a time.
      { limit: '500', since: '2026-01-01T00:00:00Z', wait: '0' },
      { limit: '500', wait: '30', cursor: 'c1' },
      { limit: '500', wait: '30', cursor: 'c2' },
      { limit: '500', wait: '30', cursor: 'c2' },
    ]);
  });

  it('pauses without a wait if nothing is new, until the signal', async () => {
    const server = await scriptedServer(({ url }, response) => {
      const hasMore = parametersOf(url).get('cursor') === 'c0';
      send(response, 200, { items: [], nextCursor: 'c1', nextSince: null, hasMore });
    });
    const controller = new AbortController();
    const feed = server
      .client()
      .followTrackChanges({ cursor: 'c0', wait: 0 }, { signal: controller.signal });
    expect(await feed.next()).toMatchObject({ value: { items: [], nextCursor: 'c1' } });
    const ended = expect(feed.next()).rejects.toThrow('enough');
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await ended;
    // The first page said that there were more.
    expect(server.received).toHaveLength(2);
  });

  it('throws an error that does not end by itself', async () => {
    const server = await scriptedServer((_, response) => sendError(response, 410, 'gone'));
    const feed = server.client().followTrackChanges({ cursor: 'old' });
    await expect(feed.next()).rejects.toMatchObject({ type: 'gone' });
  });
});

describe('a snapshot', () => {
  const first = { type: 'snapshot', cursor: 'c1', seq: 1, takenAt: '', tracks: 3 };
  const track = (id: string) => ({ type: 'track', track: { id } });
  const text = (lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

  it('continues from the last mark if the connection breaks', async () => {
    const server = await scriptedServer(({ url }, response) => {
      if (parametersOf(url).get('resume') === 'r1') {
        return void response.end(text([first, track('c'), { type: 'end', tracks: 1, sha256: '' }]));
      }
      response.write(text([first, track('a'), track('b'), { type: 'mark', resume: 'r1' }]), () =>
        response.destroy(),
      );
    });
    const lines: unknown[] = [];
    for await (const line of server.client().snapshot()) lines.push(line);
    expect(lines).toEqual([
      first,
      track('a'),
      track('b'),
      { type: 'mark', resume: 'r1' },
      track('c'),
      { type: 'end', tracks: 1, sha256: '' },
    ]);
  });

  it('throws if its end never arrives, or tracks are missing', async () => {
    const bodies = [
      text([first, track('a')]),
      text([first, { type: 'end', tracks: 2, sha256: '' }]),
    ];
    for (const body of bodies) {
      const server = await scriptedServer((_, response) => void response.end(body));
      const read = async () => {
        for await (const _ of server.client().snapshot());
      };
      await expect(read()).rejects.toThrow('The snapshot has no end, or not all of its tracks');
      expect(server.received).toHaveLength(5);
    }
  });
});
