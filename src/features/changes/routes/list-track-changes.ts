import Type, { type Static } from 'typebox';
import type { Caller } from '../../../common/caller.ts';
import type { FieldProblem } from '../../../common/errors.ts';
import { flag, integer, oneOf, text, time, timestampOrNull } from '../../../common/schema-types.ts';
import { parseTime } from '../../../common/time.ts';
import {
  type Change,
  TRACK_EVENT_TYPES,
  trackEventOf,
} from '../../../engines/change-log/change-log.ts';
import { readCursor, writeCursor } from '../../../engines/change-log/positions.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Route,
  route,
} from '../../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { languageParameter } from '../../languages/routes/language.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import type { ChangeFeed, FeedFilter, FeedPage, FeedStart } from '../feed.ts';
import type { LongPolls } from './long-polls.ts';
import { eventOf, TrackChangeSchema } from './track-change.ts';

const DEFAULT_LIMIT = 100;
const MAX_WAIT_SECONDS = 30;

const Query = Type.Object({
  since: Type.Optional(
    time({
      description:
        'Changes at or after this time (RFC 3339; write a `+` as `%2B`). Begins 10 s earlier, because clocks differ. Use `cursor` if you can store it.',
      examples: ['2026-11-21T10:00:00.000Z'],
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Changes after this position: `nextCursor` of a response, or `cursor` of a snapshot.',
      examples: ['c1.AAECAwQFBgcAAAAAAAASZw'],
    }),
  ),
  limit: Type.Optional(
    integer('The most changes of a response.', 100, {
      minimum: 1,
      maximum: 500,
      default: DEFAULT_LIMIT,
    }),
  ),
  types: Type.Optional(
    Type.Array(oneOf(TRACK_EVENT_TYPES), {
      maxItems: TRACK_EVENT_TYPES.length,
      description: 'Only events of these types.',
      examples: [['track.created', 'track.taken_down']],
    }),
  ),
  tracks: Type.Optional(flag('Whether each event contains the track.', true, { default: true })),
  wait: Type.Optional(
    integer('Seconds to wait for an event if there is none; needs `cursor`.', 20, {
      maximum: MAX_WAIT_SECONDS,
      default: 0,
    }),
  ),
  ...languageParameter,
});

type ChangesQuery = Static<typeof Query>;

const ChangesSchema = Type.Object(
  {
    items: Type.Array(TrackChangeSchema, { description: 'The events in their order.' }),
    nextCursor: text(
      'The position after this response, for `cursor` of the next request.',
      'c1.AAECAwQFBgcAAAAAAAASZw',
    ),
    nextSince: timestampOrNull({
      description:
        'For readers that can store only a time: `since` of the next request, which repeats some events. Null while `hasMore`.',
      examples: ['2026-11-21T10:00:01.004Z'],
    }),
    hasMore: flag(
      'Whether to continue at once. With `types`, there may be more and no items.',
      false,
    ),
  },
  { title: 'TrackChanges' },
);

export interface ChangesSources {
  feed: ChangeFeed;
  polls: LongPolls;
  catalog: Pick<LiveCatalog, 'locate' | 'documents'>;
  pages: Pick<TrackPages, 'items'>;
}

/** See docs/contract/changes.md. */
export function listTrackChanges(sources: ChangesSources): Route {
  return route({
    operationId: 'listTrackChanges',
    method: 'GET',
    path: '/v1/tracks/changes',
    tag: 'Sync',
    summary: 'Follow the changes of the catalog',
    description:
      'Every change of a track, in the order in which they were made. Give `since` or `cursor`, and continue with `nextCursor`. With `wait`, a request that finds nothing waits for the next event. A position that is lost gets 410 `gone`: load the catalog again.',
    access: { scope: 'changes', feature: 'changes' },
    errors: ['gone'],
    query: Query,
    checkQuery,
    localized: 'parameter',
    data: ChangesSchema,
    cacheable: true,
    async handle(request) {
      const { query } = request;
      const filter = filterOf(query);
      const first = await sources.feed.page(startOf(query), filter);
      const { page, caller } = await waited(sources, request, first, filter);
      const response = await respond(sources, page, caller, query.tracks ?? true);
      const next = page.hasMore && { nextPage: writeCursor(page) };
      // The log grows at its end, and not between a position and a later one. So only the last page may change. A caller
      // that waited may see the tracks in another way than those with which its response would be shared.
      const isShareable = page.hasMore && page === first;
      return { ...response, ...next, ...(!isShareable && { shareable: false }) };
    },
  });
}

