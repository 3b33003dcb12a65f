import { describe, expect, it } from 'vitest';
import { StaveError } from '../../../common/errors.ts';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import type { PlaylistSummary } from '../playlist.ts';
import { listPlaylists, listPlaylistTracks, showPlaylist } from './playlist-routes.ts';

const mine = { id: '9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21', trackIds: ['a', 'gone', 'b', 'c'] };
const theirs = { id: '00000000-0000-4000-8000-000000000001', trackIds: ['a'] };
const caller = { clientId: 'me' };

describe('listPlaylistTracks', () => {
  const frames: unknown[] = [];
  const route = listPlaylistTracks({
    playlists: {
      find: async (idOrSlug, grantedTo) =>
        (idOrSlug === mine.id && grantedTo === 'me' ? mine : undefined) as never,
    },
    catalog: { locate: (ids) => ids.map((id) => (id === 'gone' ? undefined : id.charCodeAt(0))) },
    pages: {
      page({ totalRecords, currentPage: page, pageSize, items: tracks }) {
        frames.push({ totalRecords, page, pageSize, tracks });
        return { envelope: Buffer.alloc(0) };
      },
    },
  });
  const ask = async (idOrSlug: string, query = {}) =>
    route.handle({ params: { idOrSlug }, query, caller } as unknown as ApiRequest);

  it('shows live tracks only, in the order of the playlist', async () => {
    await ask(mine.id.toUpperCase(), { page: 2, pageSize: 2 });
    expect(frames).toEqual([
      { totalRecords: 3, page: 2, pageSize: 2, tracks: ['c'.charCodeAt(0)] },
    ]);
  });

  it('returns the same error for a playlist that is not granted and for one that does not exist', async () => {
    const [foreign, none] = await Promise.all(
      [theirs.id, 'no-such-list'].map((name) => ask(name).catch((error: StaveError) => error)),
    );
    expect(foreign).toBeInstanceOf(StaveError);
    expect({ ...(foreign as StaveError), message: (foreign as StaveError).message }).toEqual({
      ...(none as StaveError),
      message: (none as StaveError).message,
    });
  });
});

describe('showPlaylist', () => {
  it('shows a granted playlist, and returns not_found for any other', async () => {
    const route = showPlaylist({
      playlists: {
        summary: async (idOrSlug, grantedTo) =>
          (idOrSlug === mine.id && grantedTo === 'me'
            ? { ...mine, createdAt: 0, updatedAt: 0 }
            : undefined) as never,
      },
      texts: { playlistTexts: async () => new Map() },
      publicUrl: () => 'https://api.example.org',
    });
    const ask = async (idOrSlug: string) =>
      route.handle({ params: { idOrSlug }, caller } as unknown as ApiRequest);
    expect(await ask(mine.id.toUpperCase())).toMatchObject({
      data: { id: mine.id, createdAt: '1970-01-01T00:00:00.000Z' },
    });
    await expect(ask(theirs.id)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('listPlaylists', () => {
  it('shows what the store lists for this client, with times in ISO 8601', async () => {
    const summary: PlaylistSummary = {
      id: mine.id,
      name: 'Late Evening',
      slug: 'late-evening',
      description: '',
      createdAt: Date.UTC(2026, 10, 2),
      updatedAt: Date.UTC(2026, 10, 3),
      trackCount: 3,
      durationSeconds: 500,
    };
    const route = listPlaylists({
      playlists: { list: async ({ clientId }) => (clientId === 'me' ? [summary] : []) },
      texts: { playlistTexts: async () => new Map() },
      publicUrl: () => 'https://api.example.org',
    });
    const answer = await route.handle({ query: {}, caller } as unknown as ApiRequest);
    expect(answer).toMatchObject({
      data: {
        totalRecords: 1,
        items: [
          {
            slug: 'late-evening',
            createdAt: '2026-11-02T00:00:00.000Z',
            updatedAt: '2026-11-03T00:00:00.000Z',
            artworkUrl: expect.stringMatching(/^https:\/\/api\.example\.org\/media\/artwork\//),
          },
        ],
      },
    });
  });
});
