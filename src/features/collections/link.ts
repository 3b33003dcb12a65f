import { createHash } from 'node:crypto';
import type { By } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import type { StoredPassword } from '../access/password-hashes.ts';

/** The most live links of a collection, and the most with those that have ended. */
const MAX_LIVE_LINKS = 50;
const MAX_LINKS = 1_000;
/** By default, how long a link is valid; and how long an ended one is kept. */
export const LINK_MS = 30 * DAY_MS;
export const KEPT_MS = 30 * DAY_MS;

export const MAX_GUESTS = 1_000;
export const MAX_COMMENTS = 500;

/** What guests may hear of a track. */
export const LINK_STREAMS = ['full', 'preview'] as const;
export type LinkStreams = (typeof LINK_STREAMS)[number];

export const VOTES = ['approve', 'pass'] as const;
export type Vote = (typeof VOTES)[number];

/** A link that shows a collection to everybody who has it. Times are in milliseconds since the epoch. */
export interface CollectionLink {
  /** UUID version 7. */
  id: string;
  version: number;
  /** '' if its stored copy is damaged. */
  token: string;
  label: string;
  expiresAt: number;
  /** The time of the expiry, or that of an earlier end. */
  endsAt: number;
  hasPassword: boolean;
  streams: LinkStreams;
  comments: boolean;
  createdAt: number;
  updatedAt: number;
  by: By;
  /** How often guests have read its first page, and begun to play a track. */
  opens: number;
  plays: number;
  lastOpenedAt: number | null;
}

/** What the owner of a link chooses. */
export interface LinkTerms {
  label: string;
  expiresAt: number;
  password: StoredPassword | null;
  streams: LinkStreams;
  comments: boolean;
}

/** A live link, as requests of guests need it. */
export interface SharedLink extends Pick<LinkTerms, 'expiresAt' | 'password' | 'streams'> {
  rowId: number;
  id: string;
  comments: boolean;
  collection: { id: string; name: string; description: string };
  /** The owner. */
  client: { clientId: string; name: string; mode: 'test' | 'live' };
}

/** What guests have done with a link, to be added to its counts. */
export interface LinkUse {
  linkId: string;
  opens: number;
  plays: number;
  /** 0 without an opening. */
  lastOpenedAt: number;
}

export interface GuestComment {
  id: string;
  trackId: string;
  name: string;
  text: string;
  createdAt: number;
}

export interface Votes {
  approve: number;
  pass: number;
}

/** Returns the SHA-256 of a token, or of what the page of a guest has drawn. Both have more than 120 random bits. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * Returns a link as partners see it (docs/contract/collections.md#links).
 * @param publicUrl the base of the service's own URLs, without a trailing slash
 */
export function shownLink(link: CollectionLink, publicUrl: string, now: number) {
  const { id, version, token, label, hasPassword, streams, comments, by, opens, plays } = link;
  return {
    id,
    version,
    url: `${publicUrl}/s/${token}`,
    label,
    expiresAt: iso(link.expiresAt),
    endedAt: link.endsAt <= now ? iso(link.endsAt) : null,
    ...{ hasPassword, streams, comments },
    createdAt: iso(link.createdAt),
    updatedAt: iso(link.updatedAt),
    ...{ by, opens, plays },
    lastOpenedAt: link.lastOpenedAt === null ? null : iso(link.lastOpenedAt),
  };
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** Throws `invalid_request` unless a link that is made or changed now may end then. */
export function refuseExpiry(expiresAt: number, now: number): void {
  const last = new Date(now);
  last.setUTCFullYear(last.getUTCFullYear() + 1);
  if (expiresAt > now && expiresAt <= last.getTime()) return;
  throw new StaveError('invalid_request', 'expiresAt must be in the future, within a year.', {
    details: [{ field: 'expiresAt', message: 'expiresAt must be in the future, within a year' }],
  });
}

/** Throws `conflict` if a collection has the most links, live ones or with those that are kept. */
export function refuseOneMoreLink({ live, kept }: { live: number; kept: number }): void {
  if (live >= MAX_LIVE_LINKS) {
    throw new StaveError(
      'conflict',
      `The collection has ${MAX_LIVE_LINKS} live links, the most allowed; end one first.`,
    );
  }
  if (kept >= MAX_LINKS) {
    throw new StaveError(
      'conflict',
      `The collection has ${MAX_LINKS} links with those that have ended in the last 30 days, the most allowed; use or change one of the live ones.`,
    );
  }
}

export function unknownLink(): StaveError {
  return new StaveError('not_found', 'The collection has no such link, or it has ended.');
}

export function endedLink(): StaveError {
  return new StaveError('conflict', 'The link has ended and cannot be changed; make a new one.');
}

/** The one error for a link that never existed, has expired, or was ended. */
export function noSuchLink(): StaveError {
  return new StaveError('not_found', 'There is no such link, or it has ended.');
}