function checkQuery({ since, cursor, wait = 0 }: ChangesQuery): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const refuse = (field: string, message: string) => problems.push({ field, message });
  if (since === undefined && cursor === undefined) {
    refuse('since', 'since or cursor is missing');
  }
  if (since !== undefined && cursor !== undefined) {
    refuse('cursor', 'cursor must not be given together with since');
  }
  if (cursor !== undefined && readCursor(cursor) === undefined) {
    refuse('cursor', 'cursor must be nextCursor of a response, or cursor of a snapshot');
  }
  if (since !== undefined && wait > 0) {
    refuse('wait', 'wait needs cursor; leave it out with since');
  }
  return problems;
}

function startOf({ since, cursor }: ChangesQuery): FeedStart {
  return since === undefined ? readCursor(cursor!)! : { since: parseTime(since)! };
}

function filterOf({ limit = DEFAULT_LIMIT, types = [] }: ChangesQuery): FeedFilter {
  const wanted = new Set<string>(types.length === 0 ? TRACK_EVENT_TYPES : types);
  return { limit, wants: (change) => wanted.has(trackEventOf(change)) };
}

function isEmpty({ changes, hasMore }: FeedPage): boolean {
  return changes.length === 0 && !hasMore;
}

/** Waits for the first event after an empty page, if the request asks for it. */
async function waited(
  { feed, polls }: ChangesSources,
  request: ApiRequest<ChangesQuery>,
  first: FeedPage,
  filter: FeedFilter,
): Promise<{ page: FeedPage; caller: Caller }> {
  let [page, caller] = [first, request.caller!];
  const waitMs = request.method === 'HEAD' ? 0 : 1_000 * (request.query.wait ?? 0);
  if (waitMs === 0 || !isEmpty(page)) return { page, caller };
  const wait = polls.begin(caller.clientId, waitMs, request.whenGone());
  if (wait === undefined) return { page, caller };
  const wants = (change: Change) => change.seq > page.seq && filter.wants(change);
  try {
    for (let { seq } = page; isEmpty(page); ) {
      const wake = await wait.next(seq, wants);
      if (wake === undefined) break;
      caller = await request.recheckCaller();
      // Nothing is read when only rights have changed, or only other changes were logged.
      if (wake.isForChange) page = await feed.page(page, filter);
      seq = wake.isForChange ? page.seq : wake.position;
    }
    return { page, caller };
  } finally {
    wait.end();
  }
}

async function respond(
  { catalog, pages }: ChangesSources,
  page: FeedPage,
  caller: Caller,
  withTracks: boolean,
): Promise<ApiResponse> {
  const { changes, hasMore, nextSince } = page;
  const frame = {
    nextCursor: writeCursor(page),
    nextSince: nextSince === null ? null : new Date(nextSince).toISOString(),
    hasMore,
  };
  if (!withTracks) return { data: { items: changes.map(eventOf), ...frame } };
  const ids = [...new Set(changes.map(({ entityId }) => entityId))];
  const rowIds = catalog.locate(ids, {});
  const live = rowIds.filter((rowId) => rowId !== undefined);
  const documents = await catalog.documents(live, undefined, caller.language);
  const byId = new Map(documents.map((document) => [document?.id, document]));
  return pages.items(
    changes.map((change) => ({
      before: `${JSON.stringify(eventOf(change)).slice(0, -1)},"track":`,
      document: byId.get(change.entityId) ?? null,
      after: '}',
    })),
    caller,
    `,${JSON.stringify(frame).slice(1, -1)}`,
  );
}
