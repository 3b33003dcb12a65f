import { setTimeout as sleep } from 'node:timers/promises';
import { readCursor } from '../../../src/engines/change-log/positions.ts';
import type { Event, Record } from './record.ts';

interface Page {
  items: Event[];
  nextCursor: string;
  nextSince: string | null;
  hasMore: boolean;
}

/** Sends a GET with a token, and returns `data` of a response with status 200. */
export type Get = (path: string) => Promise<Page>;

/** The number of the last change that a reader must see; undefined while there are further changes. */
type LastSeq = () => number | undefined;

/** How a reader reads. */
export interface Reading {
  get: Get;
  last: LastSeq;
  /** Gets what the reader receives. */
  record: Record;
}

const FEED = '/v1/tracks/changes';
/** How often readers without a long-poll ask, in milliseconds. */
const EVERY_MS = 250;
/** How often the reader by time asks: each answer repeats ten seconds. */
const EVERY_TIME_MS = 5_000;

const isBehind = (cursor: string, last: number | undefined) =>
  last === undefined || readCursor(cursor)!.seq < last;

/** Reads all changes after a cursor, page by page. */
export async function readByCursor({ get, last, record }: Reading, from: string): Promise<void> {
  for (let cursor = from; isBehind(cursor, last()); ) {
    const page = await get(`${FEED}?cursor=${cursor}&limit=500`);
    record.add(page.items);
    cursor = page.nextCursor;
    if (!page.hasMore) await sleep(EVERY_MS);
  }
}

/** The same by requests that wait for changes. The last ones may wait for a second in vain. */
export async function readByWaiting({ get, last, record }: Reading, from: string): Promise<void> {
  for (let cursor = from; isBehind(cursor, last()); ) {
    const page = await get(`${FEED}?cursor=${cursor}&limit=100&wait=1`);
    record.add(page.items);
    cursor = page.nextCursor;
  }
}

/** Reads all changes since a time, as a reader that stores only times. */
export async function readByTime({ get, last, record }: Reading, from: string): Promise<void> {
  for (let [since, isOver] = [from, false]; !isOver; ) {
    const end = last();
    let page = await get(`${FEED}?since=${since}&limit=500&tracks=false`);
    record.add(page.items, true);
    while (page.hasMore) {
      page = await get(`${FEED}?cursor=${page.nextCursor}&limit=500&tracks=false`);
      record.add(page.items);
    }
    since = page.nextSince!;
    isOver = !isBehind(page.nextCursor, end);
    if (last() === undefined) await sleep(EVERY_TIME_MS);
  }
}
