import type { Brief, Facets, SimilarTrack, StaveClient, Track, Warning } from '#client';
import { bodyOf, FIELDS, withAudio, withoutAbsent } from '../browse/saved-query.ts';
import type { Query, Shown } from '../browse/view.ts';
import { example, isTooLarge } from '../example/example.ts';
import { t } from '../texts/texts.ts';
import type { Part } from './part.ts';

/** A track in a list, with what only that list says of it. */
export interface Row {
  track: Track;
  /** What is played instead of the mix. */
  part?: Part;
  /** Why it is similar, what it has of a brief, or the note of the owner of a collection. */
  note?: string;
}

/** A page of a list. */
interface LoadedPage {
  total: number;
  rows: Row[];
  facets?: Facets;
  brief?: Brief;
  warnings?: Warning[];
}

/** How the page is requested, for those who want to do the same in a program. */
export interface Call {
  /** The method of the client library. */
  operation: string;
  method: 'GET' | 'POST';
  /** With parameters in braces. */
  path: string;
  input: Readonly<Record<string, unknown>>;
  /** The name of the file that is the body. */
  file?: string;
}

/** A list of tracks that is read page by page, in any order. */
export interface TrackSource {
  call: Call;
  load(page: number, signal: AbortSignal): Promise<LoadedPage>;
}

export const PAGE_SIZE = 50;

/** Returns the tracks of a list; undefined if it is a list of other things. */
export function sourceOf(
  { shown, query }: { shown: Shown; query: Query },
  stave: StaveClient,
  scopes: readonly string[],
): TrackSource | undefined {
  switch (shown.list) {
    case 'search':
      return query.brief === undefined && scopes.includes('tracks')
        ? listed(query, stave)
        : searched(query, stave);
    case 'playlist': {
      const input = { idOrSlug: shown.of };
      return {
        call: get('listPlaylistTracks', '/v1/playlists/{idOrSlug}/tracks', input),
        load: async (page, signal) =>
          found(
            await stave.listPlaylistTracks({ ...input, page, pageSize: PAGE_SIZE }, { signal }),
          ),
      };
    }
    case 'collection': {
      const input = { id: shown.of };
      return {
        call: get('listCollectionTracks', '/v1/collections/{id}/tracks', input),
        load: async (page, signal) => {
          const asked = { ...input, page, pageSize: PAGE_SIZE };
          const { totalRecords, items } = await stave.listCollectionTracks(asked, { signal });
          return { total: totalRecords, rows: items };
        },
      };
    }
    case 'saved-search': {
      const input = { id: shown.of };
      return {
        call: get('listSavedSearchTracks', '/v1/saved-searches/{id}/tracks', input),
        load: async (page, signal) =>
          found(
            await stave.listSavedSearchTracks({ ...input, page, pageSize: PAGE_SIZE }, { signal }),
          ),
      };
    }
    case 'similar': {
      const input = { slug: shown.of, ...(shown.by && { by: shown.by }) };
      return {
        call: get('listSimilarTracks', '/v1/tracks/{slug}/similar', input),
        load: async (_page, signal) => {
          const { items } = await stave.listSimilarTracks(
            { ...input, limit: PAGE_SIZE },
            { signal },
          );
          return similar(items);
        },
      };
    }
    case 'by-audio':
      return example.value === undefined || isTooLarge(example.value)
        ? undefined
        : byAudio(example.value, stave);
    default:
      return undefined;
  }
}

/** How long the audio may take on its way and to be compared, in milliseconds. */
const BY_AUDIO_MS = 120_000;

function byAudio(file: File, stave: StaveClient): TrackSource {
  const input = { limit: PAGE_SIZE };
  return {
    call: {
      operation: 'searchByAudio',
      method: 'POST',
      path: '/v1/search/by-audio',
      input,
      file: file.name,
    },
    async load(_page, signal) {
      const options = { signal, timeoutMs: BY_AUDIO_MS, maxRetries: 0 };
      const { items } = await stave.searchByAudio({ ...input, file }, options);
      return similar(items);
    },
  };
}

/** With how similar each track is, and how much of it the sound is. */
function similar(items: readonly SimilarTrack[]): LoadedPage {
  const rows = items.map(({ track, score, reasons: { sound } }) => {
    const parts = [
      t('percentSimilar', { percent: percent(score) }),
      ...(sound === null ? [] : [t('percentBySound', { percent: percent(sound) })]),
    ];
    return { track, note: parts.join(', ') };
  });
  return { total: rows.length, rows };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function get(operation: string, path: string, input: Call['input']): Call {
  return { operation, method: 'GET', path, input };
}

function listed(query: Query, stave: StaveClient): TrackSource {
  const input = withoutAbsent({ ...withAudio(query), in: query.search && FIELDS });
  return {
    call: get('listTracks', '/v1/tracks', input),
    load: async (page, signal) =>
      found(await stave.listTracks({ ...input, ...paging(page) }, { signal })),
  };
}

/** The same for a client that may only search, or with a brief. */
function searched(query: Query, stave: StaveClient): TrackSource {
  const input = bodyOf(query);
  return {
    call: { operation: 'searchTracks', method: 'POST', path: '/v1/search', input: { ...input } },
    load: async (page, signal) =>
      found(await stave.searchTracks({ ...input, ...paging(page) }, { signal })),
  };
}

/** The numbers of the filters come with the first page. */
function paging(page: number) {
  return { page, pageSize: PAGE_SIZE, ...(page === 1 && { facets: true }) };
}

function found({
  totalRecords,
  items,
  brief,
  ...rest
}: {
  totalRecords: number;
  items: (Track & { matched?: number[] })[];
  facets?: Facets;
  brief?: Brief;
  warnings?: Warning[];
}): LoadedPage {
  const rows = items.map((track) => {
    const texts = track.matched?.map((part) => brief?.understood[part]?.text);
    return texts?.length ? { track, note: texts.join(', ') } : { track };
  });
  return { total: totalRecords, rows, ...rest, ...(brief && { brief }) };
}
