import { setImmediate as nextTurn } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { flag, integer, openEnum, uuid } from '../../../common/schema-types.ts';
import { counted } from '../../../common/text/shown.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { TrackState } from '../../availability/availability.ts';
import { fixtureOf } from '../../catalog/track-document.ts';
import type { IssuedLicenseStore } from '../../licensing/store/issued-license-store.ts';
import type { UsageStore } from '../store/usage-store.ts';
import {
  type CountEvents,
  REJECTION_REASONS,
  type RejectionReason,
  refusalOf,
  type UsageEvent,
  type UsageReport,
  type UsageResult,
} from '../usage.ts';
import { eventOf, USAGE_ROUTE, UsageEventSchema } from './usage-event.ts';

/** The most events of a report (docs/contract/limits.md#bounds-of-a-request). */
const MAX_EVENTS = 500;
const MAX_BODY_BYTES = 512 * 1024;
/** More than the members of 500 events. */
const MAX_MEMBERS = 15_000;

const ResultSchema = Type.Object(
  {
    index: integer('The place of the event in the report, from 0.', 0),
    eventId: Type.String({ examples: ['e-1'] }),
    status: openEnum(['accepted', 'duplicate', 'rejected'], {
      description: 'A duplicate was accepted before, with the same content.',
      examples: ['accepted'],
    }),
    takenDown: Type.Optional(flag('Whether the track of an accepted event was taken down.', false)),
    reason: Type.Optional(
      openEnum(REJECTION_REASONS, { description: 'Why the event was rejected.' }),
    ),
    message: Type.Optional(Type.String({ description: 'The reason as a sentence.' })),
  },
  { title: 'UsageResult' },
);

const ReportResultSchema = Type.Object(
  {
    batchId: uuid({
      description: 'The id of this report, which is stored with its accepted events.',
      examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'],
    }),
    received: integer('The events of the report.', 1),
    accepted: integer('Those that are stored now.', 1),
    duplicates: integer('Those that were stored before.', 0),
    rejected: integer('Those that are not stored.', 0),
    results: Type.Array(ResultSchema, { description: 'One for each event, in the order sent.' }),
  },
  {
    title: 'UsageReportResult',
    examples: [
      {
        batchId: '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41',
        received: 3,
        accepted: 1,
        duplicates: 1,
        rejected: 1,
        results: [
          { index: 0, eventId: 'e-1', status: 'accepted', takenDown: false },
          { index: 1, eventId: 'e-0', status: 'duplicate' },
          {
            index: 2,
            eventId: 'e-2',
            status: 'rejected',
            reason: 'too_old',
            message: 'occurredAt is more than 7 days ago',
          },
        ],
      },
    ],
  },
);

/**
 * POST /v1/usage: reports streams, downloads and synchronizations of tracks (docs/contract/usage.md). Responds
 * after the commit.
 */
export function reportUsage({
  usage,
  licenses,
  clock,
  maxAgeDays,
  count,
  apart,
}: {
  usage: Pick<UsageStore, 'report'>;
  licenses: Pick<IssuedLicenseStore, 'known'>;
  clock: Clock;
  /** The greatest age of an event. */
  maxAgeDays: number;
  /** Called when the accepted events are on disk. */
  count: CountEvents;
  apart?: Route['apart'];
}): Route {
  const messages = messagesOf(maxAgeDays);
  return route({
    ...USAGE_ROUTE,
    operationId: 'reportUsage',
    method: 'POST',
    path: '/v1/usage',
    summary: 'Report streams, downloads and syncs',
    description:
      'Up to 500 events. A malformed event refuses the whole report (400), and nothing is stored. Events that cannot be accepted are rejected one by one, with a reason, and the others are stored. An event counts once under its `eventId`, so a report may be sent again at any time.',
    idempotent: true,
    maxBodyBytes: MAX_BODY_BYTES,
    maxBodyMembers: MAX_MEMBERS,
    body: Type.Object(
      {
        events: Type.Array(UsageEventSchema, {
          minItems: 1,
          maxItems: MAX_EVENTS,
          description: 'The events, in any order.',
        }),
      },
      { title: 'UsageReport' },
    ),
    data: ReportResultSchema,
    apart,
    async handle({ body, caller, now, change, note }) {
      // Parsing and checking the body blocked other requests for some milliseconds.
      await nextTurn();
      const { clientId, mode } = caller!;
      const batchId = newSortableId(clock.now());
      const events = body.events.map(eventOf);
      const numbers = events.flatMap(({ licenseNumber }) => licenseNumber ?? []);
      const knownLicenses = await licenses.known(numbers, { clientId, mode });
      const receivedAt = now;
      const report = { clientId, mode, batchId, receivedAt, maxAgeDays, knownLicenses, events };
      const fixtures = events.map(({ trackId }) => fixtureOf(trackId, mode));
      const stored = { ...report, events: events.filter((_, place) => !fixtures[place]) };
      return change(
        async (context) => {
          const results = await usage.report(stored, context);
          count(mode, countsOf(results));
          return results;
        },
        (results) => {
          const rest = [...results];
          const all = fixtures.map((fixture, place) =>
            fixture ? fixtureResult(events[place]!, fixture.state, report) : rest.shift()!,
          );
          const data = resultOf(report, all, messages);
          if (data.rejected > 0) note({ mode, rejected: data.rejected });
          return { data };
        },
      );
    },
  });
}

function countsOf(results: readonly UsageResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of results) {
    const name = 'reason' in result ? result.reason : result.status;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Checks an event of a fixture track. It is not stored, and so never a duplicate. */
function fixtureResult(event: UsageEvent, state: TrackState, report: UsageReport): UsageResult {
  const reason = refusalOf(event, true, report);
  return reason === undefined
    ? { status: 'accepted', takenDown: state !== 'live' }
    : { status: 'rejected', reason };
}

function resultOf(
  { batchId, events }: UsageReport,
  results: readonly UsageResult[],
  messages: Readonly<Record<RejectionReason, string>>,
): Static<typeof ReportResultSchema> {
  const counts = { accepted: 0, duplicate: 0, rejected: 0 };
  for (const { status } of results) counts[status]++;
  return {
    batchId,
    received: events.length,
    accepted: counts.accepted,
    duplicates: counts.duplicate,
    rejected: counts.rejected,
    results: results.map((result, index) => ({
      index,
      eventId: events[index]!.eventId,
      ...result,
      ...(result.status === 'rejected' && { message: messages[result.reason] }),
    })),
  };
}

function messagesOf(maxAgeDays: number): Readonly<Record<RejectionReason, string>> {
  return {
    event_conflict: 'eventId was accepted before, with other content',
    unknown_track: 'there is no track of this trackId',
    too_old: `occurredAt is more than ${counted(maxAgeDays, 'day')} ago`,
    in_future: 'occurredAt is more than 5 minutes ahead',
    unknown_license: 'you have no license of this licenseNumber',
  };
}
