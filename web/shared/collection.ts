import { signal } from '@preact/signals';
import type { LinkComment, SharedCollection, SharedItem, SharedVotes } from '#client';
import { Refusal, readPage } from './api.ts';

/** What the page shows: it loads, is locked, has no link to show, or shows the collection. */
export const state = signal<'loading' | 'locked' | 'ended' | 'failed' | 'shown'>('loading');
/** Why the last request failed; '' if it did not. */
export const problem = signal('');
export const collection = signal<SharedCollection | undefined>(undefined);
/** The tracks that are loaded, in order. */
export const items = signal<readonly SharedItem[]>([]);

/** How long a signed URL is used, in milliseconds: a little less than it is valid. */
const URL_MS = 29 * 60_000;

let pages = 0;
let loadedAt = 0;

/** Loads the first page, or the next one. */
export async function loadMore(): Promise<void> {
  try {
    const page = await readPage(pages + 1);
    if (pages === 0) loadedAt = Date.now();
    pages = page.currentPage;
    collection.value = page;
    items.value = [...items.value, ...page.items];
    state.value = 'shown';
    problem.value = '';
    document.title = page.name;
  } catch (error) {
    failed(error);
  }
}

/** Shows why a request failed. */
export function failed(error: unknown): void {
  const { status } = error instanceof Refusal ? error : {};
  if (status === 404 && pages === 0) state.value = 'ended';
  else if (status === 401) state.value = 'locked';
  else if (pages === 0) state.value = 'failed';
  problem.value = error instanceof Error ? error.message : String(error);
}

/** Returns a track with URLs that are valid, which are requested again after half an hour. */
export async function fresh(trackId: string): Promise<{ url: string; expiresAt: string }> {
  if (Date.now() > loadedAt + URL_MS) await reload();
  const { track } = items.value.find(({ track: { id } }) => id === trackId)!;
  const url = track.streamUrl ?? track.previewUrl;
  return { url: url!, expiresAt: new Date(loadedAt + URL_MS).toISOString() };
}

/** Loads all pages again, for new URLs and what others said. */
async function reload(): Promise<void> {
  const now = Date.now();
  const loaded: SharedItem[] = [];
  for (let page = 1; page <= pages; page++) {
    const next = await readPage(page);
    collection.value = next;
    loaded.push(...next.items);
  }
  items.value = loaded;
  loadedAt = now;
}

export function showVotes({ trackId, votes }: SharedVotes): void {
  change(trackId, (item) => ({ ...item, votes }));
}

export function showComment({ trackId, ...comment }: LinkComment): void {
  change(trackId, (item) => ({ ...item, comments: [...item.comments, comment] }));
}

function change(trackId: string, to: (item: SharedItem) => SharedItem): void {
  items.value = items.value.map((item) => (item.track.id === trackId ? to(item) : item));
}

/** Whether there is something to hear: the URL of audio ends in an extension. */
export function isPlayable({ track }: SharedItem): boolean {
  return /\.\w+$/.test(new URL(track.streamUrl ?? track.previewUrl!).pathname);
}

export function artistsOf({ track: { artists } }: SharedItem): string {
  const main = artists.filter(({ role }) => role === 'MAIN_ARTIST' || role === 'FEATURED_ARTIST');
  const names = (main.length > 0 ? main : artists.slice(0, 2)).map(({ name }) => name);
  return [...new Set(names)].join(', ') || 'Unknown artist';
}
