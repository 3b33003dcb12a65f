import Type from 'typebox';
import { HOUR_MS } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import {
  flag,
  integer,
  lines,
  openEnum,
  text,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import { counted } from '../../../common/text/shown.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageMembers,
  pageOf,
  pageResponse,
  paginated,
  rangeOf,
} from '../../../engines/http/schemas.ts';
import type { PasswordThrottle } from '../../access/password-throttle.ts';
import { TRACK_FIELDS } from '../../catalog/track-fields.ts';
import { iso, LINK_STREAMS, VOTES, type Vote } from '../link.ts';
import { cookieName, cookieValue, linkPasswords } from '../link-password.ts';
import type { CollectionTrackStore } from '../store/collection-track-store.ts';
import type { GuestStore } from '../store/guest-store.ts';
import { longText } from './collection-schema.ts';
import { CommentSchema, guestName } from './link-schema.ts';
import type { SharedLinks } from './shared-links.ts';
import { SharedTracks, type SharedTracksNeeds } from './shared-tracks.ts';

export interface SharedDependencies extends SharedTracksNeeds {
  store: { guests: GuestStore; collectionTracks: CollectionTrackStore };
  sharedLinks: SharedLinks;
  passwordThrottle: PasswordThrottle;
  countLinkUse(use: { linkId: string; opens: number; plays: number }): void;
}

const UNLOCKED_MS = 12 * HOUR_MS;
const NO_STORE = { 'Cache-Control': 'no-store' };

const GUESTS_ROUTE = {
  tag: 'Collections',
  access: 'public',
  errors: ['invalid_token', 'not_found', 'rate_limited'],
} as const;

const params = {
  token: text('The token of the link: what follows `/s/` in its `url`.', '0aB3dE6gH9jK2mN5pQ8sT1'),
};

const votesSchema = Type.Object({
  approve: integer('How many guests approve of the track.', 2),
  pass: integer('How many guests pass on it.', 1),
});

/** Returns the operations of guests of links (docs/contract/collections.md#guests). */
export function sharedRoutes(deps: SharedDependencies): Route[] {
  return [readShared(deps), unlockShared(deps), voteShared(deps), commentShared(deps)];
}

const { id: _trackId, ...commentMembers } = CommentSchema.properties;

const SharedItemSchema = Type.Object(
  {
    track: Type.Object(
      {
        id: TRACK_FIELDS.id,
        name: TRACK_FIELDS.name,
        slug: TRACK_FIELDS.slug,
        artists: TRACK_FIELDS.artists,
        durationSeconds: TRACK_FIELDS.durationSeconds,
        bpm: TRACK_FIELDS.bpm,
        songKey: TRACK_FIELDS.songKey,
        tags: TRACK_FIELDS.tags,
        filters: TRACK_FIELDS.filters,
        artworkUrl: Type.String({ format: 'uri' }),
        waveformUrl: Type.Optional(
          Type.String({
            format: 'uri',
            description: 'Only if the owner has the feature `previews`. Signed, for 30 minutes.',
          }),
        ),
        streamUrl: Type.Optional(
          Type.String({
            format: 'uri',
            description:
              'If `streams` is `full`. Signed, for 30 minutes, and no longer than the link.',
          }),
        ),
        previewUrl: Type.Optional(
          Type.String({ format: 'uri', description: 'If `streams` is `preview`. Likewise.' }),
        ),
      },
      { title: 'SharedTrack' },
    ),
    note: longText('The note of the owner.', 'for the opening'),
    votes: votesSchema,
    comments: Type.Array(
      Type.Object(
        {
          id: CommentSchema.properties.id,
          name: commentMembers.name,
          text: commentMembers.text,
          createdAt: commentMembers.createdAt,
        },
        { title: 'SharedComment' },
      ),
      { description: 'The oldest first.' },
    ),
  },
  { title: 'SharedItem' },
);

function readShared(deps: SharedDependencies): Route {
  const tracks = new SharedTracks(deps);
  return route({
    ...GUESTS_ROUTE,
    operationId: 'readShared',
    method: 'GET',
    path: '/v1/shared/{token}',
    summary: 'Read a shared collection as a guest',
    description:
      'What the page of a link shows, without credentials: the collection with its live tracks in order. While the link has a password that the guest has not entered, the response is 401 without `WWW-Authenticate`. A token that is unknown, and one of a link that has ended, get the same 404.',
    params: Type.Object(params),
    query: Type.Object(pageMembers),
    data: paginated(SharedItemSchema, 'SharedCollection', {
      name: Type.String({ examples: ['Spring campaign'] }),
      description: Type.String({ examples: [''] }),
      by: Type.Object({ name: Type.String({ examples: ['Acme Video'] }) }),
      expiresAt: timestamp({ examples: ['2026-12-21T09:30:00.000Z'] }),
      streams: openEnum(LINK_STREAMS, { examples: ['full'] }),
      comments: flag('Whether guests may write comments.', true),
    }),
    async handle(request) {
      const { link, owner } = await deps.sharedLinks.open(request.params.token, request);
      const { collection, client, expiresAt, streams, comments } = link;
      const live = await tracks.live(link);
      const { items } = pageOf(live, request.query);
      const shown = await tracks.shown(items, { link, owner });
      if (rangeOf(request.query).offset === 0) {
        deps.countLinkUse({ linkId: link.id, opens: 1, plays: 0 });
      }
      const page = pageResponse(shown, live.length, request.query);
      return {
        ...page,
        data: {
          ...{ name: collection.name, description: collection.description },
          ...{ by: { name: client.name }, expiresAt: iso(expiresAt), streams, comments },
          ...page.data,
        },
        headers: NO_STORE,
      };
    },
  });
}

