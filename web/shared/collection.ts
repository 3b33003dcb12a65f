import { signal } from '@preact/signals';
import type { LinkComment, SharedCollection, SharedItem, SharedVotes } from '#client';
import { Refusal, readPage } from './api.ts';
import { t } from './texts/texts.ts';

/** What the page shows: that it loads or why it cannot, the question for the password, or the collection. */
export const state = signal<
  'loading' | 'locked' | 'ended' | 'offline' | 'busy' | 'waiting' | 'shown'
>('loading');
/** After how many seconds the page tries again, while it waits. */
export const waitSeconds = signal(0);
export const collection = signal<SharedCollection | undefined>(undefined);
/** The tracks that are loaded, in order. */
export const items = signal<readonly SharedItem[]>([]);

/** How long a signed URL is used, in milliseconds: a little less than it is valid. */
const URL_MS = 29 * 60_000;

let pages = 0;
let timer: ReturnType<typeof setInterval> | undefined;
let loadedAt = 0;

/** Loads the collection, or all that was loaded before. Never rejects. */
export async function open(): Promise<void> {
  clearInterval(timer);
  try {
    if (pages === 0) await loadMore();
    else await reload();
  } catch (error) {
    cannotOpen(error);
  }
}

/** Loads the next page. */
export async function loadMore(): Promise<void> {
  const page = await readPage(pages + 1);
  if (pages === 0) loadedAt = Date.now();
  pages = page.currentPage;
  show(page, [...items.value, ...page.items]);
}

/** Loads all pages again, for new URLs and what others said. */
async function reload(): Promise<void> {
  const now = Date.now();
  const loaded: SharedItem[] = [];
  let last: SharedCollection;
  for (let page = 1; page <= pages; page++) {
    last = await readPage(page);
    loaded.push(...last.items);
  }
  loadedAt = now;
  show(last!, loaded);
}

function show(page: SharedCollection, loaded: readonly SharedItem[]): void {
  collection.value = page;
  items.value = loaded;
  state.value = 'shown';
  document.title = page.name;
}

/** Shows why the collection cannot be opened. */
function cannotOpen(error: unknown): void {
  if (isClosed(error)) return;
  if (!(error instanceof Refusal)) state.value = 'offline';
  else if (error.status === 429) waitFor(error.seconds);
  else state.value = 'busy';
}

/** Whether a request has failed because the link has ended, or needs its password again; the page then says so. */
export function isClosed(error: unknown): boolean {
  const status = error instanceof Refusal && error.status;
  if (status === 404) state.value = 'ended';
  else if (status === 401) state.value = 'locked';
  return status === 404 || status === 401;
}

/** Whether the link has ended meanwhile, or needs its password again; the page then says so. */
export async function isClosedNow(): Promise<boolean> {
  return readPage(1).then(() => false, isClosed);
}

function waitFor(seconds: number): void {
  state.value = 'waiting';
  waitSeconds.value = seconds;
  timer = setInterval(() => {
    if (--waitSeconds.value <= 0) void open();
  }, 1_000);
}

/** Returns a track with URLs that are valid: they are requested again after half an hour, or after an error. */
export async function fresh(
  trackId: string,
  isRetry: boolean,
): Promise<{ url: string; expiresAt: string }> {
  if (isRetry || Date.now() > loadedAt + URL_MS) await reload();
  const found = items.value.find(({ track: { id } }) => id === trackId);
  if (found === undefined) throw new Error('the track is gone');
  const url = found.track.streamUrl ?? found.track.previewUrl;
  return { url: url!, expiresAt: new Date(loadedAt + URL_MS).toISOString() };
}

export function showVotes({ trackId, votes }: SharedVotes): void {
  change(trackId, (item) => ({ ...item, votes }));
}

export function showComment({ trackId, ...comment }: LinkComment): void {
  change(trackId, (item) => ({ ...item, comments: [...item.comments, comment] }));
}

/** The owner has switched comments off meanwhile. */
export function closeComments(): void {
  collection.value = { ...collection.value!, comments: false };
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
  return [...new Set(names)].join(', ') || t('unknownArtist');
}
