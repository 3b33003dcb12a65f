import { deliveries } from '../harness/catalog.ts';
import type { TestServer } from '../harness/test-server.ts';

/** The ids of the first tracks of the server. */
export const TRACK_IDS = deliveries(5).map(({ id }) => id);

/** A well-formed stream of a track, a minute ago. */
export function usageEvent(server: TestServer, eventId: string, members: object = {}) {
  return {
    eventId,
    type: 'stream',
    trackId: TRACK_IDS[0],
    occurredAt: new Date(server.clock.now() - 60_000).toISOString(),
    seconds: 42,
    ...members,
  };
}

export const PRODUCTION = { id: 'ep-7', title: 'Harbour Lights' };
export const CUE = { startSeconds: 62, usage: 'BI' };