function unlockShared({ sharedLinks, passwordThrottle, clock }: SharedDependencies): Route {
  return route({
    ...GUESTS_ROUTE,
    operationId: 'unlockShared',
    method: 'POST',
    path: '/v1/shared/{token}/unlock',
    summary: 'Enter the password of a link',
    description:
      'The response sets a cookie with which this browser opens the link for 12 hours. After 10 wrong passwords in a minute from one address, or 100 in an hour, further ones are not checked.',
    params: Type.Object(params),
    success: { headers: ['Set-Cookie'] },
    body: Type.Object(
      { password: Type.String({ maxLength: 128, examples: ['spring 2027'] }) },
      { title: 'UnlockRequest' },
    ),
    data: Type.Object(
      { unlockedUntil: timestamp({ examples: ['2026-11-21T21:30:00.000Z'] }) },
      { title: 'UnlockedLink' },
    ),
    async handle(request) {
      const { link } = await sharedLinks.find(request.params.token, request);
      const { id, password } = link;
      const until = clock.now() + UNLOCKED_MS;
      const data = { unlockedUntil: iso(until) };
      if (password === null) return { data, headers: NO_STORE };
      // A new password has a new salt, and so new counts.
      const tried = { network: request.address(), of: `link ${id} ${password.salt}` };
      const result = await passwordThrottle.try(tried, () =>
        linkPasswords.matches(password, request.body.password),
      );
      if ('waitSeconds' in result) throw throttled(result.waitSeconds);
      if (!result.isRight) throw new StaveError('invalid_token', 'The password is wrong.');
      const value = cookieValue(id, password, until);
      const rules = `Path=/; Max-Age=${UNLOCKED_MS / 1000}; Secure; HttpOnly; SameSite=Strict`;
      return {
        data,
        headers: { ...NO_STORE, 'Set-Cookie': `${cookieName(id)}=${value}; ${rules}` },
      };
    },
  });
}

function throttled(seconds: number): StaveError {
  return new StaveError(
    'rate_limited',
    `Too many wrong passwords; retry in ${counted(seconds, 'second')}.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}

const guestMembers = {
  guest: Type.String({
    pattern: '^[0-9A-Za-z_-]{22}$',
    'x-rule': 'be 22 random letters, digits, hyphens and underscores',
    description: 'What the page has drawn at random for this guest, 22 characters.',
    examples: ['7pXqTz0aB3dE6gH9jK2mN5'],
  }),
  name: guestName(),
};

function voteShared(deps: SharedDependencies): Route {
  const tracks = new SharedTracks(deps);
  return route({
    ...GUESTS_ROUTE,
    errors: [...GUESTS_ROUTE.errors, 'conflict'],
    operationId: 'voteShared',
    method: 'PUT',
    path: '/v1/shared/{token}/votes/{trackId}',
    summary: 'Approve of a track as a guest, or pass on it',
    description:
      'Replaces the earlier vote of the guest for the track; null removes it. A link has 1,000 guests at most.',
    params: Type.Object({ ...params, trackId: TRACK_ID }),
    body: Type.Object(
      {
        ...guestMembers,
        vote: Type.Unsafe<Vote | null>({
          type: ['string', 'null'],
          pattern: `^(?:${VOTES.join('|')})$`,
          'x-rule': `be ${VOTES.join(', ')} or null`,
          description: '`approve`, `pass`, or null for none.',
          examples: ['approve'],
        }),
      },
      { title: 'VoteRequest' },
    ),
    data: Type.Object(
      { trackId: uuid({ examples: [EXAMPLE_ID] }), votes: votesSchema },
      { title: 'SharedVotes' },
    ),
    async handle(request) {
      const { link } = await deps.sharedLinks.open(request.params.token, request);
      const trackId = request.params.trackId.toLowerCase();
      const trackRowId = await tracks.rowIdOf(trackId, link);
      const { guest, name, vote } = request.body;
      const votes = await deps.store.guests.vote(link, { guest, name, trackRowId, vote });
      return { data: { trackId, votes }, headers: NO_STORE };
    },
  });
}

const EXAMPLE_ID = '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10';
const TRACK_ID = text('The id of the track, in either case.', EXAMPLE_ID);

function commentShared(deps: SharedDependencies): Route {
  const tracks = new SharedTracks(deps);
  return route({
    ...GUESTS_ROUTE,
    errors: [...GUESTS_ROUTE.errors, 'forbidden', 'conflict'],
    operationId: 'commentShared',
    method: 'POST',
    path: '/v1/shared/{token}/comments',
    summary: 'Comment on a track as a guest',
    description:
      'Everybody with the link sees the comment. A link has 500 comments at most. 403 if the owner has switched comments off.',
    params: Type.Object(params),
    success: { statuses: [201] },
    body: Type.Object(
      {
        ...guestMembers,
        trackId: TRACK_ID,
        text: lines(1_000, {
          description: 'The comment.',
          examples: ['Could work for the end titles'],
        }),
      },
      { title: 'CommentRequest' },
    ),
    data: CommentSchema,
    async handle(request) {
      const { link } = await deps.sharedLinks.open(request.params.token, request);
      if (!link.comments) {
        throw new StaveError('forbidden', 'The owner of the link has switched comments off.');
      }
      const trackId = request.body.trackId.toLowerCase();
      const trackRowId = await tracks.rowIdOf(trackId, link);
      const { guest, name, text: said } = request.body;
      const id = newSortableId(deps.clock.now());
      const comment = { id, guest, name, trackRowId, text: said };
      const { createdAt, ...rest } = await deps.store.guests.comment(link, comment);
      return { data: { ...rest, trackId, createdAt: iso(createdAt) }, headers: NO_STORE };
    },
  });
}
