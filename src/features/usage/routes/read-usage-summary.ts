import Type from 'typebox';
import { DAY_MS } from '../../../common/clock.ts';
import type { FieldProblem } from '../../../common/errors.ts';
import { integer, oneOf, text, uuid } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageResponse, paginated, rangeOf } from '../../../engines/http/schemas.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { dayOf, SUMMARY_GROUPS, USAGE_TYPES } from '../usage.ts';
import { USAGE_ROUTE } from './usage-event.ts';

const DEFAULT_DAYS = 30;
/** The most days of a summary (docs/contract/usage.md#summary). */
const MAX_DAYS = 400;
/**
 * The most summaries that a node makes for a client at the same time. Each may read a year, and those by track take
 * memory for each track, while other requests wait for the same database.
 */
const MAX_CONCURRENT = 8;

const counts = {
  streams: integer('The number of streams.', 12),
  downloads: integer('The number of downloads.', 1),
  syncs: integer('The number of synchronizations.', 0),
  seconds: integer('The seconds of streams and syncs.', 3_180),
};

const GroupSchema = Type.Object(
  {
    key: text('The day, the month, the id of the track, the type, or the country.', '2026-11-21'),
    ...counts,
  },
  { title: 'UsageGroup' },
);

const date = (description: string, example: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: [example] }));

/** GET /v1/usage/summary: adds up what the client has reported (docs/contract/usage.md#summary). */
export function readUsageSummary({ usage }: { usage: Pick<UsageStore, 'summary'> }): Route {
  return route({
    ...USAGE_ROUTE,
    operationId: 'readUsageSummary',
    method: 'GET',
    path: '/v1/usage/summary',
    summary: 'Add up reported usage',
    description: `The exact counts of accepted events by day, month, track, type or country. They include every report that was answered before. Days are those of UTC. A client may request ${MAX_CONCURRENT} summaries at a time.`,
    maxConcurrent: MAX_CONCURRENT,
    retrySeconds: 1,
    query: Type.Object({
      from: date('The first day; by default 29 days before `to`.', '2026-11-01'),
      to: date('The last day, which is included; by default today.', '2026-11-30'),
      groupBy: Type.Optional(
        oneOf(SUMMARY_GROUPS, {
          default: 'day',
          description: 'What an item stands for.',
          examples: ['day'],
        }),
      ),
      type: Type.Optional(
        oneOf(USAGE_TYPES, { description: 'Only events of this type.', examples: ['stream'] }),
      ),
      trackId: Type.Optional(
        uuid({
          description: 'Only events of this track.',
          examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'],
        }),
      ),
      ...pageMembers,
    }),
    checkQuery: (query, now) => rangeProblems(daysOf(query, now)),
    data: paginated(GroupSchema, 'UsageSummary', {
      totals: Type.Object(counts, { description: 'The counts over all pages.' }),
    }),
    async handle({ query, caller, now }) {
      const { clientId, mode } = caller!;
      const { groupBy = 'day', type, trackId } = query;
      const summary = await usage.summary({
        clientId,
        mode,
        ...daysOf(query, now),
        groupBy,
        ...(type !== undefined && { type }),
        ...(trackId !== undefined && { trackId: trackId.toLowerCase() }),
        ...rangeOf(query),
      });
      const { data, nextPage } = pageResponse(summary.groups, summary.count, query);
      return { data: { ...data, totals: summary.totals }, nextPage };
    },
  });
}

/** Returns the days, numbered from the epoch. */
function daysOf(query: { from?: string; to?: string }, now: number): { from: number; to: number } {
  const to = query.to === undefined ? dayOf(now) : Date.parse(query.to) / DAY_MS;
  const from = query.from === undefined ? to - DEFAULT_DAYS + 1 : Date.parse(query.from) / DAY_MS;
  return { from, to };
}

/** Returns the problem of too many days, or of none. A day that the schema refuses is NaN, and has its problem already. */
function rangeProblems({ from, to }: { from: number; to: number }): FieldProblem[] {
  if (Number.isNaN(to - from)) return [];
  if (from > to) return [{ field: 'from', message: 'from must not be after to' }];
  if (to - from < MAX_DAYS) return [];
  return [{ field: 'from', message: `from must be at most ${MAX_DAYS - 1} days before to` }];
}
