import type { LinkComment, SharedCollection, SharedVotes } from '#client';
import type { Guest } from './guest.ts';

/** The token of the link, which is the end of the address of the page. */
export const TOKEN: string = location.pathname.split('/').at(-1)!;

const BASE = new URL(`../v1/shared/${TOKEN}`, document.baseURI).href;
const PAGE_SIZE = 100;

/** A refusal of the service. */
export class Refusal extends Error {
  readonly status: number;
  /** When to try again. */
  readonly seconds: number;

  constructor({ status, headers }: Response) {
    super(`status ${status}`);
    this.status = status;
    this.seconds = Number(headers.get('Retry-After')) || 5;
  }
}

/** Throws a Refusal, or the error of `fetch`. */
async function ask<Data>(method: string, path: string, body?: object): Promise<Data> {
  const response = await fetch(BASE + path, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Refusal(response);
  return ((await response.json()) as { data: Data }).data;
}

export const readPage = (page: number) =>
  ask<SharedCollection>('GET', `?page=${page}&pageSize=${PAGE_SIZE}`);

export const unlock = (password: string) => ask<object>('POST', '/unlock', { password });

export const sendVote = (guest: Guest, trackId: string, vote: 'approve' | 'pass' | null) =>
  ask<SharedVotes>('PUT', `/votes/${trackId}`, { ...guest, vote });

export const sendComment = (guest: Guest, trackId: string, text: string) =>
  ask<LinkComment>('POST', '/comments', { ...guest, trackId, text });
