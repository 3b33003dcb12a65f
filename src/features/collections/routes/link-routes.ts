import Type from 'typebox';
import { byOf, type Caller } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import { text } from '../../../common/schema-types.ts';
import { parseTime } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  deletedSchema,
  pageMembers,
  pageResponse,
  paginated,
  rangeOf,
  refuseEmpty,
} from '../../../engines/http/schemas.ts';
import type { StoredPassword } from '../../access/password-hashes.ts';
import { newLinkToken } from '../../access/secret.ts';
import {
  type CollectionLink,
  endedLink,
  iso,
  LINK_MS,
  type LinkTerms,
  refuseExpiry,
  shownLink,
} from '../link.ts';
import { linkPasswords } from '../link-password.ts';
import type { GuestStore } from '../store/guest-store.ts';
import type { LinkStore } from '../store/link-store.ts';
import { COLLECTIONS, collectionParams } from './collection-schema.ts';
import {
  CommentSchema,
  LinkEditSchema,
  LinkRequestSchema,
  LinkSchema,
  linkParams,
} from './link-schema.ts';

export interface LinkDependencies {
  store: { links: LinkStore; guests: GuestStore };
  /** Writes what guests have done on this node into the database, so that counts are up to date. */
  writeLinkUse(): Promise<void>;
  publicUrl(): string;
  clock: Clock;
}

const SHARED = { ...COLLECTIONS, errors: ['not_found'] } as const;

/** Returns the operations of owners on links to collections (docs/contract/collections.md#links). */
export function linkRoutes(deps: LinkDependencies): Route[] {
  return [
    createLink(deps),
    listLinks(deps),
    showLink(deps),
    updateLink(deps),
    deleteLink(deps),
    listLinkComments(deps),
    deleteLinkComment(deps),
  ];
}

/** The token in `url` is not kept for repeated requests, but read again. */
function secretUrl({ store, publicUrl, clock }: LinkDependencies) {
  return {
    secretMembers: ['url'],
    async reveal({ id, version, ...others }: Readonly<Record<string, unknown>>, caller: Caller) {
      const link = await store.links.ofClient(String(id), caller);
      const { url } = shownLink(link, publicUrl(), clock.now());
      return { id, version, url, ...others };
    },
  };
}

function responseOf({ publicUrl, clock }: LinkDependencies, link: CollectionLink) {
  return { data: shownLink(link, publicUrl(), clock.now()), version: link.version };
}

function createLink(deps: LinkDependencies): Route {
  const { store, clock } = deps;
  return route({
    ...SHARED,
    operationId: 'createCollectionLink',
    method: 'POST',
    path: '/v1/collections/{id}/links',
    summary: 'Make a link to a collection',
    description:
      'Everybody who has the `url` can see, hear and comment on the tracks of the collection, without credentials, until the link ends: 30 days from now by default. A collection has 50 live links at most. Only for the owner.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(collectionParams),
    idempotent: true,
    ...secretUrl(deps),
    success: { statuses: [201], headers: ['Location', 'ETag'] },
    body: LinkRequestSchema,
    emptyBody: true,
    data: LinkSchema,
    async handle({ params, body, caller, change }) {
      const now = clock.now();
      const collectionId = params.id.toLowerCase();
      const {
        password,
        expiresAt = now + LINK_MS,
        ...terms
      } = await termsOf(body, now, () =>
        hashed(caller!, body.password!, () => store.links.refuseOneMore(collectionId, caller!)),
      );
      const link = {
        ...{ id: newSortableId(now), token: newLinkToken(), by: byOf(caller!) },
        ...{ label: '', streams: 'full' as const, comments: true, ...terms, expiresAt },
        password: password ?? null,
      };
      return change(
        (context) => store.links.create(collectionId, link, context),
        (created) => ({
          ...responseOf(deps, created),
          headers: { Location: `/v1/collections/${collectionId}/links/${created.id}` },
        }),
      );
    },
  });
}

/**
 * Returns what a body says. Throws `invalid_request` for a time that is not allowed.
 *
 * @param hash returns the hash of the password of the body
 */
async function termsOf(
  {
    password,
    expiresAt,
    ...terms
  }: {
    label?: string;
    expiresAt?: string;
    password?: string | null;
    streams?: LinkTerms['streams'];
    comments?: boolean;
  },
  now: number,
  hash: () => Promise<StoredPassword>,
): Promise<Partial<LinkTerms>> {
  const end = expiresAt === undefined ? undefined : parseTime(expiresAt);
  if (end !== undefined) refuseExpiry(end, now);
  return {
    ...terms,
    ...(end !== undefined && { expiresAt: end }),
    ...(password !== undefined && { password: password && (await hash()) }),
  } as Partial<LinkTerms>;
}

/** The clients of whom a password is hashed, or waits for that. */
const hashing = new Set<string>();

/**
 * Hashes a password that a client gives a link, after a check that the link can be made or changed. Throws `rate_limited`
 * for a second one of the client at the same time, because guests who enter passwords wait for the same turns.
 */
async function hashed(
  { clientId }: Caller,
  password: string,
  check: () => Promise<void>,
): Promise<StoredPassword> {
  if (hashing.has(clientId)) {
    throw new StaveError(
      'rate_limited',
      'Another request of this client sets the password of a link: send one after the other.',
      { headers: { 'Retry-After': '1' } },
    );
  }
  hashing.add(clientId);
  try {
    await check();
    return await linkPasswords.make(password);
  } finally {
    hashing.delete(clientId);
  }
}

function listLinks(deps: LinkDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listCollectionLinks',
    method: 'GET',
    path: '/v1/collections/{id}/links',
    summary: 'List the links to a collection',
    description: 'With those that ended in the last 30 days. Newest first. Only for the owner.',
    params: Type.Object(collectionParams),
    query: Type.Object(pageMembers),
    data: paginated(LinkSchema, 'CollectionLinkPage'),
    async handle({ params, query, caller }) {
      await deps.writeLinkUse();
      const id = params.id.toLowerCase();
      const { links, total } = await deps.store.links.list(id, caller!, rangeOf(query));
      const shown = links.map((link) => responseOf(deps, link).data);
      return { ...pageResponse(shown, total, query), headers: { 'Cache-Control': 'no-store' } };
    },
  });
}

function showLink(deps: LinkDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'showCollectionLink',
    method: 'GET',
    path: '/v1/collections/{id}/links/{linkId}',
    summary: 'Read a link to a collection',
    description: 'Also one that ended in the last 30 days.',
    params: Type.Object(linkParams),
    success: { headers: ['ETag'] },
    data: LinkSchema,
    async handle({ params, caller }) {
      await deps.writeLinkUse();
      const [id, linkId] = [params.id.toLowerCase(), params.linkId.toLowerCase()];
      return responseOf(deps, await deps.store.links.find(id, linkId, caller!));
    },
  });
}

function updateLink(deps: LinkDependencies): Route {
  const { store, clock } = deps;
  return route({
    ...SHARED,
    operationId: 'updateCollectionLink',
    method: 'PATCH',
    path: '/v1/collections/{id}/links/{linkId}',
    summary: 'Change a link to a collection',
    description:
      'Members that are not sent stay as they are. From `full` to `preview`, the stream URLs that guests have end within a second. A new password, or null, locks out the guests who entered the former one. A link that has ended cannot be changed.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(linkParams),
    idempotent: true,
    ...secretUrl(deps),
    needsMatch: true,
    success: { headers: ['ETag'] },
    body: LinkEditSchema,
    checkBody: refuseEmpty,
    data: LinkSchema,
    async handle({ params, body, caller, requireVersion, change }) {
      const [id, linkId] = [params.id.toLowerCase(), params.linkId.toLowerCase()];
      const terms = await termsOf(body, clock.now(), () =>
        hashed(caller!, body.password!, async () => {
          const link = await store.links.find(id, linkId, caller!);
          requireVersion(link.version);
          if (link.endsAt <= clock.now()) throw endedLink();
        }),
      );
      await deps.writeLinkUse();
      return change(
        (context) => store.links.update(id, linkId, terms, requireVersion, context),
        (link) => responseOf(deps, link),
      );
    },
  });
}

function deleteLink({ store }: LinkDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'deleteCollectionLink',
    method: 'DELETE',
    path: '/v1/collections/{id}/links/{linkId}',
    summary: 'End a link to a collection',
    description:
      'Within a second, neither the page nor the URLs of its tracks work. You can read the link, with what guests wrote, for another 30 days.',
    params: Type.Object(linkParams),
    idempotent: true,
    needsMatch: true,
    data: deletedSchema('DeletedCollectionLink'),
    handle({ params, requireVersion, change }) {
      const [collectionId, id] = [params.id.toLowerCase(), params.linkId.toLowerCase()];
      return change(
        (context) => store.links.end(collectionId, id, requireVersion, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}

function listLinkComments({ store }: LinkDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listLinkComments',
    method: 'GET',
    path: '/v1/collections/{id}/links/{linkId}/comments',
    summary: 'List what guests of a link wrote',
    description: 'Newest first. The texts come from strangers: escape them where you show them.',
    params: Type.Object(linkParams),
    query: Type.Object(pageMembers),
    data: paginated(CommentSchema, 'LinkCommentPage'),
    async handle({ params, query, caller }) {
      const link = { collectionId: params.id.toLowerCase(), linkId: params.linkId.toLowerCase() };
      const { comments, total } = await store.guests.comments(link, caller!, rangeOf(query));
      const shown = comments.map((one) => ({ ...one, createdAt: iso(one.createdAt) }));
      return pageResponse(shown, total, query);
    },
  });
}

function deleteLinkComment({ store }: LinkDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'deleteLinkComment',
    method: 'DELETE',
    path: '/v1/collections/{id}/links/{linkId}/comments/{commentId}',
    summary: 'Delete a comment of a guest',
    description: 'It disappears from the page of the link.',
    params: Type.Object({
      ...linkParams,
      commentId: text(
        'The id of the comment, in either case.',
        '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41',
      ),
    }),
    idempotent: true,
    data: deletedSchema('DeletedLinkComment'),
    handle({ params, change }) {
      const link = { collectionId: params.id.toLowerCase(), linkId: params.linkId.toLowerCase() };
      const id = params.commentId.toLowerCase();
      return change(
        (context) => store.guests.deleteComment({ ...link, id }, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}
